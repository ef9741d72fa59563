// Backward differentiation: exact for polynomials, orders 1 to 6 at index 0 and 3, estimates, charts, variable order.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/template_dae.hpp"
#include "src/integrate/bdf_stepper.hpp"

namespace rubato {
namespace {

std::string bdf(int k) { return "bdf" + std::to_string(k); }

// Widlund's angles, as printed e.g. in Hairer & Wanner II, V.2.
TEST(Bdf, StabilityAnglesAreThoseOfTheLiterature) {
  const double degrees[] = {90, 90, 86.03, 73.35, 51.84, 17.84};
  for (int k = 1; k <= max_bdf_order; ++k)
    EXPECT_NEAR(bdf_stability_angle(k) * 180 / std::numbers::pi, degrees[k - 1], 0.01);
}

/// x = t^degree, kept by a moderately stiff term.
struct Power {
  static constexpr bool autonomous = false;
  int degree = 1;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    S power(1.0);
    for (int i = 1; i < degree; ++i) power = power * at.t;
    out[0] = power * static_cast<double>(degree) - 5.0 * (at.x[0] - power * at.t);
  }
};

/// |x − t^degree| after steps of changing size, from t = 1.
double error_on_power(int k, int degree) {
  InitialValueProblem problem;
  problem.dae = make_dae(Power{degree}, {{.name = "x", .size = 1}});
  problem.x = Vector::Ones(1);
  IntegrateOptions options;
  options.step.fixed_step = 1;
  const Method& method = **method_by_name(bdf(k));
  auto stepper = std::move(*method.make(method.info, problem, options));
  EXPECT_EQ(stepper->restart(1, view(problem.x), {}, {}, 0), StepStatus::ok);
  double t = 1;
  for (int i = 0; i < 25; ++i) {
    const double h = 0.05 * (1 + 0.4 * std::sin(i));
    EXPECT_EQ(stepper->attempt(t, h).status, StepStatus::ok);
    stepper->commit();
    t += h;
  }
  return std::abs(stepper->x()[0] - std::pow(t, degree));
}

TEST(Bdf, OrderKIsExactForPolynomialsOfDegreeKWithStepsOfAnySize) {
  for (int k = 1; k <= max_bdf_order; ++k) {
    EXPECT_LT(error_on_power(k, k), 2e-11) << k;
    EXPECT_GT(error_on_power(k, k + 1), 1e-6) << k;
  }
}

/// The pendulum of Bottasso, Bauchau & Cardona (2007), index 3: u' = v, v' = λ u − e_y, 0 = (|u|² − 1)/2.
struct BdfPendulum {
  static constexpr bool autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const auto& x = at.x;
    out[0] = x[2];
    out[1] = x[3];
    out[2] = x[4] * x[0];
    out[3] = x[4] * x[1] - 1.0;
    out[4] = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
  }
};

