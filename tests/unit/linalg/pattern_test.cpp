// Patterns are sets of places; columns of one group never meet in a row.
#include "rubato/linalg/pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "rubato/linalg/colouring.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "unit/linalg/random_matrices.hpp"

namespace rubato {
namespace {

TEST(SparsePattern, SortsAndMergesEntries) {
  const auto p = SparsePattern::from_entries(3, 2, {{2, 1}, {0, 0}, {1, 1}, {2, 1}});
  EXPECT_EQ(p.nnz(), 3);
  EXPECT_EQ(p.index_of(0, 0), 0);
  EXPECT_EQ(p.index_of(1, 1), 1);
  EXPECT_EQ(p.index_of(2, 1), 2);
  EXPECT_EQ(p.index_of(1, 0), -1);
  EXPECT_EQ(p.index_of(5, 0), -1);
  EXPECT_EQ(p, SparsePattern::from_columns(3, 2, {0, 1, 3}, {0, 1, 2}));
}

TEST(SparsePattern, DenseAndIdentityAreWhatTheySay) {
  EXPECT_EQ(SparsePattern::dense(2, 3).nnz(), 6);
  EXPECT_EQ(SparsePattern::dense(4, 4).density(), 1.0);
  EXPECT_EQ(SparsePattern::identity(3), SparsePattern::from_entries(3, 3, {{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(SparsePattern().nnz(), 0);
}

TEST(SparsePattern, UnionAndTransposeAreThoseOfTheSets) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const int rows = 1 + trial, cols = 25 - trial;
    const auto a = test::random_pattern(random, rows, cols, 3, false),
               b = test::random_pattern(random, rows, cols, 2, true);
    const auto u = united(a, b);
    const auto t = transposed(a);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) {
        EXPECT_EQ(u.index_of(i, j) >= 0, a.index_of(i, j) >= 0 || b.index_of(i, j) >= 0);
        const int p = t.pattern.index_of(j, i);
        EXPECT_EQ(p >= 0 ? t.source[p] : -1, a.index_of(i, j));
      }
    EXPECT_EQ(transposed(t.pattern).pattern, a);
    const auto at = positions_in(a, u);
    for (int j = 0; j < cols; ++j)
      for (int p = a.column_starts()[j]; p < a.column_starts()[j + 1]; ++p)
        EXPECT_EQ(at[p], u.index_of(a.row_indices()[p], j));
  }
}

TEST(SparsePattern, ProductsAreThoseOfTheDenseMatrix) {
  std::mt19937 random(2);
  const auto a = test::random_pattern(random, 7, 5, 3, false);
  const auto values = test::random_values<double>(random, static_cast<std::size_t>(a.nnz()));
  const auto x = test::random_values<test::Complex>(random, 5), z = test::random_values<test::Complex>(random, 7);
  std::vector<test::Complex> y(7), w(5);
  multiply<double, test::Complex>(a, values, x, y);
  multiply_transposed<double, test::Complex>(a, values, z, w);
  const auto dense = test::to_dense<double>(a, values);
  EXPECT_LT((dense * test::as_vector(x) - test::as_vector(y)).norm(), 1e-14);
  EXPECT_LT((dense.transpose() * test::as_vector(z) - test::as_vector(w)).norm(), 1e-14);
}

TEST(ColumnGroups, NeverPutTwoColumnsOfARowTogether) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 1 + static_cast<int>(random() % 60);
    const auto p = test::random_pattern(random, n, 1 + static_cast<int>(random() % 60), 3, trial % 2 == 0);
    const ColumnGroups groups = group_columns(p);
    std::set<std::pair<int, int>> taken;  // (row, group)
    std::size_t n_members = 0;
    for (int j = 0; j < p.cols(); ++j) {
      EXPECT_EQ(groups.group_of[j] >= 0, !p.column(j).empty());
      for (const int i : p.column(j)) EXPECT_TRUE(taken.emplace(i, groups.group_of[j]).second);
      n_members += p.column(j).empty() ? 0 : 1;
    }
    std::size_t listed = 0;
    for (int g = 0; g < groups.n_groups; ++g) {
      EXPECT_FALSE(groups.members[g].empty());
      for (const int j : groups.members[g]) EXPECT_EQ(groups.group_of[j], g);
      listed += groups.members[g].size();
    }
    EXPECT_EQ(listed, n_members);
  }
}

TEST(ColumnGroups, AreAsFewAsTheTextbookSays) {
  std::vector<Entry> tridiagonal, arrow;
  for (int i = 0; i < 30; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(29, i + 1); ++j) tridiagonal.push_back({i, j});
    arrow.push_back({i, i});
    arrow.push_back({i, 0});  // a full first column, diagonal otherwise: 2
  }
  EXPECT_EQ(group_columns(SparsePattern::from_entries(30, 30, tridiagonal)).n_groups, 3);
  EXPECT_EQ(group_columns(SparsePattern::from_entries(30, 30, arrow)).n_groups, 2);
  EXPECT_EQ(group_columns(SparsePattern::dense(7, 7)).n_groups, 7);
  EXPECT_EQ(group_columns(SparsePattern::identity(7)).n_groups, 1);
  EXPECT_EQ(group_columns(SparsePattern::from_entries(4, 4, {})).n_groups, 0);
  EXPECT_EQ(group_columns(SparsePattern::dense(3000, 3000)).n_groups, 3000);  // pairs of columns in every row: 1e10
}

}  // namespace
}  // namespace rubato
