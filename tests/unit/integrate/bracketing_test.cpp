// Bracketing: right on every kind of function, fast on smooth ones, never much slower than bisection.
#include "rubato/integrate/bracketing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rubato {
namespace {

struct Search {
  Bracket bracket;
  int calls = 0;
};

template <class Function>
Search search(double a, double b, double width, Function g) {
  Search result;
  result.bracket = shrunk({a, b, g(a), g(b)}, width, [&](double x) {
    ++result.calls;
    return g(x);
  });
  return result;
}

TEST(Shrunk, BracketsTheRootToTheWidth) {
  const Search s = search(0, 2, 1e-13, [](double x) { return x * x - 2; });
  EXPECT_LE(s.bracket.right - s.bracket.left, 1e-13);
  EXPECT_LT(s.bracket.g_left, 0);
  EXPECT_GE(s.bracket.g_right, 0);
  EXPECT_NEAR(s.bracket.right, std::sqrt(2), 1e-13);
  EXPECT_LE(s.calls, 12) << "smooth: superlinear, not 44 halvings";
}

TEST(Shrunk, NeedsAtMostOneCallMoreThanBisection) {
  const double bound = std::ceil(std::log2(1 / 1e-12)) + 1;
  const auto check = [&](const char* what, auto g) {
    const Search s = search(0, 1, 1e-12, g);
    EXPECT_LE(s.bracket.right - s.bracket.left, 1e-12) << what;
    EXPECT_LE(s.calls, bound) << what;
  };
  check("jump", [](double x) { return x < 0.3 ? -1.0 : 1.0; });
  check("zero from the root on", [](double x) { return std::min(x - 0.3, 0.0); });
  check("jump to zero", [](double x) { return x < 0.3 ? -1.0 : 0.0; });
  check("flat root", [](double x) { return std::pow(x - 0.3, 9); });
  check("steep", [](double x) { return std::expm1(500 * (x - 0.9)); });
  check("infinite", [](double x) { return x < 0.3 ? -1.0 : std::numeric_limits<double>::infinity(); });
  check("at the left end", [](double x) { return x - 1e-14; });
  check("at the right end", [](double x) { return x - 1; });
}

TEST(Shrunk, TendsToTheFirstOfManyZeros) {
  const Search s = search(0, 1, 1e-12, [](double x) { return std::min(x - 0.3, 0.0); });
  EXPECT_NEAR(s.bracket.right, 0.3, 1e-12);
}

TEST(Shrunk, EndsAtNeighbouringDoublesWhenAskedForNoWidth) {
  const Search s = search(1, 2, 0, [](double x) { return x - 1.3; });
  EXPECT_LE(s.bracket.right - s.bracket.left, std::nextafter(1.3, 2) - 1.3);
}

TEST(Shrunk, SaysSoWhenTheFunctionIsNotANumber) {
  const Search s = search(0, 1, 1e-12, [](double x) { return x > 0.2 && x < 0.8 ? std::nan("") : x - 0.5; });
  EXPECT_TRUE(std::isnan(s.bracket.g_right));
}

}  // namespace
}  // namespace rubato
