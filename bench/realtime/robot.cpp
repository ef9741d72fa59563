// The robot Manutec r3 at 1 ms in three forms, with the whole Jacobian and with what ρ = 1 leaves of it: what a solution and what a whole
// step take.
//
// Shown: time of factorisation and solution by static QR, static LU and a refactorisation by KLU on the same matrices (those of 13 states,
// in turn); median, 99.9th percentile and maximum of whole steps in free run (Jacobian, factorisation, solution, residual, outputs) over
// 1e6 steps, and of a loop of multiplications that takes as long, which is what the machine adds. Not shown: steps against the clock (rubato realtime run), other machines. Structures are found first, which takes minutes.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "experiments/realtime_sparsing/robot_run.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/runner.hpp"
#include "rubato/realtime/static_lu.hpp"

namespace {

using namespace rubato;
using namespace rubato::realtime;
namespace sparsing = rubato::experiments::sparsing;

constexpr double step = 1e-3;

Keep structure_of(std::string_view form, bool sparsed) {
  const sparsing::Robot& robot = sparsing::robot(form);
  return sparsed ? sparsing::sparsed(form, step, 1, {}).keep : robot.all();
}

/// The step matrices of the samples.
struct Matrices {
  KeptMatrix matrix;
  std::vector<std::vector<double>> values;
  std::vector<double> b, x;
  Matrices(const sparsing::Robot& robot, const Keep& keep)
      : matrix(robot.structure.jacobian, keep, robot.structure.mass, robot.structure.mass_values, step),
        b(static_cast<std::size_t>(matrix.pattern().rows()), 1.0),
        x(b.size()) {
    for (const auto& jacobian : robot.jacobians) {
      values.emplace_back(static_cast<std::size_t>(matrix.pattern().nnz()));
      matrix.fill(jacobian, values.back());
    }
  }
};

void solve(benchmark::State& state, std::string_view form, StaticKind kind, bool sparsed) {
  Matrices m(sparsing::robot(form), structure_of(form, sparsed));
  Ordering ordering;
  if (kind == StaticKind::qr) {
    ordering = qr_ordering(m.matrix.pattern());
  } else {
    auto pivots = lu_ordering(m.matrix.pattern(), m.values);
    if (!pivots) return state.SkipWithError(pivots.error().message.c_str());
    ordering = std::move(pivots->ordering);
  }
  const auto solver = make_static_solver(kind, m.matrix.pattern(), ordering);
  if (!solver) return state.SkipWithError(solver.error().message.c_str());
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize((*solver)->solve(m.values[at], m.b, m.x));
    at = (at + 1) % m.values.size();
  }
  state.counters["operations"] = (*solver)->facts().operations.weight();
  state.counters["factor"] = static_cast<double>((*solver)->facts().factor_entries);
}

void klu(benchmark::State& state, std::string_view form, bool sparsed) {
  Matrices m(sparsing::robot(form), structure_of(form, sparsed));
  const auto solver = make_linear_solver<double>(m.matrix.pattern(), BackEnd::klu);
  std::size_t at = 0;
  for (auto _ : state) {
    if (solver->factor(m.values[at]) != FactorStatus::ok) return state.SkipWithError("singular");
    std::copy(m.b.begin(), m.b.end(), m.x.begin());
    solver->solve(m.x);
    benchmark::DoNotOptimize(m.x.data());
    at = (at + 1) % m.values.size();
  }
  state.counters["factor"] = static_cast<double>(solver->report().factor_nnz);
  state.counters["fresh_pivots"] = static_cast<double>(solver->report().full_factorisations);
}

void show(const StepTimes& times, benchmark::State& state) {
  state.counters["median_us"] = 1e-3 * times.quantile(0.5);
  state.counters["p99.9_us"] = 1e-3 * times.quantile(0.999);
  state.counters["max_us"] = 1e-3 * static_cast<double>(times.longest());
}

/// What the machine makes of 1e6 times the same multiplications, one waiting for the other.
void same_multiplications(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  StepTimes times;
  for (auto _ : state)
    for (int n = 0; n < 1'000'000; ++n) {
      const auto begin = Clock::now();
      double x = 1;
      for (long i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(x *= 1.0000001);
      times.record(std::chrono::nanoseconds(Clock::now() - begin).count());
    }
  show(times, state);
}

/// The run begins again after every second, so that states stay those of the motion.
void whole_step(benchmark::State& state, std::string_view form, bool sparsed) {
  const sparsing::Robot& robot = sparsing::robot(form);
  const InitialValueProblem& problem = robot.instance.problem;
  const auto plan =
      make_plan(*problem.dae, robot.structure, structure_of(form, sparsed), robot.samples, {.step = step});
  if (!plan) return state.SkipWithError(plan.error().message.c_str());
  const auto stepper = RealtimeStepper::create(*problem.dae, *plan, start_of(problem));
  if (!stepper) return state.SkipWithError(stepper.error().message.c_str());
  const auto begin = (*stepper)->mark();
  SignalLink link(problem.input.get(), step);
  StepTimes all;
  long failures = 0;
  for (auto _ : state)
    for (int second = 0; second < 1000; ++second) {
      (*stepper)->go_back(begin);
      const RunnerReport report =
          run_realtime(**stepper, link, {.n_steps = 1000, .free_run = true, .warm_up = second == 0 ? 100 : 0});
      all += report.times;
      failures += report.failures;
    }
  if (failures > 0) return state.SkipWithError("steps failed");
  show(all, state);
  state.counters["passes"] = (*stepper)->passes_per_step();
  state.SetLabel(std::string(to_string(plan->back_end)));
}

void register_all() {
  benchmark::RegisterBenchmark("same_multiplications", same_multiplications)
      ->Arg(3'000)
      ->Arg(5'000)
      ->Arg(10'000)
      ->Arg(20'000)
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
  for (const std::string_view form : {sparsing::full, sparsing::torn, sparsing::ode, sparsing::noisy})
    for (const bool sparsed : {false, true}) {
      const auto name = [&, which = sparsed ? "rho=1" : "whole"](const char* what) {
        return std::string(what) + "/" + std::string(form) + "/" + which;
      };
      benchmark::RegisterBenchmark(name("qr").c_str(), solve, form, StaticKind::qr, sparsed)
          ->Unit(benchmark::kMicrosecond);
      benchmark::RegisterBenchmark(name("lu").c_str(), solve, form, StaticKind::lu, sparsed)
          ->Unit(benchmark::kMicrosecond);
      benchmark::RegisterBenchmark(name("klu").c_str(), klu, form, sparsed)->Unit(benchmark::kMicrosecond);
      if (form != sparsing::noisy)
        benchmark::RegisterBenchmark(name("step").c_str(), whole_step, form, sparsed)
            ->Iterations(1)
            ->Unit(benchmark::kSecond);
    }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
