// What one step of a Rosenbrock method costs as the model grows: the damped mass-spring lattice of the catalogue (side²
// masses, 4 side² + 1 unknowns), local unknowns condensed against left in the matrix.
//
// Shown: CPU time per step of RODAS4 and ROS3P with a fixed step (f, J by dual numbers, factorisation, solves, driver),
// from which the set-up is subtracted. Not shown: accuracy (bench/work_precision), back ends other than `automatic`, the
// factorisation alone (kernels/step_matrix.cpp).
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace {

using namespace rubato;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Of the faster of two runs over this many steps; infinite where it did not finish.
double seconds_of(const catalogue::Instance& instance, const std::string& method, bool condense, int steps, double h) {
  InitialValueProblem problem = instance.problem;
  problem.t_end = problem.t_start + steps * h;
  const IntegrateOptions options{.step = {.fixed_step = h}, .linear = {.condense = condense}};
  double best = HUGE_VAL;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const double begin = cpu_seconds();
    const auto summary = integrate(problem, method, options);
    if (!summary || !completed(summary->status)) return HUGE_VAL;
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

void row_step(benchmark::State& state, const std::string& method) {
  const auto side = static_cast<double>(state.range(0));
  const auto instance = catalogue::make_problem("mass-spring-lattice", {{"n", side}, {"rods", 1}, {"c", 10}});
  if (!instance) return state.SkipWithError(instance.error().message.c_str());
  const double h = 1e-3;
  const int steps = static_cast<int>(std::clamp(5e4 / (side * side), 4.0, 1000.0));
  double per_step[2] = {};
  for (auto _ : state)
    for (const bool condense : {false, true})
      per_step[condense] =
          (seconds_of(*instance, method, condense, steps + 1, h) - seconds_of(*instance, method, condense, 1, h)) /
          steps;
  if (!std::isfinite(per_step[0] + per_step[1])) return state.SkipWithError("a run did not finish");
  state.counters["unknowns"] = instance->problem.dae->size();
  state.counters["step_us"] = 1e6 * per_step[true];
  state.counters["full_step_us"] = 1e6 * per_step[false];
  state.counters["ratio"] = per_step[false] / per_step[true];
}

BENCHMARK_CAPTURE(row_step, rodas4, "rodas4")->ArgName("side")->RangeMultiplier(2)->Range(2, 64)->Iterations(1);
BENCHMARK_CAPTURE(row_step, ros3p, "ros3p")->ArgName("side")->RangeMultiplier(2)->Range(2, 64)->Iterations(1);

}  // namespace
