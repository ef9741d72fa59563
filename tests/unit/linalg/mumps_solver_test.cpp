// What MUMPS' back end promises beyond the exam all back ends sit: symmetry up to the signs of rows is found, lost and found
// again, blocks of exact zeros on the diagonal cost no digits, and the same input gives the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "rubato/linalg/linear_solver.hpp"
#include "support/numbers.hpp"
#include "support/structured_matrices.hpp"
#include "unit/linalg/random_matrices.hpp"

namespace rubato {
namespace {

using test::Complex;

/// [K Gᵀ; ±G 0] with random symmetric K, K of size `stiffness`, its diagonal too weak to serve as pivots.
template <class T>
struct SaddlePoint {
  SaddlePoint(std::mt19937& random, int n_q, int n_lambda, double stiffness, double sign_of_g) {
    const int n = n_q + n_lambda;
    std::bernoulli_distribution present(6.0 / n_q);
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= std::min(i, n_q - 1); ++j)
        if (present(random) || i == j || i == n_q + j) entries.insert(entries.end(), {{i, j}, {j, i}});
    pattern = SparsePattern::from_entries(n, n, std::move(entries));
    values.resize(static_cast<std::size_t>(pattern.nnz()));
    for (int j = 0; j < n_q; ++j)
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p) {
        const int i = pattern.row_indices()[p];
        if (i < j) continue;
        const T value = (i < n_q ? stiffness : 1.0) * test::uniform_scalar<T>(random);
        values[pattern.index_of(j, i)] = value;
        values[p] = i < n_q ? value : sign_of_g * value;
      }
  }
  SparsePattern pattern;
  std::vector<T> values;
};

/// The larger of the backward errors of two solves and two transposed solves, n unknowns each.
template <class T>
double worst_backward_error(LinearSolver<T>& solver, const SparsePattern& pattern, const std::vector<T>& values) {
  std::mt19937 random(21);
  const auto n = static_cast<std::size_t>(pattern.rows());
  const auto a = test::to_dense<T>(pattern, std::span<const T>(values));
  const test::DenseMatrix<T> at = a.transpose();
  const auto b = test::random_values<T>(random, 2 * n);
  auto x = b, y = b;
  solver.solve(x);
  solver.solve_transposed(y);
  double worst = 0;
  for (const std::size_t k : {std::size_t{0}, n}) {
    const auto part = [&](const std::vector<T>& z) { return std::vector<T>(&z[k], &z[k] + n); };
    worst =
        std::max({worst, test::backward_error<T>(a, part(x), part(b)), test::backward_error<T>(at, part(y), part(b))});
  }
  return worst;
}

template <class T>
class MumpsSolverTest : public testing::Test {};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(MumpsSolverTest, Scalars);

TYPED_TEST(MumpsSolverTest, SaddlePointsWithExactZerosAreSolvedToRoundOffWhateverTheSignsAndSizes) {
  // The step matrix of a constrained system has K of size 1/(βh²) and rows −G.
  std::mt19937 random(22);
  for (const double sign : {1.0, -1.0})
    for (const double stiffness : {1e-8, 1.0, 1e10})
      for (const int n_lambda : {1, 20, 60}) {
        const SaddlePoint<TypeParam> m(random, 120, n_lambda, stiffness, sign);
        const auto solver = make_linear_solver<TypeParam>(m.pattern, BackEnd::mumps);
        for (int repeat = 0; repeat < 2; ++repeat) {
          ASSERT_EQ(solver->factor(m.values), FactorStatus::ok);
          EXPECT_LT(worst_backward_error(*solver, m.pattern, m.values), 20 * eps) << stiffness << " " << n_lambda;
        }
      }
}