/// Its angle: φ'' = −cos φ, by classical Runge-Kutta with steps far below those examined.
struct Angle {
  double phi = -0.7, rate = 0.5;
  void advance(double h) {
    constexpr int pieces = 40;
    const double d = h / pieces;
    for (int i = 0; i < pieces; ++i) {
      const double k1 = rate, l1 = -std::cos(phi);
      const double k2 = rate + d / 2 * l1, l2 = -std::cos(phi + d / 2 * k1);
      const double k3 = rate + d / 2 * l2, l3 = -std::cos(phi + d / 2 * k2);
      const double k4 = rate + d * l3, l4 = -std::cos(phi + d * k3);
      phi += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      rate += d / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
  }
  [[nodiscard]] Vector state() const {
    const double c = std::cos(phi), s = std::sin(phi);
    Vector x(5);
    x << c, s, -rate * s, rate * c, s - rate * rate;
    return x;
  }
};

InitialValueProblem pendulum() {
  InitialValueProblem problem;
  problem.dae = make_dae(
      BdfPendulum{},
      {{.name = "u", .size = 2, .unknown = ScaledUnknown::position, .equation = ScaledEquation::kinematic},
       {.name = "v", .size = 2, .h_power = 1, .unknown = ScaledUnknown::velocity, .equation = ScaledEquation::dynamic},
       {.name = "lambda",
        .size = 1,
        .kind = Kind::algebraic,
        .h_power = 2,
        .unknown = ScaledUnknown::force,
        .equation = ScaledEquation::position_constraint}});
  problem.x = Angle{}.state();
  problem.t_end = 1;
  return problem;
}

/// The largest errors over all steps, and the largest |g|. λ is the derivative of velocities whose errors begin with zero at
/// the start: it has its order as soon as formulas see none of those, after 2k steps (Brenan, Campbell & Petzold, 3.2).
struct Largest final : Observer {
  Angle angle;
  int to_skip = 0;
  double u = 0, v = 0, lambda = 0, g = 0;
  void on_step(const StepView& step) override {
    angle.advance(step.t_end - step.t_begin);
    const Vector error = map(step.x) - angle.state();
    u = std::max(u, error.head(2).norm());
    v = std::max(v, error.segment(2, 2).norm());
    if (--to_skip < 0) lambda = std::max(lambda, std::abs(error[4]));
    g = std::max(g, std::abs(step.x[0] * step.x[0] + step.x[1] * step.x[1] - 1) / 2);
  }
};

Largest errors_on_pendulum(const std::string& method, double h, double tolerance = 1e-6) {
  IntegrateOptions options;
  options.step.fixed_step = h;
  options.tolerances = {.rtol = tolerance, .atol = tolerance};
  if (h > 0) options.newton.tolerance = 1e-8;
  Largest largest;
  largest.to_skip = 2 * max_bdf_order;
  Observer* observers[] = {&largest};
  const auto run = integrate(pendulum(), method, options, {.observers = observers});
  EXPECT_TRUE(run.ok() && completed(run->status)) << method << (run ? run->reason : run.error().message);
  return largest;
}

TEST(Bdf, HasItsOrderAtIndexThreeInPositionsVelocitiesAndMultipliers) {
  const double steps[] = {1.0 / 400, 1.0 / 200, 1.0 / 100, 1.0 / 50, 1.0 / 30, 1.0 / 25};
  for (int k = 1; k <= max_bdf_order; ++k) {
    const double h = steps[k - 1];
    const Largest coarse = errors_on_pendulum(bdf(k), h), fine = errors_on_pendulum(bdf(k), h / 2);
    const double near = k < 5 ? 0.25 : 0.5;
    EXPECT_NEAR(std::log2(coarse.u / fine.u), k, near) << bdf(k) << " " << coarse.u;
    EXPECT_NEAR(std::log2(coarse.v / fine.v), k, near) << bdf(k) << " " << coarse.v;
    EXPECT_NEAR(std::log2(coarse.lambda / fine.lambda), k, near) << bdf(k) << " " << coarse.lambda;
    EXPECT_LT(fine.g, 1e-14);
  }
}

TEST(Bdf, OrderTwoReproducesTheMeasuredErrors) {
  // A naive program with the exact state at t = h: 1.63e-5, 4.39e-5, 1.58e-4, orders 2.0.
  const Largest coarse = errors_on_pendulum("bdf2", 1e-2), fine = errors_on_pendulum("bdf2", 1.25e-3);
  EXPECT_NEAR(coarse.u, 1.63e-5, 0.02e-5);
  EXPECT_NEAR(coarse.v, 4.39e-5, 0.02e-5);
  EXPECT_NEAR(coarse.lambda, 1.58e-4, 0.02e-4);
  EXPECT_NEAR(fine.u, 2.65e-7, 0.03e-7);
  EXPECT_NEAR(fine.v, 7.01e-7, 0.05e-7);
  EXPECT_NEAR(fine.lambda, 2.47e-6, 0.02e-6);
}

TEST(Bdf, ErrorControlKeepsTheConstraintAndDeservesItsTolerance) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const Largest run = errors_on_pendulum("bdf", 0, tolerance);
    EXPECT_LT(run.u, 50 * tolerance) << tolerance;
    EXPECT_LT(run.v, 200 * tolerance) << tolerance;
    EXPECT_LT(run.g, tolerance) << tolerance;  // Newton's, a fraction of it
  }
}

