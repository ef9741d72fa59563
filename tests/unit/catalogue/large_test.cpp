// Problems of any size: sparse, evaluated in time proportional to their size, and their references.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "catalogue/catalogue.hpp"
#include "model_checks.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato::catalogue {
namespace {

Instance built(std::string_view name, const Parameters& parameters = {}, std::string_view formulation = {}) {
  auto instance = make_problem(name, parameters, formulation);
  EXPECT_TRUE(instance.ok()) << (instance ? "" : instance.error().message);
  return *std::move(instance);
}

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

}  // namespace
}  // namespace rubato::catalogue
