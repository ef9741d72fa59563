// Extrapolation on the clock: a constant amount of work, and the order of its columns.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "rubato/realtime/realtime_stepper.hpp"
#include "stepper_models.hpp"
#include "support/allocation_counter.hpp"

namespace rubato::realtime {
namespace {

using test_models::full_plan;

/// Nonlinear, index 1, with time in the algebraic equation: x₁ = sin t, x₂ = cos t, y = 1.
struct Circle {
  static inline long evaluations = 0;  ///< over double
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sin;
    if constexpr (std::is_same_v<S, double>) ++evaluations;
    const S &x1 = at.x[0], &x2 = at.x[1], &y = at.x[2];
    const S r2 = x1 * x1 + x2 * x2;
    out[0] = x2 * y * r2;
    out[1] = -x1 * y * y;
    out[2] = y * y * y + y * r2 - 2.0 + 0.5 * (x1 - sin(at.t));
  }
};
auto circle() {
  return make_dae(Circle{}, {{.name = "x", .size = 2}, {.name = "y", .size = 1, .kind = Kind::algebraic}});
}
const Sample circle_start{0, Vector{{0, 1, 1}}, Vector()};
const Sample chain_start{0, Vector::Constant(12, 0.1), Vector()};

template <class Model>
Vector end_state(const Model& dae, const Plan& plan, const Sample& start, double t_end,
                 const InputSignal* input = nullptr) {
  const auto stepper = RealtimeStepper::create(dae, plan, start);
  EXPECT_TRUE(stepper.ok()) << (stepper.ok() ? "" : stepper.error().message);
  const long n = std::lround(t_end / plan.step);
  Vector u(dae.n_inputs()), rate(dae.n_inputs());
  for (long i = 0; i < n; ++i) {
    if (input != nullptr) input->at((*stepper)->time(), view(u), view(rate));
    EXPECT_EQ((*stepper)->step(view(std::as_const(u))).status, RealtimeStatus::ok);
  }
  return map((*stepper)->state());
}

double circle_error(const std::vector<int>& numbers, StepTime time, int steps, StaticKind kind) {
  const auto plan = full_plan(*circle(), circle_start,
                              {.step = 1.0 / steps, .back_end = kind, .time = time, .step_numbers = numbers});
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
  return (end_state(*circle(), *plan, circle_start, 1) - Vector{{std::sin(1), std::cos(1), 1}}).norm();
}

/// k numbers make order k. Time at the start of the small steps is an inexact J₂₁: r and s of three columns are 2 then.
TEST(RealtimeExtrapolation, HasTheOrderOfItsColumns) {
  struct Case {
    std::vector<int> numbers;
    StepTime time;
    double order;
  };
  for (const Case& c : {Case{{1}, StepTime::end, 1}, Case{{2}, StepTime::end, 1}, Case{{1, 2}, StepTime::end, 2},
                        Case{{1, 2}, StepTime::start, 2}, Case{{1, 2, 3}, StepTime::end, 3},
                        Case{{1, 2, 3}, StepTime::start, 2}, Case{{2, 3, 4, 5}, StepTime::end, 4}})
    for (const StaticKind kind : {StaticKind::qr, StaticKind::lu}) {
      const int steps = c.order > 3 ? 40 : 160;  // errors above rounding
      const double coarse = circle_error(c.numbers, c.time, steps, kind),
                   fine = circle_error(c.numbers, c.time, 2 * steps, kind);
      EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.15) << c.numbers.size() << " " << to_string(c.time);
    }
}

/// Ordinary equations: whatever is left out of J, two columns have order 2.
TEST(RealtimeExtrapolation, KeepsItsOrderWithoutEntriesOfTheJacobian) {
  const auto dae = test_models::chain();
  auto structure = model_structure(*dae, chain_start);
  ASSERT_TRUE(structure.ok());
  Keep keep(static_cast<std::size_t>(structure->jacobian.nnz()), 1);
  for (std::size_t p = 0; p < keep.size(); p += 3) keep[p] = 0;
  const auto run = [&](const std::vector<int>& numbers, double step) {
    const auto plan = make_plan(*dae, *structure, keep, {chain_start}, {.step = step, .step_numbers = numbers});
    EXPECT_TRUE(plan.ok());
    return end_state(*dae, *plan, chain_start, 0.4);
  };
  const Vector reference = run({1, 2, 3, 4, 5}, 5e-4);
  for (const auto& [numbers, order] : {std::pair(std::vector{1}, 1), std::pair(std::vector{1, 2}, 2)}) {
    const double coarse = (run(numbers, 1e-3) - reference).norm(), fine = (run(numbers, 5e-4) - reference).norm();
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.15);
  }
}

