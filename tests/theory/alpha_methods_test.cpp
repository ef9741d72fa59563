// Newmark, HHT-α, generalized-α and central differences: what their amplification matrices say, and that the steppers do it,
// with constraints at position level, on rotations and with steps that vary.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/alpha_analysis.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

using C = AlphaCoefficients;

// --- coefficients ---------------------------------------------------------------------------------------------------

TEST(AlphaCoefficients, RhoIsTheSpectralRadiusOfInfinitelyFastVibrations) {
  for (const double rho : {0.0, 0.3, 0.5, 0.8, 0.9, 1.0}) {
    const C c = C::generalized(rho);
    EXPECT_NEAR(rho_infinity(c), rho, 1e-5) << rho;  // a triple eigenvalue: cube root of the rounding
    EXPECT_NEAR(spectral_radius(c, 1e6), rho, 1e-3) << rho;
    EXPECT_TRUE(std::isinf(alpha_properties(c).stability_limit)) << rho;
    EXPECT_EQ(alpha_properties(c).order, 2);
  }
  for (const double alpha : {-0.3, -0.1, 0.0})  // Hilber, Hughes, Taylor
    EXPECT_NEAR(rho_infinity(C::hht(alpha)), (1 + alpha) / (1 - alpha), 1e-6) << alpha;
  EXPECT_EQ(alpha_properties(C::newmark(0.6)).order, 1);
  EXPECT_LT(rho_infinity(C::newmark(0.6)), 0.9);
}

TEST(AlphaCoefficients, CentralDifferencesAreStableUpToTwo) {
  EXPECT_NEAR(alpha_properties(C::central_differences()).stability_limit, 2, 1e-3);
}

TEST(AlphaCoefficients, PeriodAndDampingErrorsVanishWithTheirOrder) {
  // Trapezoidal rule: period error χ²/12, no damping. Damping of generalized-α is of third order.
  const auto trapezoidal = numerical_vibration(C::newmark(0.5), 0.01);
  EXPECT_NEAR(trapezoidal.period_error, 1e-4 / 12, 1e-8);
  EXPECT_NEAR(trapezoidal.damping_ratio, 0, 1e-12);
  const double coarse = numerical_vibration(C::generalized(0.5), 0.1).damping_ratio;
  const double fine = numerical_vibration(C::generalized(0.5), 0.05).damping_ratio;
  EXPECT_NEAR(std::log2(coarse / fine), 3, 0.1);
}

TEST(AlphaCoefficients, NamesAndTheirParameters) {
  EXPECT_EQ(alpha_by_name("generalized-alpha")->gamma, C::generalized(0.8).gamma);
  EXPECT_EQ(alpha_by_name("hht-alpha:-0.2")->alpha_f, 0.2);
  EXPECT_FALSE(alpha_by_name("generalized-alpha:1.1").ok());
  EXPECT_FALSE(alpha_by_name("generalized-alpha:nan").ok());
  EXPECT_FALSE(alpha_by_name("central-differences:1").ok());
  EXPECT_EQ((*method_by_name("generalized-alpha:0.5"))->info.name, "generalized-alpha:0.5");
  EXPECT_NEAR((*method_by_name("generalized-alpha:0.5"))->info.r_infinity, 0.5, 1e-6);
  EXPECT_EQ((*method_by_name("newmark"))->info.max_index, 1);  // errors of λ would never die out
  EXPECT_EQ((*method_by_name("newmark:0.6"))->info.max_index, 3);
}

// --- one oscillator -------------------------------------------------------------------------------------------------

struct SpringOscillator {
  static constexpr bool constant_mass = true, autonomous = true;
  double omega = 1, damping = 0;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> out) const {
    out[0] = -omega * omega * p.q[0] - damping * p.v[0];
  }
};

InitialValueProblem oscillator(double omega, double damping = 0) {
  InitialValueProblem problem;
  problem.dae = *formulate(make_mechanical(SpringOscillator{omega, damping}), {.level = Level::index_2});
  problem.x = Eigen::Vector2d(1, 0.5);
  return problem;
}

