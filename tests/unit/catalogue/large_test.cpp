// Problems of any size: sparse, evaluated in time proportional to their size, and their references.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "catalogue/catalogue.hpp"
#include "model_checks.hpp"
#include "rubato/problem/linearisation.hpp"
#include "unit/catalogue/built.hpp"

namespace rubato::catalogue {
namespace {

/// Entries of the Jacobian.
int entries(const Instance& instance) {
  const auto& problem = instance.problem;
  ScratchMemory memory(problem.dae->scratch_bytes());
  const auto j = Linearisation::create(*problem.dae,
                                       {.t = 0, .x = view(problem.x), .u = {}, .base = {}, .scratch = memory.scratch()},
                                       JacobianSource::automatic);
  EXPECT_TRUE(j.ok());
  return (*j)->jacobian_pattern().nnz();
}

// Each link adds the same number of entries, in every formulation.
TEST(Chain, JacobianGrowsWithTheNumberOfLinks) {
  for (const char* formulation : {"index-3", "index-2", "ggl", "index-1", "semi-explicit"}) {
    const int n1 = entries(built("chain", {{"links", 100}}, formulation)),
              n2 = entries(built("chain", {{"links", 200}}, formulation)),
              n4 = entries(built("chain", {{"links", 400}}, formulation));
    EXPECT_EQ(n4 - n2, 2 * (n2 - n1)) << formulation;
    EXPECT_LT(n4, 60 * 400) << formulation;
  }
}

// Horizontal and at rest the links carry nothing: every mass begins to fall freely. Turned by 0.3 the chain hangs from its
// tensions: the first carries the whole weight along the chain, m N g sin 0.3.
TEST(Chain, StartsInFreeFall) {
  const Instance instance = built("chain", {{"links", 1000}});
  const MechanicalState s = start_state(instance);
  EXPECT_LT(s.lambda.cwiseAbs().maxCoeff(), 1e-12);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_NEAR(s.a[2 * i], 0, 1e-10);
    EXPECT_NEAR(s.a[2 * i + 1], -9.81, 1e-12);
  }
  MechanicalState turned = s;
  for (int i = 0; i < 1000; ++i) {
    turned.q[2 * i] = (i + 1) * 1e-3 * std::cos(0.3);
    turned.q[2 * i + 1] = -(i + 1) * 1e-3 * std::sin(0.3);
  }
  const auto hanging = consistent_state(*instance.system, turned);
  ASSERT_TRUE(hanging.ok()) << hanging.error().message;
  EXPECT_NEAR(hanging->lambda[0], 9.81 * std::sin(0.3), 1e-8);
  EXPECT_NEAR(hanging->lambda[999], 9.81e-3 * std::sin(0.3), 1e-9);
}

TEST(Chain, ReactionsAreTheGradientOfTheConstraints) {
  const Instance instance = built("chain");
  MechanicalState s = start_state(instance);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> shift(-0.05, 0.05);
  for (auto& q : s.q) q += shift(random);
  PointAt at(*instance.system, s);
  const Vector lambda = Vector::LinSpaced(10, 1, 2);
  Vector reaction(20), rate(10);
  EXPECT_EQ(instance.system->reaction(at(), view(lambda), {}, view(reaction)), EvalStatus::ok);
  for (Eigen::Index j = 0; j < 20; ++j) {
    MechanicalState unit = s;
    unit.v = Vector::Unit(20, j);
    PointAt there(*instance.system, unit);
    EXPECT_EQ(instance.system->constraint_rate(there(), view(rate)), EvalStatus::ok);
    EXPECT_NEAR(reaction[j], lambda.dot(rate), 1e-13);
  }
}

TEST(Beam, JacobianGrowsWithTheNumberOfPieces) {
  for (const char* formulation : {"index-2", "semi-explicit"}) {
    const int n1 = entries(built("beam", {{"n", 100}}, formulation)),
              n2 = entries(built("beam", {{"n", 200}}, formulation)),
              n4 = entries(built("beam", {{"n", 400}}, formulation));
    EXPECT_EQ(n4 - n2, 2 * (n2 - n1)) << formulation;
    EXPECT_LT(n4, 20 * 400) << formulation;
  }
}

// A second implementation as the source writes it, w eliminated with full matrices: v = n² g, C w = D v + θ'²,
// θ'' = C v + D w.
TEST(Beam, AcceleratesAsTheSourceSays) {
  for (const double t : {1.0, 4.0}) {
    const int n = 12;
    const Instance instance = built("beam", {{"n", n}});
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-0.4, 0.4);
    Vector theta(n), omega(n);
    for (auto& x : theta) x = uniform(random);
    for (auto& x : omega) x = 10 * uniform(random);
    Matrix c = Matrix::Zero(n, n), d = c;
    Vector v(n);
    const double n2 = n * n, f = t > std::acos(-1.0) ? 0 : 1.5 * std::sin(t) * std::sin(t);
    for (int i = 0; i < n; ++i) {
      c(i, i) = i == 0 ? 1 : i == n - 1 ? 3 : 2;
      for (const int j : {i - 1, i + 1})
        if (j >= 0 && j < n) {
          c(i, j) = -std::cos(theta[i] - theta[j]);
          d(i, j) = std::sin(theta[j] - theta[i]);
        }
      const double bend = i == 0       ? -3 * theta[0] + theta[1]
                          : i == n - 1 ? theta[n - 2] - theta[n - 1]
                                       : theta[i - 1] - 2 * theta[i] + theta[i + 1];
      v[i] = n2 * n2 * bend + n2 * f * (std::cos(theta[i]) + std::sin(theta[i]));
    }
    const Vector w = c.fullPivLu().solve(Vector(d * v + omega.cwiseAbs2())), expected = c * v + d * w;
    const auto state = consistent_state(*instance.system, {.t = t, .q = theta, .v = omega, .z = Vector::Zero(n)});
    ASSERT_TRUE(state.ok()) << state.error().message;
    const double size = expected.cwiseAbs().maxCoeff();
    EXPECT_LT((state->a - expected).cwiseAbs().maxCoeff(), 1e-12 * size);
    EXPECT_LT((n2 * state->z - w).cwiseAbs().maxCoeff(), 1e-12 * w.cwiseAbs().maxCoeff());
  }
}

