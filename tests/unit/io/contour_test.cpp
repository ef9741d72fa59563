#include "rubato/io/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rubato::io {
namespace {

/// Twice the area, with sign, of all loops.
double doubled_area(const Curve& loops) {
  double sum = 0;
  for (std::size_t k = 1; k < loops.x.size(); ++k)
    if (!std::isnan(loops.x[k]) && !std::isnan(loops.x[k - 1]))
      sum += loops.x[k - 1] * loops.y[k] - loops.x[k] * loops.y[k - 1];
  return sum;
}
long pieces(const Curve& curve) {
  return curve.x.empty() ? 0
                         : 1 + std::count_if(curve.x.begin(), curve.x.end(), [](double x) { return std::isnan(x); });
}

TEST(Contour, ACircleIsOneLoopWithItsArea) {
  const auto set = level_set({-2, 2, -1.5, 1.5, 200, 150}, [](double x, double y) { return x * x + y * y - 1; });
  EXPECT_EQ(pieces(set.boundary), 1);
  EXPECT_EQ(pieces(set.region), 1);
  EXPECT_NEAR(doubled_area(set.region) / 2, std::numbers::pi, 2e-3);  // counter-clockwise, second order in 0.02
  for (std::size_t k = 0; k < set.boundary.x.size(); ++k)
    EXPECT_NEAR(std::hypot(set.boundary.x[k], set.boundary.y[k]), 1, 2e-4);
}

TEST(Contour, ARegionThatLeavesTheGridIsClosedAlongItsEdge) {
  const auto set = level_set({-1, 3, -1, 1, 40, 20}, [](double x, double /*y*/) { return x - 0.5; });
  EXPECT_EQ(pieces(set.boundary), 1);
  EXPECT_NEAR(doubled_area(set.region) / 2, 1.5 * 2, 1e-12);
  for (const double x : set.boundary.x) EXPECT_NEAR(x, 0.5, 1e-12);
  EXPECT_EQ(set.boundary.x.size(), 21U);
}

TEST(Contour, HolesAndIslandsAndNothing) {
  const auto ring = level_set({-2, 2, -2, 2, 100, 100}, [](double x, double y) {
    const double r = std::hypot(x, y);
    return (r - 0.5) * (r - 1.5);
  });
  EXPECT_EQ(pieces(ring.region), 2);
  EXPECT_NEAR(doubled_area(ring.region) / 2, std::numbers::pi * 2, 1e-2);
  const auto two = level_set({-3, 3, -1.5, 1.5, 120, 60}, [](double x, double y) {
    return std::min(std::hypot(x - 1.5, y), std::hypot(x + 1.5, y)) - 1;
  });
  EXPECT_EQ(pieces(two.boundary), 2);
  EXPECT_EQ(pieces(level_set({}, [](double, double) { return 1.0; }).region), 0);
  EXPECT_NEAR(doubled_area(level_set({}, [](double, double) { return -1.0; }).region) / 2, 4, 1e-12);
  EXPECT_EQ(pieces(level_set({}, [](double, double) { return std::nan(""); }).region), 0);
}

// A saddle in every cell: all lines close, none is lost.
TEST(Contour, Saddles) {
  const auto set = level_set({0, 8, 0, 8, 8, 8}, [](double x, double y) {
    return (static_cast<int>(std::lround(x + y)) % 2 == 0) ? -1.0 : 1.0;
  });
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= set.region.x.size(); ++k) {
    if (k < set.region.x.size() && !std::isnan(set.region.x[k])) continue;
    EXPECT_EQ(set.region.x[begin], set.region.x[k - 1]);
    EXPECT_EQ(set.region.y[begin], set.region.y[k - 1]);
    begin = k + 1;
  }
}

}  // namespace
}  // namespace rubato::io
