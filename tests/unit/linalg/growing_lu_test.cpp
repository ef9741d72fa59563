// LU that grows by a row and a column at a time.
#include "rubato/linalg/growing_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

namespace rubato {
namespace {

/// Every leading block is solved with, also those whose diagonal asks for other pivots: zeros there make every second block singular.
TEST(GrowingLu, SolvesWithEveryLeadingBlock) {
  const int n = 24;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const bool exchanges : {false, true}) {
    Matrix h(n, n);
    for (auto& x : h.reshaped()) x = uniform(random);
    if (exchanges)  // block diagonal of [0 1; 1 0], coupled above
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) h(i, j) = i % 2 == 1 && j == i - 1 ? 1 : 0;
    GrowingLu lu(n);
    Vector right(n), x(n);
    for (auto& r : right) r = uniform(random);
    for (int m = 1; m <= n; ++m) {
      for (int i = 0; i < m; ++i) {
        lu.entry(i, m - 1) = h(i, m - 1);
        lu.entry(m - 1, i) = h(m - 1, i);
      }
      const bool solved = lu.solve(m, right, x);
      EXPECT_EQ(solved, !exchanges || m % 2 == 0) << m;
      if (!solved) continue;
      const Matrix block = h.topLeftCorner(m, m);
      const double size = block.norm() * x.head(m).norm() + right.head(m).norm();
      EXPECT_LT((block * x.head(m) - right.head(m)).norm(), 1e-12 * size) << m << (exchanges ? " exchanged" : "");
    }
  }
}

}  // namespace
}  // namespace rubato
