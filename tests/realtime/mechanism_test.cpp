/// Mechanisms of the modeller in real time: index 1 with accelerations as unknowns, constraints held by Baumgarte terms or projections.
#include <gtest/gtest.h>

#include <numbers>

#include "catalogue/catalogue.hpp"
#include "mechanisms.hpp"
#include "rubato/io/plan_file.hpp"
#include "rubato/realtime/baumgarte.hpp"
#include "rubato/realtime/samples.hpp"
#include "rubato/realtime/sparsing.hpp"
#include "stepper_models.hpp"
#include "support/allocation_counter.hpp"

namespace rubato::realtime {
namespace {

using test_models::Drift;
using test_models::drift;
using test_models::example;
using test_models::full_plan;
using test_models::Held;
using test_models::Moving;
using test_models::Stepped;

/// A wheel on an arm, turning slowly: numbers are those of a spatial pendulum, rotations are large.
Moving top() { return example("gyroscope.toml", {"parameters.spin=10"}); }

double error_ratio(const Moving& m, Held held, double t_end) {
  const auto exact = test_models::accurate_poses(m, t_end);
  double error[2];
  for (const int k : {0, 1}) {
    Stepped run(m, held, k == 0 ? 1e-3 : 5e-4);
    (void)run.go_on(t_end);
    error[k] = test_models::distance(run.poses(), exact);
  }
  EXPECT_LT(error[0], 0.1);
  return error[0] / error[1];
}

/// The method has order 1, however constraints are held.
TEST(RealtimeMechanism, HalfTheStepHalvesTheError) {
  for (const Held held : {Held::baumgarte, Held::projected}) {
    EXPECT_NEAR(error_ratio(top(), held, 1), 2, 0.15);
    EXPECT_NEAR(error_ratio(example("quarter_car.toml"), held, 2), 2, 0.15);
  }
}

/// The drive of the four-bar linkage leaves nothing free, so that its error is what is left of the drift: O(n τ²) of Baumgarte terms with
/// 1/α = n τ, and O(τ) of the O(τ²) of a step for one projection.
TEST(RealtimeMechanism, KinematicMotionIsAsGoodAsItsConstraints) {
  EXPECT_NEAR(error_ratio(example("four_bar.toml"), Held::baumgarte, 1), 4, 0.5);
  EXPECT_NEAR(error_ratio(example("four_bar.toml"), Held::projected, 1), 8, 0.5);
}

/// |g| settles in the first turn and stays there; with nothing to hold it it grows with time.
TEST(RealtimeMechanism, ConstraintsStayHeld) {
  struct Case {
    Held held;
    double size;  ///< of |g| at 1 ms
  };
  for (const auto& [held, size] : {Case{Held::baumgarte, 5.3e-5}, Case{Held::projected, 9.6e-9}}) {
    Stepped run(example("four_bar.toml"), held, 1e-3);
    const Drift first = run.go_on(1), later = run.go_on(8);
    EXPECT_NEAR(first.position, size, 0.05 * size);
    EXPECT_LT(later.position, 1.01 * first.position);
    EXPECT_LT(later.velocity, 1.01 * first.velocity);
  }
  Stepped loose(example("four_bar.toml"), Held::not_at_all, 1e-3);
  const Drift first = loose.go_on(1), later = loose.go_on(5);
  EXPECT_GT(later.position, 4 * first.position);
}

/// A second projection leaves O(τ) of what the first left.
TEST(RealtimeMechanism, EachProjectionGainsAPowerOfTheStep) {
  Stepped once(top(), Held::projected, 1e-3), twice(top(), Held::projected_twice, 1e-3);
  const Drift one = once.go_on(1), two = twice.go_on(1);
  EXPECT_LT(one.position, 2e-7);
  EXPECT_LT(two.position, 0.03 * one.position);
  EXPECT_GT(two.position, 0.003 * one.position);
  EXPECT_LT(two.velocity, 0.03 * one.velocity);
}

/// Projections see all of G, also where the step does without an entry: one that is zero at the start and grows as the arm turns.
TEST(RealtimeMechanism, ProjectionsUseWhatTheStepLeavesOut) {
  Stepped whole(top(), Held::projected, 1e-3), part(top(), Held::projected, 1e-3);
  const Layout& layout = whole.problem.dae->layout();
  const SparsePattern& jacobian = whole.plan.structure.jacobian;
  const auto values = sampled_jacobians(*whole.problem.dae, whole.plan.structure, {start_of(whole.problem)});
  ASSERT_TRUE(values.ok());
  int left_out = -1;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 6; ++k) {
      const int place = jacobian.index_of(layout.find("lambda")->offset + i, layout.find("a")->offset + k);
      if (place >= 0 && whole.plan.constant[place] == 0 && std::abs(values->front()[place]) < 1e-12) left_out = place;
    }
  ASSERT_GE(left_out, 0);
  Keep keep = whole.plan.keep;
  keep[left_out] = 0;
  const auto plan = make_plan(*whole.problem.dae, whole.plan.structure, keep, {start_of(whole.problem)},
                              {.step = 1e-3, .time = StepTime::end, .projections = 1});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  part.stepper = part.make(*plan);
  const double all = whole.go_on(0.05).position, some = part.go_on(0.05).position;
  EXPECT_NEAR(some, all, 0.05 * all);
}

/// f at the start of a step makes what is driven lag by one; projections do not care.
TEST(RealtimeMechanism, DrivesLagWhereTimeIsThatOfTheStart) {
  const Moving m = example("four_bar.toml");
  const InitialValueProblem problem = m.problem(name_of(baumgarte_form(1e-3)), 1);
  const auto plan = full_plan(*problem.dae, start_of(problem), {.step = 1e-3, .time = StepTime::start});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*problem.dae, *plan, start_of(problem));
  for (int n = 0; n < 1000; ++n) (void)(*stepper)->step({});
  EXPECT_NEAR(drift(m, **stepper).position, 2 * std::numbers::pi * 1e-3, 1e-5);  // 60 turns a minute for 1 ms
}