TYPED_TEST(MumpsSolverTest, RowsOfAnySignAreFoundAndMissingDiagonalsDoNotMatter) {
  std::mt19937 random(23);
  const int n = 150;
  const auto half = test::random_pattern(random, n, n, 2, false);
  SparsePattern pattern = united(half, transposed(half).pattern);
  std::vector<Entry> more;  // a ring through all unknowns, without the diagonal: regular for almost all values
  for (int j = 0; j < n; ++j) {
    more.insert(more.end(), {{j, (j + 1) % n}, {(j + 1) % n, j}});
    for (const int i : pattern.column(j))
      if (i != j) more.push_back({i, j});
  }
  pattern = SparsePattern::from_entries(n, n, std::move(more));
  std::vector<TypeParam> symmetric(static_cast<std::size_t>(pattern.nnz()));
  for (int j = 0; j < n; ++j)
    for (const int i : pattern.column(j))
      if (i > j)
        symmetric[pattern.index_of(i, j)] = symmetric[pattern.index_of(j, i)] = test::uniform_scalar<TypeParam>(random);
  const auto plain = make_linear_solver<TypeParam>(pattern, BackEnd::mumps);
  ASSERT_EQ(plain->factor(symmetric), FactorStatus::ok);
  EXPECT_LT(worst_backward_error(*plain, pattern, symmetric), 20 * eps);
  // Random signs of rows: the same triangle is factorised, and the number of its entries does not change.
  auto flipped = symmetric;
  for (int i = 0; i < n; ++i)
    if (random() % 2 == 0)
      for (int j = 0; j < n; ++j)
        if (const int p = pattern.index_of(i, j); p >= 0) flipped[p] = -flipped[p];
  const auto other = make_linear_solver<TypeParam>(pattern, BackEnd::mumps);
  ASSERT_EQ(other->factor(flipped), FactorStatus::ok);
  EXPECT_LT(worst_backward_error(*other, pattern, flipped), 20 * eps);
  EXPECT_EQ(other->report().factor_nnz, plain->report().factor_nnz);
}

TYPED_TEST(MumpsSolverTest, SymmetryMayBeLostAndRegained) {
  std::mt19937 random(24);
  const SaddlePoint<TypeParam> m(random, 200, 30, 100.0, -1.0);
  auto lopsided = m.values;
  for (TypeParam& v : lopsided) v *= 1 + 0.1 * test::uniform(random);
  const auto solver = make_linear_solver<TypeParam>(m.pattern, BackEnd::mumps);
  long triangle = 0, whole = 0;
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(solver->factor(m.values), FactorStatus::ok);
    EXPECT_LT(worst_backward_error(*solver, m.pattern, m.values), 20 * eps);
    triangle = solver->report().factor_nnz;
    ASSERT_EQ(solver->factor(lopsided), FactorStatus::ok);
    EXPECT_LT(worst_backward_error(*solver, m.pattern, lopsided), 20 * eps);
    whole = solver->report().factor_nnz;
    EXPECT_GT(static_cast<double>(whole), 1.6 * static_cast<double>(triangle));
  }
  EXPECT_EQ(solver->report().full_factorisations, 4);
  // Symmetric to thirteen digits is symmetric enough for the triangle, and yet solved to all digits.
  auto nearly = m.values;
  for (TypeParam& v : nearly) v *= 1 + 3e-14 * test::uniform(random);
  ASSERT_EQ(solver->factor(nearly), FactorStatus::ok);
  EXPECT_EQ(solver->report().factor_nnz, triangle);
  EXPECT_LT(worst_backward_error(*solver, m.pattern, nearly), 20 * eps);
}

TYPED_TEST(MumpsSolverTest, SignsAreFoundAgainWhenACouplingAppears) {
  // While G = 0 any signs serve; the first G ≠ 0 asks for −1, the next matrix for +1.
  const auto solver = make_linear_solver<TypeParam>(SparsePattern::dense(2, 2), BackEnd::mumps);
  const auto solution = [&](std::vector<TypeParam> values) {
    EXPECT_EQ(solver->factor(values), FactorStatus::ok);
    std::vector<TypeParam> x = {values[0] + 2.0 * values[2], values[1] + 2.0 * values[3]};  // A (1, 2)ᵀ
    solver->solve(x);
    return std::abs(x[0] - 1.0) + std::abs(x[1] - 2.0);
  };
  EXPECT_LT(solution({2.0, 0.0, 0.0, 3.0}), 8 * eps);
  EXPECT_LT(solution({2.0, -1.0, 1.0, 0.0}), 8 * eps);
  EXPECT_LT(solution({2.0, 1.0, 1.0, 0.0}), 8 * eps);
  EXPECT_LT(solution({2.0, 1.0, 5.0, 0.0}), 8 * eps);
}

