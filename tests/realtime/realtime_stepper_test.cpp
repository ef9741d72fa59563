#include "rubato/realtime/realtime_stepper.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "catalogue/catalogue.hpp"
#include "rubato/realtime/magnitude.hpp"
#include "stepper_models.hpp"

namespace rubato::realtime {
namespace {

using test_models::full_plan;
using test_models::Hydraulic;

const Sample linear_start{0, Vector{{1, 0, 0}}, Vector{{0}}};

/// One step is (L − τ Df) Δ = τ f, by dense algebra; algebraic equations that are linear hold after it.
TEST(RealtimeStepper, MakesTheStepOfTheFormula) {
  const auto dae = test_models::linear();
  for (const StaticKind kind : {StaticKind::qr, StaticKind::lu}) {
    const auto plan = full_plan(*dae, linear_start, {.step = 0.1, .back_end = kind});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto stepper = RealtimeStepper::create(*dae, *plan, linear_start);
    ASSERT_TRUE(stepper.ok()) << stepper.error().message;
    EXPECT_EQ((*stepper)->passes_per_step(), 0);  // all entries are constant
    Matrix df{{-2, 1, 0}, {-3, 1, -1}, {0, -0.5, 1}}, l = Matrix::Zero(3, 3);
    l(0, 0) = 1;
    Vector x = linear_start.x;
    for (int n = 0; n < 5; ++n) {
      const double u = n;
      const Vector f = df * x + Vector{{u, 0, -1}};
      x += (l - 0.1 * df).lu().solve(0.1 * f);
      const StepReport report = (*stepper)->step({&u, 1});
      EXPECT_EQ(report.status, RealtimeStatus::ok);
      EXPECT_LT((map((*stepper)->state()) - x).norm(), 1e-13 * x.norm());
      EXPECT_LT(report.algebraic_residual, 1e-13);
      double y = 0;
      ASSERT_EQ((*stepper)->outputs({&y, 1}), EvalStatus::ok);
      EXPECT_NEAR(y, x[0] + x[1] + 10 * u, 1e-12);
    }
    EXPECT_DOUBLE_EQ((*stepper)->time(), 0.5);
  }
}

/// Without the entry ∂g/∂z = −1 of 0 = y − 3 x − z, that equation misses Δz: the residual shows just this and steps go on.
TEST(RealtimeStepper, EntriesLeftOutAreNotInTheMatrix) {
  const auto dae = test_models::linear();
  auto structure = model_structure(*dae, linear_start);
  ASSERT_TRUE(structure.ok());
  Keep keep(static_cast<std::size_t>(structure->jacobian.nnz()), 1);
  keep[static_cast<std::size_t>(structure->jacobian.index_of(1, 2))] = 0;
  const auto plan = make_plan(*dae, *structure, keep, {linear_start}, {.step = 0.1});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*dae, *plan, linear_start);
  const double u = 0;
  for (int n = 0; n < 10; ++n) {
    const double z = (*stepper)->state()[2];
    const StepReport report = (*stepper)->step({&u, 1});
    EXPECT_EQ(report.status, RealtimeStatus::ok);
    const double missed = std::abs((*stepper)->state()[2] - z);
    EXPECT_GT(missed, 1e-2);
    EXPECT_NEAR(report.algebraic_residual, missed, 1e-12 * (1 + missed));
  }
}

/// Entries dropped in a step are those that are small there, for all rows of a tableau alike: the step is that of a plan which never had
/// them, and without any that of Euler's explicit method. Algebraic equations keep theirs.
TEST(RealtimeStepper, SmallEntriesMayBeDropped) {
  const auto dae = test_models::chain();
  Vector x(12);
  for (int i = 0; i < 12; ++i) x(i) = 0.1 * (i + 1) * (i % 2 == 0 ? 1 : -1);
  const Sample start{0, x, Vector()};
  const double step = 0.01;
  const auto structure = model_structure(*dae, start);
  ASSERT_TRUE(structure.ok());
  const StepPencil pencil(structure->jacobian, structure->mass, structure->mass_values, step);
  const auto jacobian = sampled_jacobians(*dae, *structure, {start})->front();
  const std::vector<double> sizes = sizes_at({start});
  EXPECT_DOUBLE_EQ(sizes[11], 1.2);
  for (const double sigma : {0.0, 0.3, 0.5, 0.8, 1e9})
    for (const std::vector<int>& numbers : {std::vector{1}, std::vector{1, 2}}) {
      const Keep large = keep_by_magnitude(pencil, jacobian, sigma, {sizes, sizes});
      const auto kept = std::count(large.begin(), large.end(), 1);
      EXPECT_EQ(kept == structure->jacobian.nnz(), sigma == 0) << sigma;
      EXPECT_EQ(kept == 0, sigma > 1) << sigma;
      PlanOptions options{.step = step, .back_end = StaticKind::qr, .step_numbers = numbers};
      const auto sparse = make_plan(*dae, *structure, large, {start}, options);
      options.drop_below = sigma;
      const auto whole = full_plan(*dae, start, options);
      ASSERT_TRUE(whole.ok() && sparse.ok());
      const auto a = RealtimeStepper::create(*dae, *whole, start), b = RealtimeStepper::create(*dae, *sparse, start);
      EXPECT_EQ((*a)->step({}).status, RealtimeStatus::ok);
      EXPECT_EQ((*b)->step({}).status, RealtimeStatus::ok);
      EXPECT_LT((map((*a)->state()) - map((*b)->state())).lpNorm<Eigen::Infinity>(), 1e-13) << sigma;
      if (sigma > 1 && numbers.size() == 1) {
        EXPECT_NEAR((*a)->state()[0], x(0) + step * x(6), 1e-15);
      }
    }
  const auto algebraic = test_models::linear();
  const auto plan = full_plan(*algebraic, linear_start, {.step = 0.1, .drop_below = 1e9});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*algebraic, *plan, linear_start);
  const double u = 0;
  EXPECT_EQ((*stepper)->step({&u, 1}).status, RealtimeStatus::ok);
  EXPECT_LT((*stepper)->step({&u, 1}).algebraic_residual, 1e-12);
  EXPECT_FALSE(full_plan(*dae, start, {.step = step, .drop_below = -1}).ok());
  Plan cut = *plan;
  cut.sizes.pop_back();
  const auto misfit = RealtimeStepper::create(*algebraic, cut, linear_start);
  ASSERT_FALSE(misfit.ok());
  EXPECT_NE(misfit.error().message.find("has sizes of 2 unknowns"), std::string::npos) << misfit.error().message;
}