TEST(RealtimeMechanism, ProjectionsAreCounted) {
  const Moving m = top();
  const long none = Stepped(m, Held::not_at_all, 1e-3).plan.operations.total(),
             one = Stepped(m, Held::projected, 1e-3).plan.operations.total(),
             two = Stepped(m, Held::projected_twice, 1e-3).plan.operations.total();
  EXPECT_GT(one, none);
  EXPECT_EQ(two - none, 2 * (one - none));
}

/// Warming up leaves no trace in the base of the rotations.
TEST(RealtimeMechanism, GoesBackToItsMark) {
  Stepped run(top(), Held::projected, 1e-3);
  (void)run.go_on(0.1);
  const auto mark = run.stepper->mark();
  (void)run.go_on(0.3);
  const auto there = run.poses();
  run.stepper->go_back(mark);
  (void)run.go_on(0.3);
  EXPECT_EQ(run.poses(), there);
}

TEST(RealtimeMechanism, PlansReadBackFit) {
  const Stepped run(top(), Held::projected, 1e-3);
  const auto again = io::parse_plan(io::plan_text(run.plan), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->projections, 1);
  const auto stepper = run.make(*again);
  for (int n = 0; n < 50; ++n) {
    (void)stepper->step({});
    (void)run.stepper->step({});
  }
  EXPECT_TRUE(std::ranges::equal(stepper->state(), run.stepper->state()));
  EXPECT_TRUE(std::ranges::equal(stepper->base(), run.stepper->base()));
}

/// Samples carry the base: they show the attitudes of the run.
TEST(RealtimeMechanism, SamplesHoldAttitudes) {
  const Moving m = top();
  const auto samples =
      sample_run(m.problem("index-1", 1), {0, 0.5, 1}, "radau", {.tolerances = {.rtol = 1e-9, .atol = 1e-9}});
  ASSERT_TRUE(samples.ok()) << samples.error().message;
  for (const Sample& s : *samples) {
    const auto expected = s.t > 0 ? test_models::accurate_poses(m, s.t) : Stepped(m, Held::projected, 1e-3).poses();
    const In q(s.x.data(), static_cast<std::size_t>(m.system->sizes().q));
    EXPECT_LT(test_models::distance(test_models::poses(*m.system, q, view(s.base)), expected), 1e-6) << s.t;
  }
}

/// Entries left out by the criterion change the motion by little: less than 6 % of the kerb of 5 cm.
TEST(RealtimeMechanism, SparsingKeepsTheMotion) {
  const Moving m = example("quarter_car.toml");
  const InitialValueProblem problem = m.problem("index-1", 1);
  const auto samples =
      sample_run(problem, sample_times(problem, 5), "radau", {.tolerances = {.rtol = 1e-8, .atol = 1e-8}});
  ASSERT_TRUE(samples.ok()) << samples.error().message;
  const auto structure = model_structure(*problem.dae, samples->front());
  ASSERT_TRUE(structure.ok());
  const auto jacobians = sampled_jacobians(*problem.dae, *structure, *samples);
  ASSERT_TRUE(jacobians.ok()) << jacobians.error().message;
  const auto found =
      find_sparsing(structure->jacobian, *jacobians, structure->mass, structure->mass_values, 1e-3, {.rho = 0.1});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_LT(found->nnz, 0.9 * found->nnz_whole);
  const auto plan = make_plan(*problem.dae, *structure, found->keep, *samples,
                              {.step = 1e-3, .time = StepTime::end, .projections = 1});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  Stepped whole(m, Held::projected, 1e-3), sparse(m, Held::projected, 1e-3);
  sparse.stepper = sparse.make(*plan);
  double deviation = 0, position = 0;
  for (int n = 1; n <= 1000; ++n) {
    position = std::max(position, sparse.go_on(n * 1e-3).position);
    (void)whole.go_on(n * 1e-3);
    deviation = std::max(deviation, test_models::distance(sparse.poses(), whole.poses()));
  }
  EXPECT_LT(plan->operations.total(), whole.plan.operations.total() / 2);
  EXPECT_LT(deviation, 0.06 * 0.05);
  EXPECT_LT(position, 1e-6);
}

