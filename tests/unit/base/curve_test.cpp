// Curves go through their points, are as smooth as they say, and name their kinks.
#include "rubato/base/curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "rubato/base/function.hpp"
#include "support/numbers.hpp"

namespace rubato {
namespace {

using Points = std::vector<std::array<double, 2>>;
using First = Dual<double, 1>;
using Second = Dual<First, 1>;

Curve made(const Points& points, Interpolation interpolation, Outside outside = Outside::extend) {
  auto curve = Curve::make(points, interpolation, outside);
  EXPECT_TRUE(curve) << curve.error().message;
  return *curve;
}
std::array<double, 3> derivatives(const Curve& f, double x) {
  First inner(x);
  inner.d[0] = 1;
  Second xx(inner);
  xx.d[0] = First(1.0);
  const Second y = f(xx);
  return {y.value.value, y.d[0].value, y.d[0].d[0]};
}
Points random_points(std::mt19937& random, int n) {
  std::uniform_real_distribution<double> gap(0.1, 2), height(-3, 3);
  Points points;
  for (double x = -4; static_cast<int>(points.size()) < n; x += gap(random)) points.push_back({x, height(random)});
  return points;
}

TEST(Curve, GoesThroughItsPoints) {
  std::mt19937 random(1);
  for (const auto how : {Interpolation::linear, Interpolation::monotone, Interpolation::spline})
    for (const int n : {2, 3, 7, 40}) {
      const Points points = random_points(random, n);
      const Curve curve = made(points, how);
      for (const auto& [x, y] : points) EXPECT_NEAR(curve(x), y, 1e-13);
    }
}

TEST(Curve, IsAsSmoothAsItSays) {
  std::mt19937 random(2);
  const Points points = random_points(random, 12);
  const Curve linear = made(points, Interpolation::linear), monotone = made(points, Interpolation::monotone),
              spline = made(points, Interpolation::spline);
  const double d = 1e-9;
  for (const auto& [x, y] : points) {  // also at the ends, where the straight continuation begins
    EXPECT_NEAR(linear(x - d), linear(x + d), 1e-6);
    EXPECT_NEAR(derivatives(monotone, x - d)[1], derivatives(monotone, x + d)[1], 1e-5);
    EXPECT_NEAR(derivatives(spline, x - d)[1], derivatives(spline, x + d)[1], 1e-5);
    EXPECT_NEAR(derivatives(spline, x - d)[2], derivatives(spline, x + d)[2], 1e-4);
  }
}

TEST(Curve, MonotonePiecesNeverOvershoot) {
  std::mt19937 random(3);
  for (int n = 0; n < 50; ++n) {
    const Points points = random_points(random, 3 + n % 8);
    const Curve curve = made(points, Interpolation::monotone);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const auto [low, high] = std::minmax(points[i][1], points[i + 1][1]);
      for (int k = 0; k <= 20; ++k) {
        const double y = curve(points[i][0] + k / 20.0 * (points[i + 1][0] - points[i][0]));
        EXPECT_GE(y, low - 1e-12);
        EXPECT_LE(y, high + 1e-12);
      }
    }
  }
}

TEST(Curve, ReproducesStraightLinesAndTheSplineConverges) {
  for (const auto how : {Interpolation::linear, Interpolation::monotone, Interpolation::spline}) {
    const Curve line = made({{0, 1}, {1, 3}, {4, 9}}, how);
    for (const double x : {-2.0, 0.3, 2.0, 7.0}) {
      const auto y = derivatives(line, x);
      EXPECT_NEAR(y[0], 1 + 2 * x, 1e-13);
      EXPECT_NEAR(y[1], 2, 1e-13);
      EXPECT_NEAR(y[2], 0, 1e-13);
    }
  }
  // sin on [0, π] has no curvature at the ends: the natural spline's order is 4.
  const auto error = [](int n) {
    Points points;
    for (int i = 0; i <= n; ++i) points.push_back({std::numbers::pi * i / n, std::sin(std::numbers::pi * i / n)});
    const Curve curve = made(points, Interpolation::spline);
    double worst = 0;
    for (double x = 0.01; x < std::numbers::pi; x += 0.01) worst = std::max(worst, std::abs(curve(x) - std::sin(x)));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(16) / error(32)), 4, 0.2);
}

TEST(Curve, HoldsOrGoesOnOutside) {
  const Points points{{0, 0}, {1, 2}};
  EXPECT_EQ(made(points, Interpolation::linear)(3.0), 6);
  EXPECT_EQ(made(points, Interpolation::linear)(-1.0), -2);
  EXPECT_EQ(made(points, Interpolation::linear, Outside::hold)(3.0), 2);
  EXPECT_EQ(made(points, Interpolation::linear, Outside::hold)(-1.0), 0);
  EXPECT_TRUE(std::isnan(made(points, Interpolation::linear)(std::nan(""))));
}

TEST(Curve, NamesItsKinks) {
  const Points points{{0, 0}, {1, 2}, {3, 1}};
  for (const auto how : {Interpolation::linear, Interpolation::monotone}) {
    const Function f = made(points, how);
    EXPECT_EQ(f.next_break(-5), 0);
    EXPECT_EQ(f.next_break(0), 1);  // after, not at
    EXPECT_EQ(f.next_break(2.5), 3);
    EXPECT_EQ(f.next_break(3), infinity);
  }
  EXPECT_EQ(made(points, Interpolation::spline).next_break(0), infinity);
  EXPECT_EQ(made(points, Interpolation::spline, Outside::hold).next_break(0), 3);
  EXPECT_EQ(Function().next_break(0), infinity);
  EXPECT_EQ(Function()(2.0), 0);
}

TEST(Curve, IsTracedAlsoWhereItIsLevel) {
  Tracing tracing;
  const Curve curve = made({{0, 1}, {1, 1}, {2, 5}}, Interpolation::linear);
  EXPECT_EQ(tracing.dependencies(curve(tracing.variable(0.5, 3))).size(), 1U);
}

TEST(Curve, RefusesWhatIsNoFunction) {
  const auto mistake = [](const Points& points) {
    const auto curve = Curve::make(points, Interpolation::spline);
    return curve ? "accepted" : curve.error().message;
  };
  EXPECT_EQ(mistake({}), "a table of 0 points; from 2 to 1000000 are needed");
  EXPECT_EQ(mistake({{1, 1}}), "a table of 1 point; from 2 to 1000000 are needed");
  EXPECT_EQ(mistake({{0, 1}, {2, 3}, {1, 1}}), "the table goes from x = 2 to 1 at point 3; x must increase");
  EXPECT_EQ(mistake({{0, 1}, {0, 3}}), "the table goes from x = 0 to 0 at point 2; x must increase");
  EXPECT_EQ(mistake({{0, 1}, {1, std::nan("")}}), "point 2 of the table is (1, nan); finite numbers are needed");
  EXPECT_EQ(mistake({{0, -1e308}, {1e-300, 1e308}}), "the table's slope at x = 0 is too large for a number");
}

}  // namespace
}  // namespace rubato