/// Over the tolerance, at the end; velocities along the constraints count whole, else these are 10³ to 3·10⁴ at 1e-8. Pendulum: 43, 285, 433.
TEST(Bdf, AtIndexThreeTheErrorIsAFewHundredTolerancesAtMost) {
  for (const char* name : {"pendulum", "chain", "andrews"}) {
    const auto instance = catalogue::make_problem(name, {}, "index-3");
    ASSERT_TRUE(instance.ok() && instance->reference);
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const auto run = integrate(instance->problem, "bdf", {.tolerances = {.rtol = tolerance, .atol = tolerance}});
      ASSERT_TRUE(run.ok() && completed(run->status)) << name;
      const auto q = static_cast<std::size_t>(instance->problem.dae->layout().find("q")->size);
      const auto names = instance->problem.dae->layout();
      double error = 0;
      for (std::size_t i = 0; i < instance->reference->values.size(); ++i)
        for (std::size_t j = 0; j < q; ++j)
          if (names.component_name(static_cast<int>(j)) == instance->reference->components[i])
            error = std::max(error, std::abs(run->x[static_cast<Eigen::Index>(j)] - instance->reference->values[i]));
      EXPECT_GT(error, 0) << name;
      EXPECT_LT(error, 600 * tolerance) << name << " " << tolerance;
      EXPECT_LT(run->statistics.rejected, run->statistics.steps / 8) << name << " " << tolerance;
    }
  }
}

/// Its vibrations grow where order 3 to 5 steps over them; always at these orders it takes 27 000 steps.
TEST(Bdf, UndampedVibrationsAreLeftToOrderTwo) {
  const auto beam = catalogue::make_problem("beam");
  ASSERT_TRUE(beam.ok());
  const auto run = integrate(beam->problem, "bdf", {.tolerances = {.rtol = 1e-4, .atol = 1e-4}});
  ASSERT_TRUE(run.ok() && completed(run->status));
  EXPECT_LT(run->statistics.steps, 2000);
}

/// φ'' = −cos φ.
struct Swing {
  static constexpr bool autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::cos;
    out[0] = at.x[1];
    out[1] = -cos(at.x[0]);
  }
};

// A method of order k with local errors of the tolerance ends with an error ~ tol^{k/(k+1)}. Restarts by Radau steps, which used to
// follow every third failure, gave bdf1 errors of order 5; and there is no reason for failures.
TEST(Bdf, LowOrdersKeepTheirOrderAndDoNotFail) {
  auto pendulum = catalogue::make_problem("pendulum", {{"t_end", 1}}, "state-space");
  ASSERT_TRUE(pendulum.ok());
  IntegrateOptions exact;
  exact.tolerances = {.rtol = 1e-12, .atol = 1e-12};
  const Vector end = integrate(pendulum->problem, "radau13", exact)->x;
  for (int k = 1; k <= 2; ++k) {
    const auto error = [&](double tolerance) {
      IntegrateOptions options;
      options.tolerances = {.rtol = tolerance, .atol = tolerance};
      const auto run = integrate(pendulum->problem, bdf(k), options);
      EXPECT_EQ(run->status, RunStatus::finished);
      EXPECT_LT(run->statistics.rejected + run->statistics.failed, 8) << k << ", " << run->statistics.accepted;
      return (run->x - end).norm();
    };
    const double slope = std::log10(error(1e-4) / error(1e-7)) / 3;
    EXPECT_NEAR(slope, k / (k + 1.0), 0.15) << k;
  }
}

// The beam's undamped vibrations, excited by a force that ends, are of a few tolerances only. Orders above 2 would keep them
// alive, and with them steps below their periods: a vibration that holds the step is recognised after some hundred steps.
TEST(Bdf, NeedsAtMostTwiceTheStepsOfOrderTwoOnTheUndampedBeam) {
  const auto beam = catalogue::make_problem("beam", {}, "index-2");
  ASSERT_TRUE(beam.ok());
  const auto steps = [&](const char* method) {
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-5, .atol = 1e-5};
    return integrate(beam->problem, method, options)->statistics.steps;
  };
  EXPECT_LT(steps("bdf"), 2 * steps("bdf2"));
}

