// Curves for pictures: few points stay as they are; of many the extremes in narrow columns of time, so that the eye misses nothing.
#include "rubato/io/thin_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rubato::io {
namespace {

Series thinned(std::size_t n, Scale axis, double (*y)(double)) {
  ThinCurve curve(n, 0, 1, axis);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n - 1);
    curve.add(t, t, y(t));
  }
  Series series;
  curve.finish(series);
  return series;
}

TEST(ThinCurve, KeepsFewPoints) {
  const Series series = thinned(ThinCurve::few, Scale::linear, [](double t) { return std::sin(100 * t); });
  EXPECT_EQ(series.x.size(), ThinCurve::few);
  EXPECT_EQ(series.y.back(), std::sin(100.0));
}

/// One point of a million stands out; the ends are there, the order is that of time.
TEST(ThinCurve, MissesNoPeak) {
  const auto peak = [](double t) { return std::abs(t - 0.5) < 4e-7 ? 1000.0 : std::sin(1e4 * t); };
  for (const Scale axis : {Scale::linear, Scale::logarithmic}) {
    const Series series = thinned(1'000'001, axis, peak);
    EXPECT_LT(series.x.size(), 6 * ThinCurve::columns);
    EXPECT_EQ(std::ranges::max(series.y), 1000);
    EXPECT_LT(std::ranges::min(series.y), -0.999999);
    EXPECT_EQ(series.x.front(), 0);
    EXPECT_EQ(series.x.back(), 1);
    EXPECT_TRUE(std::ranges::is_sorted(series.x));
  }
}

/// A logarithmic axis shows its first decades in as much detail as its last.
TEST(ThinCurve, ColumnsAreThoseOfTheAxis) {
  const Series series = thinned(1'000'001, Scale::logarithmic, [](double t) { return t; });
  const auto before = [&](double t) { return std::ranges::lower_bound(series.x, t) - series.x.begin(); };
  EXPECT_GT(before(1e-5), 9) << "all points of the first decade";
  EXPECT_GT(before(1e-3), before(1e-4) + 500);
  EXPECT_GT(before(1e-1), before(1e-2) + 500);
}

TEST(ThinCurve, GapsStayGaps) {
  ThinCurve curve(100'000, 0, 1, Scale::linear);
  for (int i = 0; i < 100'000; ++i)
    curve.add(i * 1e-5, i * 1e-5, i / 1000 % 2 == 1 ? std::numeric_limits<double>::quiet_NaN() : 1.0);
  Series series;
  curve.finish(series);
  EXPECT_EQ(std::ranges::count_if(series.y, [](double y) { return std::isnan(y); }), 50);
}

}  // namespace
}  // namespace rubato::io
