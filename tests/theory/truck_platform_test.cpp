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

/// ζ ≈ −2 log₁₀(γ₀hω) < ϑ = −0.4 where ω > 10^0.2/(γ₀h). Modes that move by less than 1e-15 are looked at as well.
TEST(TruckPlatform, ModesBeyondTheStepAreFoundStiff) {  // A29
  constexpr double gamma0 = 0.2748888295956774;
  const auto omega = frequencies(*platform(1).system);
  long before = 0;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    const double limit = std::pow(10, 0.2) / (gamma0 * h);
    const auto expected =
        static_cast<double>(std::count_if(omega.begin(), omega.end(), [&](double w) { return w < limit; }));
    const long fast = unscaled(100, h), slow = unscaled(1, h);
    EXPECT_NEAR(static_cast<double>(fast), expected, 2 + 0.25 * expected) << h;
    EXPECT_NEAR(static_cast<double>(slow), expected, 2 + 0.25 * expected) << h;
    EXPECT_LE(slow, fast) << "a fast excitation flags fewer";
    EXPECT_GT(slow, before);
    before = slow;
  }
}

/// With the published tolerances and first step the vibrations that the start sets free keep steps at 3e-6 s where nothing is scaled: all 200
/// modes kept here are excited, and the fastest that is followed decides. Each measure finds the fast ones and lets the steps grow.
TEST(TruckPlatform, RunsWithThePublishedTolerances) {
  const auto instance = catalogue::make_problem("truck-platform", {{"modes", 200}, {"t_end", 0.15}});
  ASSERT_TRUE(instance.ok());
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-4, .atol = 1e-12};
  options.step.initial_step = 0.1;
  options.step.max_steps = 6000;
  const auto plain = integrate(instance->problem, "radau5", options);
  ASSERT_TRUE(plain.ok());
  EXPECT_LT(plain->t, 0.02) << "attempts used up";
  options.stiffness.detect = true;
  for (const auto measure : {StiffnessMeasure::frequencies, StiffnessMeasure::estimates, StiffnessMeasure::responses}) {
    options.stiffness.measure = measure;
    const auto run = integrate(instance->problem, "radau5", options);
    ASSERT_TRUE(run.ok());
    EXPECT_TRUE(completed(run->status)) << static_cast<int>(measure) << ": t = " << run->t;
    EXPECT_GT(run->stiff.size(), 150u);
  }
}

}  // namespace
}  // namespace rubato
