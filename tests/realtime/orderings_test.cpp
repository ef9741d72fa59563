#include <gtest/gtest.h>

#include <Eigen/QR>

#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/static_qr.hpp"
#include "support/random_matrices.hpp"

namespace rubato::realtime {
namespace {

TEST(BlockTriangular, FindsTheSmallestBlocks) {
  // A 2 × 2 block {1, 3} that needs unknown 0, and is needed by unknown 2.
  const auto a = SparsePattern::from_entries(4, 4, {{0, 0}, {1, 1}, {1, 3}, {3, 1}, {3, 3}, {1, 0}, {2, 2}, {2, 3}});
  const BlockTriangular form = block_triangular(a);
  EXPECT_TRUE(form.nonsingular());
  EXPECT_EQ(form.ordering.n_blocks(), 3);
  EXPECT_EQ(form.ordering.largest_block(), 2);
  EXPECT_TRUE(fits(form.ordering, a));
  EXPECT_EQ(form.ordering.cols.back(), 0);  // upper triangular: what others need is found first, from the end
}

TEST(BlockTriangular, ReportsStructuralSingularity) {
  const auto a = SparsePattern::from_entries(3, 3, {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {2, 1}});
  EXPECT_FALSE(block_triangular(a).nonsingular());
  EXPECT_EQ(block_triangular(a).structural_rank, 2);
  const auto made = make_static_solver(StaticKind::qr, a, block_triangular(a).ordering);
  EXPECT_FALSE(made.ok());
}

TEST(BlockTriangular, AWrongOrderingDoesNotFit) {
  const auto a = SparsePattern::from_entries(2, 2, {{0, 0}, {1, 0}, {1, 1}});
  EXPECT_TRUE(fits({{1, 0}, {1, 0}, {0, 1, 2}}, a));
  EXPECT_TRUE(fits({{0, 1}, {0, 1}, {0, 2}}, a));      // one block
  EXPECT_FALSE(fits({{0, 1}, {0, 1}, {0, 1, 2}}, a));  // (1, 0) stands below the blocks
  EXPECT_FALSE(fits({{0, 0}, {0, 1}, {0, 2}}, a));     // no permutation
  EXPECT_FALSE(fits({{0, 1}, {0, 1}, {0, 0, 2}}, a));  // an empty block
  EXPECT_FALSE(fits({{0, 1}, {0, 1}, {0, 1}}, a));     // not all unknowns
}

TEST(QrStructure, StrongHallIsIrreducibility) {
  EXPECT_TRUE(strong_hall(SparsePattern::from_entries(2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}})));
  EXPECT_FALSE(strong_hall(SparsePattern::from_entries(2, 2, {{0, 0}, {0, 1}, {1, 1}})));
}

/// Cholesky's prediction ⊇ that of Givens rotations ⊇ R; the first two agree for diagonal blocks (strong Hall), and neither depends
/// on the order of rows.
TEST(QrStructure, PredictionsContainWhatTheyPredict) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const auto a = test::random_pattern(25, 1.5, random);
    const Ordering ordering = qr_ordering(a);
    ASSERT_TRUE(fits(ordering, a));
    for (int b = 0; b < ordering.n_blocks(); ++b) {
      const SparsePattern block = diagonal_block(a, ordering, b);
      ASSERT_TRUE(strong_hall(block));
      const SparsePattern cholesky = cholesky_structure(block), givens = givens_structure(block).r;
      EXPECT_EQ(cholesky, givens);
      const auto shuffled_rows = test::random_permutation(block.rows(), random);
      std::vector<Entry> entries;
      for (int j = 0; j < block.cols(); ++j)
        for (const int i : block.column(j)) entries.push_back({shuffled_rows[i], j});
      const auto shuffled = SparsePattern::from_entries(block.rows(), block.cols(), std::move(entries));
      EXPECT_EQ(cholesky_structure(shuffled), cholesky);
      EXPECT_EQ(givens_structure(shuffled).r.nnz(), givens.nnz());

      const Matrix values = test::dense(block, test::random_values(static_cast<std::size_t>(block.nnz()), random));
      const Matrix r = Eigen::HouseholderQR<Matrix>(values).matrixQR();
      for (int i = 0; i < block.rows(); ++i)
        for (int j = i; j < block.cols(); ++j) {
          if (std::abs(r(i, j)) > 1e-12) {
            EXPECT_GE(givens.index_of(j, i), 0) << i << ' ' << j;
          }
        }
    }
  }
}

/// Twelve integrators and a block of 66 unknowns with one dense row: R is full there, 66 · 67 / 2 + 12 = 2223.
TEST(QrStructure, ADenseRowFillsItsBlock) {
  std::vector<Entry> entries;
  for (int i = 0; i < 78; ++i) entries.push_back({i, i});
  for (int i = 0; i < 66; ++i) {
    entries.push_back({5, i});
    entries.push_back({(i + 1) % 66, i});
  }
  for (int i = 66; i < 78; ++i) entries.push_back({i - 66, i});  // what the block is driven by
  const auto a = SparsePattern::from_entries(78, 78, std::move(entries));
  const Ordering ordering = qr_ordering(a);
  EXPECT_EQ(ordering.largest_block(), 66);
  EXPECT_EQ(ordering.n_blocks(), 13);
  const auto solver = make_static_solver(StaticKind::qr, a, ordering);
  ASSERT_TRUE(solver.ok());
  EXPECT_EQ((*solver)->facts().factor_entries, 2223);
}

/// Rows by first, then last column make no more rotations than the rows as they come.
TEST(QrStructure, RowOrderSavesRotations) {
  std::mt19937 random(3);
  long sorted = 0, unsorted = 0;
  for (int round = 0; round < 10; ++round) {
    const auto a = test::random_pattern(40, 2, random);
    Ordering ordering = qr_ordering(a);
    sorted += QrTables(a, ordering).operations().total();
    for (int b = 0; b < ordering.n_blocks(); ++b)
      std::shuffle(ordering.rows.begin() + ordering.starts[b], ordering.rows.begin() + ordering.starts[b + 1], random);
    unsorted += QrTables(a, ordering).operations().total();
  }
  EXPECT_LT(sorted, unsorted);
}

}  // namespace
}  // namespace rubato::realtime
