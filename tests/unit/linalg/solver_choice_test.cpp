// What a factorisation costs, predicted from the pattern, and the choice between factors and Krylov spaces that rests on it.
#include "rubato/linalg/solver_choice.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rubato/linalg/linear_solver.hpp"
#include "unit/linalg/random_matrices.hpp"

namespace rubato {
namespace {

SparsePattern tridiagonal(int n) {
  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i)
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) entries.push_back({i, j});
  return SparsePattern::from_entries(n, n, std::move(entries));
}

TEST(FactorWork, IsExactWhereNothingFillsInAndForFullMatrices) {
  const int n = 50;
  const FactorWork band = predicted_work(tridiagonal(n));  // a division and a multiplication with subtraction per row
  EXPECT_EQ(band.entries, 3 * n - 2);
  EXPECT_EQ(band.flops, 3 * (n - 1));
  std::mt19937 random(1);
  const FactorWork full = predicted_work(test::random_pattern(random, n, n, 2 * n, true));
  EXPECT_EQ(full.entries, n * n);
  EXPECT_EQ(full.flops, n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3);  // Σ k + 2 Σ k²
  EXPECT_EQ(predicted_work(SparsePattern::from_entries(0, 0, {})).flops, 0);
}

TEST(FactorWork, AgreesWithWhatASolverFinds) {
  std::mt19937 random(2);
  const SparsePattern pattern = test::random_pattern(random, 300, 300, 2, true);
  auto values = test::random_values<double>(random, static_cast<std::size_t>(pattern.nnz()));
  for (int i = 0; i < 300; ++i) values[static_cast<std::size_t>(pattern.index_of(i, i))] += 10;
  const auto solver = make_linear_solver<double>(pattern, BackEnd::mumps);
  ASSERT_EQ(solver->factor(values), FactorStatus::ok);
  const double ratio = predicted_work(pattern).entries / static_cast<double>(solver->report().factor_nnz);
  EXPECT_GT(ratio, 0.4);
  EXPECT_LT(ratio, 2.5);
}

constexpr SolverRates unit_rates{.factor_flops = 1, .solve_entries = 1, .product_entries = 1, .vector_numbers = 4};

TEST(SolverChoice, CountsSeconds) {
  const SolverChoice choice({.entries = 10, .flops = 1000}, 5, 20, unit_rates);
  EXPECT_EQ(choice.direct_seconds(3), 1030);
  EXPECT_EQ(choice.krylov_seconds(6, 2), 6 * (20 + 5 * 2));
}

TEST(SolverChoice, GoesOverToFactorsWhereSpacesGrowAndComesBackWithSmallSteps) {
  SolverChoice choice({.entries = 10, .flops = 1000}, 5, 20, unit_rates);
  EXPECT_TRUE(choice.krylov(0.1)) << "8 products of 8 vectors: 480 s against 1010 s";
  for (int step = 0; step < 20; ++step) choice.took(0.1, 4, 20, 2, true);
  EXPECT_TRUE(choice.krylov(0.1)) << "600 s against 1040 s";
  for (int step = 0; step < 3; ++step) choice.took(0.1, 4, 40, 10, true);
  EXPECT_FALSE(choice.krylov(0.1)) << "2800 s";
  EXPECT_FALSE(choice.krylov(0.05));
  EXPECT_TRUE(choice.krylov(0.03)) << "a third of the step that was too much";
  EXPECT_EQ(choice.changes(), 2);
  choice.took(0.03, 4, 5, 1, false);
  EXPECT_FALSE(choice.krylov(0.03)) << "a space that does not converge decides at once";
}

TEST(SolverChoice, SmallSystemsAreFactorisedFromTheStart) {
  SolverChoice choice(predicted_work(tridiagonal(100)), 100, 500, {});
  EXPECT_FALSE(choice.krylov(1e-9));
}

}  // namespace
}  // namespace rubato
