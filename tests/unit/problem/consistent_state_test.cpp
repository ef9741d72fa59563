// A consistent state satisfies the constraints and their first two derivatives, and the equations of motion with the
// multipliers found; what moves to get there moves along M⁻¹Jᵀ. Trouble with constraints is named by row and size.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <chrono>

#include "catalogue/catalogue.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"
#include "unit/problem/models.hpp"

namespace rubato {
namespace {

using models::vec;

/// Largest of |M a − f + Gᵀλ + Aᵀν|, |g|, |G v + g_t|, |G a + γ| and the rolling ones.
double defect(const MechanicalSystem& system, const MechanicalState& s) {
  ScratchMemory memory(system.scratch_bytes());
  const MechanicalPoint<double> p = point_at(s, memory.scratch());
  const MechanicalSizes& n = system.sizes();
  Vector ma(n.v), f(n.v), r(n.v), g(n.lambda), gv(n.lambda), ga(n.lambda), av(n.nu), aa(n.nu);
  EXPECT_EQ(system.inertia(p, view(s.a), view(ma)), EvalStatus::ok);
  EXPECT_EQ(system.force(p, view(f)), EvalStatus::ok);
  EXPECT_EQ(system.reaction(p, view(s.lambda), view(s.nu), view(r)), EvalStatus::ok);
  EXPECT_EQ(system.constraint(p, view(g)), EvalStatus::ok);
  EXPECT_EQ(system.constraint_rate(p, view(gv)), EvalStatus::ok);
  EXPECT_EQ(system.constraint_acceleration(p, view(s.a), view(ga)), EvalStatus::ok);
  EXPECT_EQ(system.rolling(p, view(av)), EvalStatus::ok);
  EXPECT_EQ(system.rolling_acceleration(p, view(s.a), view(aa)), EvalStatus::ok);
  double worst = (ma - f + r).lpNorm<Eigen::Infinity>() / (1 + f.lpNorm<Eigen::Infinity>());
  if (!system.compliant())
    for (const Vector* x : {&g, &gv, &ga})
      if (x->size() > 0) worst = std::max(worst, x->lpNorm<Eigen::Infinity>());
  for (const Vector* x : {&av, &aa})
    if (x->size() > 0) worst = std::max(worst, x->lpNorm<Eigen::Infinity>());
  return worst;
}

/// A point mass in the plane with constraints that cause trouble.
struct Trouble {
  enum Kind { two_rods, two_drives, massless_bound, massless_free } kind;
  MechanicalSizes sizes() const {
    return {.q = 2, .v = 2, .lambda = kind == two_rods ? 2 : 1, .nu = kind == two_drives ? 2 : 0};
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
    out[1] = kind >= massless_bound ? S(0.0) : a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(0.0);
    f[1] = S(-9.81);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const S &x = p.q[0], &y = p.q[1];
    if (kind == massless_bound)
      g[0] = y - x * x;
    else if (kind == massless_free)
      g[0] = x - 0.5;
    else
      g[0] = x * x + y * y - 1.0;
    if (kind == two_rods) g[1] = x * x + y * y - 1.02;
  }
  template <class S>
  void rolling(const MechanicalPoint<S>& p, std::span<S> out) const {
    if (kind != two_drives) return;
    out[0] = p.v[0] - 1.0;
    out[1] = 2.0 * p.v[0] - 3.0;
  }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "q") return {"slider", "follower"};
    return {};
  }
};

/// A block pushed along the floor. Friction 0.4 z with z² = λ² (z algebraic), and a weight that depends on λ.
struct Block {
  MechanicalSizes sizes() const { return {.q = 2, .v = 2, .z = 1, .lambda = 1}; }
  bool z_is_differential(int) const { return false; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = 3.0 * a[0];
    out[1] = 3.0 * a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    f[0] = 20.0 - 0.4 * p.z[0];
    f[1] = S(-30.0) - 0.1 * p.lambda[0] * p.lambda[0] / 30.0;
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    e[0] = p.z[0] * p.z[0] - p.lambda[0] * p.lambda[0];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = p.q[1];
  }
};

