#include "rubato/realtime/block_triangular.hpp"

#include <btf.h>

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato::realtime {

namespace {

/// positions[order[k]] = k; empty where `order` is no permutation.
std::vector<int> positions(const std::vector<int>& order) {
  std::vector<int> inverse(order.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] < 0 || order[k] >= static_cast<int>(order.size()) || inverse[order[k]] >= 0) return {};
    inverse[order[k]] = static_cast<int>(k);
  }
  return inverse;
}

}  // namespace

int Ordering::largest_block() const noexcept {
  int largest = 0;
  for (int b = 0; b < n_blocks(); ++b) largest = std::max(largest, starts[b + 1] - starts[b]);
  return largest;
}

BlockTriangular block_triangular(const SparsePattern& a) {
  RUBATO_ASSERT(a.rows() == a.cols(), "block triangular form of a square matrix");
  const int n = a.cols();
  std::vector<int> starts(a.column_starts().begin(), a.column_starts().end());
  std::vector<int> rows(a.row_indices().begin(), a.row_indices().end());
  rows.reserve(1);  // never a null pointer
  std::vector<int> p(static_cast<std::size_t>(n) + 1), q(p), blocks(p), work(5 * p.size());
  double effort = 0;
  BlockTriangular result;
  const int n_blocks = btf_order(n, starts.data(), rows.data(), /*maxwork=*/0, &effort, p.data(), q.data(),
                                 blocks.data(), &result.structural_rank, work.data());
  p.resize(static_cast<std::size_t>(n));
  q.resize(static_cast<std::size_t>(n));
  blocks.resize(static_cast<std::size_t>(n_blocks) + 1);
  for (int& col : q) col = BTF_UNFLIP(col);  // marked where the diagonal would be zero
  result.ordering = {.rows = std::move(p), .cols = std::move(q), .starts = std::move(blocks)};
  return result;
}

SparsePattern diagonal_block(const SparsePattern& a, const Ordering& ordering, int b) {
  const int first = ordering.starts[b], size = ordering.starts[b + 1] - first;
  std::vector<int> row_of(static_cast<std::size_t>(a.rows()), -1);
  for (int i = 0; i < size; ++i) row_of[ordering.rows[first + i]] = i;
  std::vector<Entry> entries;
  for (int j = 0; j < size; ++j)
    for (const int row : a.column(ordering.cols[first + j]))
      if (row_of[row] >= 0) entries.push_back({row_of[row], j});
  return SparsePattern::from_entries(size, size, std::move(entries));
}

bool fits(const Ordering& ordering, const SparsePattern& a) {
  const auto n = static_cast<std::size_t>(a.cols());
  const std::vector<int>& starts = ordering.starts;
  if (ordering.rows.size() != n || ordering.cols.size() != n || starts.empty()) return false;
  if (starts.front() != 0 || starts.back() != a.cols()) return false;
  if (!std::is_sorted(starts.begin(), starts.end(), std::less_equal<>())) return false;  // no empty block
  const std::vector<int> row_of = positions(ordering.rows), col_of = positions(ordering.cols);
  if (row_of.size() != n || col_of.size() != n) return false;
  std::vector<int> block_of(n);
  for (int b = 0; b < ordering.n_blocks(); ++b)
    std::fill(block_of.begin() + starts[b], block_of.begin() + starts[b + 1], b);
  for (int col = 0; col < a.cols(); ++col)
    for (const int row : a.column(col))
      if (block_of[row_of[row]] > block_of[col_of[col]]) return false;
  return true;
}

}  // namespace rubato::realtime
