// Every back end in the list sits the same exam, real and complex.
#include "rubato/linalg/linear_solver.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/allocation_counter.hpp"
#include "support/numbers.hpp"
#include "support/structured_matrices.hpp"
#include "unit/linalg/random_matrices.hpp"

namespace rubato {
namespace {

using test::Complex;

template <class T>
class LinearSolverTest : public testing::Test {};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(LinearSolverTest, Scalars);

TYPED_TEST(LinearSolverTest, SolvesToRoundOff) {
  std::mt19937 random(11);
  for (const BackEndEntry& entry : back_ends())
    for (const int n : {1, 2, 3, 7, 31, 32, 33, 64, 100, 170, 300}) {
      const auto pattern = test::random_pattern(random, n, n, 4, true);
      const auto solver = make_linear_solver<TypeParam>(pattern, entry.id);
      for (int repeat = 0; repeat < 3; ++repeat) {  // the first with fresh pivots, the others perhaps with old ones
        const auto values = test::random_values<TypeParam>(random, static_cast<std::size_t>(pattern.nnz()));
        const auto a = test::to_dense<TypeParam>(pattern, values);
        const auto b = test::random_values<TypeParam>(random, 3 * static_cast<std::size_t>(n));
        auto x = b, y = b;
        ASSERT_EQ(solver->factor(values), FactorStatus::ok) << entry.name << " n = " << n;
        solver->solve(x);  // three right-hand sides at once
        solver->solve_transposed(y);
        const test::DenseMatrix<TypeParam> at = a.transpose();
        // Backward error about ε·growth; frozen pivots may cost the three digits that klu_solver.cpp tolerates.
        const double bound = 20 * eps * std::max(1.0, solver->report().growth);
        if (entry.id == BackEnd::dense) {
          EXPECT_LT(solver->report().growth, 30);  // partial pivoting of random matrices: about n^(2/3)
        }
        for (int k = 0; k < 3; ++k) {
          const auto part = [&](const std::vector<TypeParam>& z) {
            return std::vector<TypeParam>(z.begin() + k * n, z.begin() + (k + 1) * n);
          };
          EXPECT_LT(test::backward_error<TypeParam>(a, part(x), part(b)), bound) << entry.name << " n = " << n;
          EXPECT_LT(test::backward_error<TypeParam>(at, part(y), part(b)), bound) << entry.name << " n = " << n;
        }
      }
      const SolverReport report = solver->report();
      EXPECT_EQ(report.full_factorisations + report.refactorisations, 3);
      EXPECT_EQ(report.n, n);
      EXPECT_GE(report.factor_nnz, n);
      EXPECT_GT(report.pivot_ratio, 0);
    }
}

TYPED_TEST(LinearSolverTest, RefactorisationEqualsAFreshOne) {
  std::mt19937 random(12);
  const auto pattern = test::random_pattern(random, 80, 80, 3, true);
  auto values = test::random_values<TypeParam>(random, static_cast<std::size_t>(pattern.nnz()));
  for (int j = 0; j < 80; ++j) values[pattern.index_of(j, j)] += 5.0;  // any pivots on the diagonal are good ones
  const auto b = test::random_values<TypeParam>(random, 80);
  const auto old = make_linear_solver<TypeParam>(pattern, BackEnd::klu);
  ASSERT_EQ(old->factor(values), FactorStatus::ok);
  for (TypeParam& v : values) v *= 1 + 0.1 * test::uniform(random);
  const auto fresh = make_linear_solver<TypeParam>(pattern, BackEnd::klu);
  ASSERT_EQ(old->factor(values), FactorStatus::ok);
  ASSERT_EQ(fresh->factor(values), FactorStatus::ok);
  EXPECT_EQ(old->report().refactorisations, 1);
  EXPECT_EQ(old->report().library_allocations, 1);
  auto x = b, y = b;
  old->solve(x);
  fresh->solve(y);
  EXPECT_LT((test::as_vector(x) - test::as_vector(y)).norm(), 100 * eps * test::as_vector(y).norm());
}

TYPED_TEST(LinearSolverTest, OldPivotsThatCollapseAreReplaced) {
  // Pivoting on a₁₁ is fine for [[1, 1], [1, 1+δ]] and destroys [[1e-20, 1], [1, 1]] completely: L₂₁ = 1e20, and the
  // solution of A x = (1, 2)ᵀ, x ≈ (1, 1)ᵀ, comes out with x₁ = 0 if the old pivots are kept.
  for (const BackEndEntry& entry : back_ends()) {
    const auto solver = make_linear_solver<TypeParam>(SparsePattern::dense(2, 2), entry.id);
    ASSERT_EQ(solver->factor(std::vector<TypeParam>{1.5, 1.0, 1.0, 1.25}), FactorStatus::ok);
    ASSERT_EQ(solver->factor(std::vector<TypeParam>{1e-20, 1.0, 1.0, 1.0}), FactorStatus::ok);
    std::vector<TypeParam> x = {1.0, 2.0};
    solver->solve(x);
    EXPECT_LT(std::abs(x[0] - 1.0), 4 * eps) << entry.name;
    EXPECT_LT(std::abs(x[1] - 1.0), 4 * eps) << entry.name;
    EXPECT_EQ(solver->report().full_factorisations, 2) << entry.name;
    EXPECT_LE(solver->report().growth, 10) << entry.name;
    // A zero where the old pivot was: the refactorisation fails outright, the fresh one serves.
    ASSERT_EQ(solver->factor(std::vector<TypeParam>{1.0, 1.0, 1.0, 0.0}), FactorStatus::ok) << entry.name;
    ASSERT_EQ(solver->factor(std::vector<TypeParam>{0.0, 1.0, 1.0, 1.0}), FactorStatus::ok) << entry.name;
    x = {1.0, 2.0};
    solver->solve(x);
    EXPECT_LT(std::abs(x[0] - 1.0) + std::abs(x[1] - 1.0), 8 * eps) << entry.name;
  }
}

TYPED_TEST(LinearSolverTest, SingularAndNonFiniteMatricesAreReportedAndSurvived) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const BackEndEntry& entry : back_ends()) {
    const auto solver = make_linear_solver<TypeParam>(SparsePattern::dense(2, 2), entry.id);
    EXPECT_EQ(solver->factor(std::vector<TypeParam>{1.0, 2.0, 2.0, 4.0}), FactorStatus::singular) << entry.name;
    EXPECT_EQ(solver->factor(std::vector<TypeParam>{0.0, 0.0, 0.0, 0.0}), FactorStatus::singular) << entry.name;
    EXPECT_EQ(solver->factor(std::vector<TypeParam>{1.0, 2.0, inf, 4.0}), FactorStatus::not_finite) << entry.name;
    EXPECT_EQ(solver->factor(std::vector<TypeParam>{1.0, nan, 2.0, 4.0}), FactorStatus::not_finite) << entry.name;
    ASSERT_EQ(solver->factor(std::vector<TypeParam>{2.0, 0.0, 0.0, 4.0}), FactorStatus::ok) << entry.name;
    EXPECT_EQ(solver->factor(std::vector<TypeParam>{1.0, 2.0, 2.0, 4.0}), FactorStatus::singular) << entry.name;
    ASSERT_EQ(solver->factor(std::vector<TypeParam>{2.0, 0.0, 0.0, 4.0}), FactorStatus::ok) << entry.name;
    std::vector<TypeParam> x = {2.0, 4.0};
    solver->solve(x);
    EXPECT_EQ(x[0], TypeParam(1.0));
    EXPECT_EQ(x[1], TypeParam(1.0));
    // Structurally singular: an empty column.
    const auto hopeless = make_linear_solver<TypeParam>(SparsePattern::from_entries(2, 2, {{0, 0}, {1, 0}}), entry.id);
    EXPECT_EQ(hopeless->factor(std::vector<TypeParam>{1.0, 2.0}), FactorStatus::singular) << entry.name;
    // Overflow inside the factorisation is noticed, unless the back end scales its rows and gets through.
    if (solver->factor(std::vector<TypeParam>{1.0, 1.0, 1.7e308, -1.7e308}) == FactorStatus::ok) {
      x = {2.0, 0.0};
      solver->solve(x);
      EXPECT_LT(std::abs(x[0] - 1.0), 16 * eps) << entry.name;
    }
    const auto empty = make_linear_solver<TypeParam>(SparsePattern(), entry.id);
    EXPECT_EQ(empty->factor({}), FactorStatus::ok) << entry.name;
    empty->solve({});
  }
}

