// The cam that strikes a beam: forces are the gradient of the energy, reactions that of the constraints, angles need no
// unwrapping, contact acts along the line of centres.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "catalogue/catalogue.hpp"
#include "model_checks.hpp"

namespace rubato::catalogue {
namespace {

MechanicalState displaced(const Instance& instance, double by, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-1, 1);
  MechanicalState state = start_state(instance);
  for (auto& q : state.q) q += by * shift(random);
  for (auto& l : state.lambda) l = shift(random);
  state.v.setZero();
  return state;
}

double energy(const MechanicalSystem& system, const MechanicalState& state) {
  double value = 0;
  PointAt here(system, state);
  EXPECT_EQ(system.part_energy(0, here(), value), EvalStatus::ok);
  return value;
}

TEST(CamImpactModel, ForcesAreTheGradientOfTheEnergy) {
  for (const double turned : {0.0, 4.0}) {  // the cam may have turned further than half a revolution
    const auto instance = make_problem("cam-impact", {{"driven", 0}, {"damping", 0}});
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    const MechanicalSystem& system = *instance->system;
    MechanicalState state = displaced(*instance, 1e-3, 5);
    const Vector q0 = state.q;
    for (Eigen::Index i = 24; i < 36 && turned != 0; i += 3) {  // cam and impactor, about the joint
      const double c = std::cos(turned), s = std::sin(turned), x = q0[i] - q0[24], y = q0[i + 1] - q0[25];
      state.q.segment(i, 3) << q0[24] + c * x - s * y, q0[25] + s * x + c * y, q0[i + 2] + turned;
    }
    if (turned != 0) {
      EXPECT_LT(energy(system, state), 1e6);
    }
    Vector f(system.sizes().v);
    PointAt here(system, state);
    ASSERT_EQ(system.force(here(), view(f)), EvalStatus::ok);
    for (Eigen::Index i = 0; i < f.size(); ++i) {
      MechanicalState up = state, down = state;
      constexpr double h = 1e-6;
      up.q[i] += h;
      down.q[i] -= h;
      const double slope = (energy(system, up) - energy(system, down)) / (2 * h);
      EXPECT_NEAR(f[i], -slope, 1e-6 * f.cwiseAbs().maxCoeff()) << i << " turned by " << turned;
    }
  }
}

TEST(CamImpactModel, ReactionsBelongToTheConstraints) {
  const auto instance = make_problem("cam-impact", {{"driven", 0}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const MechanicalSystem& system = *instance->system;
  MechanicalState state = displaced(*instance, 0.1, 6);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (auto& v : state.v) v = any(random);
  PointAt here(system, state);
  Vector rate(9), reaction(system.sizes().v);
  ASSERT_EQ(system.constraint_rate(here(), view(rate)), EvalStatus::ok);
  ASSERT_EQ(system.reaction(here(), view(std::as_const(state.lambda)), {}, view(reaction)), EvalStatus::ok);
  EXPECT_NEAR(rate.dot(state.lambda), reaction.dot(state.v), 1e-13);
}

// At rest the discs of the held cam just touch; moved into each other by a they repel with k a along the line of centres,
// and nothing turns.
TEST(CamImpactModel, ContactRepels) {
  const auto instance = make_problem("cam-impact", {{"driven", 0}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  MechanicalState state = start_state(*instance);
  state.q[37] -= 1e-5;  // y of body P
  Vector f(instance->system->sizes().v);
  PointAt here(*instance->system, state);
  ASSERT_EQ(instance->system->force(here(), view(f)), EvalStatus::ok);
  EXPECT_NEAR(f[37], 2e4, 1e-6);
  EXPECT_NEAR(f[34], -2e4, 1e-6);
  EXPECT_NEAR(f.segment(33, 6).sum(), 0, 1e-6);
  EXPECT_EQ(f[35], 0);
  EXPECT_EQ(f[38], 0);
}

}  // namespace
}  // namespace rubato::catalogue
