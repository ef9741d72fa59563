#include "src/integrate/newton_control.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rubato {
namespace {

struct Tally {
  int accepted = 0, failed = 0;
  double way = 0;
};

/// Steps whose iteration has the contraction (h/h₁)^power and fails from 0.5 on; nothing else holds them.
Tally attempts_with(double power, bool learns, int attempts) {
  NewtonStepLimit limit(learns);
  Tally tally;
  double h = 0.1;
  for (int i = 0; i < attempts; ++i) {
    const double contraction = std::pow(h, power);
    if (contraction >= 0.5) {
      ++tally.failed;
      limit.failed(h, contraction);
      h *= 0.6;
      continue;
    }
    ++tally.accepted;
    tally.way += h;
    limit.accepted(h, contraction);
    h *= std::min(8.0, limit.largest_factor(h, contraction));
  }
  return tally;
}

// Where the contraction is proportional to h, both find the step with Θ = 0.3 and stay there.
TEST(NewtonStepLimit, StaysWhereTheContractionIsProportionalToTheStep) {
  for (const bool learns : {false, true}) EXPECT_EQ(attempts_with(1, learns, 200).failed, 0) << learns;
}

// Where it rises faster, a limit that takes Θ ~ h for granted leads to the next failure, again and again.
TEST(NewtonStepLimit, LearnsHowFastTheContractionRises) {
  for (const double power : {2.0, 2.6, 3.0, 5.0}) {
    const Tally plain = attempts_with(power, false, 200), learned = attempts_with(power, true, 200);
    EXPECT_LT(learned.failed, 20) << power;
    EXPECT_GE(learned.way, 0.9 * plain.way) << power;
    EXPECT_GT(plain.failed, power > 2.5 ? 20 : -1) << power;
  }
}

// A failure that was overcome is no reason to be careful after the next one.
TEST(NewtonStepLimit, ForgetsFailuresThatWereOvercome) {
  constexpr double slow = 0.2;
  const auto rise = [](NewtonStepLimit& limit, double h) {  // of the limit, by one accepted step
    const double before = limit.largest_factor(h, 0);
    limit.accepted(h, slow);
    return limit.largest_factor(h, 0) / before;
  };
  NewtonStepLimit overcome(true), again(true);
  for (NewtonStepLimit* limit : {&overcome, &again}) limit->failed(1, slow);
  for (int i = 0; i < 10; ++i) overcome.accepted(1.02, slow);
  for (NewtonStepLimit* limit : {&overcome, &again}) limit->failed(1, slow);
  EXPECT_NEAR(rise(overcome, 0.1), 1.1, 1e-12);
  EXPECT_NEAR(rise(again, 0.1), 1.05, 1e-12);
}

}  // namespace
}  // namespace rubato