/// X₂₂ = 2 X₂₁ − X₁₁ from two other plans, and the estimate |X₂₂ − X₂₁|.
TEST(RealtimeExtrapolation, AgreesWithItsRowsMadeAlone) {
  const auto dae = test_models::chain();
  const auto state_and_error = [&](const std::vector<int>& numbers) {
    auto plan = full_plan(*dae, chain_start, {.step = 0.01, .step_numbers = numbers});
    EXPECT_TRUE(plan.ok());
    plan->rtol = 0;
    plan->atol = 1;
    const auto stepper = RealtimeStepper::create(*dae, *plan, chain_start);
    const StepReport report = (*stepper)->step({});
    return std::pair(Vector(map((*stepper)->state())), report.error);
  };
  const Vector x11 = state_and_error({1}).first, x21 = state_and_error({2}).first;
  const auto [x22, error] = state_and_error({1, 2});
  EXPECT_LT((x22 - (2 * x21 - x11)).norm(), 1e-14);
  EXPECT_NEAR(error, (x22 - x21).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_GT(error, 1e-6);
}

/// The count of the plan is that of its factorisations and solutions; evaluations are as many as the stepper says, in every step.
TEST(RealtimeExtrapolation, TakesTheSameWorkInEveryStep) {
  for (const StaticKind kind : {StaticKind::qr, StaticKind::lu})
    for (const StepTime time : {StepTime::start, StepTime::end}) {
      const auto dae = circle();
      const auto plan =
          full_plan(*dae, circle_start, {.step = 0.01, .back_end = kind, .time = time, .step_numbers = {1, 3, 4}});
      ASSERT_TRUE(plan.ok());
      const auto stepper = RealtimeStepper::create(*dae, *plan, circle_start);
      const StaticFacts& facts = (*stepper)->facts();
      EXPECT_EQ(plan->operations.total(), 3 * facts.operations.total() + 5 * facts.again.total());
      // Eight small steps, the first with J; at the start the three rows share it. One more for the residual.
      EXPECT_EQ((*stepper)->evaluations_per_step(), time == StepTime::start ? 6 : 8);
      for (int n = 0; n < 20; ++n) {
        Circle::evaluations = 0;
        EXPECT_EQ((*stepper)->step({}).status, RealtimeStatus::ok);
        EXPECT_EQ(Circle::evaluations, (*stepper)->evaluations_per_step());
      }
      const test::AllocationScope scope;
      for (int n = 0; n < 20; ++n) (void)(*stepper)->step({});
      if (test::allocations_are_counted()) {
        EXPECT_EQ(scope.count(), 0);
      }
    }
}

/// The robot at 1 ms: one column is 3.8e-4 rad off at the first joint after a second, two are below 1e-6, in all three forms.
TEST(RealtimeExtrapolation, TwoColumnsBringTheRobotToItsReference) {
  for (const char* const form : {"ode", "dae-117", "dae-354"}) {
    const auto robot = catalogue::make_problem("robot-r3", {}, form);
    ASSERT_TRUE(robot.ok());
    const Dae& dae = *robot->problem.dae;
    const InputSignal* const input = robot->problem.input.get();
    const Sample start{0, robot->problem.x, Vector::Zero(dae.n_inputs())};
    for (const StaticKind kind : {StaticKind::qr, StaticKind::lu})
      for (const auto& numbers : {std::vector{1}, std::vector{1, 2}}) {
        const auto plan = full_plan(dae, start, {.step = 1e-3, .back_end = kind, .step_numbers = numbers});
        ASSERT_TRUE(plan.ok()) << plan.error().message;
        const double error = std::abs(end_state(dae, *plan, start, 1, input)[0] - 1.4069295);
        if (numbers.size() == 1)
          EXPECT_NEAR(error, 3.756e-4, 1e-6) << form;
        else
          EXPECT_LT(error, 1e-6) << form << " " << to_string(kind);
      }
  }
}

TEST(RealtimeExtrapolation, HoldsTheStateAfterFailures) {
  const auto dae = test_models::linear();
  const Sample start{0, Vector{{1, 0, 0}}, Vector{{0}}};
  const auto plan = full_plan(*dae, start, {.step = 0.1, .step_numbers = {1, 2}});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*dae, *plan, start);
  const double bad = std::nan(""), good = 0;
  EXPECT_EQ((*stepper)->step({&bad, 1}).status, RealtimeStatus::not_finite);
  EXPECT_EQ(map((*stepper)->state()), start.x);
  EXPECT_EQ((*stepper)->step({&good, 1}).status, RealtimeStatus::ok);
}

/// Without an entry of J₂₂ all columns would have order 1.
TEST(RealtimeExtrapolation, RefusesWhatHasNoOrder) {
  const auto dae = test_models::linear();
  const Sample start{0, Vector{{1, 0, 0}}, Vector{{0}}};
  auto structure = model_structure(*dae, start);
  ASSERT_TRUE(structure.ok());
  const Keep all(static_cast<std::size_t>(structure->jacobian.nnz()), 1);
  const auto refusal = [&](const Keep& keep, const PlanOptions& options) {
    const auto plan = make_plan(*dae, *structure, keep, {start}, options);
    return plan.ok() ? std::string() : plan.error().message;
  };
  const auto without = [&](int row, int col) {
    Keep keep = all;
    keep[static_cast<std::size_t>(structure->jacobian.index_of(row, col))] = 0;
    return keep;
  };
  EXPECT_NE(refusal(without(1, 2), {.step = 0.1, .step_numbers = {1, 2}}).find("equation 2 and unknown 3"),
            std::string::npos);
  EXPECT_EQ(refusal(without(1, 2), {.step = 0.1}), "");
  EXPECT_EQ(refusal(without(1, 2), {.step = 0.1, .step_numbers = {2}}), "");
  EXPECT_EQ(refusal(without(0, 0), {.step = 0.1, .step_numbers = {1, 2}}), "");
  EXPECT_EQ(refusal(without(1, 0), {.step = 0.1, .step_numbers = {1, 2}}), "");
  EXPECT_NE(refusal(all, {.step = 0.1, .damping = true, .step_numbers = {1, 2}}).find("damping"), std::string::npos);
  for (const auto& numbers : {std::vector<int>{}, {0, 1}, {2, 1}, {1, 1}, {65}})
    EXPECT_NE(refusal(all, {.step = 0.1, .step_numbers = numbers}).find("step_numbers"), std::string::npos);
  // A plan from a file is asked again.
  auto plan = full_plan(*dae, start, {.step = 0.1, .step_numbers = {1, 2}});
  ASSERT_TRUE(plan.ok());
  plan->step_numbers = {2, 1};
  EXPECT_FALSE(RealtimeStepper::create(*dae, *plan, start).ok());
}

}  // namespace
}  // namespace rubato::realtime
