/// Steps watched from outside: no allocation, no system call, and as many instructions in one as in another, whatever the numbers are.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "catalogue/catalogue.hpp"
#include "mechanisms.hpp"
#include "support/allocation_counter.hpp"
#include "support/observed_process.hpp"

namespace rubato::realtime {
namespace {

using test_models::example;
using test_models::full_plan;

/// A model with the plan that keeps all entries.
struct Watched {
  std::string name;
  std::shared_ptr<const Dae> dae;
  std::unique_ptr<RealtimeStepper> stepper;
  std::vector<double> u, y;

  Watched(std::string title, std::shared_ptr<const Dae> model, const Sample& start, const PlanOptions& options)
      : name(std::move(title)), dae(std::move(model)), u(static_cast<std::size_t>(dae->n_inputs()), 0.1) {
    const auto plan = full_plan(*dae, start, options);
    EXPECT_TRUE(plan.ok()) << name << ": " << (plan.ok() ? "" : plan.error().message);
    auto made = RealtimeStepper::create(*dae, *plan, start);
    EXPECT_TRUE(made.ok()) << name << ": " << (made.ok() ? "" : made.error().message);
    stepper = std::move(*made);
    y.resize(static_cast<std::size_t>(stepper->n_outputs()));
  }
  bool step() {
    const RealtimeStatus status = stepper->step(u).status;
    return stepper->outputs(y) == EvalStatus::ok && status == RealtimeStatus::ok;
  }
  /// Instructions of the shortest and the longest of so many steps.
  [[nodiscard]] std::optional<std::pair<long, long>> instructions(int steps) {
    for (int n = 0; n < 3; ++n) (void)step();  // symbols of shared libraries are bound by the first calls
    const auto counts = test::instructions(steps, [&] { (void)step(); });
    if (!counts) return std::nullopt;
    const auto [least, most] = std::minmax_element(counts->begin(), counts->end());
    return std::pair(*least, *most);
  }
};

const Sample linear_start{0, Vector{{1, 0, 0}}, Vector{{0}}};

Watched mechanism(const char* name) {
  const auto problem = example(name).problem("index-1", 1);
  return {name, problem.dae, start_of(problem), {.step = 1e-3, .time = StepTime::end, .projections = 1}};
}

/// Every way of making a step, with models small enough to be followed instruction by instruction.
std::vector<Watched> small_runs() {
  std::vector<Watched> runs;
  const Sample chain_start{0, Vector::Constant(4, 0.1), Vector()};
  const auto chain = make_dae(test_models::Chain{2}, {{.name = "q", .size = 2}, {.name = "v", .size = 2}});
  for (const StaticKind kind : {StaticKind::lu, StaticKind::qr}) {
    const auto add = [&](const char* name, auto dae, const Sample& start, PlanOptions options) {
      options.step = 0.01;
      options.back_end = kind;
      runs.emplace_back(fmt::format("{} by {}", name, to_string(kind)), dae, start, options);
    };
    add("chain", chain, chain_start, {});
    add("algebraic unknowns, an input and an output", test_models::linear(), linear_start, {});
    add("extrapolation", chain, chain_start, {.step_numbers = {1, 2, 3}});
    add("dropped entries", chain, chain_start, {.drop_below = 0.1});
    add("damped orifices", test_models::hydraulic(), test_models::hydraulic_start(), {.damping = true});
  }
  return runs;
}

std::vector<Watched> all_runs() {
  std::vector<Watched> runs = small_runs();
  const auto robot = catalogue::make_problem("robot-r3", {}, "dae-117");
  runs.emplace_back("robot", robot->problem.dae, start_of(robot->problem), PlanOptions{.step = 1e-3});
  for (const char* const name : {"gyroscope.toml", "four_bar.toml", "quarter_car.toml"})
    runs.push_back(mechanism(name));
  return runs;
}

TEST(ConstantWork, NeverAllocatesNorCallsTheSystem) {
  for (Watched& run : all_runs()) {
    const auto steps = [&] {
      bool fine = true;
      for (int n = 0; n < 100; ++n) fine = run.step() && fine;
      return fine;
    };
    const test::AllocationScope scope;
    EXPECT_TRUE(steps()) << run.name;
    if (test::allocations_are_counted()) {
      EXPECT_EQ(scope.count(), 0) << run.name;
    }
    EXPECT_TRUE(test::runs_without_system_calls(steps)) << run.name;
  }
  EXPECT_FALSE(test::runs_without_system_calls([] { return getppid() != 0; }));
}

/// Numbers differ from step to step, instructions do not, but for branches of functions such as sin (robot: 0.04 %).
TEST(ConstantWork, EveryStepTakesTheSameInstructions) {
  std::vector<Watched> runs = small_runs();
  runs.push_back(mechanism("gyroscope.toml"));
  for (Watched& run : runs) {
    const auto counts = run.instructions(2);
    if (!counts) GTEST_SKIP() << "processes may not be traced here, or the address sanitizer counts along";
    EXPECT_LE(counts->second - counts->first, counts->first / 500) << run.name;
    EXPECT_GT(counts->first, 500) << run.name;
  }
}

/// Steps that fail go on to their end: none takes longer than one that succeeds, and none much less.
TEST(ConstantWork, FailedStepsTakeNoMore) {
  Watched run("linear", test_models::linear(), linear_start, {.step = 0.01});
  const auto good = run.instructions(2);
  if (!good) GTEST_SKIP() << "processes may not be traced here, or the address sanitizer counts along";
  run.u[0] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_FALSE(run.step());
  const auto failed = run.instructions(2);
  EXPECT_LE(failed->second, good->second);
  EXPECT_GT(failed->first, 0.95 * static_cast<double>(good->first));
}

}  // namespace
}  // namespace rubato::realtime
