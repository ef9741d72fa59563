// The error norm: formulas (1) and (2) of its header, by hand; and that nothing which is not a number passes.
#include "rubato/integrate/error_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/numbers.hpp"

namespace rubato {
namespace {

const Layout layout{
    {.name = "q", .size = 1}, {.name = "v", .size = 1, .h_power = 1}, {.name = "lambda", .size = 1, .h_power = 2}};

Vector vector(double a, double b, double c) { return Eigen::Vector3d(a, b, c); }

double norm(const ErrorNorm& n, const Vector& e, const Vector& x0, const Vector& x1, double h) {
  return n(view(e), view(x0), view(x1), h);
}

TEST(ErrorNorm, WeighsByToleranceAndTheLargerOfBothStates) {
  const Tolerances tolerances{.rtol = 1e-2, .atol = 1e-3, .atol_of = {{"v", 1e-1}}};
  const Vector e = vector(1e-3, 2e-2, 3e-4), x0 = vector(1, -10, 0), x1 = vector(-2, 5, 0);
  // Weights 1e-3 + 2e-2, 1e-1 + 1e-1, 1e-3.
  const double a = 1e-3 / 2.1e-2, b = 2e-2 / 2e-1, c = 3e-1;
  StepOptions options{.h_scaling = false};
  const auto value = [&](Norm kind) {
    options.norm = kind;
    return norm(ErrorNorm(layout, tolerances, options), e, x0, x1, 1e-3);
  };
  EXPECT_NEAR(value(Norm::rms), std::sqrt((a * a + b * b + c * c) / 3), 1e-15);
  EXPECT_NEAR(value(Norm::maximum), c, 1e-15);
  EXPECT_NEAR(value(Norm::euclidean), std::sqrt(a * a + b * b + c * c), 1e-15);
}

// "*.rx" means rx of every part; a component wins over that, that over its block, in whatever order they stand (files sort them).
TEST(ErrorNorm, TheMoreSpecialNameOfAToleranceWins) {
  const Layout bodies{{.name = "q", .size = 4, .components = {"a.x", "a.rx", "b.rx", "b.x"}}};
  std::vector<std::pair<std::string, double>> given{{"b.rx", 1e-3}, {"*.rx", 1e-2}, {"q", 1e-1}};
  for (int order = 0; order < 2; ++order) {
    Vector weights(4);
    const Vector zero = Vector::Zero(4);
    ErrorNorm(bodies, {.rtol = 0, .atol = 1, .atol_of = given}, {}).weights(view(zero), 1, view(weights));
    for (const auto& [i, atol] : {std::pair{0, 1e-1}, {1, 1e-2}, {2, 1e-3}, {3, 1e-1}})
      EXPECT_DOUBLE_EQ(weights[i], 1 / atol) << i;
    std::ranges::reverse(given);
  }
}

TEST(ErrorNorm, MultipliesByPowersOfTheStepUpToTheReferenceTime) {
  const StepOptions options{.norm = Norm::maximum, .reference_time = 0.5};
  const ErrorNorm n(layout, {.rtol = 0, .atol = 1}, options);
  const Vector zero = vector(0, 0, 0);
  EXPECT_DOUBLE_EQ(norm(n, vector(1, 0, 0), zero, zero, 0.1), 1);
  EXPECT_DOUBLE_EQ(norm(n, vector(0, 1, 0), zero, zero, 0.1), 0.2);
  EXPECT_DOUBLE_EQ(norm(n, vector(0, 0, 1), zero, zero, 0.1), 0.04);
  for (const double h : {0.5, 3.0, infinity}) EXPECT_EQ(norm(n, vector(0, 0, 1), zero, zero, h), 1) << h;
}

TEST(ErrorNorm, NeverAcceptsWhatIsNotANumber) {
  const Vector fine = vector(0, 0, 0);
  for (const Norm kind : {Norm::rms, Norm::maximum, Norm::euclidean})
    for (const double bad : {nan, infinity, -infinity})
      for (int i = 0; i < 3; ++i) {
        const ErrorNorm n(layout, {}, {.norm = kind});
        Vector x = fine;
        x[i] = bad;
        EXPECT_EQ(norm(n, x, fine, fine, 1), infinity);
        EXPECT_EQ(norm(n, fine, x, fine, 1), infinity) << "a state without bound makes any error look small";
        EXPECT_EQ(norm(n, fine, fine, x, 1), infinity);
        EXPECT_EQ(n.worst(view(fine), view(fine), view(std::as_const(x)), 1), i);
      }
}

TEST(ErrorNorm, WithoutAbsoluteToleranceAZeroMustBeExact) {
  const ErrorNorm n(layout, {.rtol = 1e-3, .atol = 0}, {});
  const Vector zero = vector(0, 0, 0);
  EXPECT_EQ(norm(n, zero, zero, zero, 1), 0);
  EXPECT_EQ(norm(n, vector(0, 1e-300, 0), zero, zero, 1), infinity);
}

TEST(ErrorNorm, NamesTheWorstComponentAndItsWeights) {
  const ErrorNorm n(layout, {.rtol = 0, .atol = 1e-3}, {});
  const Vector zero = vector(0, 0, 0), e = vector(1, 50, 400);
  EXPECT_EQ(n.worst(view(e), view(zero), view(zero), 0.1), 1) << "1, 50 · 0.1, 400 · 0.01";
  Vector weights = zero;
  n.weights(view(zero), 0.1, view(weights));
  EXPECT_NEAR(weights[0], 1e3, 1e-11);
  EXPECT_NEAR(weights[1], 1e2, 1e-12);
  EXPECT_NEAR(weights[2], 1e1, 1e-13);
  EXPECT_DOUBLE_EQ(n.weighted(view(e), view(weights)), norm(n, e, zero, zero, 0.1));
}

// Stages stand one after the other: the norm of all is the root of the mean of their squared norms.
TEST(ErrorNorm, TakesSeveralColumnsAtOnce) {
  const Vector zero = vector(0, 0, 0), first = vector(1, -50, 400), second = vector(-3, 0, 20);
  Vector both(6);
  both << first, second;
  for (const Norm kind : {Norm::rms, Norm::maximum, Norm::euclidean}) {
    const ErrorNorm n(layout, {.rtol = 0, .atol = 1e-3}, {.norm = kind});
    Vector weights = zero;
    n.weights(view(zero), 0.1, view(weights));
    const double mean = std::sqrt(
        (std::pow(n.weighted(view(first), view(weights)), 2) + std::pow(n.weighted(view(second), view(weights)), 2)) /
        2);
    EXPECT_NEAR(n.weighted(view(both), view(weights)), mean, 1e-15 * mean * 4);
    weights[1] = infinity;
    EXPECT_TRUE(std::isfinite(n.weighted(view(second), view(weights)))) << "no error, whatever its weight";
    EXPECT_FALSE(std::isfinite(n.weighted(view(both), view(weights))));
  }
}

TEST(ErrorNorm, TakesOtherPowersFromTheOptionsAndDuringARun) {
  const Vector zero = vector(0, 0, 0), e = vector(1, 50, 400);
  ErrorNorm n(layout, {.rtol = 0, .atol = 1}, {.norm = Norm::maximum, .h_power_of = {{"lambda", 0}}});
  EXPECT_DOUBLE_EQ(norm(n, e, zero, zero, 0.1), 400);
  n.set_power(2, 2);
  EXPECT_DOUBLE_EQ(norm(n, e, zero, zero, 0.1), 5);
}

}  // namespace
}  // namespace rubato
