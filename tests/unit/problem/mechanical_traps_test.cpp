// Models that invite mistakes: each was silent once, and must now be right or refused.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/method.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

/// A plane body with velocities in its own frame: N = R(φ) is far from the identity although δφ is small.
struct BodyFrame {
  static constexpr bool constant_mass = true;
  MechanicalSizes sizes() const { return {.q = 3, .v = 3}; }
  int base_size() const { return 1; }
  void rebase(Out q, Out base) const {
    base[0] += q[2];
    q[2] = 0;
  }
  template <class S>
  void kinematics(const MechanicalPoint<S>& p, std::span<const S> v, std::span<S> rate) const {
    using std::cos, std::sin;
    const S phi = p.base[0] + p.q[2];
    rate[0] = cos(phi) * v[0] - sin(phi) * v[1];
    rate[1] = sin(phi) * v[0] + cos(phi) * v[1];
    rate[2] = v[2];
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (int i = 0; i < 3; ++i) out[i] = a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    f[0] = p.v[1] * p.v[2] - 50.0 * p.q[0];
    f[1] = -p.v[0] * p.v[2];
    f[2] = S(0.3);
  }
};

TEST(MechanicalTraps, VelocitiesInATurningFrameAreNotEliminated) {
  const auto dae = formulate(make_mechanical(BodyFrame{}), {.level = Level::index_2}).value();
  EXPECT_TRUE(dae->layout().local_unknowns().empty());
  Vector ends[2];
  for (const bool condense : {false, true}) {
    InitialValueProblem problem{.dae = dae};
    problem.x = Vector::Zero(6);
    problem.x << 1, 0, 0, 0.2, 0.5, 1;
    problem.base = Vector::Constant(1, std::acos(0.0));  // φ = 90°
    IntegrateOptions options;
    options.step.fixed_step = 0.01;
    options.linear.condense = condense;
    const Method* method = method_by_name("rodas4").value();
    auto stepper = method->make(method->info, problem, options);
    ASSERT_TRUE(stepper.ok());
    ASSERT_EQ((*stepper)->restart(0, view(problem.x), {}, view(problem.base), 0), StepStatus::ok);
    ASSERT_EQ((*stepper)->attempt(0, 0.01).status, StepStatus::ok);
    (*stepper)->commit();
    ends[condense ? 1 : 0] = map((*stepper)->x());
  }
  EXPECT_LT((ends[0] - ends[1]).norm(), 1e-13);
}

/// `constraint` is not const: the library cannot see it.
struct Forgetful {
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(0.0);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) {
    g[0] = p.q[0];
  }
};

TEST(MechanicalTraps, AFunctionThatDoesNotFitIsFatalNotIgnored) {
  const auto dae = formulate(make_mechanical(Forgetful{}), {.level = Level::index_3}).value();
  ScratchMemory memory(dae->scratch_bytes());
  Vector x = Vector::Zero(3), f(3);
  const At at{.t = 0, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()};
  EXPECT_EQ(dae->f(at, view(f)), EvalStatus::fatal);
}

/// A spring whose compliance would drown in the rounding of g: x² + y² − ε²λ − 1 instead of (x² + y² − 1) − ε²λ.
struct SoftRod {
  double eps = 1e-8;
  static constexpr bool constant_mass = true, compliant = true;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
    out[1] = a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = f[1] = S(0.0);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = p.q[0] * p.q[0] + p.q[1] * p.q[1] - eps * eps * p.lambda[0] - 1.0;
  }
};

TEST(MechanicalTraps, ATinyComplianceIsReadExactly) {
  const auto system = make_mechanical(SoftRod{});
  Vector x(4), f(4);
  x << 1.5, 0, 0, 0;
  const auto penalty = formulate(system, {.level = Level::penalty}).value();
  ScratchMemory memory(penalty->scratch_bytes());
  const At at{.t = 0, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()};
  ASSERT_EQ(penalty->f(at, view(f)), EvalStatus::ok);
  EXPECT_NEAR(f[2] / (-2 * 1.5 * 1.25e16), 1, 1e-12);  // −2 x λ, λ = (x² − 1)/ε²
  const auto rate = formulate(system, {.level = Level::eps_lambda_rate}).value();
  ScratchMemory more(rate->scratch_bytes());
  Vector y = Vector::Zero(5), w = Vector::Zero(5), bw(5);
  w[4] = 1;
  ASSERT_EQ(rate->mass_times({.t = 0, .x = view(y), .u = {}, .base = {}, .mode = 0, .scratch = more.scratch()}, view(w),
                             view(bw)),
            EvalStatus::ok);
  EXPECT_NEAR(bw[4] / 1e-16, 1, 1e-12);
}

TEST(MechanicalTraps, HamiltonFormsKnowTheirAccelerations) {
  const auto dae =
      formulate(make_mechanical(SoftRod{.eps = 1}), {.level = Level::eps_lambda, .kinetics = Kinetics::hamilton})
          .value();
  ScratchMemory memory(dae->scratch_bytes());
  Vector x = Vector::Zero(5), w = Vector::Zero(5);
  w[2] = -3;  // p' = M a, M = I
  MechanicalState state;
  ASSERT_EQ(
      dae->unpack({.t = 0, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()}, view(w), state),
      EvalStatus::ok);
  EXPECT_DOUBLE_EQ(state.a[0], -3);
}

TEST(MechanicalTraps, MethodsRefuseAHigherIndexThanTheyAreMeantFor) {
  InitialValueProblem problem{.dae = formulate(make_mechanical(SoftRod{}), {.level = Level::index_3}).value()};
  problem.x = Vector::Zero(5);
  problem.x[0] = 1;
  const Method* method = method_by_name("rowda3").value();
  const auto refused = method->make(method->info, problem, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("index 3"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(method->make(method->info, problem, {.any_index = true}).ok());
}

}  // namespace
}  // namespace rubato
