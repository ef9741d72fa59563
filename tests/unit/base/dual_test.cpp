// Dual numbers differentiate exactly; the tracer finds what a value depends on.
#include "rubato/base/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rubato/base/tracer.hpp"

namespace rubato {
namespace {

/// A function that uses every elementary function once.
template <class S>
S everything(const S& x, const S& y) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::hypot, std::log,
      std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  return sin(x) * cos(y) + tan(x) / exp(y) - log(x + 2.0) * sqrt(y + 3.0) + asin(0.3 * x) + acos(0.2 * y) +
         atan(x * y) + atan2(x, y + 2.0) + sinh(x) - cosh(y) + tanh(x - y) + abs(x - 5.0) + pow(x + 1.0, 2.5) +
         hypot(x, y) - (-x);
}

TEST(Dual, AgreesWithCentralDifferences) {
  const double x = 0.7, y = 0.4, step = 1e-5;
  Dual<double, 2> dx(x), dy(y);
  dx.d[0] = 1;
  dy.d[1] = 1;
  const auto f = everything(dx, dy);
  EXPECT_DOUBLE_EQ(f.value, everything(x, y));
  // Central differences of a smooth function: error step²/6·f''' + eps/step ≈ 1e-10.
  EXPECT_NEAR(f.d[0], (everything(x + step, y) - everything(x - step, y)) / (2 * step), 1e-8);
  EXPECT_NEAR(f.d[1], (everything(x, y + step) - everything(x, y - step)) / (2 * step), 1e-8);
}

TEST(Dual, NestsForSecondDerivatives) {
  // d²/dx² (x³ sin x) = 6x sin x + 6x² cos x − x³ sin x
  using Inner = Dual<double, 1>;
  const double x = 0.9;
  Inner xi(x);
  xi.d[0] = 1;
  Dual<Inner, 1> xx(xi);
  xx.d[0] = Inner(1.0);
  const auto f = xx * xx * xx * sin(xx);
  EXPECT_NEAR(f.d[0].d[0], 6 * x * std::sin(x) + 6 * x * x * std::cos(x) - x * x * x * std::sin(x), 1e-14);
}

TEST(Tracer, FindsTheDependenciesOfAValue) {
  Tracing tracing;
  const Tracer a = tracing.variable(0.0, 4), b = tracing.variable(1.0, 2), c = tracing.variable(2.0, 7);
  const auto set = [&](const Tracer& x) {
    const auto d = tracing.dependencies(x);
    return std::vector<int>(d.begin(), d.end());
  };
  EXPECT_EQ(set(a * b), (std::vector<int>{2, 4}));  // although a is zero here
  EXPECT_EQ(set(0.0 * a + c), (std::vector<int>{7}));
  EXPECT_EQ(set(sin(a + b) / c), (std::vector<int>{2, 4, 7}));
  EXPECT_EQ(set(Tracer(3.0)), (std::vector<int>{}));
}

}  // namespace
}  // namespace rubato