TEST(ConsistentState, PendulumMultiplierIsTheOneOfTheBenchmark) {
  const auto system = make_mechanical(models::Pendulum{});
  ConstraintDiagnosis diagnosis;
  const auto s =
      consistent_state(*system, {.q = vec({std::sin(1.0), -std::cos(1.0)}), .v = vec({0, 0})}, {}, &diagnosis);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_NEAR(s->lambda[0], 2.650182810283, 1e-12);  // P2 of the benchmark: λ = (v² − g y)/2
  EXPECT_LT(defect(*system, *s), 1e-14 * 10);
  EXPECT_EQ(diagnosis.rank, 1);
  EXPECT_TRUE(diagnosis.dependent.empty());
}

// The projection of a point mass is along the rod: the nearest point for a round constraint.
TEST(ConsistentState, ProjectsPositionsAndVelocitiesAlongTheForcesOfConstraint) {
  const auto system = make_mechanical(models::Pendulum{.mass = 7});
  ConstraintDiagnosis diagnosis;
  const auto s = consistent_state(*system, {.q = vec({1.8, -2.4}), .v = vec({1, 2})}, {}, &diagnosis);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_NEAR(s->q[0], 0.6, 1e-15);
  EXPECT_NEAR(s->q[1], -0.8, 1e-15);
  EXPECT_NEAR(s->v[0], 2 * 0.8, 1e-14);  // (1, 2) has the tangential part 2 along (0.8, 0.6)
  EXPECT_NEAR(s->v[1], 2 * 0.6, 1e-14);
  EXPECT_LT(defect(*system, *s), 1e-13);
  EXPECT_NEAR(diagnosis.position_residual, 8, 1e-12);
  EXPECT_EQ(diagnosis.worst_position_row, 0);
}

TEST(ConsistentState, KeepsWhatItIsToldToKeep) {
  const auto system = make_mechanical(models::Pendulum{});
  ConstraintDiagnosis diagnosis;
  const auto s = consistent_state(*system, {.q = vec({1.1, 0}), .v = vec({0.5, 2})},
                                  {.project_positions = false, .project_velocities = false}, &diagnosis);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->q, vec({1.1, 0}));
  EXPECT_EQ(s->v, vec({0.5, 2}));
  EXPECT_NEAR(diagnosis.position_residual, 0.21, 1e-15);
  EXPECT_NEAR(diagnosis.velocity_residual, 1.1, 1e-15);
}

TEST(ConsistentState, NamesAConstraintWhoseGradientVanishes) {
  const auto system = make_mechanical(models::Pendulum{});
  const auto s = consistent_state(*system, {.q = vec({0, 0}), .v = vec({0, 0})});
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().message,
            "consistent_state: a constraint cannot be satisfied near the guess, its gradient vanishes there: "
            "row 0 (lambda[0]) residual -1");
}

// Three cranks, two of them enough. All multipliers with the same reaction differ by a null vector of Gᵀ; the
// shortest one is orthogonal to it.
TEST(ConsistentState, DropsDependentRowsAndSharesTheirLoad) {
  const auto system = make_mechanical(models::ParallelCranks{});
  ConstraintDiagnosis diagnosis;
  const MechanicalState guess{.q = vec({0.63, 0.78, 0.02}), .v = vec({1, 0.5, 0.3})};
  const auto s = consistent_state(*system, guess, {}, &diagnosis);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(diagnosis.rank, 2);
  EXPECT_EQ(diagnosis.dependent, std::vector<int>{2});
  EXPECT_NEAR(s->q[2], 0, 1e-9);
  EXPECT_NEAR(s->v[2], 0, 1e-9);
  EXPECT_LT(defect(*system, *s), 1e-9);
  EXPECT_NEAR(s->lambda.dot(vec({1, -2, 1})), 0, 1e-9);  // rows 0, 2 and twice row 1 cancel

  const auto plain = consistent_state(*system, guess, {.minimum_norm = false});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->lambda[2], 0);
  EXPECT_LT(defect(*system, *plain), 1e-9);
  EXPECT_LT(s->lambda.norm(), plain->lambda.norm());
}

