// Condensation is exact, scaling changes the condition and not the solution, and nothing allocates after set-up.
#include "rubato/linalg/step_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "rubato/linalg/step_scaling.hpp"
#include "support/allocation_counter.hpp"
#include "support/numbers.hpp"
#include "unit/linalg/random_systems.hpp"

namespace rubato {
namespace {

using test::Complex;

template <class T>
class StepMatrixTest : public testing::Test {
 public:
  static StepMatrixOptions options(BackEnd back_end, bool condense) {
    const bool real = std::is_same_v<T, double>;
    return {.back_end = back_end, .condense = condense, .real_shifts = real ? 2 : 0, .complex_shifts = real ? 0 : 2};
  }
  /// 1/(hγ)-like shifts; complex ones as in Radau IIA.
  static T shift(double h) {
    if constexpr (std::is_same_v<T, double>)
      return 2.3 / h;
    else
      return T(2.68 / h, 3.05 / h);
  }
};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(StepMatrixTest, Scalars);

TYPED_TEST(StepMatrixTest, CondensedEqualsFullToRoundOff) {
  std::mt19937 random(21);
  for (const BackEndEntry& entry : back_ends())
    for (const bool full_g : {false, true})
      for (const int n_q : {1, 2, 5, 20, 60}) {
        const int n_lambda = n_q / 3;
        const auto system = test::random_second_order(random, n_q, n_lambda, full_g);
        StepMatrix condensed(system.B, system.J, system.local, this->options(entry.id, true));
        StepMatrix full(system.B, system.J, system.local, this->options(entry.id, false));
        EXPECT_EQ(condensed.size(), 2 * n_q + n_lambda);
        EXPECT_EQ(condensed.condensed_size(), n_q + n_lambda);
        EXPECT_EQ(full.condensed_size(), 2 * n_q + n_lambda);
        condensed.linearise(system.B_values, system.J_values);
        full.linearise(system.B_values, system.J_values);
        const TypeParam c = this->shift(0.2);
        ASSERT_EQ(condensed.factor(c), FactorStatus::ok);
        ASSERT_EQ(full.factor(c), FactorStatus::ok);
        const auto r = test::random_values<TypeParam>(random, static_cast<std::size_t>(system.size()));
        auto x = r, y = r;
        condensed.solve(r, x);
        full.solve(r, y);
        const auto a = system.template matrix<TypeParam>(c);
        EXPECT_LT(test::backward_error<TypeParam>(a, y, r), 200 * eps);
        // Pivots −1 in rows with entries c and −1: elimination multiplies the data by at most |c|².
        EXPECT_LT(test::backward_error<TypeParam>(a, x, r), 200 * eps * std::norm(c));
        const test::DenseVector<TypeParam> truth = a.partialPivLu().solve(test::as_vector(r));
        EXPECT_LT((test::as_vector(x) - truth).norm(), 1e-9 * truth.norm()) << entry.name << " n_q = " << n_q;
      }
}

TYPED_TEST(StepMatrixTest, CondensedMatrixIsTheDynamicStiffness) {
  // S = c²M − c f_v − f_q on the coordinates, −g_q − c g_v and −g_λ in the constraint rows.
  std::mt19937 random(22);
  const int n_q = 12, n_lambda = 4;
  const auto system = test::random_second_order(random, n_q, n_lambda, true);
  const auto whole = united(system.B, system.J);
  const auto from_B = positions_in(system.B, whole), from_J = positions_in(system.J, whole);
  const TypeParam c = this->shift(0.7);
  std::vector<TypeParam> values(static_cast<std::size_t>(whole.nnz()));
  for (std::size_t p = 0; p < from_B.size(); ++p) values[from_B[p]] += c * system.B_values[p];
  for (std::size_t p = 0; p < from_J.size(); ++p) values[from_J[p]] -= system.J_values[p];

  const Condensation symbolic(whole, system.local);
  CondensedMatrix<TypeParam> numeric(symbolic);
  ASSERT_EQ(numeric.reduce(values), FactorStatus::ok);
  const auto s = test::to_dense<TypeParam>(symbolic.reduced_pattern(), numeric.reduced_values());

  const auto b = test::to_dense<double>(system.B, system.B_values),
             j = test::to_dense<double>(system.J, system.J_values);
  test::DenseMatrix<TypeParam> expected(n_q + n_lambda, n_q + n_lambda);
  expected.topLeftCorner(n_q, n_q) = c * c * b.block(n_q, n_q, n_q, n_q).cast<TypeParam>() -
                                     c * j.block(n_q, n_q, n_q, n_q).cast<TypeParam>() -
                                     j.block(n_q, 0, n_q, n_q).cast<TypeParam>();
  expected.topRightCorner(n_q, n_lambda) = -j.block(n_q, 2 * n_q, n_q, n_lambda).cast<TypeParam>();
  expected.bottomLeftCorner(n_lambda, n_q) = -j.block(2 * n_q, 0, n_lambda, n_q).cast<TypeParam>() -
                                             c * j.block(2 * n_q, n_q, n_lambda, n_q).cast<TypeParam>();
  expected.bottomRightCorner(n_lambda, n_lambda) = -j.bottomRightCorner(n_lambda, n_lambda).cast<TypeParam>();
  EXPECT_LT((s - expected).norm(), 8 * eps * expected.norm());
  // One multiplication per entry below a pivot: the columns v of the dynamic and constraint rows.
  long below_pivots = 0;
  for (int i = 0; i < n_q; ++i) below_pivots += static_cast<long>(whole.column(n_q + i).size()) - 1;
  EXPECT_EQ(symbolic.operations(), below_pivots);
}

TYPED_TEST(StepMatrixTest, AnyPivotOrderOfAnyMatrixIsAnExactElimination) {
  // Random matrices, random pivots anywhere, fill-in and pivots inside pivot rows included.
  std::mt19937 random(23);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 2 + static_cast<int>(random() % 30);
    auto pattern = test::random_pattern(random, n, n, 3, true);
    std::vector<int> rows(static_cast<std::size_t>(n)), cols = rows;
    for (int i = 0; i < n; ++i) rows[i] = cols[i] = i;
    std::shuffle(rows.begin(), rows.end(), random);
    std::shuffle(cols.begin(), cols.end(), random);
    const int n_pivots = trial % 5 == 0 ? n : static_cast<int>(random() % static_cast<unsigned>(n));
    std::vector<PivotPosition> pivots;
    for (int k = 0; k < n_pivots; ++k) pivots.push_back({rows[k], cols[k]});
    pattern = united(pattern, SparsePattern::from_entries(n, n, pivots));
    auto values = test::random_values<TypeParam>(random, static_cast<std::size_t>(pattern.nnz()));
    for (const auto [row, col] : pivots) values[pattern.index_of(row, col)] += 6.0;  // good pivots
    for (int i = n_pivots; i < n; ++i)
      if (const int p = pattern.index_of(rows[i], rows[i]); p >= 0) values[p] += 3.0;

    const Condensation symbolic(pattern, pivots);
    CondensedMatrix<TypeParam> numeric(symbolic);
    ASSERT_EQ(symbolic.reduced_size(), n - n_pivots);
    ASSERT_EQ(numeric.reduce(values), FactorStatus::ok);
    const auto b = test::random_values<TypeParam>(random, static_cast<std::size_t>(n));
    std::vector<TypeParam> reduced(static_cast<std::size_t>(n - n_pivots)), x(static_cast<std::size_t>(n));
    numeric.forward(b, reduced);
    const auto solver = make_linear_solver<TypeParam>(symbolic.reduced_pattern(), BackEnd::dense);
    ASSERT_EQ(solver->factor(numeric.reduced_values()), FactorStatus::ok);
    solver->solve(reduced);
    numeric.backward(reduced, x);
    const auto a = test::to_dense<TypeParam>(pattern, values);
    EXPECT_LT(test::backward_error<TypeParam>(a, x, b), 1e-12) << "trial " << trial << ", n = " << n;
  }
}

TYPED_TEST(StepMatrixTest, AVanishingPivotIsReported) {
  const auto pattern = SparsePattern::dense(2, 2);
  const std::vector<PivotPosition> pivot = {{0, 1}};
  const Condensation symbolic(pattern, pivot);
  CondensedMatrix<TypeParam> numeric(symbolic);
  EXPECT_EQ(numeric.reduce(std::vector<TypeParam>{1.0, 1.0, 0.0, 1.0}), FactorStatus::singular);
  EXPECT_EQ(numeric.reduce(std::vector<TypeParam>{1.0, 1.0, std::numeric_limits<double>::infinity(), 1.0}),
            FactorStatus::not_finite);
  EXPECT_EQ(numeric.reduce(std::vector<TypeParam>{1.0, 1.0, 1.0, 1.0}), FactorStatus::ok);
  // Structurally absent: the same answer, at run time.
  const auto diagonal = SparsePattern::identity(2);
  const Condensation absent(diagonal, pivot);
  CondensedMatrix<TypeParam> hopeless(absent);
  EXPECT_EQ(hopeless.reduce(std::vector<TypeParam>{1.0, 1.0}), FactorStatus::singular);
}

TYPED_TEST(StepMatrixTest, SlotsAreIndependentAndKeepTheirScaling) {
  std::mt19937 random(24);
  const auto system = test::random_second_order(random, 6, 2, true);
  StepMatrix matrix(system.B, system.J, system.local, this->options(BackEnd::automatic, true));
  matrix.linearise(system.B_values, system.J_values);
  const TypeParam c0 = this->shift(1.0), c1 = this->shift(0.3);
  ASSERT_EQ(matrix.factor(c0, 0), FactorStatus::ok);
  std::vector<double> left(static_cast<std::size_t>(system.size())), right = left;
  for (double& d : left) d = std::exp(3 * test::uniform(random));
  for (double& d : right) d = std::exp(3 * test::uniform(random));
  matrix.set_scaling(left, right);
  ASSERT_EQ(matrix.factor(c1, 1), FactorStatus::ok);
  const std::vector<double> zeros_J(system.J_values.size(), 0.0);
  matrix.linearise(system.B_values, zeros_J);  // the factors do not notice
  const auto r = test::random_values<TypeParam>(random, static_cast<std::size_t>(system.size()));
  auto x0 = r, x1 = r;
  matrix.solve(x0, x0, 0);  // in place
  matrix.solve(r, x1, 1);
  EXPECT_LT(test::backward_error<TypeParam>(system.matrix(c0), x0, r), 1e-12);
  EXPECT_LT(test::backward_error<TypeParam>(system.matrix(c1), x1, r), 1e-12);
  EXPECT_EQ(matrix.statistics().solves, 2);

  std::vector<TypeParam> columns = r;  // both slots in one call: the same bits
  columns.insert(columns.end(), r.begin(), r.end());
  if constexpr (std::is_same_v<TypeParam, double>)
    matrix.solve_slots(columns, {});
  else
    matrix.solve_slots({}, columns);
  x0.insert(x0.end(), x1.begin(), x1.end());
  EXPECT_EQ(columns, x0);
}

TYPED_TEST(StepMatrixTest, NothingAllocatesAfterTheFirstFactor) {
  std::mt19937 random(25);
  for (const BackEndEntry& entry : back_ends()) {
    const auto system = test::random_second_order(random, 50, 10, true);
    StepMatrix matrix(system.B, system.J, system.local, this->options(entry.id, true));
    matrix.linearise(system.B_values, system.J_values);
    ASSERT_EQ(matrix.factor(this->shift(0.5)), FactorStatus::ok);
    const auto r = test::random_values<TypeParam>(random, static_cast<std::size_t>(system.size()));
    auto x = r;
    const std::vector<double> ones(r.size(), 1.0);
    FactorStatus status = FactorStatus::ok;
    const test::AllocationScope scope;
    matrix.linearise(system.B_values, system.J_values);
    matrix.set_scaling(ones, ones);
    status = matrix.factor(this->shift(0.45));
    matrix.solve(r, x);
    const FactorStatistics statistics = matrix.statistics();
    const long allocations = scope.count();
    EXPECT_EQ(status, FactorStatus::ok);
    const bool allocates = entry.id == BackEnd::mumps || entry.id == BackEnd::cholmod;  // whenever they are called
    if (!allocates) {
      EXPECT_EQ(allocations, 0) << entry.name;
    }
    EXPECT_EQ(statistics.full_factorisations + statistics.refactorisations, 2);
    EXPECT_EQ(statistics.rejected_refactorisations, 0);
    EXPECT_EQ(statistics.library_allocations, entry.id == BackEnd::klu ? 1 : allocates ? 3 : 0);
  }
}

TEST(StepMatrix, ScalingTakesTheConditionFrom1e12ToOrder10AndKeepsTheSolution) {
  // 40 coordinates, 10 rigid constraints, h = 1e-3, c = 1/(hγ): S has blocks c²M ≈ 1e6…1e7, G ≈ 1 and 0, so that its
  // condition grows like c⁴. The scaling makes it that of [M Gᵀ; G 0], whatever h is.
  std::mt19937 random(26);
  const int n_q = 40, n_lambda = 10;
  test::DenseMatrix<double> g(n_lambda, n_q);
  for (int l = 0; l < n_lambda; ++l)
    for (int i = 0; i < n_q; ++i) g(l, i) = test::uniform(random) / std::sqrt(n_q / 3.0);
  auto system = test::random_second_order(random, n_q, 0, false);
  std::vector<Entry> entries;
  std::vector<double> extra;
  const int n = 2 * n_q + n_lambda;
  const auto grown = [&](const SparsePattern& p, std::vector<double>& values, bool with_g) {
    entries.clear();
    std::vector<double> old = values;
    for (int j = 0; j < p.cols(); ++j)
      for (const int i : p.column(j)) entries.push_back({i, j});
    if (with_g)
      for (int l = 0; l < n_lambda; ++l)
        for (int i = 0; i < n_q; ++i) entries.push_back({2 * n_q + l, i}), entries.push_back({n_q + i, 2 * n_q + l});
    const auto q = SparsePattern::from_entries(n, n, entries);
    values.assign(static_cast<std::size_t>(q.nnz()), 0.0);
    for (int j = 0; j < p.cols(); ++j)
      for (int k = p.column_starts()[j]; k < p.column_starts()[j + 1]; ++k)
        values[q.index_of(p.row_indices()[k], j)] = old[k];
    if (with_g)
      for (int l = 0; l < n_lambda; ++l)
        for (int i = 0; i < n_q; ++i) {
          values[q.index_of(2 * n_q + l, i)] = g(l, i);
          values[q.index_of(n_q + i, 2 * n_q + l)] = -g(l, i);
        }
    return q;
  };
  system.B = grown(system.B, system.B_values, false);
  system.J = grown(system.J, system.J_values, true);
  system.n_lambda = n_lambda;

  std::vector<ScaledUnknown> unknowns;
  std::vector<ScaledEquation> equations;
  for (int i = 0; i < n; ++i) {
    const int kappa = i < n_q ? 0 : i < 2 * n_q ? 1 : 2;
    unknowns.push_back(scaled_unknown(kappa, kappa == 2));
    equations.push_back(scaled_equation(kappa, kappa == 2));
  }
  const auto r = test::random_values<double>(random, static_cast<std::size_t>(n));
  double previous = 0;
  for (const double h : {1e-3, 1e-5}) {
    const double c = 1 / (0.43586652150845899942 * h);
    const auto run = [&](ScalingMode mode, std::vector<double>& x) {
      StepMatrix matrix(system.B, system.J, system.local);
      std::vector<double> left(static_cast<std::size_t>(n)), right = left;
      fill_scaling({.mode = mode, .k_ave = 10, .m_ave = 3}, c, unknowns, equations, left, right);
      matrix.set_scaling(left, right);
      EXPECT_EQ(matrix.row_scale()[0], left[0]);
      EXPECT_EQ(matrix.col_scale()[static_cast<std::size_t>(n) - 1], right.back());
      matrix.linearise(system.B_values, system.J_values);
      EXPECT_EQ(matrix.factor(c), FactorStatus::ok);
      matrix.solve(r, x);
      return 1 / matrix.reciprocal_condition();
    };
    std::vector<double> plain = r, scaled = r;
    const double before = run(ScalingMode::none, plain), after = run(ScalingMode::lambda_and_v, scaled);
    EXPECT_GT(before, 1e12);
    EXPECT_LT(after, 500);  // 1-norm; about √n above the 2-norm
    if (previous > 0) {
      EXPECT_NEAR(after, previous, 0.1 * previous);  // independent of h
    }
    previous = after;
    // The same solution, although the condition suggests 1e-16 · 1e13: a direct solver does not mind the scaling of rows
    // and columns as long as it leads to the same pivots. Compared by block, the blocks being of different size.
    for (const auto& [first, last] : {std::pair(0, n_q), std::pair(n_q, 2 * n_q), std::pair(2 * n_q, n)}) {
      const auto block = [first = first, last = last](const std::vector<double>& x) {
        return test::as_vector(x).segment(first, last - first);
      };
      EXPECT_LT((block(plain) - block(scaled)).norm(), 1e-9 * block(scaled).norm());
    }
  }
}

TEST(StepMatrix, AFactorServesForAnotherShiftWhereInertiaAndConstraintsRule) {
  // q' = v, v' = −λ, 0 = q: D_L A(c) D_R is the same matrix for every c, so that the factor made for c = 10, scaled for
  // c = 13, solves with A(13) exactly. With the scaling of c = 10 it does not.
  const auto B = SparsePattern::from_entries(3, 3, {{0, 0}, {1, 1}}),
             J = SparsePattern::from_entries(3, 3, {{0, 1}, {1, 2}, {2, 0}});
  std::vector<double> J_values(3);
  J_values[J.index_of(0, 1)] = 1;
  J_values[J.index_of(1, 2)] = -1;
  J_values[J.index_of(2, 0)] = 1;
  const std::vector<ScaledUnknown> unknowns = {ScaledUnknown::position, ScaledUnknown::velocity, ScaledUnknown::force};
  const std::vector<ScaledEquation> equations = {ScaledEquation::kinematic, ScaledEquation::dynamic,
                                                 ScaledEquation::position_constraint};
  StepMatrix matrix(B, J, {});
  matrix.linearise(std::vector<double>{1, 1}, J_values);
  std::vector<double> left(3), right(3);
  const auto scale = [&](double c) {
    fill_scaling({.k_ave = 0, .m_ave = 1}, c, unknowns, equations, left, right);
    matrix.set_scaling(left, right);
  };
  scale(10);
  ASSERT_EQ(matrix.factor(10.0), FactorStatus::ok);
  const double c = 13;
  const std::vector<double> r = {1, 2, 3};
  // −q = r₂, c q − v = r₀, c v + λ = r₁.
  const double q = -r[2], v = c * q - r[0], lambda = r[1] - c * v;
  std::vector<double> x = r;
  scale(c);
  matrix.solve(r, x);  // a factor keeps its scaling until it is told
  EXPECT_GT(std::abs(x[2] - lambda), 1);
  matrix.rescale();
  matrix.solve(r, x);
  EXPECT_NEAR(x[0], q, 8 * eps * std::abs(q));
  EXPECT_NEAR(x[1], v, 8 * eps * std::abs(v));
  EXPECT_NEAR(x[2], lambda, 8 * eps * std::abs(lambda));
}

TEST(StepMatrix, ScalingModesScaleWhatTheySay) {
  const std::vector<ScaledUnknown> unknowns = {ScaledUnknown::position, ScaledUnknown::velocity, ScaledUnknown::force,
                                               ScaledUnknown::acceleration, ScaledUnknown::position_multiplier};
  const std::vector<ScaledEquation> equations = {
      ScaledEquation::kinematic, ScaledEquation::dynamic, ScaledEquation::position_constraint,
      ScaledEquation::acceleration_constraint, ScaledEquation::velocity_constraint};
  std::vector<double> left(5), right(5);
  const double c = 4, s = 6 + 0.5 * 16;
  const auto fill = [&](ScalingMode mode) {
    fill_scaling({.mode = mode, .k_ave = 6, .m_ave = 0.5}, c, unknowns, equations, left, right);
  };
  const std::vector<double> ones(5, 1.0), rows = {1 / c, 1 / s, 1, 1 / 16.0, 1 / c};
  fill(ScalingMode::none);
  EXPECT_EQ(left, ones);
  EXPECT_EQ(right, ones);
  fill(ScalingMode::left);  // rows alone: the dynamic row like the others, as published
  EXPECT_EQ(left, (std::vector<double>{1 / c, 1 / c, 1, 1 / 16.0, 1 / c}));
  EXPECT_EQ(right, ones);
  fill(ScalingMode::lambda);
  EXPECT_EQ(left, rows);
  EXPECT_EQ(right, (std::vector<double>{1, 1, s, 1, c}));
  fill(ScalingMode::lambda_and_v);
  EXPECT_EQ(right, (std::vector<double>{1, c, s, 16, c}));
}

TEST(StepMatrix, ReportsFailureAndRecovers) {
  // A(c) = cB − J = [c−1] is singular at c = 1 and nowhere else.
  const auto p = SparsePattern::identity(1);
  StepMatrix matrix(p, p, {});
  matrix.linearise(std::vector<double>{1.0}, std::vector<double>{1.0});
  EXPECT_EQ(matrix.factor(1.0), FactorStatus::singular);
  EXPECT_EQ(matrix.reciprocal_condition(), 0.0);
  EXPECT_EQ(matrix.factor(std::numeric_limits<double>::quiet_NaN()), FactorStatus::not_finite);
  ASSERT_EQ(matrix.factor(3.0), FactorStatus::ok);
  std::vector<double> x(1);
  matrix.solve(std::vector<double>{4.0}, x);
  EXPECT_EQ(x[0], 2.0);
  EXPECT_EQ(matrix.statistics().failures, 2);
  EXPECT_EQ(matrix.back_end(), BackEnd::dense);
}

TEST(StepMatrix, CondensesAMillionEntriesInLinearTime) {
  // A chain of 1e5 masses, 2e5 unknowns: memory and time must follow the number of entries.
  const int n = 100000;
  std::vector<Entry> b, j;
  std::vector<PivotPosition> local;
  for (int i = 0; i < n; ++i) {
    b.push_back({i, i});
    b.push_back({n + i, n + i});
    j.push_back({i, n + i});
    local.push_back({i, n + i});
    for (int k = std::max(0, i - 1); k <= std::min(n - 1, i + 1); ++k)
      j.push_back({n + i, k}), j.push_back({n + i, n + k});
  }
  const auto B = SparsePattern::from_entries(2 * n, 2 * n, std::move(b)),
             J = SparsePattern::from_entries(2 * n, 2 * n, std::move(j));
  const Condensation condensation(united(B, J), local);
  EXPECT_EQ(condensation.reduced_size(), n);
  EXPECT_EQ(condensation.reduced_pattern().nnz(), 3 * n - 2);
  EXPECT_EQ(condensation.operations(), 3 * n - 2);
}

TEST(Condensation, PivotsWithTheSameColumnsShareTheirTargets) {
  // Two elements side by side, m nodes each, one of them in both, k inner unknowns each: of k m² products m² places are kept.
  constexpr int m = 4, k = 6, outer = 2 * m - 1, n = outer + 2 * k;
  std::vector<Entry> entries;
  std::vector<PivotPosition> inner;
  for (int element = 0; element < 2; ++element)
    for (int i = 0; i < k; ++i) {
      const int z = outer + element * k + i;
      inner.push_back({z, z});
      entries.push_back({z, z});
      for (int node = element * (m - 1); node < element * (m - 1) + m; ++node)
        entries.insert(entries.end(), {{z, node}, {node, z}});
    }
  for (int i = 0; i < outer; ++i) entries.push_back({i, i});
  const auto pattern = SparsePattern::from_entries(n, n, std::move(entries));
  const Condensation condensation(pattern, inner);
  EXPECT_EQ(condensation.operations(), 2 * k * m * m);
  EXPECT_EQ(condensation.targets(), 2 * m * m);

  std::mt19937 random(27);
  auto values = test::random_values<double>(random, static_cast<std::size_t>(pattern.nnz()));
  for (int i = outer; i < n; ++i) values[static_cast<std::size_t>(pattern.index_of(i, i))] += 3;
  CondensedMatrix<double> numeric(condensation);
  ASSERT_EQ(numeric.reduce(values), FactorStatus::ok);
  const auto a = test::to_dense<double>(pattern, std::span<const double>(values));
  const test::DenseMatrix<double> expected =
      a.topLeftCorner(outer, outer) -
      a.topRightCorner(outer, 2 * k) * a.bottomRightCorner(2 * k, 2 * k).inverse() * a.bottomLeftCorner(2 * k, outer);
  const auto s = test::to_dense<double>(condensation.reduced_pattern(), numeric.reduced_values());
  EXPECT_LT((s - expected).norm(), 1e-13 * expected.norm());
}

}  // namespace
}  // namespace rubato