/// A parallelogram in space has three rows too many. Which ones are left out belongs to the plan.
TEST(RealtimeMechanism, DependentRowsStayLeftOut) {
  const auto loop = catalogue::make_problem("overconstrained-loop", {}, "index-1");
  ASSERT_TRUE(loop.ok());
  const Dae& dae = *loop->problem.dae;
  const Sample start = start_of(loop->problem);
  const auto plan = full_plan(dae, start, {.step = 1e-3, .projections = 1});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->structure.left_out.size(), 3U);
  const auto again = io::parse_plan(io::plan_text(*plan), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  const auto stepper = RealtimeStepper::create(dae, *again, start);
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  for (int n = 0; n < 50; ++n) EXPECT_EQ((*stepper)->step({}).status, RealtimeStatus::ok);
  Sample other = start;
  other.base[other.base.size() - 20 + plan->structure.left_out[0]] = 0;
  const auto sampled = sampled_jacobians(dae, plan->structure, {start, other});
  ASSERT_FALSE(sampled.ok());
  EXPECT_NE(sampled.error().message.find("other dependent constraint rows"), std::string::npos);
  const auto refused = RealtimeStepper::create(dae, *again, other);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("hash"), std::string::npos);
}

/// A mass falls on an end stop: k u + d u' within, nothing outside. Branches change at the start of steps.
multibody::Mechanism falling() {
  return {
      .bodies = {{.name = "mass", .kind = multibody::BodyKind::point, .mass = 1, .pose = {.position = {0, 0, 0.1}}}},
      .forces = {multibody::EndStop{.name = "floor",
                                    .a = {.body = "ground"},
                                    .b = {.body = "mass"},
                                    .min = 0,
                                    .max = 1e3,
                                    .stiffness = 1e4,
                                    .damping = 20}},
      .gravity = {0, 0, -9.81}};
}

TEST(RealtimeMechanism, OneSidedForcesChooseTheirBranchAtEveryStep) {
  const Moving m = test_models::moving(falling());
  const auto exact = test_models::accurate_poses(m, 0.3);
  double error[2];
  for (const int k : {0, 1}) {
    Stepped run(m, Held::not_at_all, k == 0 ? 1e-3 : 2.5e-4);
    const test::AllocationScope scope;
    while (run.stepper->time() < 0.3 - 1e-9) EXPECT_EQ(run.stepper->step({}).status, RealtimeStatus::ok);
    if (test::allocations_are_counted()) {
      EXPECT_EQ(scope.count(), 0);
    }
    error[k] = test_models::distance(run.poses(), exact);
  }
  EXPECT_LT(error[0], 0.02);  // of a fall of 0.1 m
  EXPECT_LT(error[1], error[0] / 2);
  EXPECT_GT(exact[2], 0.01);  // it bounced

  const InitialValueProblem problem = m.problem("index-1", 1);
  const Sample start = start_of(problem);
  const auto structure = model_structure(*problem.dae, start);
  ASSERT_TRUE(structure.ok());
  Keep some(static_cast<std::size_t>(structure->jacobian.nnz()), 1);
  some.back() = 0;
  for (const auto& refused :
       {make_plan(*problem.dae, *structure, some, {start}, {}), full_plan(*problem.dae, start, {.drop_below = 0.1})}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("one side only"), std::string::npos);
  }
}

TEST(RealtimeMechanism, RefusesWithTheWayOut) {
  const Moving m = example("four_bar.toml");
  const auto refusal = [&](std::string_view formulation, int projections) {
    const InitialValueProblem problem = m.problem(formulation, 1);
    const auto plan = full_plan(*problem.dae, start_of(problem), {.projections = projections});
    return plan.ok() ? std::string() : plan.error().message;
  };
  EXPECT_NE(refusal("index-3", 0).find("formulation index-1:alpha="), std::string::npos);
  EXPECT_NE(refusal("ggl", 0).find("index 2"), std::string::npos);
  EXPECT_NE(refusal("index-1", 11).find("0 … 10"), std::string::npos);
  EXPECT_NE(refusal("index-1", -1).find("0 … 10"), std::string::npos);
  EXPECT_EQ(refusal("index-1", 1), "");
  const auto plain = full_plan(*test_models::linear(), {0, Vector{{1, 0, 0}}, Vector{{0}}}, {.projections = 1});
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(plain.error().message.find("mechanisms"), std::string::npos);
  const auto impact = catalogue::make_problem("lugre-oscillator");
  ASSERT_TRUE(impact.ok());
  EXPECT_FALSE(model_structure(*impact->problem.dae, start_of(impact->problem)).ok());
}

}  // namespace
}  // namespace rubato::realtime