TYPED_TEST(LinearSolverTest, DoesNotAllocateAfterTheFirstFactorisation) {
  std::mt19937 random(13);
  for (const BackEndEntry& entry : back_ends())
    for (const int n : {5, 40, 200, 600}) {
      const auto pattern = test::random_pattern(random, n, n, 4, true);
      auto values = test::random_values<TypeParam>(random, static_cast<std::size_t>(pattern.nnz()));
      for (int j = 0; j < n; ++j) values[pattern.index_of(j, j)] += 5.0;
      auto x = test::random_values<TypeParam>(random, static_cast<std::size_t>(n));
      const auto solver = make_linear_solver<TypeParam>(pattern, entry.id);
      ASSERT_EQ(solver->factor(values), FactorStatus::ok);
      for (TypeParam& v : values) v *= 1.1;
      const long before = solver->report().library_allocations;
      const test::AllocationScope scope;
      const FactorStatus status = solver->factor(values);
      solver->solve(x);
      solver->solve_transposed(x);
      const long allocations = scope.count();
      EXPECT_EQ(status, FactorStatus::ok);
      if (entry.id == BackEnd::mumps ||
          entry.id == BackEnd::cholmod) {  // one factorisation, two solves: the library allocates, and it is said
        EXPECT_EQ(solver->report().library_allocations, before + 3);
        continue;
      }
      EXPECT_EQ(allocations, 0) << entry.name << " n = " << n;
      EXPECT_EQ(solver->report().library_allocations, before);
    }
}