TEST(Bdf, TheEstimateHasTheOrderItClaims) {
  const auto estimate = [](int k, double h) {
    InitialValueProblem problem;
    problem.dae = make_dae(Swing{}, {{.name = "x", .size = 2}});
    problem.x = Eigen::Vector2d(-0.7, 0.5);
    IntegrateOptions options;
    options.tolerances = {.rtol = std::pow(0.1, k), .atol = std::pow(0.1, k)};
    options.newton.tolerance = 1e-9;
    options.newton.max_iterations = 20;
    const Method& method = **method_by_name(bdf(k));
    auto stepper = std::move(*method.make(method.info, problem, options));
    EXPECT_EQ(stepper->restart(0, view(problem.x), {}, {}, 0), StepStatus::ok);
    Attempt attempt;
    const int n = static_cast<int>(std::lround(1 / h));
    for (int i = 0; i < n; ++i) {
      attempt = stepper->attempt(i * h, h);
      EXPECT_EQ(attempt.status, StepStatus::ok);
      stepper->commit();
    }
    EXPECT_EQ(attempt.error_order, k + 1);
    return attempt.error;
  };
  for (int k = 1; k <= 5; ++k) EXPECT_NEAR(std::log2(estimate(k, 0.02) / estimate(k, 0.01)), k + 1, 0.3) << k;
}

RunSummary run_of(const catalogue::Instance& instance, const std::string& method, double tolerance, double h = 0) {
  IntegrateOptions options;
  options.tolerances = {.rtol = tolerance, .atol = tolerance};
  options.step.fixed_step = h;
  const auto run = integrate(instance.problem, method, options);
  EXPECT_TRUE(run.ok()) << (run ? "" : run.error().message);
  EXPECT_TRUE(completed(run->status)) << method << ": " << run->reason;
  return *run;
}

TEST(Bdf, VariableOrderTakesFewerStepsThanAnyFixedOne) {
  const auto instance = *catalogue::make_problem("van-der-pol");
  const long variable = run_of(instance, "bdf", 1e-7).statistics.steps;
  for (int k = 1; k <= 3; ++k)
    EXPECT_LT(2 * variable, run_of(instance, bdf(k), k == 1 ? 1e-5 : 1e-7).statistics.steps) << k;
}

// Fast rotation: the base of the chart moves with every step, and so does the history.
TEST(Bdf, HasItsOrderOnTheHeavyTop) {
  const auto instance = *catalogue::make_problem("heavy-top", {{"t_end", 0.1}}, "index-3");
  const auto error = [&](int k, double h) {
    const RunSummary run = run_of(instance, bdf(k), 1e-6, h);
    const auto& reference = *instance.reference;
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::pow(run.x[static_cast<Eigen::Index>(i)] - reference.values[i], 2);
    return std::sqrt(sum);
  };
  for (int k = 2; k <= 4; ++k) EXPECT_NEAR(std::log2(error(k, 5e-4) / error(k, 2.5e-4)), k, 0.4) << k;
}

struct BdfCase {
  const char* problem;
  const char* formulation;
  catalogue::Parameters parameters = {};
  double factor = 100;  ///< error over tolerance
};

TEST(Bdf, RunsMechanismsAtEveryIndex) {
  const BdfCase cases[] = {{"pendulum", "index-3"},    {"pendulum", "index-2"}, {"pendulum", "ggl"},
                           {"andrews", "index-3"},     {"andrews", "index-2"},  {"slider-crank", "index-3"},
                           {"slider-crank", "index-2"}};
  for (const BdfCase& c : cases)
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const auto instance = catalogue::make_problem(c.problem, c.parameters, c.formulation);
      ASSERT_TRUE(instance.ok()) << c.problem;
      const RunSummary run = run_of(*instance, "bdf", tolerance);
      EXPECT_LT(run.statistics.failed, 5 + run.statistics.steps / 10) << c.problem << " " << tolerance;
    }
}

// A model with charts that cannot express earlier states in a new one.
struct Turning final : Dae {
  Turning() : Dae({{.name = "x", .size = 1}}) {}
  EvalStatus f(const At&, Out out) const noexcept override {
    out[0] = 1;
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    out[0] = w[0];
    return EvalStatus::ok;
  }
  int base_size() const noexcept override { return 1; }
};

TEST(Bdf, RefusesChartsThatCannotBeLeft) {
  InitialValueProblem problem;
  problem.dae = std::make_shared<const Turning>();
  problem.x = Vector::Zero(1);
  problem.base = Vector::Zero(1);
  const auto run = integrate(problem, "bdf", {});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find("chart"), std::string::npos) << run.error().message;
}

}  // namespace
}  // namespace rubato