TEST(ConsistentState, NamesContradictoryRowsAndTheirResidual) {
  const auto rods = make_mechanical(Trouble{.kind = Trouble::two_rods});
  const auto s = consistent_state(*rods, {.q = vec({0.6, -0.8}), .v = vec({0, 0})});
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().message,  // the best compromise leaves half of 0.02 to each
            "consistent_state: constraints contradict each other: no position near the guess satisfies "
            "row 0 (lambda[0]) residual 0.01; row 1 (lambda[1]) residual -0.00998");
}

// Two rolling rows that demand different speeds of one coordinate.
TEST(ConsistentState, NamesContradictoryVelocityRows) {
  const auto system = make_mechanical(Trouble{.kind = Trouble::two_drives});
  const auto s = consistent_state(*system, {.q = vec({0.6, -0.8}), .v = vec({0, 0})});
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().message,
            "consistent_state: velocity constraints contradict each other: row 2 (nu[1]) follows from row 1 (nu[0]), "
            "and residual -1 remains when these hold");
}

// Along its heading the disc moves like a mass m + I/r²; the rolling forces hold it there.
TEST(ConsistentState, RollingDiscAcceleratesLikeItsEffectiveMass) {
  const models::RollingDisc disc;
  const auto system = make_mechanical(disc);
  const double psi = 0.4;
  const auto s = consistent_state(*system, {.q = vec({0, 0, psi, 0}), .v = vec({0, 0, 1.5, 2})});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_LT(defect(*system, *s), 1e-14 * 10);
  EXPECT_NEAR(s->a[2], disc.steer / disc.turn_inertia, 1e-14 * 10);
  EXPECT_NEAR(s->a[3] * disc.r, disc.push * std::cos(psi) / (disc.m + disc.roll_inertia / (disc.r * disc.r)),
              1e-14 * 10);
}