TYPED_TEST(LinearSolverTest, ConditionEstimateIsWithinAFactorThreeOfTheTruth) {
  std::mt19937 random(14);
  for (const BackEndEntry& entry : back_ends())
    for (const int n : {1, 4, 30}) {
      const auto pattern = SparsePattern::dense(n, n);
      auto values = test::random_values<TypeParam>(random, static_cast<std::size_t>(n) * n);
      for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i) * n] *= 1e-6;  // a small row
      const auto a = test::to_dense<TypeParam>(pattern, values);
      const test::DenseMatrix<TypeParam> inverse = a.inverse();
      const double truth =
          1.0 / (a.cwiseAbs().colwise().sum().maxCoeff() * inverse.cwiseAbs().colwise().sum().maxCoeff());
      const auto solver = make_linear_solver<TypeParam>(pattern, entry.id);
      ASSERT_EQ(solver->factor(values), FactorStatus::ok);
      std::vector<TypeParam> x(static_cast<std::size_t>(n)), y = x;
      const double estimate = reciprocal_condition<TypeParam>(
          *solver, one_norm<TypeParam>(pattern, std::span<const TypeParam>(values)), x, y);
      EXPECT_GE(estimate, truth * (1 - 1e-8)) << entry.name;
      EXPECT_LE(estimate, truth * 3) << entry.name;
    }
}

TEST(AllocationCounter, SeesWhatItShouldSee) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "not under the address sanitizer";
  const test::AllocationScope scope;
  std::vector<double> grows(100);
  EXPECT_EQ(scope.count(), 1);
  // KLU's own malloc, inside a shared library, is seen as well.
  const auto solver = make_linear_solver<double>(SparsePattern::dense(2, 2), BackEnd::klu);
  const test::AllocationScope inside;
  ASSERT_EQ(solver->factor(std::vector<double>{2.0, 0.0, 0.0, 4.0}), FactorStatus::ok);
  EXPECT_GT(inside.count(), 2);
}

TEST(BackEnd, NamesGoBothWays) {
  for (const BackEndEntry& entry : back_ends()) {
    EXPECT_EQ(to_string(entry.id), entry.name);
    ASSERT_TRUE(back_end_from_name(entry.name).ok());
    EXPECT_EQ(*back_end_from_name(entry.name), entry.id);
  }
  EXPECT_EQ(*back_end_from_name("automatic"), BackEnd::automatic);
  EXPECT_EQ(to_string(BackEnd::automatic), "automatic");
  const auto wrong = back_end_from_name("klo");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("klu"), std::string::npos);
}

TEST(BackEnd, AutomaticTakesMumpsForFiniteElementsOnly) {
  EXPECT_EQ(resolved(BackEnd::automatic, test::bricks(8, 8, 8).pattern), BackEnd::mumps);
  EXPECT_EQ(resolved(BackEnd::automatic, test::taylor_hood(14, 14).pattern), BackEnd::mumps);
  for (const int n_links : {10, 100, 1000})
    EXPECT_EQ(resolved(BackEnd::automatic, test::chain(n_links).pattern), BackEnd::klu);
  EXPECT_EQ(resolved(BackEnd::automatic, test::bricks(200, 1, 1).pattern),
            BackEnd::klu);  // long and thin: hardly any fill
  // As much fill, but nothing symmetric about it.
  std::mt19937 random(16);
  EXPECT_EQ(resolved(BackEnd::automatic, test::random_pattern(random, 2500, 2500, 4, true)), BackEnd::klu);
}

TEST(BackEnd, AutomaticTakesDenseForSmallOrFillingMatricesAndKluOtherwise) {
  std::mt19937 random(15);
  EXPECT_EQ(resolved(BackEnd::automatic, SparsePattern::identity(4)), BackEnd::dense);
  EXPECT_EQ(resolved(BackEnd::automatic, SparsePattern::dense(100, 100)), BackEnd::dense);
  EXPECT_EQ(resolved(BackEnd::automatic, SparsePattern::identity(100)), BackEnd::klu);
  EXPECT_EQ(resolved(BackEnd::automatic, SparsePattern::identity(5000)), BackEnd::klu);
  EXPECT_EQ(resolved(BackEnd::klu, SparsePattern::identity(4)), BackEnd::klu);
  // 7 % of the places, and yet the factors fill: dense.
  EXPECT_EQ(resolved(BackEnd::automatic, test::random_pattern(random, 300, 300, 20, true)), BackEnd::dense);
  // An arrow fills only if eliminated in the wrong order; a structurally singular matrix gets some answer, too.
  std::vector<Entry> arrow;
  for (int i = 0; i < 100; ++i) arrow.insert(arrow.end(), {{i, i}, {i, 0}, {0, i}});
  EXPECT_EQ(resolved(BackEnd::automatic, SparsePattern::from_entries(100, 100, arrow)), BackEnd::klu);
  EXPECT_EQ(resolved(BackEnd::automatic, SparsePattern::from_entries(100, 100, {{0, 0}})), BackEnd::klu);
}

}  // namespace
}  // namespace rubato
