// A smooth start lies on the motion without fast oscillation, up to O(ε⁴) (specification §2.5).
#include <gtest/gtest.h>

#include "rubato/problem/consistent.hpp"
#include "unit/problem/models.hpp"

namespace rubato {
namespace {

using models::vec;

/// T1, Prothero-Robinson of second order: q̈ = φ̈(t) − λ, ε²λ = q − φ(t), φ = cos 6t.
struct ProtheroRobinson {
  static constexpr bool constant_mass = true, compliant = true;
  double eps = 1e-3;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos;
    f[0] = -36.0 * cos(6.0 * p.t);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::cos;
    g[0] = p.q[0] - cos(6.0 * p.t) - eps * eps * p.lambda[0];
  }
};

// Its smooth motion is q = φ, λ = 0 exactly; every other start oscillates with amplitude |q − φ|, ε|v − φ̇|.
TEST(SmoothStart, OfProtheroRobinsonIsItsExactSolution) {
  for (const double eps : {1e-1, 1e-3, 1e-6}) {
    const auto system = make_mechanical(ProtheroRobinson{eps});
    const auto s = smooth_start(*system, {.t = 0.7, .q = vec({1.3}), .v = vec({2})});
    ASSERT_TRUE(s.ok()) << s.error().message;
    EXPECT_NEAR(s->q[0], std::cos(4.2), 1e-15);
    EXPECT_NEAR(s->v[0], -6 * std::sin(4.2), 1e-14);
    EXPECT_NEAR(s->a[0], -36 * std::cos(4.2), 1e-12 + 1e-16 / (eps * eps));
    EXPECT_NEAR(s->lambda[0], 0, 1e-12 + 1e-16 / (eps * eps));
  }
}

/// max |r − 1 − ε²λ₀(t)| over three fast periods, λ₀ = v² − g y the force of the rigid rod: smooth terms and the fast
/// oscillation together. Classical Runge-Kutta with 400 steps per fast period.
double deviation(const models::SpringPendulum& model, const MechanicalState& start) {
  using State = Eigen::Vector4d;
  const double k = 1 / (model.eps * model.eps);
  const auto f = [&](const State& x) -> State {
    const double r = std::hypot(x[0], x[1]), pull = -k * (r - 1) / r;
    return {x[2], x[3], pull * x[0], pull * x[1] - model.gravity};
  };
  State x(start.q[0], start.q[1], start.v[0], start.v[1]);
  const double h = 2 * M_PI * model.eps / 400;
  double worst = 0;
  for (int i = 0; i < 1200; ++i) {
    const State k1 = f(x), k2 = f(x + h / 2 * k1), k3 = f(x + h / 2 * k2), k4 = f(x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    const double force = x[2] * x[2] + x[3] * x[3] - model.gravity * x[1];
    worst = std::max(worst, std::abs(std::hypot(x[0], x[1]) - 1 - model.eps * model.eps * force));
  }
  return worst;
}

// Halving ε divides the deviation by 2⁴ = 16; without the correction the rod's own start (r = 1) oscillates with ε²λ₀,
// and with the position corrected only with ε·ε²λ̇₀.
TEST(SmoothStart, OfTheSpringPendulumOscillatesWithEpsToTheFourth) {
  double last = 0;
  for (const double eps : {0.04, 0.02, 0.01}) {
    const models::SpringPendulum model{.eps = eps};
    const auto system = make_mechanical(model);
    const auto s = smooth_start(*system, {.q = vec({0.8, -0.6}), .v = vec({0.9, 1.2})});
    ASSERT_TRUE(s.ok()) << s.error().message;
    const double now = deviation(model, *s);
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / now), 4, 0.1);
    }
    last = now;
    const MechanicalState rigid{.q = vec({0.8, -0.6}), .v = vec({0.9, 1.2})};
    EXPECT_GT(deviation(model, rigid), 20 * now);
    EXPECT_NEAR(std::hypot(s->q[0], s->q[1]) - 1, eps * eps * s->lambda[0], 1e-14);
  }
  EXPECT_LT(last, 20 * 1e-8);
}

/// The same equations without templates: the rates come from differences.
class PlainSpringPendulum final : public MechanicalSystem {
 public:
  explicit PlainSpringPendulum(double eps)
      : MechanicalSystem(make_mechanical(models::SpringPendulum{})->sizes()),
        inner_(make_mechanical(models::SpringPendulum{.eps = eps})) {}
  bool constant_mass() const noexcept override { return true; }
  bool compliant() const noexcept override { return true; }
  std::size_t scratch_bytes() const noexcept override { return inner_->scratch_bytes(); }
  EvalStatus kinematics(const P& p, In v, Out r) const noexcept override { return inner_->kinematics(p, v, r); }
  EvalStatus inertia(const P& p, In a, Out r) const noexcept override { return inner_->inertia(p, a, r); }
  EvalStatus inertia_rate(const P& p, Out r) const noexcept override { return inner_->inertia_rate(p, r); }
  EvalStatus force(const P& p, Out r) const noexcept override { return inner_->force(p, r); }
  EvalStatus auxiliary(const P& p, Out r) const noexcept override { return inner_->auxiliary(p, r); }
  EvalStatus constraint(const P& p, Out r) const noexcept override { return inner_->constraint(p, r); }
  EvalStatus constraint_rate(const P& p, Out r) const noexcept override { return inner_->constraint_rate(p, r); }
  EvalStatus constraint_acceleration(const P& p, In a, Out r) const noexcept override {
    return inner_->constraint_acceleration(p, a, r);
  }
  EvalStatus reaction(const P& p, In l, In n, Out r) const noexcept override { return inner_->reaction(p, l, n, r); }
  EvalStatus rolling(const P& p, Out r) const noexcept override { return inner_->rolling(p, r); }
  EvalStatus rolling_acceleration(const P& p, In a, Out r) const noexcept override {
    return inner_->rolling_acceleration(p, a, r);
  }
  EvalStatus part_force(int i, const P& p, Out r) const noexcept override { return inner_->part_force(i, p, r); }
  EvalStatus part_energy(int i, const P& p, double& r) const noexcept override { return inner_->part_energy(i, p, r); }

 private:
  std::shared_ptr<const MechanicalSystem> inner_;
};

TEST(SmoothStart, WithoutTemplatesAgrees) {
  const MechanicalState guess{.q = vec({0.8, -0.6}), .v = vec({0.9, 1.2})};
  const auto exact = smooth_start(*make_mechanical(models::SpringPendulum{.eps = 0.05}), guess);
  const auto plain = smooth_start(PlainSpringPendulum(0.05), guess);
  ASSERT_TRUE(exact.ok() && plain.ok());
  EXPECT_LT((exact->v - plain->v).norm(), 1e-11);
  EXPECT_LT((exact->q - plain->q).norm(), 1e-13);
  const auto rest = static_equilibrium(PlainSpringPendulum(0.05), guess);
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_NEAR(rest->q[1], -(1 + 0.0025), 1e-13);
}

TEST(SmoothStart, OfARigidSystemIsItsConsistentState) {
  const auto system = make_mechanical(models::Pendulum{});
  const MechanicalState guess{.q = vec({0.9, -0.5}), .v = vec({1, 1})};
  const auto smooth = smooth_start(*system, guess), consistent = consistent_state(*system, guess);
  ASSERT_TRUE(smooth.ok() && consistent.ok());
  EXPECT_LT((smooth->q - consistent->q).norm() + (smooth->v - consistent->v).norm(), 1e-15);
  EXPECT_NEAR(smooth->lambda[0], consistent->lambda[0], 1e-13);
}

}  // namespace
}  // namespace rubato
