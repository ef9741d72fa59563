// In a static equilibrium f(t,q,0,z,λ) = Gᵀλ, g = 0 and e = 0; known ones are found, from guesses that are not near.
#include <gtest/gtest.h>

#include "rubato/problem/consistent.hpp"
#include "unit/problem/models.hpp"

namespace rubato {
namespace {

using models::vec;

TEST(StaticEquilibrium, PendulumHangsDown) {
  const auto system = make_mechanical(models::Pendulum{});
  const auto s = static_equilibrium(*system, {.q = vec({0.9, 0.3}), .v = vec({5, 5})});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_NEAR(s->q[0], 0, 1e-12);
  EXPECT_NEAR(std::abs(s->q[1]), 1, 1e-14);
  EXPECT_NEAR(-2 * s->q[1] * s->lambda[0], 9.81, 1e-11);  // 2 y λ = −m g
  EXPECT_EQ(s->v, vec({0, 0}));
}

TEST(StaticEquilibrium, SpringPendulumIsStretchedByItsWeight) {
  for (const double eps : {0.3, 1e-3, 1e-6}) {
    const auto system = make_mechanical(models::SpringPendulum{.eps = eps});
    const auto s = static_equilibrium(*system, {.q = vec({0.5, -0.9})});
    ASSERT_TRUE(s.ok()) << s.error().message;
    EXPECT_NEAR(s->q[0], 0, 1e-12);
    EXPECT_NEAR(s->q[1], -(1 + eps * eps), 4e-16);
    EXPECT_NEAR(s->lambda[0], 1, 1e-12);
  }
}

/// n equal masses on n + 1 rods (springs for compliance > 0) between (0, 0) and (span, 0); q = (x₁, y₁, x₂, …).
struct HangingChain {
  static constexpr bool constant_mass = true;
  int n = 5;
  double rod = 0.25, span = 1, compliance = 0;
  bool is_compliant() const { return compliance > 0; }
  MechanicalSizes sizes() const { return {.q = 2 * n, .v = 2 * n, .lambda = n + 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = 0.1 * a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    for (std::size_t i = 0; i < f.size(); i += 2) {
      f[i] = S(0.0);
      f[i + 1] = S(-0.981);
    }
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::sqrt;
    for (std::size_t k = 0; k < g.size(); ++k) {
      const S x0 = k == 0 ? S(0.0) : p.q[2 * k - 2], y0 = k == 0 ? S(0.0) : p.q[2 * k - 1];
      const bool last = k + 1 == g.size();
      const S dx = (last ? S(span) : p.q[2 * k]) - x0, dy = (last ? S(0.0) : p.q[2 * k + 1]) - y0;
      g[k] = sqrt(dx * dx + dy * dy) - rod - compliance * p.lambda[k];
    }
  }
  template <class S>  // by hand: linear in n
  void reaction(const MechanicalPoint<S>& p, std::span<const S> lambda, std::span<const S>, std::span<S> out) const {
    using std::sqrt;
    for (auto& x : out) x = S(0.0);
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      const S x0 = k == 0 ? S(0.0) : p.q[2 * k - 2], y0 = k == 0 ? S(0.0) : p.q[2 * k - 1];
      const bool last = k + 1 == lambda.size();
      const S dx = (last ? S(span) : p.q[2 * k]) - x0, dy = (last ? S(0.0) : p.q[2 * k + 1]) - y0;
      const S pull = lambda[k] / sqrt(dx * dx + dy * dy);
      if (!last) {
        out[2 * k] += pull * dx;
        out[2 * k + 1] += pull * dy;
      }
      if (k > 0) {
        out[2 * k - 2] -= pull * dx;
        out[2 * k - 1] -= pull * dy;
      }
    }
  }
  /// A shallow parabola below the line between the ends.
  Vector guess(double sag) const {
    Vector q(2 * n);
    for (int k = 0; k < n; ++k) {
      const double s = (k + 1.0) / (n + 1.0);
      q[2 * k] = span * s;
      q[2 * k + 1] = -4 * sag * s * (1 - s);
    }
    return q;
  }
};

/// The horizontal tension H is the same everywhere, so slopes grow by m g/H from rod to rod: a discrete catenary.
void expect_catenary(const HangingChain& chain, const MechanicalState& s) {
  const auto point = [&](int k) -> std::array<double, 2> {
    if (k == 0) return {0, 0};
    if (k == chain.n + 1) return {chain.span, 0};
    return {s.q[2 * k - 2], s.q[2 * k - 1]};
  };
  const auto slope = [&](int k) { return (point(k + 1)[1] - point(k)[1]) / (point(k + 1)[0] - point(k)[0]); };
  const auto tension = [&](int k) {
    const double dx = point(k + 1)[0] - point(k)[0], dy = point(k + 1)[1] - point(k)[1];
    return s.lambda[k] * dx / std::hypot(dx, dy);
  };
  const double h = tension(0);
  EXPECT_GT(h, 0);
  for (int k = 1; k <= chain.n; ++k) {
    EXPECT_NEAR(tension(k), h, 1e-9 * h);
    EXPECT_NEAR(slope(k) - slope(k - 1), 0.981 / h, 1e-9 * std::abs(slope(0)));
  }
  for (int k = 0; k <= chain.n; ++k)
    EXPECT_NEAR(std::hypot(point(k + 1)[0] - point(k)[0], point(k + 1)[1] - point(k)[1]),
                chain.rod + chain.compliance * s.lambda[k], 1e-12);
}

TEST(StaticEquilibrium, ChainHangsInADiscreteCatenary) {
  for (const HangingChain& chain : {HangingChain{}, HangingChain{.n = 9, .rod = 0.3, .span = 1.2}}) {
    const auto system = make_mechanical(chain);
    const auto s = static_equilibrium(*system, {.q = chain.guess(0.2)});
    ASSERT_TRUE(s.ok()) << s.error().message;
    expect_catenary(chain, *s);
    EXPECT_LT(s->q[2 * (chain.n / 2) + 1], 0);
  }
}

TEST(StaticEquilibrium, LongElasticChainIsSolvedSparsely) {
  const HangingChain chain{.n = 300, .rod = 0.004, .span = 1, .compliance = 1e-5};
  const auto system = make_mechanical(chain);
  const auto s = static_equilibrium(*system, {.q = chain.guess(0.3)});
  ASSERT_TRUE(s.ok()) << s.error().message;
  expect_catenary(chain, *s);
}

// Rotations about the vertical and about its own axis cost nothing: the equilibrium is not isolated, yet found.
TEST(StaticEquilibrium, HeavyTopHangsBelowItsPoint) {
  const auto system = make_mechanical(models::HeavyTop{});
  const double c = std::cos(0.3), sn = std::sin(0.3);
  const auto s = static_equilibrium(
      *system, {.q = vec({0, 0.9, 0.4, 0.1, -0.2, 0.15}), .base = vec({1, 0, 0, 0, c, sn, 0, -sn, c})});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_NEAR(std::abs(s->q[2]), 1, 1e-10);
  EXPECT_NEAR(std::hypot(s->q[0], s->q[1]), 0, 1e-7);
}

TEST(StaticEquilibrium, SharesTheLoadOfRedundantCranks) {
  const auto system = make_mechanical(models::ParallelCranks{});
  const auto s = static_equilibrium(*system, {.q = vec({0.1, -0.95, 0})});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_NEAR(s->q[0] / -s->q[1], 0.3 / 19.62, 1e-9);
  EXPECT_NEAR(s->lambda.dot(vec({1, -2, 1})), 0, 1e-9);
}

/// Two masses on a line, springs k between them and a wall (k = 0: none), a constant force on the second.
struct Pulled {
  static constexpr bool constant_mass = true;
  double k = 0;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
    out[1] = a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    f[0] = -3.0 * p.q[0];
    f[1] = 2.0 - k * p.q[1];
  }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "q") return {"held", "pulled"};
    return {};
  }
};

TEST(StaticEquilibrium, NamesWhatCannotBalance) {
  const auto held = static_equilibrium(*make_mechanical(Pulled{.k = 4}), {.q = vec({1, 1})});
  ASSERT_TRUE(held.ok());
  EXPECT_NEAR(held->q[1], 0.5, 1e-15);
  const auto loose = static_equilibrium(*make_mechanical(Pulled{}), {.q = vec({1, 1})});
  ASSERT_FALSE(loose.ok());
  EXPECT_EQ(loose.error().message,
            "static_equilibrium: no equilibrium found from this guess: residual -2 remains in the forces on pulled");
}

}  // namespace
}  // namespace rubato
