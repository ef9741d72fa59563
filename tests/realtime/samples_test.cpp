#include "rubato/realtime/samples.hpp"

#include <gtest/gtest.h>

#include "realtime/stepper_models.hpp"

namespace rubato::realtime {
namespace {

/// x' = −2 x + y + u, 0 = y − 3 x − z, 0 = z − 0.5 y − 1, with u = 0 until t = 0.5 and u = 4 from then on.
InitialValueProblem problem() {
  InitialValueProblem p;
  p.dae = test_models::linear();
  p.input = TableSignal::create({0, 0.5, 0.5, 1}, {0, 0, 4, 4}).value();
  p.x = Vector::Zero(3);
  p.x << 1, 8, 5;  // y = 6 x + 2, z = 3 x + 2
  return p;
}

TEST(Samples, TimesHoldTheJumps) {
  EXPECT_EQ(sample_times(problem(), 3), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(sample_times(problem(), 2), (std::vector<double>{0, 0.5, 1}));
}

/// 0.2 · 12/12 is more than 0.2.
TEST(Samples, TimesStayInsideTheRun) {
  for (const double end : {0.05, 0.1, 0.2, 0.4, 0.7}) {
    InitialValueProblem p = problem();
    p.t_end = end;
    for (int count = 2; count < 40; ++count) EXPECT_EQ(sample_times(p, count).back(), end) << end << ' ' << count;
  }
}

TEST(Samples, AreConsistentAndHaveTheInputsAfterAJump) {
  const auto samples = sample_run(problem(), {0, 0.25, 0.5, 1}, "radau5", {.tolerances = {.rtol = 1e-9, .atol = 1e-9}});
  ASSERT_TRUE(samples) << samples.error().message;
  ASSERT_EQ(samples->size(), 4U);
  for (const Sample& s : *samples) {
    EXPECT_NEAR(s.x(1), 6 * s.x(0) + 2, 1e-9 * std::abs(s.x(1)));
    EXPECT_NEAR(s.x(2), 3 * s.x(0) + 2, 1e-9 * std::abs(s.x(2)));
    EXPECT_EQ(s.u(0), s.t < 0.5 ? 0 : 4);
  }
  // x' = 4 x + 2 + u.
  const double half = 1.5 * std::exp(2.0) - 0.5;
  EXPECT_NEAR((*samples)[1].x(0), 1.5 * std::exp(1.0) - 0.5, 1e-6);
  EXPECT_NEAR((*samples)[2].x(0), half, 1e-6);
  EXPECT_NEAR((*samples)[3].x(0), (half + 1.5) * std::exp(2.0) - 1.5, 1e-5);
}

TEST(Samples, RefuseTimesOutsideTheRun) {
  const auto samples = sample_run(problem(), {2}, "radau5", {});
  ASSERT_FALSE(samples);
  EXPECT_NE(samples.error().message.find("t = 2"), std::string::npos);
}

}  // namespace
}  // namespace rubato::realtime