/// x' = −x² decays from 1: Δ = −τ x²/(1 + 2 τ x) while τ 2x ≥ σ, −τ x² after that. Pivots serve with the entry and without it.
TEST(RealtimeStepper, WhatIsSmallIsDecidedInEveryStep) {
  const auto dae = test_models::decay();
  const Sample start{0, Vector{{1}}, Vector()};
  const double step = 0.1, sigma = 0.1;
  for (const StaticKind kind : {StaticKind::lu, StaticKind::qr}) {
    const auto plan = full_plan(*dae, start, {.step = step, .back_end = kind, .drop_below = sigma});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto stepper = RealtimeStepper::create(*dae, *plan, start);
    double x = 1;
    int dropped = 0;
    for (int n = 0; n < 40; ++n) {
      const bool small = step * 2 * x < sigma;
      dropped += small ? 1 : 0;
      x -= step * x * x / (small ? 1 : 1 + 2 * step * x);
      ASSERT_EQ((*stepper)->step({}).status, RealtimeStatus::ok);
      EXPECT_NEAR((*stepper)->state()[0], x, 1e-14);
    }
    EXPECT_GT(dropped, 5);
    EXPECT_LT(dropped, 35);
  }
}

/// f(x_n, t_n) makes 0 = y − sin t lag by a step; f(x_n, t_{n+1}) does not.
TEST(RealtimeStepper, TimeMayBeThatOfTheEnd) {
  const auto dae = test_models::sine();
  const Sample start{0, Vector{{0}}, Vector()};
  for (const StepTime time : {StepTime::start, StepTime::end}) {
    const auto plan = full_plan(*dae, start, {.step = 0.01, .time = time});
    ASSERT_TRUE(plan.ok());
    const auto stepper = RealtimeStepper::create(*dae, *plan, start);
    double worst = 0;
    for (int n = 0; n < 100; ++n) {
      (void)(*stepper)->step({});
      worst = std::max(worst, std::abs((*stepper)->state()[0] - std::sin((*stepper)->time())));
    }
    if (time == StepTime::start)
      EXPECT_NEAR(worst, 1.0e-2, 1e-4);
    else
      EXPECT_LT(worst, 1e-15);
  }
}

struct HydraulicRun {
  int reversals = 0, steps = 0;  ///< of p1 from step to step, 0.5 < t < 1
  double smallest_damping = 1, evaluations_per_step = 0;
};
HydraulicRun hydraulic_run(bool damping, double step) {
  const auto dae = test_models::hydraulic();
  const auto plan = full_plan(*dae, test_models::hydraulic_start(), {.step = step, .damping = damping});
  EXPECT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*dae, *plan, test_models::hydraulic_start());
  EXPECT_TRUE(stepper.ok());
  HydraulicRun run;
  double before = 0, last_move = 0;
  Hydraulic::evaluations = 0;
  while ((*stepper)->time() < 2) {
    const StepReport report = (*stepper)->step({});
    EXPECT_EQ(report.status, RealtimeStatus::ok);
    const double p1 = (*stepper)->state()[1], move = p1 - before, t = (*stepper)->time();
    if (t > 0.5 && t < 1) {
      ++run.steps;
      if (move * last_move < 0) ++run.reversals;
    }
    before = p1;
    last_move = move;
    run.smallest_damping = std::min(run.smallest_damping, report.damping);
  }
  run.evaluations_per_step = static_cast<double>(Hydraulic::evaluations) / static_cast<double>((*stepper)->n_steps());
  EXPECT_EQ(run.evaluations_per_step, (*stepper)->evaluations_per_step());
  return run;
}