// w of a moving beam of 4000 pieces is found from a guess of zero: C w = D g + θ'²/n² for all of them.
TEST(Beam, ManyPiecesStartConsistently) {
  const Instance instance = built("beam", {{"n", 4000}});
  const auto state = consistent_state(
      *instance.system, {.t = 1, .q = Vector::Constant(4000, 0.1), .v = Vector::Ones(4000), .z = Vector::Zero(4000)});
  ASSERT_TRUE(state.ok()) << state.error().message;
  PointAt at(*instance.system, *state);
  Vector e(4000);
  EXPECT_EQ(instance.system->auxiliary(at(), view(e)), EvalStatus::ok);
  EXPECT_LT(e.cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, state->z.cwiseAbs().maxCoeff()));
  EXPECT_GT(state->z.cwiseAbs().maxCoeff(), 1e-3);
}

// Every point sees its 2d neighbours and itself, every wall itself and one point.
TEST(ReactionDiffusion, IsSparseAndStartsConsistently) {
  for (const int d : {1, 2, 3}) {
    const Instance instance = built("reaction-diffusion", {{"n", 6.0}, {"dimension", double(d)}});
    const Layout& layout = instance.problem.dae->layout();
    const int inside = layout.find("T")->size, walls = layout.find("wall")->size;
    EXPECT_EQ(inside, static_cast<int>(std::pow(6, d)));
    EXPECT_EQ(walls, 2 * d * inside / 6);
    EXPECT_EQ(entries(instance), (2 * d + 1) * inside + 2 * walls);
    EXPECT_LT(algebraic_residual(instance), 1e-12);
    EXPECT_EQ(layout.index(), 1);
  }
  EXPECT_FALSE(make_problem("reaction-diffusion", {{"n", 200.0}, {"dimension", 3.0}}).ok());
}

}  // namespace
}  // namespace rubato::catalogue
