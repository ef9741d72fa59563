// A published run: ROS3P with step size control on the stiff spring pendulum, ε = 1e-6, g = 1, tolerances 1e-4, t = 10,
// errors of v and λ multiplied by h and h². Published: 744 function calls, 372 Jacobians, 3 rejected steps.
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

RunSummary published_run(const char* problem, double initial_step) {
  const auto instance = catalogue::make_problem(problem, {{"eps", 1e-6}, {"g", 1}, {"t_end", 10}});
  EXPECT_TRUE(instance.ok());
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-4, .atol = 1e-4};
  options.step.initial_step = initial_step;
  const auto summary = integrate(instance->problem, "ros3p", options);
  EXPECT_TRUE(summary.ok());
  EXPECT_EQ(summary->status, RunStatus::finished) << summary->reason;
  return *summary;
}

TEST(PublishedRun, CountsOfRos3pOnTheStiffSpringPendulum) {
  // In the multiplier of the source, and in the catalogue's own; 0: the automatic first step.
  for (const char* problem : {"stiff-spring-pendulum-source", "stiff-spring-pendulum"})
    for (const double h0 : {0.0, 1e-2, 1e-3, 1e-4, 1e-6}) {
      const RunSummary run = published_run(problem, h0);
      const auto& s = run.statistics;
      EXPECT_NEAR(static_cast<double>(s.f_calls), 744, 0.15 * 744) << "initial step " << h0;
      EXPECT_NEAR(static_cast<double>(s.jacobians), 372, 0.15 * 372);
      EXPECT_NEAR(static_cast<double>(s.steps), 370, 10);
      EXPECT_LE(s.rejected, 6);
      EXPECT_EQ(s.failed, 0);
      // The spring hardly stretches, but tolerance 1e-4 leaves a global error of 5 %: x = −0.76 against −0.8116.
      EXPECT_LT(std::abs(std::hypot(run.x[0], run.x[1]) - 1), 5e-6);
      EXPECT_NEAR(run.x[0], -0.7614, 0.005);
    }
}

TEST(PublishedRun, WithoutTheScalingOfVelocitiesAndMultipliersThereIsNoProgress) {
  const auto instance =
      catalogue::make_problem("stiff-spring-pendulum-source", {{"eps", 1e-6}, {"g", 1}, {"t_end", 10}});
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-4, .atol = 1e-4};
  options.step.initial_step = 1e-4;
  options.step.h_scaling = false;
  options.step.max_steps = 20000;
  const auto summary = integrate(instance->problem, "ros3p", options);
  ASSERT_TRUE(summary.ok());
  EXPECT_NE(summary->status, RunStatus::finished);
}

}  // namespace
}  // namespace rubato
