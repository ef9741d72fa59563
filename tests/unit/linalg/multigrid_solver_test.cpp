// Algebraic multigrid as preconditioner: few iterations on every mesh of what it is made for, a symmetric cycle, the same bits every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "rubato/linalg/iterated_solver.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "support/allocation_counter.hpp"
#include "support/elastic_matrices.hpp"

namespace rubato {
namespace {

using test::elastic_matrix;
using test::StructuredMatrix;

Vector uneven(int n, int phase = 1) {
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>((7 + phase) * i + phase));
  return x;
}

/// Products until the residual is 1e-8 of a load at the end that is not held; the answer is checked.
long iterations(const StructuredMatrix& a, BackEnd preconditioner) {
  IteratedSolver solver(a.pattern, preconditioner);
  solver.set_values(a.values);
  EXPECT_EQ(solver.renew(), FactorStatus::ok);
  Vector b = Vector::Zero(a.pattern.rows()), x(b.size()), product(b.size());
  b.tail(3).setOnes();
  x = b;
  EXPECT_TRUE(solver.solve(view(x), 1e-8));
  multiply(a.pattern, a.values, view(std::as_const(x)), view(product));
  EXPECT_LT((b - product).norm(), 2e-8 * b.norm());
  return solver.products();
}

StructuredMatrix plane(int scale, double stretched, bool keep_held = false) {
  return elastic_matrix<2>(
      {.cells = {10 * scale, 4 * scale}, .size = {stretched, 1}, .lambda = 1.5, .mu = 1, .keep_held = keep_held});
}

/// Sixteen times as many unknowns and more, and not twice the iterations: of plates with square and with stretched elements (held unknowns left
/// out or kept), of bars in space, of heat. A lower bound, too: a cycle is no solve. Incomplete factors need more and more.
TEST(Multigrid, IterationsHardlyDependOnTheMesh) {
  for (const double stretched : {1.0, 4.0})
    for (const bool keep_held : {false, true}) {
      const long coarse = iterations(plane(4, stretched, keep_held), BackEnd::multigrid),
                 fine = iterations(plane(16, stretched, keep_held), BackEnd::multigrid);
      RecordProperty("plate" + std::to_string(static_cast<int>(stretched)),
                     std::to_string(coarse) + " " + std::to_string(fine));
      EXPECT_GE(coarse, 5) << stretched;
      EXPECT_LE(fine, std::min(30L, 2 * coarse)) << stretched;
    }
  const auto bar = [](int scale) {
    return iterations(elastic_matrix<3>({.cells = {12 * scale, 3 * scale, 3 * scale}, .size = {1, 1, 1}}),
                      BackEnd::multigrid);
  };
  const long coarse = bar(1), fine = bar(3);
  RecordProperty("bar", std::to_string(coarse) + " " + std::to_string(fine));
  EXPECT_GE(coarse, 5);
  EXPECT_LE(fine, std::min(30L, 2 * coarse));
  const auto heat = [](int cells) {
    return iterations(elastic_matrix<2>({.cells = {cells, cells}, .size = {1, 1}, .heat = true}), BackEnd::multigrid);
  };
  const long warm = heat(24), warmer = heat(96);
  RecordProperty("heat", std::to_string(warm) + " " + std::to_string(warmer));
  EXPECT_GE(warm, 5);
  EXPECT_LE(warmer, 20);

  const long before = iterations(plane(4, 1), BackEnd::incomplete),
             after = iterations(plane(16, 1), BackEnd::incomplete);
  RecordProperty("incomplete", std::to_string(before) + " " + std::to_string(after));
  EXPECT_GT(after, 2 * before) << "what multigrid is for";
}

class Cycle : public testing::Test {
 protected:
  StructuredMatrix a = plane(4, 4);
  std::unique_ptr<LinearSolver<double>> solver = make_linear_solver<double>(a.pattern, BackEnd::multigrid);
  [[nodiscard]] Vector applied(Vector x) const {
    solver->solve(view(x));
    return x;
  }
};

/// Gauss-Seidel forwards going down and backwards going up: xᵀCy = yᵀCx, and xᵀCx > 0, as conjugate gradients would need it.
TEST_F(Cycle, IsSymmetricAndPositiveDefinite) {
  ASSERT_EQ(solver->factor(a.values), FactorStatus::ok);
  const Vector x = uneven(a.pattern.rows(), 1), y = uneven(a.pattern.rows(), 2);
  const Vector cx = applied(x), cy = applied(y);
  EXPECT_NEAR(x.dot(cy), y.dot(cx), 1e-11 * x.norm() * cy.norm());
  EXPECT_GT(x.dot(cx), 0);
  EXPECT_GT(y.dot(cy), 0);
}

/// Equations may be multiplied by −1: only right-hand sides change. Step matrices of mechanical systems come so.
TEST_F(Cycle, DoesNotMindSignsOfRows) {
  ASSERT_EQ(solver->factor(a.values), FactorStatus::ok);
  Vector b = uneven(a.pattern.rows());
  const Vector plain = applied(b);
  std::vector<double> turned = a.values;
  for (std::size_t p = 0; p < turned.size(); ++p)
    if (a.pattern.row_indices()[p] % 3 == 0) turned[p] = -turned[p];
  for (int i = 0; i < b.size(); i += 3) b[i] = -b[i];
  ASSERT_EQ(solver->factor(turned), FactorStatus::ok);
  EXPECT_EQ(applied(b), plain);
}

TEST_F(Cycle, IsTheSameEveryTime) {
  ASSERT_EQ(solver->factor(a.values), FactorStatus::ok);
  const Vector b = uneven(a.pattern.rows());
  const Vector first = applied(b);
  const auto other = make_linear_solver<double>(a.pattern, BackEnd::multigrid);
  ASSERT_EQ(other->factor(a.values), FactorStatus::ok);
  Vector x = b;
  other->solve(view(x));
  EXPECT_EQ(x, first);
  ASSERT_EQ(solver->factor(a.values), FactorStatus::ok);
  EXPECT_EQ(applied(b), first) << "a second factorisation remembers nothing";
}

TEST_F(Cycle, AllocatesNothing) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  ASSERT_EQ(solver->factor(a.values), FactorStatus::ok);
  Vector x = uneven(a.pattern.rows());
  const test::AllocationScope scope;
  solver->solve(view(x));
  EXPECT_EQ(scope.count(), 0);
}

