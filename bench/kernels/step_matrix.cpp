// Step matrices: what condensation saves, and from which size on sparse beats dense.
//
// Shown: time of one factor(c) (assembly, condensation, refactorisation with kept pivots) and of one solve, of
// mass-spring lattices with a constraint for every 50 coordinates; time of factor and solve of single matrices, dense
// against KLU. Not shown: the first factorisation (analysis and pivoting), evaluation of the model, threads.
#include "rubato/linalg/step_matrix.hpp"

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using namespace rubato;
using Complex = std::complex<double>;

/// q' = v, M v' = −K q − D v − Gᵀλ, 0 = G q. side² nodes in the plane, springs to the eight neighbours, two coordinates
/// per node; side × 1 with two neighbours if `chain`. Every 50th coordinate is tied to the next node's.
struct Lattice {
  SparsePattern B, J;
  std::vector<double> B_values, J_values;
  std::vector<PivotPosition> local;
  int n_q = 0, n_lambda = 0;
};

Lattice lattice(int n_dof, bool chain) {
  const int columns = chain ? n_dof / 2 : static_cast<int>(std::lround(std::sqrt(n_dof / 2.0)));
  const int rows = chain ? 1 : columns;
  const int n_nodes = rows * columns;
  Lattice s;
  s.n_q = 2 * n_nodes;
  s.n_lambda = s.n_q / 50;
  const int n = 2 * s.n_q + s.n_lambda;
  std::vector<Entry> b, j;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  const auto dof = [](int node, int axis) { return 2 * node + axis; };
  for (int i = 0; i < s.n_q; ++i) {
    b.push_back({i, i});
    b.push_back({s.n_q + i, s.n_q + i});
    j.push_back({i, s.n_q + i});
    s.local.push_back({i, s.n_q + i});
  }
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          if (y + dy < 0 || y + dy >= rows || x + dx < 0 || x + dx >= columns) continue;
          const int here = y * columns + x, there = (y + dy) * columns + x + dx;
          for (int a = 0; a < 2; ++a)
            for (int c = 0; c < 2; ++c) {
              j.push_back({s.n_q + dof(here, a), dof(there, c)});          // −K
              j.push_back({s.n_q + dof(here, a), s.n_q + dof(there, c)});  // −D
            }
        }
  for (int l = 0; l < s.n_lambda; ++l)
    for (const int i : {50 * l, std::min(50 * l + 2, s.n_q - 1)}) {
      j.push_back({s.n_q + i, 2 * s.n_q + l});
      j.push_back({2 * s.n_q + l, i});
    }
  s.B = SparsePattern::from_entries(n, n, std::move(b));
  s.J = SparsePattern::from_entries(n, n, std::move(j));
  s.B_values.assign(static_cast<std::size_t>(s.B.nnz()), 1.0);
  s.J_values.resize(static_cast<std::size_t>(s.J.nnz()));
  for (int col = 0; col < n; ++col)
    for (int p = s.J.column_starts()[col]; p < s.J.column_starts()[col + 1]; ++p) {
      const int row = s.J.row_indices()[p];
      const bool kinematic = row < s.n_q, stiffness = col < s.n_q, diagonal = row == s.n_q + col || row == col;
      const double size = stiffness ? 10.0 : 0.1;
      s.J_values[p] = kinematic ? 1.0 : diagonal ? -20 * size : size * uniform(random);
    }
  return s;
}

/// Processor time of this program: what else the machine does counts less.
double now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of one call, the best of a few.
template <class F>
double seconds(F&& call, int repeats = 3) {
  double best = HUGE_VAL;
  for (int k = 0; k < repeats; ++k) {
    const double start = now();
    call();
    best = std::min(best, now() - start);
  }
  return best;
}

