// The slider crank with the longitudinal mass of the quadratic element: the frequencies of its rod, the equations at its
// smooth start, and what makes that start smooth: the motion returns to it after one turn of the crank.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

/// A point of the crank at t = 0.
class At0 {
 public:
  At0(const MechanicalSystem& system, Vector q, Vector v)
      : memory_(system.scratch_bytes()), q_(std::move(q)), v_(std::move(v)), zero_(Vector::Zero(3)) {}
  [[nodiscard]] MechanicalPoint<double> operator()() {
    return {.t = 0,
            .q = view(std::as_const(q_)),
            .v = view(std::as_const(v_)),
            .z = {},
            .lambda = view(std::as_const(zero_)),
            .nu = {},
            .u = {},
            .base = {},
            .scratch = memory_.scratch()};
  }

 private:
  ScratchMemory memory_;
  Vector q_, v_, zero_;
};

// Eigenvalues ω² of K_q y = ω² M_q y, with M_q from the products of the model and K_q = −∂f/∂q at rest (f is linear).
TEST(SliderCrank15, RodHasTheFrequenciesOfTheSource) {
  const auto instance = catalogue::make_problem("slider-crank-15");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  EXPECT_EQ(instance->problem.dae->size(), 27);
  EXPECT_EQ(instance->problem.dae->layout().index(), 2);
  const MechanicalSystem& system = *instance->system;
  Matrix m(4, 4), k(4, 4);
  Vector out(7);
  for (Eigen::Index j = 0; j < 4; ++j) {
    const Vector unit = Vector::Unit(7, 3 + j), rest = Vector::Zero(7);
    At0 straight(system, rest, rest), bent(system, unit, rest);
    ASSERT_EQ(system.inertia(straight(), view(unit), view(out)), EvalStatus::ok);
    m.col(j) = out.tail(4);
    ASSERT_EQ(system.force(bent(), view(out)), EvalStatus::ok);
    k.col(j) = -out.tail(4);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes(k, m);
  const double expected[] = {203.19, 812.76, 4216.71, 15171.35};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(std::sqrt(modes.eigenvalues()[i]) / (2 * std::numbers::pi), expected[i], 0.005) << i;
}

// M a − f + Gᵀλ = 0 with the accelerations and reactions of the periodic motion as tabulated (ten digits).
TEST(SliderCrank15, SmoothStartSatisfiesTheEquationsOfMotion) {
  const auto instance = catalogue::make_problem("slider-crank-15");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const MechanicalSystem& system = *instance->system;
  Vector q = Vector::Zero(7), v = q, a = q, lambda = Vector::Zero(3);
  q[2] = 0.4500168545583741, q[5] = 1.02706772169765e-5, q[6] = 1.68545583741753e-5;
  v[0] = 150, v[1] = -74.99578659712323, v[3] = 0.4731592802023, v[4] = 4.63001876e-3;
  a[2] = -5062.927360696, a[5] = -0.346265046, a[6] = -0.522162261;
  lambda[1] = 382.5142879553;
  At0 at(system, q, v);
  Vector ma(7), f(7), reaction(7), g(3), rate(3), second(3);
  ASSERT_EQ(system.inertia(at(), view(std::as_const(a)), view(ma)), EvalStatus::ok);
  ASSERT_EQ(system.force(at(), view(f)), EvalStatus::ok);
  ASSERT_EQ(system.reaction(at(), view(std::as_const(lambda)), {}, view(reaction)), EvalStatus::ok);
  ASSERT_EQ(system.constraint(at(), view(g)), EvalStatus::ok);
  ASSERT_EQ(system.constraint_rate(at(), view(rate)), EvalStatus::ok);
  ASSERT_EQ(system.constraint_acceleration(at(), view(std::as_const(a)), view(second)), EvalStatus::ok);
  EXPECT_LT((ma - f + reaction).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT(rate.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(second.cwiseAbs().maxCoeff(), 1e-8);
}

// After 2π/Ω the rod is where it was; the rigid start has q₄ = 1.7e-5 m of vibration instead.
TEST(SliderCrank15, SmoothStartIsPeriodicAndThePerturbedOneIsNot) {
  const double period = 2 * std::numbers::pi / 150;
  for (const double start : {0.0, 1.0}) {
    const auto instance = catalogue::make_problem("slider-crank-15", {{"start", start}, {"t_end", period}});
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-7, .atol = 1e-10};
    options.step.initial_step = 1e-6;
    const auto run = integrate(instance->problem, "rodas5p", options);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_TRUE(completed(run->status)) << run->reason;
    const double change = (run->x - instance->problem.x).segment(1, 6).cwiseAbs().maxCoeff();
    if (start == 0)
      EXPECT_LT(change, 1e-9);
    else
      EXPECT_GT(change, 1e-6);
  }
}

// The rod swinging freely at the crank: standard form and both forms with multipliers describe one motion.
TEST(ElasticDoublePendulum, FormulationsDescribeOneMotion) {
  Vector ends[3];
  int i = 0;
  for (const char* formulation : {"penalty+a", "eps-lambda+a", "eps-lambda-rate+a"}) {
    const auto instance = catalogue::make_problem("elastic-double-pendulum", {}, formulation);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-8, .atol = 1e-12};
    options.step.initial_step = 1e-6;
    const auto run = integrate(instance->problem, "rodas5p", options);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_TRUE(completed(run->status)) << formulation << ": " << run->reason;
    EXPECT_GT(*catalogue::digits(*instance, view(run->x)), 4) << formulation;
    ends[i++] = run->x.head(5);
  }
  for (const int j : {1, 2})
    EXPECT_LT((ends[j] - ends[0]).cwiseAbs().cwiseQuotient(ends[0].cwiseAbs()).maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace rubato