TYPED_TEST(MumpsSolverTest, SingularSaddlePointsAreNoticed) {
  // The same constraint twice, in numbers without rounding.
  const auto pattern = SparsePattern::from_entries(
      4, 4, {{0, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}});
  std::vector<TypeParam> values(static_cast<std::size_t>(pattern.nnz()), TypeParam(1.0));
  const auto solver = make_linear_solver<TypeParam>(pattern, BackEnd::mumps);
  EXPECT_EQ(solver->factor(values), FactorStatus::singular);
  values[pattern.index_of(3, 1)] = values[pattern.index_of(1, 3)] = -1.0;
  EXPECT_EQ(solver->factor(values), FactorStatus::ok);
  EXPECT_LT(worst_backward_error(*solver, pattern, values), 20 * eps);
  values[pattern.index_of(3, 1)] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver->factor(values), FactorStatus::not_finite);
  // Three constraints on two coordinates: singular by structure alone.
  std::vector<Entry> entries;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      if (i < 2 || j < 2) entries.push_back({i, j});
  const auto too_many = SparsePattern::from_entries(5, 5, std::move(entries));
  const auto hopeless = make_linear_solver<TypeParam>(too_many, BackEnd::mumps);
  values.assign(static_cast<std::size_t>(too_many.nnz()), TypeParam(1.0));
  for (int repeat = 0; repeat < 2; ++repeat) EXPECT_EQ(hopeless->factor(values), FactorStatus::singular);
  const auto nothing = make_linear_solver<TypeParam>(SparsePattern::from_entries(3, 3, {}), BackEnd::mumps);
  EXPECT_EQ(nothing->factor({}), FactorStatus::singular);
}

// D + g E with D > 0 the diagonal and E the rest: positive definite for g = 1, indefinite for g = 30, the diagonal positive throughout.
TEST(MumpsSolver, PositiveDefiniteOrNotEveryDigitIsThere) {
  const test::StructuredMatrix m = test::bricks(4, 4, 4);
  const auto solver = make_linear_solver<double>(m.pattern, BackEnd::mumps);
  for (const double growth : {1.0, 1.0, 30.0, 1.0}) {  // hope for a definite matrix, kept, lost, not regained
    std::vector<double> values = m.values;
    for (int j = 0; j < m.pattern.cols(); ++j)
      for (int p = m.pattern.column_starts()[j]; p < m.pattern.column_starts()[j + 1]; ++p)
        if (m.pattern.row_indices()[p] != j) values[static_cast<std::size_t>(p)] *= growth;
    ASSERT_EQ(solver->factor(values), FactorStatus::ok);
    EXPECT_LT(worst_backward_error(*solver, m.pattern, values), 20 * eps) << growth;
  }
}

TEST(MumpsSolver, TheSameInputGivesTheSameBytes) {
  for (const auto& m : {test::bricks(6, 6, 6), test::taylor_hood(12, 12)}) {
    std::vector<std::vector<double>> solutions;
    for (int run = 0; run < 2; ++run) {
      const auto solver = make_linear_solver<double>(m.pattern, BackEnd::mumps);
      for (int repeat = 0; repeat < 2; ++repeat) {  // a repeated factorisation is no different from the first
        ASSERT_EQ(solver->factor(m.values), FactorStatus::ok);
        std::vector<double> x(static_cast<std::size_t>(m.pattern.rows()), 1.0);
        solver->solve(x);
        solutions.push_back(x);
      }
      EXPECT_LT(solver->report().growth, 10);
    }
    for (const auto& x : solutions) EXPECT_EQ(x, solutions.front());
  }
}

TEST(MumpsSolver, WorksInSilence) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    const auto solver = make_linear_solver<double>(SparsePattern::dense(2, 2), BackEnd::mumps);
    EXPECT_EQ(solver->factor(std::vector<double>{1.0, 2.0, 2.0, 4.0}), FactorStatus::singular);
    EXPECT_EQ(solver->factor(std::vector<double>{1.0, 2.0, 2.0, 5.0}), FactorStatus::ok);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace rubato