// About the fixed point: (J − m X̃X̃) Ω' = −Ω × (J − m X̃X̃) Ω + X × Rᵀ(−m g e₃).
TEST(ConsistentState, HeavyTopOnItsChartFollowsEulersEquations) {
  const models::HeavyTop top;
  const auto system = make_mechanical(top);
  // R̂ = rotation about x by 0.3; the guess sits off the constraint and off the base.
  const double c = std::cos(0.3), sn = std::sin(0.3);
  const MechanicalState guess{.q = vec({0.05, 0.9, 0.4, 0.1, -0.2, 0.15}),
                              .v = vec({1, 2, 3, 4, -150, 2}),
                              .base = vec({1, 0, 0, 0, c, sn, 0, -sn, c})};
  ConstraintDiagnosis diagnosis;
  const auto s = consistent_state(*system, guess, {}, &diagnosis);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(diagnosis.rank, 3);
  EXPECT_LT(defect(*system, *s), 1e-9);     // |γ| is about 2e4
  EXPECT_EQ(s->q.tail(3), vec({0, 0, 0}));  // the base has moved
  const Eigen::Vector3d w = s->v.tail(3), big{0.234375 + 15, 0.46875, 0.234375 + 15};
  const Eigen::Map<const Eigen::Matrix3d> r(s->base.data());
  const Eigen::Vector3d weight = r.transpose() * Eigen::Vector3d(0, 0, -top.m * top.gravity);
  const Eigen::Vector3d rate =
      (Eigen::Vector3d(0, 1, 0).cross(weight) - w.cross(big.cwiseProduct(w))).cwiseQuotient(big);
  EXPECT_LT((s->a.tail(3) - rate).norm(), 1e-11 * rate.norm());
  EXPECT_LT((r * r.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-14);
}

TEST(ConsistentState, CompliantSystemsKeepTheirPositionsAndGetTheirForce) {
  for (const double eps : {1e-2, 1e-6, 1e-9}) {
    const auto system = make_mechanical(models::SpringPendulum{.eps = eps});
    const double stretch = 0.3 * eps * eps;
    const auto s = consistent_state(*system, {.q = vec({0.6, -0.8}) * (1 + stretch), .v = vec({3, 1})});
    ASSERT_TRUE(s.ok()) << s.error().message;
    EXPECT_EQ(s->q, vec({0.6, -0.8}) * (1 + stretch));
    EXPECT_EQ(s->v, vec({3, 1}));
    EXPECT_NEAR(s->lambda[0], 0.3, 4e-16 / (eps * eps) + 1e-14);  // λ = (r − 1)/ε², r rounded
    EXPECT_NEAR(s->a[0], -0.6 * s->lambda[0], 1e-14);
    EXPECT_NEAR(s->a[1], 0.8 * s->lambda[0] - 1, 1e-14);
  }
}

// A coordinate without mass is fine while a constraint binds it, and named when none does.
TEST(ConsistentState, NamesCoordinatesWithoutMassAndWithoutConstraint) {
  const MechanicalState guess{.q = vec({0.5, 0.3}), .v = vec({1, 0})};
  const auto bound = make_mechanical(Trouble{.kind = Trouble::massless_bound});
  const auto s = consistent_state(*bound, guess);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_LT(defect(*bound, *s), 1e-14 * 10);

  const auto loose = make_mechanical(Trouble{.kind = Trouble::massless_free});
  const auto e = consistent_state(*loose, guess);
  ASSERT_FALSE(e.ok());
  EXPECT_EQ(e.error().message,
            "consistent_state: accelerations are not determined: mass and constraints leave follower free "
            "(a coordinate without mass needs static_equilibrium or a constraint)");
}

// Forces that depend on the multiplier and an algebraic z make the last system nonlinear.
TEST(ConsistentState, SolvesFrictionThatDependsOnTheReaction) {
  const auto system = make_mechanical(Block{});
  const auto s = consistent_state(*system, {.q = vec({0, 0.1}), .v = vec({1, 0}), .z = vec({10})});
  ASSERT_TRUE(s.ok()) << s.error().message;
  const double lambda = 150 * (std::sqrt(0.6) - 1);  // −30 − λ²/300 − λ = 0
  EXPECT_NEAR(s->lambda[0], lambda, 1e-10);
  EXPECT_NEAR(s->z[0], std::abs(lambda), 1e-10);
  EXPECT_NEAR(s->a[0], (20 - 0.4 * std::abs(lambda)) / 3, 1e-10);
}

// Accelerations and multipliers of the two benchmarks as printed in their sources.
TEST(ConsistentState, ReproducesTheBenchmarksOfTheTestSet) {
  const auto andrews = catalogue::make_problem("andrews");
  ASSERT_TRUE(andrews.ok()) << andrews.error().message;
  const auto s = consistent_state(*andrews->system,
                                  {.q = vec({-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
                                             0.487364979543842550, -0.222668390165885885, 1.230547444549821192})});
  ASSERT_TRUE(s.ok()) << s.error().message;
  const Vector w0 = vec({14222.4439199541138706, -10666.8329399655854029, 0, 0, 0, 0, 0});
  const Vector lambda0 = vec({98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0});
  EXPECT_LT((s->a - w0).norm(), 1e-10 * w0.norm());
  EXPECT_LT((s->lambda - lambda0).norm(), 1e-10 * lambda0.norm());

  const auto crank = catalogue::make_problem("slider-crank", {{"start", 1}});  // rigid motion: data R
  ASSERT_TRUE(crank.ok()) << crank.error().message;
  const auto r =
      consistent_state(*crank->system, {.q = vec({0, 0, 0.45, 0, 0, 0, 0}), .v = vec({150, -75, 0, 0, 0, 0, 0})});
  ASSERT_TRUE(r.ok()) << r.error().message;
  EXPECT_LT((r->a - vec({0, 0, -3789.473684210526, 0, 0, 192.4342105263158, 1273.026315789474})).norm(), 1e-9);
  EXPECT_LT((r->lambda - vec({0, 286.3023157894737, 0})).norm(), 1e-9);
}

TEST(ConsistentState, RefusesAGuessOfTheWrongSizeOrNotFinite) {
  const auto system = make_mechanical(models::Pendulum{});
  EXPECT_EQ(consistent_state(*system, {.q = vec({1})}).error().message,
            "consistent_state: the guess has 1 values for q, the system needs 2");
  EXPECT_EQ(consistent_state(*system, {.q = vec({1, std::nan("")})}).error().message,
            "consistent_state: entry 1 of q in the guess is nan, which is not a finite number");
}

/// A chain of n masses coupled by a consistent (tridiagonal) mass matrix; every k-th is held on a circle with its
/// neighbour where `held`.
struct Chain {
  static constexpr bool constant_mass = true;
  int n = 0, held = 0;
  bool diagonal = false, repeated = false;  // repeated: the last constraint is the first once more
  MechanicalSizes sizes() const { return {.q = n, .v = n, .lambda = held}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      out[i] = (4.0 + 1e-6 * double(i)) * a[i];
      if (!diagonal && i > 0) out[i] += a[i - 1];
      if (!diagonal && i + 1 < a.size()) out[i] += a[i + 1];
    }
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = 1.0 - p.q[i];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const std::size_t stride = held > 0 ? static_cast<std::size_t>(n / held) : 1;
    for (std::size_t k = 0; k < g.size(); ++k) {
      const S &x = p.q[k * stride], &y = p.q[k * stride + 1];
      g[k] = x * x + y * y - 1.0;
    }
    if (repeated) g.back() = 2.0 * g.front();
  }
};

