// rubato tune: how fast this machine factorises, solves and multiplies. A run decides by these rates between factors and Krylov
// spaces (krylov.automatic); they are an input, so that it takes the same path wherever it is repeated.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <vector>

#include "command.hpp"
#include "print.hpp"
#include "rubato/base/views.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/tune_file.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {

double cpu_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of one call in CPU time: the best of several batches, each long enough for the clock.
template <class Work>
double best_seconds(Work&& work) {
  constexpr double batch = 0.05;
  constexpr int batches = 5;
  double best = 1e300;
  for (int i = 0; i < batches; ++i) {
    const double start = cpu_seconds();
    int calls = 0;
    double spent = 0;
    do {
      work();
      ++calls;
      spent = cpu_seconds() - start;
    } while (spent < batch);
    best = std::min(best, spent / calls);
  }
  return best;
}

/// Neighbours in a cube of k³ nodes, d unknowns each: like trilinear bricks.
SparsePattern cube(int k, int d) {
  std::vector<Entry> entries;
  const auto near = [k](int i) { return std::pair{std::max(i - 1, 0), std::min(i + 1, k - 1)}; };
  for (int x = 0; x < k; ++x)
    for (int y = 0; y < k; ++y)
      for (int z = 0; z < k; ++z)
        for (int u = near(x).first; u <= near(x).second; ++u)
          for (int v = near(y).first; v <= near(y).second; ++v)
            for (int w = near(z).first; w <= near(z).second; ++w)
              for (int i = 0; i < d; ++i)
                for (int j = 0; j < d; ++j)
                  entries.push_back({((x * k + y) * k + z) * d + i, ((u * k + v) * k + w) * d + j});
  return SparsePattern::from_entries(k * k * k * d, k * k * k * d, std::move(entries));
}

Result<SolverRates> measured() {
  const SparsePattern pattern = cube(12, 3);
  const auto n = static_cast<std::size_t>(pattern.rows());
  std::vector<double> values(static_cast<std::size_t>(pattern.nnz()), -1), x(n, 1.0), y(n);
  for (int i = 0; i < pattern.rows(); ++i) values[static_cast<std::size_t>(pattern.index_of(i, i))] = 100;
  const FactorWork work = predicted_work(pattern);
  const auto solver = make_linear_solver<double>(pattern);
  FactorStatus status = FactorStatus::ok;
  SolverRates rates;
  note(fmt::format("factorisations of {} unknowns", n));
  rates.factor_flops = work.flops / best_seconds([&] { status = std::max(status, solver->factor(values)); });
  if (status != FactorStatus::ok)
    return Error{fmt::format("a matrix of {} unknowns could not be factorised: {}", n, to_string(status))};
  note("solves");
  rates.solve_entries = work.entries / best_seconds([&] {
                          std::ranges::fill(x, 1.0);
                          solver->solve(x);
                        });
  note("products");
  rates.product_entries = pattern.nnz() / best_seconds([&] { multiply<double, double>(pattern, values, x, y); });
  note("sums of vectors");
  constexpr int columns = 20;
  Matrix basis = Matrix::Constant(100'000, columns, 0.5);
  Vector sum = Vector::Ones(basis.rows());
  const double numbers =
      4.0 * columns * static_cast<double>(basis.rows());  // a dot product and an addition, two numbers each
  rates.vector_numbers = numbers / best_seconds([&] {
                           for (int j = 0; j < columns; ++j) sum -= 1e-9 * basis.col(j).dot(sum) * basis.col(j);
                         });
  return rates;
}

}  // namespace

int tune(const TuneArguments& arguments) {
  const auto rates = measured();
  if (!rates) return complain(rates.error());
  const std::string text = io::tune_text(*rates, std::filesystem::path(arguments.file).filename().string());
  const auto written = io::write_file(arguments.file, text);
  print_text(text);  // what was measured is there even if it cannot be kept
  if (!written) return complain(written.error()), not_written;
  note(arguments.file);
  return done;
}

}  // namespace rubato::app