std::unique_ptr<Stepper> stepper_for(std::string_view method, const InitialValueProblem& problem, double h) {
  IntegrateOptions options;
  options.step.fixed_step = h;
  options.any_index = true;
  const auto found = method_by_name(method);
  auto made = (*found)->make((*found)->info, problem, options);
  EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
  EXPECT_EQ((*made)->restart(problem.t_start, view(problem.x), {}, view(problem.base), problem.mode), StepStatus::ok);
  return std::move(*made);
}

TEST(AlphaStepper, AgreesWithTheAmplificationMatrix) {
  // The naive second implementation: powers of a 3 × 3 matrix. a₀ = v̇₀ + Δh v̈₀.
  for (const char* name : {"generalized-alpha:0.8", "generalized-alpha:0.3", "hht-alpha:-0.2", "newmark", "newmark:0.7",
                           "central-differences"}) {
    const double omega = 3, h = 0.2;
    const C c = *alpha_by_name(name);
    const auto problem = oscillator(omega);
    auto stepper = stepper_for(name, problem, h);
    const double w = omega * omega;
    Eigen::Vector3d y(1, h * 0.5, h * h * (-w - c.shift() * h * w * 0.5));
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(stepper->attempt(i * h, h).status, StepStatus::ok);
      stepper->commit();
      y = amplification_matrix(c, h * omega) * y;
    }
    EXPECT_NEAR(stepper->x()[0], y[0], 1e-7) << name;  // v̈₀ is a difference quotient
    EXPECT_NEAR(h * stepper->x()[1], y[1], 1e-7) << name;
  }
}

TEST(AlphaStepper, TheTrapezoidalRuleKeepsEnergyForAnyStep) {
  for (const char* name : {"newmark", "generalized-alpha:1"})
    for (const double omega : {1.0, 1000.0}) {
      const auto problem = oscillator(omega);
      auto stepper = stepper_for(name, problem, 0.1);
      const double energy = 0.125 + 0.5 * omega * omega;
      for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(stepper->attempt(0.1 * i, 0.1).status, StepStatus::ok);
        stepper->commit();
      }
      const double q = stepper->x()[0], v = stepper->x()[1];
      EXPECT_NEAR((v * v + omega * omega * q * q) / 2, energy, 1e-7 * energy) << name << " " << omega;
    }
}

TEST(AlphaStepper, CentralDifferencesLeaveTheirStabilityAtTwo) {
  for (const auto& [omega, stable] : {std::pair{19.9, true}, {20.1, false}}) {
    auto stepper = stepper_for("central-differences", oscillator(omega), 0.1);
    for (int i = 0; i < 400; ++i) {
      ASSERT_EQ(stepper->attempt(0.1 * i, 0.1).status, StepStatus::ok);
      stepper->commit();
    }
    EXPECT_EQ(std::abs(stepper->x()[0]) < 100, stable) << omega;
  }
}

// --- constrained systems --------------------------------------------------------------------------------------------

catalogue::Instance instance_of(std::string_view name, std::string_view formulation,
                                const catalogue::Parameters& parameters) {
  auto instance = catalogue::make_problem(name, parameters, formulation);
  EXPECT_TRUE(instance.ok()) << name << ": " << (instance ? "" : instance.error().message);
  return *instance;
}

Vector block(const InitialValueProblem& problem, In x, std::string_view name) {
  const Block* b = problem.dae->layout().find(name);
  return b == nullptr ? Vector() : Vector(map(x).segment(b->offset, b->size));
}

/// λ that belongs to the positions and velocities in x.
Vector consistent_lambda(const InitialValueProblem& problem, double t, In x, In base) {
  InitialValueProblem here = problem;
  here.t_start = t;
  here.x = map(x);
  here.w = Vector::Zero(here.x.size());
  here.base = map(base);
  EXPECT_TRUE(make_consistent(here, {.project_positions = false, .project_velocities = false}).ok());
  return block(problem, view(std::as_const(here.x)), "lambda");
}

struct AlphaErrors {
  double q = 0, v = 0, z = 0;
  double lambda = 0;      ///< the largest over all steps, against the λ of the same q and v
  double constraint = 0;  ///< the largest |g|
};

using Sizes = std::function<double(int)>;  ///< of step i, in units of the mean
double equal(int) { return 1; }

