/// The robot Manutec r3 at 1 ms: the numbers of the specification in all three formulations, and what a step makes of it.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "rubato/realtime/jacobian_passes.hpp"
#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/runner.hpp"
#include "rubato/realtime/samples.hpp"
#include "support/allocation_counter.hpp"

namespace rubato::realtime {
namespace {

struct Robot {
  catalogue::Instance instance;
  ModelStructure structure;
  explicit Robot(std::string_view form) {
    auto made = catalogue::make_problem("robot-r3", {}, form);
    EXPECT_TRUE(made.ok());
    instance = std::move(*made);
    auto found = model_structure(dae(), start());
    EXPECT_TRUE(found.ok());
    structure = std::move(*found);
  }
  [[nodiscard]] const Dae& dae() const { return *instance.problem.dae; }
  [[nodiscard]] Sample start() const { return start_of(instance.problem); }
  [[nodiscard]] Keep all() const { return Keep(static_cast<std::size_t>(structure.jacobian.nnz()), 1); }
};

class RobotTest : public testing::TestWithParam<const char*> {};

/// 1000 steps of the linearly implicit Euler method with the exact Jacobian, both back ends.
TEST_P(RobotTest, ReachesTheAnglesOfTheSpecification) {
  const Robot robot(GetParam());
  const double expected[] = {1.40655390, -0.99894234, -0.26773724, -0.47926532, 2.11711044, -0.56983654};
  for (const StaticKind kind : {StaticKind::qr, StaticKind::lu}) {
    const auto plan =
        make_plan(robot.dae(), robot.structure, robot.all(), {robot.start()}, {.step = 1e-3, .back_end = kind});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto stepper = RealtimeStepper::create(robot.dae(), *plan, robot.start());
    ASSERT_TRUE(stepper.ok()) << stepper.error().message;
    SignalLink link(robot.instance.problem.input.get(), 1e-3);
    const RunnerReport report = run_realtime(**stepper, link, {.n_steps = 1000, .free_run = true});
    ASSERT_EQ(report.failures, 0) << report.first_failed_step << ' ' << to_string(report.first_failure.status);
    for (int i = 0; i < 6; ++i) {
      const Layout& layout = robot.dae().layout();
      const auto names = layout.component_names();
      const auto at = std::find(names.begin(), names.end(), "axis" + std::to_string(i + 1) + ".q") - names.begin();
      EXPECT_NEAR((*stepper)->state()[static_cast<std::size_t>(at)], expected[i], 1e-7) << to_string(kind) << i;
    }
  }
}

/// Passes for what is needed yield what the whole Jacobian holds; constant entries are constant along the motion, too.
TEST_P(RobotTest, NeedsFewPassesForItsJacobian) {
  const Robot robot(GetParam());
  const auto plan = make_plan(robot.dae(), robot.structure, robot.all(), {robot.start()}, {.step = 1e-3});
  ASSERT_TRUE(plan.ok());
  std::vector<unsigned char> needed(plan->keep.size());
  for (std::size_t p = 0; p < needed.size(); ++p) needed[p] = plan->constant[p] == 0;
  JacobianPasses passes(robot.dae(), robot.structure.jacobian, needed);
  EXPECT_LE(passes.n_passes(), 3);
  const auto stepper = RealtimeStepper::create(robot.dae(), *plan, robot.start());
  SignalLink link(robot.instance.problem.input.get(), 1e-3);
  std::vector<Sample> samples = {robot.start()};
  for (int k = 0; k < 4; ++k) {
    (void)run_realtime(**stepper, link, {.n_steps = 250, .free_run = true});
    samples.push_back({(*stepper)->time(), map((*stepper)->state()), Vector::Zero(6)});
  }
  const auto whole = sampled_jacobians(robot.dae(), robot.structure, samples);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  ScratchMemory scratch(robot.dae().scratch_bytes());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Sample& sample = samples[s];
    std::vector<double> f(static_cast<std::size_t>(robot.dae().size())), values = whole->front();
    At at;
    at.t = sample.t;
    at.x = view(sample.x);
    at.u = view(sample.u);
    at.scratch = scratch.scratch();
    ASSERT_EQ(passes.evaluate(at, f, values), EvalStatus::ok);
    for (std::size_t p = 0; p < values.size(); ++p)
      EXPECT_NEAR(values[p], (*whole)[s][p], 1e-12 * std::abs((*whole)[s][p])) << s << ' ' << p;
  }
}

TEST_P(RobotTest, StepsDoNotAllocate) {
  const Robot robot(GetParam());
  const auto plan = make_plan(robot.dae(), robot.structure, robot.all(), {robot.start()}, {.step = 1e-3});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(robot.dae(), *plan, robot.start());
  const std::vector<double> u(6, 1.0);
  std::vector<double> y(static_cast<std::size_t>((*stepper)->n_outputs()));
  const test::AllocationScope scope;
  for (int n = 0; n < 10; ++n) {
    EXPECT_EQ((*stepper)->step(u).status, RealtimeStatus::ok);
    EXPECT_EQ((*stepper)->outputs(y), EvalStatus::ok);
  }
  if (test::allocations_are_counted()) {
    EXPECT_EQ(scope.count(), 0);
  }
}

/// After 1.3 s the robot comes to rest, but for axes that go on at constant speed: what vanishes in one row and not in others must not
/// pass for pivots that do not serve.
TEST_P(RobotTest, PivotsServeAtRest) {
  const Robot robot(GetParam());
  const InitialValueProblem& problem = robot.instance.problem;
  const auto samples = sample_run(problem, sample_times(problem, 13), "radau", {});
  ASSERT_TRUE(samples.ok()) << samples.error().message;
  const auto plan =
      make_plan(robot.dae(), robot.structure, robot.all(), *samples, {.step = 1e-3, .back_end = StaticKind::lu});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(robot.dae(), *plan, robot.start());
  SignalLink link(robot.instance.problem.input.get(), 1e-3);
  const RunnerReport report = run_realtime(**stepper, link, {.n_steps = 8000, .free_run = true});
  EXPECT_EQ(report.failures, 0) << report.first_failed_step << ' ' << to_string(report.first_failure.status);
  EXPECT_LT(report.largest_backward_error, 1e-9);  // far below the limit
}

INSTANTIATE_TEST_SUITE_P(Forms, RobotTest, testing::Values("ode", "dae-117", "dae-354"), [](const auto& form) {
  std::string name = form.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// The twelve integrators of the reference stand alone: 66 unknowns remain in one block of the ODE, 105 of the Dae with 117. With one
/// dense row R is full there: 66 · 67 / 2 + 12 = 2223.
TEST(RobotStructure, HasTheBlocksOfTheDocument) {
  const Robot ode("ode"), torn("dae-117");
  const auto pattern = [](const Robot& robot) { return united(robot.structure.jacobian, robot.structure.mass); };
  EXPECT_EQ(qr_ordering(pattern(ode)).largest_block(), 66);
  EXPECT_EQ(qr_ordering(pattern(torn)).largest_block(), 105);
  const Ordering form = block_triangular(pattern(ode)).ordering;
  std::vector<Entry> entries;
  for (int b = 0; b < form.n_blocks(); ++b) {
    const int first = form.starts[b], end = form.starts[b + 1];
    if (end - first == 66)
      for (int j = first; j < end; ++j) entries.push_back({form.rows[first], form.cols[j]});
  }
  const SparsePattern noisy = united(pattern(ode), SparsePattern::from_entries(78, 78, entries));
  const auto solver = make_static_solver(StaticKind::qr, noisy, qr_ordering(noisy));
  ASSERT_TRUE(solver.ok());
  EXPECT_EQ((*solver)->facts().factor_entries, 2223);
}

}  // namespace
}  // namespace rubato::realtime
