// The loading platform of a truck in modal coordinates: its frequencies, and which modes are found stiff (A29).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato {
namespace {

/// ω of every mode, rad/s.
std::vector<double> frequencies(const MechanicalSystem& system) {
  MechanicalState state;
  state.q = state.v = Vector::Zero(system.sizes().q);
  ScratchMemory memory(system.scratch_bytes());
  Vector at_rest(state.q.size()), moved(state.q.size());
  EXPECT_EQ(system.force(point_at(state, memory.scratch()), view(at_rest)), EvalStatus::ok);
  state.q.setOnes();
  EXPECT_EQ(system.force(point_at(state, memory.scratch()), view(moved)), EvalStatus::ok);
  std::vector<double> omega;
  for (Eigen::Index i = 0; i < state.q.size(); ++i) omega.push_back(std::sqrt(at_rest[i] - moved[i]));
  return omega;
}

const catalogue::Instance& platform(double speed) {
  static const catalogue::Instance slow = *catalogue::make_problem("truck-platform", {{"speed", 1.0}});
  static const catalogue::Instance fast = *catalogue::make_problem("truck-platform", {{"speed", 100.0}});
  return speed > 1 ? fast : slow;
}

TEST(TruckPlatform, HasTheFrequenciesOfTheIndependentProgram) {
  const auto omega = frequencies(*platform(1).system);
  ASSERT_EQ(omega.size(), 655u);
  const double hertz[] = {13.557, 36.299, 53.806, 90.007, 162.43, 233.21};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(omega[i] / (2 * std::numbers::pi) / hertz[i], 1, 1e-4) << i;
  EXPECT_EQ(std::count_if(omega.begin(), omega.end(), [](double w) { return w < 2 * std::numbers::pi * 1e4; }), 58);
  EXPECT_NEAR(omega.back() / (2 * std::numbers::pi), 219e3, 1e3);
}

/// Modes left unscaled after seven attempts with steps of h.
long unscaled(double speed, double h) {
  InitialValueProblem problem = platform(speed).problem;
  problem.t_end = 8 * h;
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-4, .atol = 1e-12};
  options.step.fixed_step = h;
  options.stiffness.detect = true;
  options.stiffness.measure = StiffnessMeasure::estimates;
  const auto end = integrate(problem, "radau5", options);
  EXPECT_TRUE(end.ok() && completed(end->status));
  return end.ok() ? 655 - static_cast<long>(end->stiff.size()) : -1;
}

/// ζ ≈ −2 log₁₀(γ₀hω) < ϑ = −0.4 where ω > 10^0.2/(γ₀h). A slow excitation leaves some of the highest modes so still that their estimates are
/// rounding: these escape.
TEST(TruckPlatform, ModesBeyondTheStepAreFoundStiff) {
  constexpr double gamma0 = 0.2748888295956774;
  const auto omega = frequencies(*platform(1).system);
  long before = 0;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    const double limit = std::pow(10, 0.2) / (gamma0 * h);
    const auto expected =
        static_cast<double>(std::count_if(omega.begin(), omega.end(), [&](double w) { return w < limit; }));
    const long fast = unscaled(100, h), slow = unscaled(1, h);
    EXPECT_NEAR(static_cast<double>(fast), expected, 2 + 0.25 * expected) << h;
    EXPECT_GE(slow, fast);
    EXPECT_LE(slow, fast + 15) << "few of 655 escape";
    EXPECT_GT(slow, before);
    before = slow;
  }
}

}  // namespace
}  // namespace rubato