/// About n steps to the end, compared with a precise run in the first three coordinates: the centre of the top, whose rotation
/// has another base, and the rigid coordinates of the crank.
AlphaErrors errors(std::string_view method, const catalogue::Instance& instance, const Vector& q_end,
                   const Vector& v_end, int n, const Sizes& sizes = equal) {
  const InitialValueProblem& problem = instance.problem;
  const double h_mean = (problem.t_end - problem.t_start) / n;
  auto stepper = stepper_for(method, problem, h_mean);
  AlphaErrors e;
  double t = problem.t_start;
  const bool constrained = problem.dae->layout().find("lambda") != nullptr;
  for (int i = 0; t < problem.t_end - 1e-9 * h_mean; ++i) {
    double h = h_mean * sizes(i);
    if (problem.t_end - t < 1.3 * h) h = problem.t_end - t;
    EXPECT_EQ(stepper->attempt(t, h).status, StepStatus::ok) << method << " at " << t;
    stepper->commit();
    t += h;
    if (constrained) {
      const Vector lambda = block(problem, stepper->x(), "lambda");
      e.lambda = std::max(e.lambda, (lambda - consistent_lambda(problem, t, stepper->x(), stepper->base())).norm());
      Vector f(problem.dae->size());
      ScratchMemory memory(problem.dae->scratch_bytes());
      EXPECT_EQ(
          problem.dae->f(
              {.t = t, .x = stepper->x(), .u = {}, .base = stepper->base(), .mode = 0, .scratch = memory.scratch()},
              view(f)),
          EvalStatus::ok);
      e.constraint = std::max(e.constraint, block(problem, view(std::as_const(f)), "lambda").cwiseAbs().maxCoeff());
    }
    stepper->rebase();
  }
  const Vector q = block(problem, stepper->x(), "q"), v = block(problem, stepper->x(), "v");
  const Eigen::Index k = std::min<Eigen::Index>(3, q.size());
  e.q = (q.head(k) - q_end.head(k)).norm();
  e.v = (v.head(k) - v_end.head(k)).norm();
  return e;
}

struct End {
  Vector q, v;
};
End precise(std::string_view name, const catalogue::Parameters& parameters) {
  const auto instance = instance_of(name, "state-space", parameters);
  IntegrateOptions tight;
  tight.tolerances = {.rtol = 1e-11, .atol = 1e-11};
  const auto run = integrate(instance.problem, "radau", tight);
  EXPECT_TRUE(run.ok() && completed(run->status));
  return {block(instance.problem, view(run->x), "q"), block(instance.problem, view(run->x), "v")};
}

struct AlphaCase {
  std::string_view name;
  catalogue::Parameters parameters;
  int n;         ///< steps for positions and velocities
  int n_lambda;  ///< for multipliers, whose rounding errors grow like 1/h²
};
// A pendulum; a top whose rotations are charts; a slider crank, whose fastest vibration has hω = 0.07 with 1600 steps.
const std::array<AlphaCase, 3> cases{{{"pendulum", {{"t_end", 1.7}}, 200, 200},
                                      {"heavy-top", {{"t_end", 0.1}}, 200, 200},
                                      {"slider-crank", {{"t_end", 0.005}}, 1600, 200}}};

TEST(AlphaStepper, HasOrderTwoInPositionsVelocitiesAndMultipliers) {
  // From the first step on: λ is compared at every one of them. Constraints hold at position level to rounding.
  for (const auto& [name, parameters, n, n_lambda] : cases) {
    const End end = precise(name, parameters);
    const auto instance = instance_of(name, "index-3", parameters);
    for (const char* method : {"generalized-alpha:0.8", "generalized-alpha:0.5", "hht-alpha"}) {
      const auto with = [&](int steps) { return errors(method, instance, end.q, end.v, steps); };
      const AlphaErrors coarse = with(n), fine = with(2 * n);
      SCOPED_TRACE(std::string(name) + " " + method);
      EXPECT_NEAR(std::log2(coarse.q / fine.q), 2, 0.15);
      EXPECT_NEAR(std::log2(coarse.v / fine.v), 2, 0.15);
      EXPECT_NEAR(std::log2(with(n_lambda).lambda / with(2 * n_lambda).lambda), 2, 0.25);
      EXPECT_LT(fine.constraint, 1e-12);
    }
  }
}

