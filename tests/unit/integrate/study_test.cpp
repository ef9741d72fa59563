#include "rubato/integrate/study.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rubato {
namespace {

struct Still final : Dae {
  Still() : Dae(Layout{{.name = "q", .size = 2, .unit = "m"}, {.name = "v", .size = 1, .unit = "m/s", .h_power = 1}}) {}
  EvalStatus f(const At&, Out out) const noexcept override {
    for (double& value : out) value = 0;
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    std::copy(w.begin(), w.end(), out.begin());
    return EvalStatus::ok;
  }
};

TEST(BlockErrors, AreTheLargestOfEachBlock) {
  const double x[] = {1, 2, 3}, exact[] = {1.5, 2.25, 3};
  const auto errors = block_errors(Still(), x, {}, exact, {});
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].block, "q");
  EXPECT_EQ(errors[0].unit, "m");
  EXPECT_EQ(errors[0].error, 0.5);
  EXPECT_EQ(errors[1].error, 0);
}

TEST(MixedError, LooksAtPositionsAndNeverHidesANaN) {
  const double exact[] = {1, 0, 3}, far[] = {1, 0.5, 99}, broken[] = {std::nan(""), 0, 3};
  EXPECT_EQ(mixed_error(Still(), far, {}, exact, {}), 0.5);  // v has h-power 1: not counted
  EXPECT_TRUE(std::isnan(mixed_error(Still(), broken, {}, exact, {})));
}

TEST(ObservedOrders, AreSlopesBetweenNeighbours) {
  const double h[] = {0.1, 0.05, 0.025}, errors[] = {1e-2, 1.25e-3, 0};
  const auto orders = observed_orders(h, errors);
  EXPECT_TRUE(std::isnan(orders[0]));
  EXPECT_NEAR(orders[1], 3, 1e-14);
  EXPECT_TRUE(std::isnan(orders[2]));
}

}  // namespace
}  // namespace rubato
