#include "rubato/realtime/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace rubato::realtime {
namespace {

using Complex = std::complex<double>;

double brute_force(const std::vector<Complex>& lambda, const std::vector<Complex>& moved,
                   const std::vector<double>& allowed) {
  std::vector<std::size_t> order(lambda.size());
  std::iota(order.begin(), order.end(), 0);
  double best = 1e300;
  do {
    double worst = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      worst = std::max(worst, std::abs(lambda[i] - moved[order[i]]) / allowed[i]);
    best = std::min(best, worst);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Matching, IsThatOfAllPermutations) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> u(-0.7, 0.7);
  int feasible = 0;
  for (int run = 0; run < 60; ++run) {
    const std::size_t n = 2 + static_cast<std::size_t>(run) % 6;  // up to 7
    std::vector<Complex> lambda(n), moved(n);
    for (std::size_t i = 0; i < n; ++i) {
      lambda[i] = i % 3 == 2 ? Complex(0) : Complex(u(random), u(random));
      moved[i] = i % 4 == 1 ? Complex(0) : lambda[i] + 0.9 * Complex(u(random), u(random));
    }
    const auto allowed = allowed_movements(lambda, 0.8, 0.008);
    const double ratio = brute_force(lambda, moved, allowed);
    const SpectrumMatch match = match_spectra(lambda, moved, allowed);
    EXPECT_DOUBLE_EQ(match.ratio, ratio);
    EXPECT_EQ(within_allowed(lambda, moved, allowed), ratio <= 1);
    feasible += ratio <= 1;
    // The pairing is one, and has this ratio.
    std::vector<int> partners = match.partner;
    std::sort(partners.begin(), partners.end());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(partners[i], static_cast<int>(i));
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      worst = std::max(worst, std::abs(lambda[i] - moved[static_cast<std::size_t>(match.partner[i])]) / allowed[i]);
    EXPECT_DOUBLE_EQ(worst, ratio);
  }
  EXPECT_GT(feasible, 5);
  EXPECT_LT(feasible, 55);
}

TEST(Matching, TakesTheSmallestOfTheLargest) {
  // 0.1 has −0.2 and 0.5 has 0.6; paired the other way the ratio is 0.7.
  const std::vector<Complex> lambda = {0.1, 0.5}, moved = {0.6, -0.2};
  const std::vector<double> ones = {1, 1};
  const SpectrumMatch match = match_spectra(lambda, moved, ones);
  EXPECT_EQ(match.partner, (std::vector<int>{1, 0}));
  EXPECT_NEAR(match.ratio, 0.3, 1e-15);
}

TEST(Matching, PairsZerosWithoutHarm) {
  // Zeros need not meet zeros: 0 → −0.1 and 0.1 → 0 is better than 0 → 0 and 0.1 → −0.1.
  const std::vector<Complex> lambda = {0, 0.1}, moved = {0, -0.1};
  EXPECT_NEAR(match_spectra(lambda, moved, std::vector<double>{1, 1}).ratio, 0.1, 1e-15);
}

TEST(Matching, AllowsWhatStabilityLeaves) {
  const std::vector<Complex> lambda = {0, {0, 0.5}, 1, 0.9999};
  EXPECT_EQ(allowed_movements(lambda, 0.5, 0.005), (std::vector<double>{0.5, 0.25, 0.005, 0.005}));
}

}  // namespace
}  // namespace rubato::realtime