TEST(AlphaStepper, KeepsOrderTwoWhenStepsVary) {
  // Steps between 0.6 and 1.6 of their mean at random, and 1 : 3 in turn, where a correction of v by differences of a would
  // be unstable.
  for (const auto& [name, parameters, n, n_lambda] : {cases[0], cases[1]}) {
    const End end = precise(name, parameters);
    const auto instance = instance_of(name, "index-3", parameters);
    const Sizes at_random = [](int i) {
      return 0.6 + std::uniform_real_distribution<double>(0, 1)(*std::make_unique<std::mt19937>(17 + i));
    };
    const Sizes in_turn = [](int i) { return i % 2 == 0 ? 0.5 : 1.5; };
    for (const Sizes& sizes : {at_random, in_turn}) {
      SCOPED_TRACE(name);
      const AlphaErrors coarse = errors("generalized-alpha", instance, end.q, end.v, 2 * n, sizes);
      const AlphaErrors fine = errors("generalized-alpha", instance, end.q, end.v, 8 * n, sizes);
      EXPECT_GT(std::log2(coarse.q / fine.q) / 2, 1.75);
      EXPECT_GT(std::log2(coarse.v / fine.v) / 2, 1.75);
      EXPECT_GT(std::log2(coarse.lambda / fine.lambda) / 2, 1.7);  // the worst of random step sizes
    }
  }
}

TEST(AlphaStepper, RunsVelocityLevelAndFirstOrderForms) {
  // Index 2, stabilised and with accelerations or momenta as unknowns: order 2 as well; q and v are then variables of first
  // order like any other.
  const End end = precise("pendulum", cases[0].parameters);
  for (const char* formulation :
       {"index-2", "ggl", "index-1", "semi-explicit", "momentum", "hamilton", "state-space"}) {
    const auto instance = instance_of("pendulum", formulation, cases[0].parameters);
    const auto error = [&](int n) {
      IntegrateOptions options;
      options.step.fixed_step = 1.7 / n;
      const auto run = integrate(instance.problem, "generalized-alpha", options);
      EXPECT_TRUE(run.ok() && completed(run->status)) << formulation;
      return (block(instance.problem, view(run->x), "q") - end.q).norm();
    };
    EXPECT_NEAR(std::log2(error(400) / error(800)), 2, 0.1) << formulation;
  }
}

TEST(AlphaStepper, SaysWhatItCannotDo) {
  const auto message = [](std::string_view method, std::string_view problem, std::string_view formulation) {
    const auto run = integrate(instance_of(problem, formulation, {}).problem, method, {});
    return run ? std::string() : run.error().message;
  };
  EXPECT_NE(message("newmark", "pendulum", "index-3").find("index ≤ 1"), std::string::npos);
  EXPECT_NE(message("generalized-alpha", "heavy-top", "ggl").find("velocities as unknowns"), std::string::npos);
  EXPECT_NE(message("central-differences", "pendulum", "index-3").find("explicit"), std::string::npos);
}

/// A mass on a spring beside a Maxwell element whose damper stiffens: q'' = −q³ − z, z' = 4v − z(1 + z²).
struct Maxwell {
  static constexpr bool constant_mass = true, autonomous = true;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .z = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> out) const {
    out[0] = -p.q[0] * p.q[0] * p.q[0] - p.z[0];
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> out) const {
    out[0] = 4.0 * p.v[0] - p.z[0] * (1.0 + p.z[0] * p.z[0]);
  }
};