/// Newton's method on √|p| jumps between p and −p for ever; damping ends it, for exactly two evaluations more.
TEST(RealtimeStepper, DampingEndsTheOscillationsOfOrifices) {
  for (const double step : {1e-3, 5e-3}) {
    const HydraulicRun plain = hydraulic_run(false, step), damped = hydraulic_run(true, step);
    EXPECT_GE(plain.reversals, 0.95 * plain.steps) << step;
    EXPECT_LE(damped.reversals, 0.02 * damped.steps) << step;
    EXPECT_EQ(damped.evaluations_per_step, plain.evaluations_per_step + 2);
    EXPECT_LT(damped.smallest_damping, 1);
  }
}

/// The estimate is above 1 exactly where relative and absolute test both fail.
TEST(RealtimeStepper, WarnsWhereBothTestsFail) {
  const auto dae = test_models::linear();
  auto plan = full_plan(*dae, linear_start, {.step = 0.1});
  ASSERT_TRUE(plan.ok());
  const auto estimate = [&](double rtol, double atol) {
    plan->rtol = rtol;
    plan->atol = atol;
    const auto stepper = RealtimeStepper::create(*dae, *plan, linear_start);
    const double u = 0;
    (void)(*stepper)->step({&u, 1});
    return (*stepper)->step({&u, 1}).error;
  };
  EXPECT_GT(estimate(1e-6, 1e-6), 1);
  EXPECT_LT(estimate(1e-6, 1e6), 1);
  EXPECT_LT(estimate(1e6, 1e-6), 1);
}

TEST(RealtimeStepper, HoldsTheStateAfterFailures) {
  const auto dae = test_models::linear();
  const auto plan = full_plan(*dae, linear_start, {.step = 0.1});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*dae, *plan, linear_start);
  const double bad = std::nan(""), good = 0;
  EXPECT_EQ((*stepper)->step({&bad, 1}).status, RealtimeStatus::not_finite);
  EXPECT_EQ(map((*stepper)->state()), linear_start.x);
  EXPECT_DOUBLE_EQ((*stepper)->time(), 0.1);
  EXPECT_EQ((*stepper)->step({&good, 1}).status, RealtimeStatus::ok);
}

TEST(RealtimeModel, RefusesWhatConstantWorkCannotTake) {
  const auto refusal = [](std::string_view problem, std::string_view formulation) {
    const auto made = catalogue::make_problem(problem, {}, formulation);
    EXPECT_TRUE(made.ok());
    const auto structure = model_structure(*made->problem.dae, start_of(made->problem));
    return structure.ok() ? std::string() : structure.error().message;
  };
  EXPECT_NE(refusal("pendulum", "index-3").find("index 3"), std::string::npos);
  EXPECT_NE(refusal("quasi-linear", "").find("mass matrix"), std::string::npos);
  EXPECT_NE(refusal("lugre-oscillator", "").find("events"), std::string::npos);
  EXPECT_EQ(refusal("heavy-top", "state-space"), "");
  EXPECT_EQ(refusal("van-der-pol", ""), "");
}

TEST(RealtimeModel, RefusesPlansOfOtherModels) {
  const auto dae = test_models::linear(), other = test_models::linear();
  const auto plan = full_plan(*dae, linear_start, {.step = 0.1});
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(RealtimeStepper::create(*other, *plan, linear_start).ok());
  const auto chain = test_models::chain();
  const Sample start{0, Vector::Constant(12, 0.1), Vector()};
  const auto refused = RealtimeStepper::create(*chain, *plan, start);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("3 unknowns in the plan, 12 in the model"), std::string::npos);
  Plan broken = *plan;
  broken.structure.mass_values[0] = 2;
  EXPECT_NE(RealtimeStepper::create(*dae, broken, linear_start).error().message.find("hash"), std::string::npos);
  broken = *plan;
  broken.step = -1;
  EXPECT_FALSE(RealtimeStepper::create(*dae, broken, linear_start).ok());
  broken = *plan;
  std::swap(broken.ordering.rows[0], broken.ordering.rows[1]);
  broken.ordering.rows[0] = broken.ordering.rows[1];
  EXPECT_FALSE(RealtimeStepper::create(*dae, broken, linear_start).ok());
}

/// Leaving out a diagonal entry of an algebraic equation that has no other leaves nothing to solve for it.
TEST(RealtimeModel, RefusesStructuresThatAreSingular) {
  const auto dae = test_models::sine();
  const Sample start{0, Vector{{0}}, Vector()};
  auto structure = model_structure(*dae, start);
  const auto plan = make_plan(*dae, *structure, {0}, {start}, {.step = 0.1});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("singular"), std::string::npos);
}

}  // namespace
}  // namespace rubato::realtime
