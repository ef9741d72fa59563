// Step controllers against the process they are designed for: ẽ = C h^p.
#include "rubato/integrate/step_controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace rubato {
namespace {

constexpr Controller every_controller[] = {Controller::elementary, Controller::pi, Controller::predictive,
                                           Controller::steady, Controller::digital_filter};

struct Process {
  double h, error = 0;
};

/// n accepted steps of a process with error C(step) h^p.
Process run(const StepOptions& options, double h, int p, int n, const std::function<double(int)>& c) {
  StepController controller(options);
  Process process{h};
  for (int i = 0; i < n;) {
    process.error = c(i) * std::pow(process.h, p);
    if (process.error > 1) {
      process.h = controller.rejected(process.h, process.error, p);
    } else {
      process.h = controller.accepted(process.h, process.error, p);
      ++i;
    }
  }
  return process;
}

TEST(StepController, SettlesAtTheSafetyFactorToThePowerOfTheOrder) {
  for (const Controller kind : every_controller)
    for (const int p : {1, 2, 3, 5})
      for (const double start : {1e-6, 1.0, 1e3}) {
        const Process end = run({.controller = kind}, start, p, 300, [](int) { return 17.0; });
        // The slowest mode of (2) is 0.8ⁿ, of (4) 0.5ⁿ: after 300 steps nothing but round-off is left.
        EXPECT_NEAR(end.error, std::pow(0.9, p), 1e-10) << static_cast<int>(kind) << ' ' << p << ' ' << start;
      }
}

TEST(StepController, PredictiveFollowsATrendWithoutDelay) {
  // C grows by 10 % per step: (1) always sees an error 1.1 times its target, (3) continues the trend of log h and is exact.
  const auto growing = [](int step) { return std::pow(1.1, step); };
  EXPECT_NEAR(run({.controller = Controller::predictive}, 0.5, 3, 60, growing).error, std::pow(0.9, 3), 1e-9);
  EXPECT_NEAR(run({.controller = Controller::elementary}, 0.5, 3, 60, growing).error, 1.1 * std::pow(0.9, 3), 1e-9);
}

TEST(StepController, PredictiveIsExactFromTheThirdStepOn) {
  // ẽ = C h^p with constant C₊/C ≥ 1 and no safety factor: (3) needs h/h₋, which a print of it lacks. Where C falls, (1)
  // gives the smaller step: the error stays behind by one trend.
  for (const double trend : {0.7, 1.0, 1.3}) {
    StepController controller(
        {.controller = Controller::predictive, .safety = 1, .shrink_limit = 1e-3, .growth_limit = 1e3});
    double h = 0.8, c = 0.5;
    for (int step = 0; step < 20; ++step, c *= trend) {
      const double error = c * std::pow(h, 4);
      if (step >= 2) {
        EXPECT_NEAR(error, std::min(trend, 1.0), 1e-12) << trend << ' ' << step;
      }
      h = controller.accepted(h, error, 4);
    }
  }
}

TEST(StepController, DigitalFilterRemovesTheHighestFrequency) {
  // C alternates by a factor of 2. The elementary controller answers with steps that alternate by its p-th root; H211b has
  // a zero at −1, so the steps do not alternate at all.
  const auto alternating = [](int step) { return step % 2 == 0 ? 1.0 : 2.0; };
  const auto ratio = [&](Controller kind) {
    const StepOptions options{.controller = kind, .safety = 0.8};
    const double a = run(options, 0.5, 2, 200, alternating).h, b = run(options, 0.5, 2, 201, alternating).h;
    return std::max(a, b) / std::min(a, b);
  };
  EXPECT_NEAR(ratio(Controller::elementary), std::sqrt(2), 1e-9);
  EXPECT_LT(ratio(Controller::digital_filter), 1 + 1e-9);
}

TEST(StepController, SteadyFollowsTrendsLikePredictive) {
  for (const double trend : {0.8, 1.0, 1.1}) {
    const auto c = [&](int step) { return std::pow(trend, step); };
    const auto predictive = run({.controller = Controller::predictive}, 0.5, 3, 60, c);
    const auto steady = run({.controller = Controller::steady}, 0.5, 3, 60, c);
    EXPECT_NEAR(steady.h, predictive.h, 1e-9 * predictive.h) << trend;
    EXPECT_NEAR(steady.error, predictive.error, 1e-9) << trend;
  }
}

TEST(StepController, SteadyHoldsTheStepWhereAVibrationIsFollowed) {
  // The estimate shows the phase of a vibration: |cos φ|, φ growing by `advance` per step. Of three such values in a row the
  // largest is at least 0.7 here: steps aim at 0.9⁴ and meet errors up to 0.9⁴/0.7 < 1. h varies by 0.7^(−1/4) = 1.1, and a
  // little more where two rises in a row pass for a trend.
  for (const double advance : {1.0, 1.3, 1.57, 2.0}) {
    const auto phase = [&](int step) { return 0.01 + std::abs(std::cos(0.3 + advance * step)); };
    const auto rejections_and_range = [&](Controller kind) {
      StepController controller({.controller = kind});
      double h = 0.8, least = 10, most = 0;
      int rejected = 0;
      for (int step = 0; step < 200;) {
        const double error = phase(step) * std::pow(h, 4);
        if (error > 1) {
          rejected += step > 20 ? 1 : 0;
          h = controller.rejected(h, error, 4);
          continue;
        }
        if (step > 20) least = std::min(least, h), most = std::max(most, h);
        h = controller.accepted(h, error, 4);
        ++step;
      }
      return std::pair(rejected, most / least);
    };
    const auto [predictive, predictive_range] = rejections_and_range(Controller::predictive);
    const auto [steady, steady_range] = rejections_and_range(Controller::steady);
    EXPECT_GT(predictive, 50) << advance;
    EXPECT_EQ(steady, 0) << advance;
    EXPECT_LT(steady_range, 1.25) << advance;
    EXPECT_GT(predictive_range, 1.5) << advance;
  }
}

TEST(StepController, SteadyDoesNotListenToStepsMuchShorter) {
  // Rounding makes C of a tiny step enormous. It must not hold the steps that follow, where C swings a little.
  StepController controller({.controller = Controller::steady});
  static_cast<void>(controller.accepted(1e-6, 1e-8, 4));
  static_cast<void>(controller.accepted(1, 0.1, 4));
  const double next = controller.accepted(1, 0.11, 4);
  EXPECT_NEAR(next, 0.9 * std::pow(0.11, -0.25), 1e-12);
}

TEST(StepController, ClipsBothWays) {
  for (const Controller kind : every_controller) {
    StepController controller({.controller = kind, .shrink_limit = 0.25, .growth_limit = 3});
    EXPECT_DOUBLE_EQ(controller.accepted(2, 1e-30, 3), 6);
    EXPECT_DOUBLE_EQ(controller.accepted(2, 0, 3), 6) << "no error at all";
    EXPECT_DOUBLE_EQ(controller.rejected(2, 1e30, 3), 0.5);
  }
}

TEST(StepController, ARejectionShrinksAndForbidsGrowthOnce) {
  for (const Controller kind : every_controller) {
    StepController controller({.controller = kind, .safety = 1});
    EXPECT_GT(controller.accepted(1, 1e-6, 3), 1);
    EXPECT_LE(controller.rejected(1, 1 + 1e-12, 3), 1 / 1.05) << "the error alone would hardly shrink the step";
    EXPECT_LE(controller.accepted(0.9, 1e-6, 3), 0.9);
    EXPECT_GT(controller.accepted(0.9, 1e-6, 3), 0.9);
    EXPECT_DOUBLE_EQ(controller.failed(1), 0.2);
    EXPECT_LE(controller.accepted(0.2, 1e-6, 3), 0.2);
  }
}

TEST(StepController, FormulasAsWritten) {
  const double h = 0.4, h0 = 0.5, e0 = 0.3, e = 0.6, s = 0.9, p = 3;
  const auto factor = [&](Controller kind) {
    StepController controller({.controller = kind});
    static_cast<void>(controller.accepted(h0, e0, 3));
    return controller.accepted(h, e, 3) / h;
  };
  EXPECT_NEAR(factor(Controller::elementary), s * std::pow(e, -1 / p), 1e-14);
  EXPECT_NEAR(factor(Controller::pi), std::pow(s * s * s / e, 0.3 / p) * std::pow(e0 / e, 0.4 / p), 1e-14);
  EXPECT_NEAR(factor(Controller::predictive), s * (h / h0) * std::pow(e0 / (e * e), 1 / p), 1e-14);
  EXPECT_NEAR(factor(Controller::digital_filter),
              std::pow(s * s * s / e * (s * s * s / e0), 1 / (4 * p)) * std::pow(h / h0, -0.25), 1e-14);
}

TEST(StepController, ATinyPreviousErrorCountsAsAHundredth) {
  StepController tiny({}), hundredth({});
  static_cast<void>(tiny.accepted(1, 1e-9, 3));
  static_cast<void>(hundredth.accepted(1, 1e-2, 3));
  EXPECT_EQ(tiny.accepted(1, 0.5, 3), hundredth.accepted(1, 0.5, 3));
}

TEST(StepController, ContinuesFromItsArchive) {
  for (const Controller kind : every_controller) {
    StepController one({.controller = kind});
    static_cast<void>(one.accepted(1, 0.3, 3));
    static_cast<void>(one.rejected(2, 5, 3));
    ArchiveWriter out;
    one.save(out);
    StepController other({.controller = kind});
    ArchiveReader in(out.bytes());
    ASSERT_TRUE(other.load(in));
    EXPECT_TRUE(in.at_end());
    for (const double e : {0.01, 0.7, 0.2}) EXPECT_EQ(one.accepted(0.5, e, 3), other.accepted(0.5, e, 3));
  }
}

}  // namespace
}  // namespace rubato