template <class T>
void condensed_against_full(benchmark::State& state) {
  const Lattice s = lattice(static_cast<int>(state.range(0)), state.range(1) != 0);
  const bool real = std::is_same_v<T, double>;
  const auto make = [&](bool condense) {
    StepMatrix m(
        s.B, s.J, s.local,
        {.back_end = BackEnd::klu, .condense = condense, .real_shifts = real ? 1 : 0, .complex_shifts = real ? 0 : 1});
    m.linearise(s.B_values, s.J_values);
    return m;
  };
  const auto shift = [](double h) {
    if constexpr (std::is_same_v<T, double>)
      return 2.3 / h;
    else
      return T(2.7 / h, 3.05 / h);
  };
  bool ok = true;
  std::vector<T> r(static_cast<std::size_t>(s.B.rows()), T(1)), x = r, y = r;
  StepMatrix condensed = make(true);
  double full_factor = 0, full_solve = 0, factor = 0, solve = 0;
  {
    StepMatrix full = make(false);
    ok = ok && full.factor(shift(0.01)) == FactorStatus::ok;
    full_factor = seconds([&] { ok = ok && full.factor(shift(0.011)) == FactorStatus::ok; });
    full_solve = seconds([&] { full.solve(r, y); });
    const SolverReport report = real ? full.solver_report() : full.complex_solver_report();
    state.counters["full_LU_nnz"] = static_cast<double>(report.factor_nnz);
  }
  ok = ok && condensed.factor(shift(0.01)) == FactorStatus::ok;
  for (auto _ : state) {
    const double start = now();
    ok = ok && condensed.factor(shift(0.011)) == FactorStatus::ok;
    const double time = now() - start;
    factor = factor == 0 ? time : std::min(factor, time);
  }
  solve = seconds([&] { condensed.solve(r, x); });
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference = std::max(difference, std::abs(x[i] - y[i]));
    norm = std::max(norm, std::abs(y[i]));
  }
  if (!ok) state.SkipWithError("a factorisation failed");
  const SolverReport report = real ? condensed.solver_report() : condensed.complex_solver_report();
  state.counters["LU_nnz"] = static_cast<double>(report.factor_nnz);
  state.counters["factor_ms"] = factor * 1e3;
  state.counters["full_factor_ms"] = full_factor * 1e3;
  state.counters["factor_ratio"] = full_factor / factor;
  state.counters["solve_ms"] = solve * 1e3;
  state.counters["solve_ratio"] = full_solve / solve;
  state.counters["error"] = difference / norm;
}
BENCHMARK(condensed_against_full<double>)
    ->ArgNames({"dof", "chain"})
    ->ArgsProduct({{1000, 10000, 100000}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(condensed_against_full<Complex>)
    ->ArgNames({"dof", "chain"})
    ->ArgsProduct({{1000, 10000}, {0}})
    ->Unit(benchmark::kMillisecond);

/// A band of half-width 4 plus random couplings, `per_row` entries per row in all (multibody systems: about 8 to 15).
SparsePattern coupled(int n, int per_row) {
  std::mt19937 random(3);
  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i) {
    const int half = std::min(4, (per_row - 1) / 2);
    for (int k = std::max(0, i - half); k <= std::min(n - 1, i + half); ++k) entries.push_back({i, k});
    for (int extra = 2 * half + 1; extra < per_row; ++extra)
      entries.push_back({i, static_cast<int>(random() % static_cast<unsigned>(n))});
  }
  return SparsePattern::from_entries(n, n, std::move(entries));
}

template <class T>
void dense_against_klu(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const SparsePattern pattern = coupled(n, static_cast<int>(state.range(1)));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(pattern.nnz()));
  for (T& v : values) v = uniform(random);
  for (int i = 0; i < n; ++i) values[pattern.index_of(i, i)] += 4.0;
  std::vector<T> x(static_cast<std::size_t>(n), T(1));
  const auto solver = make_linear_solver<T>(pattern, state.range(2) == 0 ? BackEnd::dense : BackEnd::klu);
  if (solver->factor(values) != FactorStatus::ok) state.SkipWithError("singular");
  for (auto _ : state) {  // one factorisation and three solves: a typical step
    benchmark::DoNotOptimize(solver->factor(values));
    for (int k = 0; k < 3; ++k) {
      std::fill(x.begin(), x.end(), T(1));
      solver->solve(x);
    }
    benchmark::DoNotOptimize(x.data());
  }
  state.counters["density"] = pattern.density();
  state.counters["LU_nnz"] = static_cast<double>(solver->report().factor_nnz);
}
BENCHMARK(dense_against_klu<double>)
    ->ArgNames({"n", "per_row", "klu"})
    ->ArgsProduct({{5, 10, 15, 20, 30, 40, 60, 100, 200, 300}, {5, 9, 20}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(dense_against_klu<Complex>)
    ->ArgNames({"n", "per_row", "klu"})
    ->ArgsProduct({{10, 20, 40, 100, 300}, {9}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