TEST_F(Cycle, SaysWhatItCannotDo) {
  std::vector<double> values = a.values;
  values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver->factor(values), FactorStatus::not_finite);
  values[0] = 0;  // the first entry of the first column is on the diagonal
  EXPECT_EQ(solver->factor(values), FactorStatus::singular);
  EXPECT_FALSE(available(BackEnd::multigrid).ok());
}

/// What is given is given back, whatever else happens.
TEST(Multigrid, GivenUnknownsAreExact) {
  const StructuredMatrix a = plane(8, 1, true);
  const auto solver = make_linear_solver<double>(a.pattern, BackEnd::multigrid);
  ASSERT_EQ(solver->factor(a.values), FactorStatus::ok);
  const Vector b = uneven(a.pattern.rows());
  Vector x = b;
  solver->solve(view(x));
  const int held = 2 * (4 * 8 + 1);
  EXPECT_EQ(x.head(held), b.head(held));
}

/// A matrix that is small has one level, which is factorised: it needs no diagonal. 0 1 / 1 0 turns vectors over.
TEST(Multigrid, SmallMatricesAreSolved) {
  const StructuredMatrix a = plane(1, 4);
  EXPECT_EQ(iterations(a, BackEnd::multigrid), 1);
  const auto solver =
      make_linear_solver<double>(SparsePattern::from_entries(2, 2, {{0, 1}, {1, 0}}), BackEnd::multigrid);
  ASSERT_EQ(solver->factor(std::vector{1.0, 1.0}), FactorStatus::ok);
  Vector x{{3.0, 4.0}};
  solver->solve(view(x));
  EXPECT_EQ(x, (Vector{{4.0, 3.0}}));
}

/// Rows −1 − p, 2, −1 + p. Some convection does not matter; much makes a cycle that enlarges errors, and is no inverse. Unknowns
/// that are measured in units of their own do not make an error large.
TEST(Multigrid, CyclesThatExplodeAreRefused) {
  constexpr int n = 1000;
  const auto status = [](double p, double unit) {
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) entries.push_back({i, j});
    const auto pattern = SparsePattern::from_entries(n, n, std::move(entries));
    std::vector<double> values;
    const auto size = [&](int i) { return i % 3 == 0 ? unit : 1; };
    for (int j = 0; j < n; ++j)
      for (const int i : pattern.column(j))
        values.push_back(size(i) * size(j) * (i == j ? 2 : j < i ? -1 - p : -1 + p));
    return make_linear_solver<double>(pattern, BackEnd::multigrid)->factor(values);
  };
  EXPECT_EQ(status(0, 1), FactorStatus::ok);
  EXPECT_EQ(status(0, 1e6), FactorStatus::ok);
  EXPECT_EQ(status(0.01, 1), FactorStatus::ok);
  EXPECT_EQ(status(0.5, 1), FactorStatus::singular);
}

/// Incomplete factors do not exchange rows. Of saddle points K Bᵀ / B 0, regular and with entries of 1 at most, they make now and then
/// numbers and no inverse: those are refused. Of K alone, in which the diagonal is large, all serve.
TEST(Incomplete, FactorsThatAreNoInverseAreRefused) {
  constexpr int size = 20, n_tries = 1000;
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
  const auto pick = [&] { return static_cast<int>(random() % size); };
  const auto refused = [&](int multipliers, double diagonal) {
    int count = 0;
    for (int k = 0; k < n_tries; ++k) {
      Matrix a = Matrix::Zero(size + multipliers, size + multipliers);
      for (int i = 0; i < size; ++i) {
        a(i, i) = diagonal;
        for (int j = 0; j < 3; ++j) a(i, pick()) += number();
      }
      for (int i = size; i < size + multipliers; ++i)
        for (int j = 0; j < 4; ++j) {
          const int col = pick();
          a(i, col) = a(col, i) = number();
        }
      std::vector<Entry> entries;
      std::vector<double> values;
      for (int j = 0; j < a.cols(); ++j)
        for (int i = 0; i < a.rows(); ++i)
          if (a(i, j) != 0) {
            entries.push_back({i, j});
            values.push_back(a(i, j));
          }
      const auto n = static_cast<int>(a.rows());
      const auto pattern = SparsePattern::from_entries(n, n, std::move(entries));
      if (make_linear_solver<double>(pattern, BackEnd::incomplete)->factor(values) != FactorStatus::ok) ++count;
    }
    return count;
  };
  EXPECT_EQ(refused(0, 4), 0);
  const int saddles = refused(10, 1);
  EXPECT_GT(saddles, 0);
  EXPECT_LT(saddles, n_tries / 2);
}

}  // namespace
}  // namespace rubato
