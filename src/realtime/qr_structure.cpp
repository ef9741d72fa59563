#include "rubato/realtime/qr_structure.hpp"

#include <amd.h>
#include <colamd.h>

#include <algorithm>
#include <numeric>

#include "rubato/base/assert.hpp"

namespace rubato::realtime {

namespace {

std::vector<int> without_first(const std::vector<int>& sorted) { return {sorted.begin() + 1, sorted.end()}; }

std::vector<int> merged(const std::vector<int>& a, std::span<const int> b) {
  std::vector<int> result;
  result.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

SparsePattern from_lists(int n, const std::vector<std::vector<int>>& lists) {
  std::vector<int> starts = {0}, indices;
  for (const auto& list : lists) {
    indices.insert(indices.end(), list.begin(), list.end());
    starts.push_back(static_cast<int>(indices.size()));
  }
  return SparsePattern::from_columns(n, static_cast<int>(lists.size()), std::move(starts), std::move(indices));
}

SparsePattern permuted_columns(const SparsePattern& a, const std::vector<int>& order) {
  std::vector<std::vector<int>> lists;
  for (const int col : order) lists.emplace_back(a.column(col).begin(), a.column(col).end());
  return from_lists(a.rows(), lists);
}

std::vector<int> natural(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Minimum degree on AᵀA.
std::vector<int> amd_columns(const SparsePattern& a) {
  const SparsePattern rows = transposed(a).pattern;
  std::vector<Entry> entries;
  for (int row = 0; row < a.rows(); ++row)
    for (const int i : rows.column(row))
      for (const int j : rows.column(row)) entries.push_back({i, j});
  const SparsePattern normal = SparsePattern::from_entries(a.cols(), a.cols(), std::move(entries));
  std::vector<int> order(static_cast<std::size_t>(a.cols()));
  const int status =
      amd_order(a.cols(), normal.column_starts().data(), normal.row_indices().data(), order.data(), nullptr, nullptr);
  return status < AMD_OK ? natural(a.cols()) : order;
}

std::vector<int> colamd_columns(const SparsePattern& a) {
  const std::size_t size = colamd_recommended(a.nnz(), a.rows(), a.cols());
  std::vector<int> work(size), starts(a.column_starts().begin(), a.column_starts().end());
  std::copy(a.row_indices().begin(), a.row_indices().end(), work.begin());
  int stats[COLAMD_STATS];
  if (!colamd(a.rows(), a.cols(), static_cast<int>(size), work.data(), starts.data(), nullptr, stats))
    return natural(a.cols());
  starts.pop_back();
  return starts;
}

}  // namespace

SparsePattern cholesky_structure(const SparsePattern& a) {
  // Row j of R: the rows of A that begin at j, and the rows of R whose first entry beside the diagonal is j.
  const int n = a.cols();
  const SparsePattern rows = transposed(a).pattern;
  std::vector<std::vector<int>> r(static_cast<std::size_t>(n));
  for (int i = 0; i < a.rows(); ++i)
    if (const auto row = rows.column(i); !row.empty()) r[row.front()] = merged(r[row.front()], row);
  for (int j = 0; j < n; ++j) {
    if (r[j].empty()) r[j] = {j};
    if (r[j].size() > 1) r[r[j][1]] = merged(r[r[j][1]], without_first(r[j]));
  }
  return from_lists(n, r);
}

GivensStructure givens_structure(const SparsePattern& a) {
  const SparsePattern rows = transposed(a).pattern;
  std::vector<std::vector<int>> r(static_cast<std::size_t>(a.cols()));
  GivensStructure result;
  for (int i = 0; i < a.rows(); ++i) {
    std::vector<int> row(rows.column(i).begin(), rows.column(i).end());
    result.rotations.emplace_back();
    result.stored.push_back(-1);
    while (!row.empty()) {
      const int j = row.front();
      if (r[j].empty()) {
        r[j] = std::move(row);
        result.stored.back() = j;
        break;
      }
      r[j] = merged(row, r[j]);
      row = without_first(r[j]);
      result.rotations.back().push_back(j);
    }
  }
  result.r = from_lists(a.cols(), r);
  return result;
}

bool strong_hall(const SparsePattern& a) {
  if (a.rows() != a.cols()) return false;
  const BlockTriangular form = block_triangular(a);
  return form.nonsingular() && form.ordering.n_blocks() <= 1;
}

std::vector<int> row_order(const SparsePattern& a) {
  const SparsePattern rows = transposed(a).pattern;
  std::vector<int> order = natural(a.rows());
  const auto key = [&](int row) {
    const auto entries = rows.column(row);
    return entries.empty() ? std::pair(a.cols(), a.cols()) : std::pair(entries.front(), entries.back());
  };
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return key(x) < key(y); });
  return order;
}

std::vector<int> column_order(const SparsePattern& a) {
  std::vector<int> best;
  int fewest = 0;
  for (auto& order : {amd_columns(a), colamd_columns(a), natural(a.cols())}) {
    const int nnz = cholesky_structure(permuted_columns(a, order)).nnz();
    if (best.empty() || nnz < fewest) {
      best = order;
      fewest = nnz;
    }
  }
  return best;
}

Ordering qr_ordering(const SparsePattern& a) {
  const BlockTriangular form = block_triangular(a);
  RUBATO_ASSERT(form.nonsingular(), "an ordering of a structurally singular matrix");
  Ordering ordering = form.ordering;
  for (int b = 0; b < ordering.n_blocks(); ++b) {
    const auto first = static_cast<std::size_t>(ordering.starts[b]);
    const SparsePattern block = diagonal_block(a, form.ordering, b);
    const std::vector<int> cols = column_order(block), rows = row_order(permuted_columns(block, cols));
    for (std::size_t k = 0; k < cols.size(); ++k) {
      ordering.cols[first + k] = form.ordering.cols[first + static_cast<std::size_t>(cols[k])];
      ordering.rows[first + k] = form.ordering.rows[first + static_cast<std::size_t>(rows[k])];
    }
  }
  return ordering;
}

}  // namespace rubato::realtime
