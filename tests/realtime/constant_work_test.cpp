/// Steps watched from outside: no allocation, no system call, and as many instructions in one as in another.
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
  bool branches = false;  ///< the functions it calls do, as sin does

  Watched(std::string title, std::shared_ptr<const Dae> model, const Sample& start, const PlanOptions& options)
      : name(std::move(title)), dae(std::move(model)), u(static_cast<std::size_t>(dae->n_inputs()), 0.1) {
    const auto plan = full_plan(*dae, start, options);
    if (!plan) throw std::runtime_error(name + ": " + plan.error().message);
    auto made = RealtimeStepper::create(*dae, *plan, start);
    if (!made) throw std::runtime_error(name + ": " + made.error().message);
    stepper = std::move(*made);
    y.resize(static_cast<std::size_t>(stepper->n_outputs()));
  }
  bool step() {
    const RealtimeStatus status = stepper->step(u).status;
    return stepper->outputs(y) == EvalStatus::ok && status == RealtimeStatus::ok;
  }
  /// Of steps that lie `apart` steps from each other.
  [[nodiscard]] std::optional<std::vector<long>> instructions(int times, int apart) {
    for (int n = 0; n < 3; ++n) (void)step();  // symbols of shared libraries are bound by the first calls
    const auto go_on = [this, apart] {
      for (int n = 0; n < apart; ++n) (void)step();
    };
    return test::instructions(times, go_on, [this] { (void)step(); });
  }
};

#define RUBATO_SKIP_WITHOUT(observed) \
  if (!(observed)) GTEST_SKIP() << "processes may not be watched here, or the address sanitizer counts along"

const Sample counted_start{0, Vector{{1, 0, 0}}, Vector{{0}}};

Watched mechanism(const char* name) {
  const auto problem = example(name).problem("index-1", 1);
  return {name, problem.dae, start_of(problem), {.step = 1e-3, .time = StepTime::end, .projections = 1}};
}

Watched robot() {
  const auto made = catalogue::make_problem("robot-r3", {}, "dae-117");
  return {"robot", made->problem.dae, start_of(made->problem), {.step = 1e-3}};
}

/// Every way of making a step, with models small enough to be followed instruction by instruction.
std::vector<Watched> small_runs() {
  std::vector<Watched> runs;
  const Sample chain_start{0, Vector::Constant(4, 0.1), Vector()};
  const auto chain = make_dae(test_models::Chain{2}, {{.name = "q", .size = 2}, {.name = "v", .size = 2}});
  const auto orifices = catalogue::make_problem("hydraulic-orifices");
  for (const StaticKind kind : {StaticKind::lu, StaticKind::qr}) {
    const auto add = [&](const char* name, auto dae, const Sample& start, PlanOptions options) {
      options.step = 0.01;
      options.back_end = kind;
      runs.emplace_back(fmt::format("{} by {}", name, to_string(kind)), dae, start, options);
      runs.back().branches = start.x.size() == 4;  // the chain
    };
    add("chain", chain, chain_start, {});
    add("algebraic unknowns, an input and an output", test_models::linear(), counted_start, {});
    add("extrapolation", chain, chain_start, {.step_numbers = {1, 2, 3}});
    add("entries dropped from some step on", test_models::decay(8), {0, Vector::Ones(8), Vector()},
        {.drop_below = 0.01});
    add("damped orifices", orifices->problem.dae, start_of(orifices->problem), {.damping = true});
  }
  return runs;
}

std::vector<Watched> all_runs() {
  std::vector<Watched> runs = small_runs();
  runs.push_back(robot());
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
    const auto quiet = test::runs_without_system_calls(steps);
    RUBATO_SKIP_WITHOUT(quiet);
    EXPECT_TRUE(*quiet) << run.name;
  }
  EXPECT_FALSE(test::runs_without_system_calls([] { return getppid() != 0; }).value_or(true));
}

/// Two steps far apart, with other numbers, some of them zero, other entries dropped, another damping: the instructions are the same, but
/// for branches of functions such as sin (robot: 0.4 %).
void expect_same_instructions(Watched run, int apart) {
  const auto counts = run.instructions(2, apart);
  RUBATO_SKIP_WITHOUT(counts);
  testing::Test::RecordProperty("instructions", fmt::format("{} {}", counts->at(0), counts->at(1)));
  EXPECT_LE(std::abs(counts->at(1) - counts->at(0)), run.branches ? counts->at(0) / 100 : 0)
      << run.name << ' ' << counts->at(0);
  EXPECT_GT(counts->at(0), 300) << run.name;
}
TEST(ConstantWork, EveryStepTakesTheSameInstructions) {
  for (Watched& run : small_runs()) expect_same_instructions(std::move(run), 150);
}
TEST(ConstantWork, EveryStepOfAMechanismTakesTheSameInstructions) {
  expect_same_instructions(mechanism("gyroscope.toml"), 150);
}
TEST(ConstantWork, EveryStepOfTheRobotTakesTheSameInstructions) {
  Watched run = robot();
  run.branches = true;
  expect_same_instructions(std::move(run), 600);
}

/// Steps that fail go on to their end: none takes longer than one that succeeds, and none much less.
TEST(ConstantWork, FailedStepsTakeNoMore) {
  std::vector<Watched> runs;
  for (const StaticKind kind : {StaticKind::lu, StaticKind::qr})
    for (const bool damping : {false, true})
      for (const std::vector<int>& numbers : {std::vector{1}, std::vector{1, 2}})
        if (!damping || numbers.size() == 1) {
          const PlanOptions options{.step = 0.01, .back_end = kind, .damping = damping, .step_numbers = numbers};
          const auto name = [&](const char* model) {
            return fmt::format("{} by {}, damped {}, {} columns", model, to_string(kind), damping, numbers.size());
          };
          runs.emplace_back(name("linear"), test_models::linear(), counted_start, options);
          runs.emplace_back(name("gate"), test_models::gate(), Sample{0, Vector{{1, 1}}, Vector{{1}}}, options);
        }
  for (Watched& run : runs) {
    const auto good = run.instructions(1, 0);
    RUBATO_SKIP_WITHOUT(good);
    run.u[0] = run.name.starts_with("gate") ? 0 : std::numeric_limits<double>::quiet_NaN();
    ASSERT_FALSE(run.step()) << run.name;
    const auto failed = run.instructions(1, 0);
    RUBATO_SKIP_WITHOUT(failed);
    EXPECT_LE(failed->front(), 1.01 * static_cast<double>(good->front())) << run.name;
    EXPECT_GT(failed->front(), 0.93 * static_cast<double>(good->front())) << run.name;
  }
}

}  // namespace
}  // namespace rubato::realtime
