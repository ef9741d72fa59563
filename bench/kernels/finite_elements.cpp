// Matrices of finite elements and of multibody systems: KLU against MUMPS, and MUMPS up to 10⁵ unknowns.
//
// Shown: processor time of one factorisation (analysis done, symmetric values) and of one solve; L + U per row as KLU's
// analysis predicts them decides the automatic choice (back_ends.cpp). Not shown: assembly, threads.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rubato/linalg/linear_solver.hpp"
#include "support/structured_matrices.hpp"

namespace {

using namespace rubato;

double now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void factor_and_solve(benchmark::State& state, const test::StructuredMatrix& matrix, BackEnd back_end) {
  const double begin = now();
  const auto solver = make_linear_solver<double>(matrix.pattern, back_end);
  bool ok = solver->factor(matrix.values) == FactorStatus::ok;
  state.counters["set_up_ms"] = (now() - begin) * 1e3;
  const std::vector<double> b(static_cast<std::size_t>(matrix.pattern.rows()), 1.0);
  std::vector<double> x = b;
  double factor = HUGE_VAL, solve = HUGE_VAL;
  for (auto _ : state) {
    const double start = now();
    ok = ok && solver->factor(matrix.values) == FactorStatus::ok;
    factor = std::min(factor, now() - start);
    for (int k = 0; k < 3; ++k) {
      x = b;
      const double middle = now();
      solver->solve(x);
      solve = std::min(solve, now() - middle);
    }
  }
  if (!ok) state.SkipWithError("a factorisation failed");
  const SolverReport report = solver->report();
  state.counters["n"] = report.n;
  state.counters["factor_nnz"] = static_cast<double>(report.factor_nnz);
  state.counters["factor_ms"] = factor * 1e3;
  state.counters["solve_ms"] = solve * 1e3;
  state.counters["growth"] = report.growth;
}

BackEnd chosen(const benchmark::State& state) { return state.range(1) == 0 ? BackEnd::klu : BackEnd::mumps; }

void chain(benchmark::State& state) {
  factor_and_solve(state, test::chain(static_cast<int>(state.range(0))), chosen(state));
}
void taylor_hood(benchmark::State& state) {
  const int k = static_cast<int>(state.range(0));
  factor_and_solve(state, test::taylor_hood(k, k), chosen(state));
}
void bricks(benchmark::State& state) {
  const int k = static_cast<int>(state.range(0));
  factor_and_solve(state, test::bricks(k, k, k), chosen(state));
}
BENCHMARK(chain)->ArgNames({"links", "mumps"})->ArgsProduct({{20, 100, 1000}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(taylor_hood)
    ->ArgNames({"side", "mumps"})
    ->ArgsProduct({{3, 5, 7, 10, 14, 19, 28}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bricks)->ArgNames({"side", "mumps"})->ArgsProduct({{3, 4, 5, 8, 11}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(bricks)  // 27: 65 856 unknowns, 31: 98 304
    ->ArgNames({"side", "mumps"})
    ->ArgsProduct({{16, 27, 31}, {1}})
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

}  // namespace