// Sparse masses and constraints are found by tracing: 1e5 unknowns, or thousands of constraints, are a matter of
// seconds and not of a dense matrix (80 GB) or its QR (3000 constraints: minutes).
TEST(ConsistentState, LargeSparseSystemsStaySparse) {
  const auto begin = std::chrono::steady_clock::now();
  for (const Chain chain : {Chain{.n = 100000, .diagonal = true}, Chain{.n = 100000}, Chain{.n = 10000, .held = 300},
                            Chain{.n = 6000, .held = 3000}}) {
    const auto system = make_mechanical(chain);
    const auto s =
        consistent_state(*system, {.q = Vector::Constant(chain.n, 0.7), .v = Vector::Constant(chain.n, 0.1)});
    ASSERT_TRUE(s.ok()) << s.error().message;
    if (chain.n <= 10000) {
      EXPECT_LT(defect(*system, *s), 1e-12);
    }
    if (chain.held == 0) {  // far from the ends (4 + 1 + 1) a ≈ f; or (4 + …) a = f
      EXPECT_NEAR(s->a[50] * ((chain.diagonal ? 4 : 6) + 50e-6), 0.3, chain.diagonal ? 1e-14 : 1e-7);
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 30);
}

TEST(ConsistentState, FindsTheDependentRowAmongMany) {
  const Chain chain{.n = 1000, .held = 300, .repeated = true};
  ConstraintDiagnosis diagnosis;
  const auto s = consistent_state(*make_mechanical(chain),
                                  {.q = Vector::Constant(chain.n, 0.7), .v = Vector::Zero(chain.n)}, {}, &diagnosis);
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(diagnosis.rank, 299);
  EXPECT_EQ(diagnosis.dependent, std::vector<int>{299});
}

}  // namespace
}  // namespace rubato