TEST(AlphaStepper, AuxiliaryStatesHaveOrderTwo) {
  InitialValueProblem maxwell;
  maxwell.dae = *formulate(make_mechanical(Maxwell{}), {.level = Level::index_2});
  maxwell.x = Eigen::Vector3d(1, 0.3, 0.2);
  maxwell.t_end = 2;
  const InitialValueProblem bristles =
      instance_of("lugre-oscillator", {}, {{"t_end", 2}}).problem;  // sticks, then slips
  const auto state = [&](const InitialValueProblem& problem, std::string_view method, const IntegrateOptions& options) {
    const auto run = integrate(problem, method, options);
    EXPECT_TRUE(run.ok() && completed(run->status)) << (run ? run->reason : run.error().message);
    return run->x;
  };
  const auto expect_order_two = [&](const InitialValueProblem& problem, std::string_view method, int n, int unknowns) {
    IntegrateOptions tight;
    tight.tolerances = {.rtol = 1e-12, .atol = 1e-13};
    const Vector exact = state(problem, "radau", tight);
    Vector difference[2];
    for (const int k : {0, 1}) {
      IntegrateOptions options;
      options.step.fixed_step = 2.0 / (n << k);
      difference[k] = (state(problem, method, options) - exact).cwiseAbs();
    }
    for (int i = 0; i < unknowns; ++i)
      EXPECT_NEAR(std::log2(difference[0][i] / difference[1][i]), 2, 0.1) << method << " unknown " << i;
  };
  for (const char* method : {"generalized-alpha", "hht-alpha", "newmark", "central-differences"})
    expect_order_two(maxwell, method, 200, 3);
  for (const char* method : {"generalized-alpha", "hht-alpha", "newmark"})
    expect_order_two(bristles, method, 1000, 2);  // the bristle itself is at its limit then
}

// --- error control --------------------------------------------------------------------------------------------------

TEST(AlphaStepper, ControlledRunsEndWithinAFactorOfTheirTolerance) {
  // The factor is that of the growth of errors over the run; a tolerance ten times smaller must pay.
  struct Run {
    std::string_view name, formulation;
    catalogue::Parameters parameters;
    double factor;
  };
  for (const auto& [name, formulation, parameters, factor] :
       {Run{"pendulum", "index-3", {{"t_end", 2}}, 50}, Run{"pendulum", "index-2", {{"t_end", 2}}, 50},
        Run{"andrews", "index-3", {}, 1000}, Run{"chain", "index-3", {{"links", 10}}, 100},
        Run{"heavy-top", "index-3", {{"t_end", 0.1}}, 100}}) {
    const End end = precise(name, parameters);
    const auto instance = instance_of(name, formulation, parameters);
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
      IntegrateOptions options;
      options.tolerances = {.rtol = tolerance, .atol = tolerance};
      options.step.initial_step = instance.suggested_initial_step;
      const auto run = integrate(instance.problem, "generalized-alpha", options);
      ASSERT_TRUE(run.ok()) << run.error().message;
      ASSERT_TRUE(completed(run->status)) << name << ": " << run->reason;
      const Vector q = block(instance.problem, view(run->x), "q");
      const Eigen::Index k = instance.problem.base.size() > 0 ? 3 : q.size();
      const double size = std::max(1.0, end.q.head(k).norm());
      EXPECT_LT((q.head(k) - end.q.head(k)).norm(), factor * tolerance * size) << name << " " << tolerance;
    }
  }
}

// Rounding errors of q, u ≈ 2e-16, are c_q u ≈ u/h in velocities normal to the constraints: with h = 1e-6 more than κ times a
// tolerance of 1e-8 where κ = √rtol. Such corrections are no corrections, and no step fails for them.
TEST(AlphaStepper, FineTolerancesFailNoStepAtIndexThree) {
  for (const char* name : {"andrews", "pendulum", "heavy-top", "slider-crank"})
    for (const char* method : {"generalized-alpha", "hht-alpha"})
      for (const double tolerance : {1e-6, 1e-8, 1e-9}) {
        SCOPED_TRACE(std::string(name) + " " + method + " " + std::to_string(std::log10(tolerance)));
        auto instance = catalogue::make_problem(name, {}, "index-3");
        ASSERT_TRUE(instance.ok());
        instance->problem.t_end *= 0.02;
        IntegrateOptions options;
        options.tolerances = {.rtol = tolerance, .atol = tolerance};
        options.step.max_steps = 20000;
        const auto run = integrate(instance->problem, method, options);
        ASSERT_TRUE(run.ok());
        EXPECT_EQ(run->status, RunStatus::finished) << run->reason;
        EXPECT_LT(50 * run->statistics.failed, run->statistics.steps);
      }
}

}  // namespace
}  // namespace rubato
