#include <gtest/gtest.h>

#include <Eigen/LU>

#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/static_lu.hpp"
#include "rubato/realtime/static_qr.hpp"
#include "support/allocation_counter.hpp"
#include "support/counted.hpp"
#include "support/random_matrices.hpp"

namespace rubato::realtime {
namespace {

using test::Counted;

struct Case {
  SparsePattern pattern;
  std::vector<std::vector<double>> samples;
};

Case random_case(std::mt19937& random, int n, double per_row, int n_samples) {
  Case made{test::random_pattern(n, per_row, random), {}};
  for (int s = 0; s < n_samples; ++s)
    made.samples.push_back(test::random_values(static_cast<std::size_t>(made.pattern.nnz()), random));
  return made;
}

Result<Ordering> ordering_of(StaticKind kind, const Case& c) {
  if (kind == StaticKind::qr) return qr_ordering(c.pattern);
  auto made = lu_ordering(c.pattern, c.samples);
  if (!made) return made.error();
  return made->ordering;
}

class StaticSolverTest : public testing::TestWithParam<StaticKind> {};

/// The residual of rounding alone; the solution agrees with dense LU as far as the condition allows.
TEST_P(StaticSolverTest, SolvesWhatDenseLuSolves) {
  std::mt19937 random(7);
  for (const double per_row : {0.5, 2.0, 4.0})
    for (int round = 0; round < 12; ++round) {
      const Case c = random_case(random, 40, per_row, 3);
      const auto ordering = ordering_of(GetParam(), c);
      ASSERT_TRUE(ordering.ok()) << ordering.error().message;
      const auto solver = make_static_solver(GetParam(), c.pattern, *ordering);
      ASSERT_TRUE(solver.ok()) << solver.error().message;
      for (const auto& values : c.samples) {
        const auto b = test::random_values(40, random);
        std::vector<double> x(40);
        ASSERT_EQ((*solver)->solve(values, b, x), SolveStatus::ok);
        const Matrix a = test::dense(c.pattern, values);
        const Vector exact = a.fullPivLu().solve(map(In(b)));
        const double scale = a.cwiseAbs().rowwise().sum().maxCoeff() * map(In(x)).lpNorm<Eigen::Infinity>() + 1;
        EXPECT_LE((a * map(In(x)) - map(In(b))).lpNorm<Eigen::Infinity>(), 1e-12 * scale);
        const double condition = a.inverse().norm() * a.norm();
        EXPECT_LE((map(In(x)) - exact).norm(), 1e-13 * condition * exact.norm());
      }
    }
}

/// Factors serve further right-hand sides, as if the matrix had been factorised again.
TEST_P(StaticSolverTest, SolvesAgainWithTheSameFactors) {
  std::mt19937 random(19);
  for (int round = 0; round < 12; ++round) {
    const Case c = random_case(random, 30, 2, 1);
    const auto solver = make_static_solver(GetParam(), c.pattern, *ordering_of(GetParam(), c));
    ASSERT_TRUE(solver.ok());
    const auto first = test::random_values(30, random), second = test::random_values(30, random);
    std::vector<double> x(30), again(30);
    ASSERT_EQ((*solver)->solve(c.samples[0], first, x), SolveStatus::ok);
    (*solver)->solve_again(c.samples[0], second, again);
    ASSERT_EQ((*solver)->solve(c.samples[0], second, x), SolveStatus::ok);
    EXPECT_EQ(again, x);
  }
}

/// The count does not depend on values, not even on zeros, and is the predicted one.
TEST_P(StaticSolverTest, CountsTheSameOperationsForAnyValues) {
  std::mt19937 random(11);
  const Case c = random_case(random, 30, 2, 2);
  const auto ordering = ordering_of(GetParam(), c);
  ASSERT_TRUE(ordering.ok());
  const auto count = [&](const std::vector<double>& values, bool again) {
    std::vector<Counted> a, b(30, Counted(1)), x(30);
    for (const double value : values) a.emplace_back(value);
    Counted::count() = {};
    if (GetParam() == StaticKind::qr) {
      const QrTables tables(c.pattern, *ordering);
      QrMemory<Counted> memory(tables);
      (void)qr_solve<Counted>(tables, a, b, x, memory);
      if (again) Counted::count() = {};
      if (again) qr_solve_again<Counted>(tables, a, b, x, memory);
    } else {
      const LuTables tables(c.pattern, *ordering);
      LuMemory<Counted> memory(tables);
      (void)lu_solve<Counted>(tables, a, b, x, memory);
      if (again) Counted::count() = {};
      if (again) lu_solve_again<Counted>(tables, a, b, x, memory);
    }
    return Counted::count();
  };
  const StaticFacts facts = (*make_static_solver(GetParam(), c.pattern, *ordering))->facts();
  EXPECT_GT(facts.again.total(), 0);
  EXPECT_GT(facts.operations.total(), facts.again.total());
  std::vector<double> half = c.samples[0];
  for (std::size_t i = 0; i < half.size(); i += 2) half[i] = 0;
  for (const auto& values : {c.samples[0], c.samples[1], half, std::vector<double>(half.size(), 0.0)}) {
    EXPECT_EQ(count(values, false), facts.operations);
    EXPECT_EQ(count(values, true), facts.again);
  }
}

/// A zero on the diagonal is reported and not divided by: no infinities, and the next matrix is solved as if nothing had been.
TEST_P(StaticSolverTest, ReportsSingularValues) {
  std::mt19937 random(13);
  const Case c = random_case(random, 20, 2, 1);
  const auto ordering = ordering_of(GetParam(), c);
  ASSERT_TRUE(ordering.ok());
  const auto solver = make_static_solver(GetParam(), c.pattern, *ordering);
  std::vector<double> b(20, 1.0), before(20), after(20), x(20);
  ASSERT_EQ((*solver)->solve(c.samples[0], b, before), SolveStatus::ok);
  std::vector<double> singular = c.samples[0];
  for (int p = c.pattern.column_starts()[7]; p < c.pattern.column_starts()[8]; ++p) singular[p] = 0;
  EXPECT_EQ((*solver)->solve(singular, b, x), SolveStatus::singular);
  EXPECT_TRUE(map(In(x)).allFinite());
  EXPECT_EQ((*solver)->solve(c.samples[0], b, after), SolveStatus::ok);
  EXPECT_EQ(before, after);
}

TEST_P(StaticSolverTest, NeverAllocates) {
  std::mt19937 random(17);
  const Case c = random_case(random, 50, 2, 1);
  const auto solver = make_static_solver(GetParam(), c.pattern, *ordering_of(GetParam(), c));
  ResidualMonitor monitor(c.pattern);
  std::vector<double> b(50, 1.0), x(50);
  const test::AllocationScope scope;
  const SolveStatus status = (*solver)->solve(c.samples[0], b, x);
  const double error = monitor.backward_error(c.samples[0], b, x);
  if (test::allocations_are_counted()) {
    EXPECT_EQ(scope.count(), 0);
  }
  EXPECT_EQ(status, SolveStatus::ok);
  EXPECT_LT(error, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StaticSolverTest, testing::Values(StaticKind::qr, StaticKind::lu),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

/// Pivots of the samples do not serve any matrix: where one of them is nearly zero elements grow, and the monitor sees it.
TEST(StaticLu, TheMonitorSeesPivotsThatDoNotServe) {
  const auto pattern = SparsePattern::dense(2, 2);
  const std::vector<std::vector<double>> samples = {{4, 1, 1, 3}};
  const auto ordering = lu_ordering(pattern, samples);
  ASSERT_TRUE(ordering.ok());
  const auto solver = make_static_solver(StaticKind::lu, pattern, ordering->ordering);
  ResidualMonitor monitor(pattern);
  const std::vector<double> b = {1, 2};
  std::vector<double> x(2);
  ASSERT_EQ((*solver)->solve(samples[0], b, x), SolveStatus::ok);
  EXPECT_LT(monitor.backward_error(samples[0], b, x), 1e-15);
  std::vector<double> tiny_pivot = samples[0];
  const auto [row, col] = std::pair(ordering->ordering.rows[0], ordering->ordering.cols[0]);
  tiny_pivot[static_cast<std::size_t>(2 * col + row)] = 1e-14;
  ASSERT_EQ((*solver)->solve(tiny_pivot, b, x), SolveStatus::ok);
  EXPECT_GT(monitor.backward_error(tiny_pivot, b, x), 1e-6);
}

/// Two samples that each forbid what the other prefers: the pivots serve both.
/// A row whose terms vanish beside those of others is as good as exact; the same residual where they do not is none.
TEST(ResidualMonitor, LeavesRowsOfNothingAside) {
  const SparsePattern a = SparsePattern::dense(2, 2);
  const std::vector<double> values = {1, 0, 0, 1}, b = {1, 1e-20};
  ResidualMonitor monitor(a);
  EXPECT_EQ(monitor.backward_error(values, b, std::vector<double>{1, 1e-20}), 0);
  EXPECT_LT(monitor.backward_error(values, b, std::vector<double>{1, 1.1e-20}), 1e-14);
  const std::vector<double> larger = {1, 1e-3}, wrong = {1, 1.1e-3};
  EXPECT_NEAR(monitor.backward_error(values, larger, wrong), 1e-4 / (2.1e-3 + 1e-4), 1e-12);
}

TEST(StaticLu, PivotsServeAllSamples) {
  // [a b; c d]: sample 1 has a = 0, sample 2 has d = 0; only the other diagonal serves.
  const std::vector<std::vector<double>> samples = {{0, 1, 1, 1}, {1, 1, 1, 0}};
  const auto made = lu_ordering(SparsePattern::dense(2, 2), samples);
  ASSERT_TRUE(made.ok());
  EXPECT_NE(made->ordering.rows[0], made->ordering.cols[0]);
  EXPECT_DOUBLE_EQ(made->worst_ratio, 1);
}

TEST(StaticLu, RefusesSamplesWithoutCommonPivots) {
  const std::vector<std::vector<double>> samples = {{1, 0, 0, 1}, {0, 1, 1, 0}};
  EXPECT_FALSE(lu_ordering(SparsePattern::dense(2, 2), samples).ok());
  EXPECT_FALSE(lu_ordering(SparsePattern::dense(2, 2), {}).ok());
}

}  // namespace
}  // namespace rubato::realtime
