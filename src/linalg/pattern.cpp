#include "rubato/linalg/pattern.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rubato/base/assert.hpp"

namespace rubato {

SparsePattern SparsePattern::from_entries(int rows, int cols, std::vector<Entry> entries) {
  SparsePattern p;
  p.rows_ = rows;
  p.cols_ = cols;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.col != b.col ? a.col < b.col : a.row < b.row; });
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  p.column_starts_.assign(static_cast<std::size_t>(cols) + 1, 0);
  p.row_indices_.reserve(entries.size());
  for (const Entry& e : entries) {
    RUBATO_ASSERT(e.row >= 0 && e.row < rows && e.col >= 0 && e.col < cols, "entry outside the matrix");
    ++p.column_starts_[e.col + 1];
    p.row_indices_.push_back(e.row);
  }
  std::partial_sum(p.column_starts_.begin(), p.column_starts_.end(), p.column_starts_.begin());
  return p;
}

SparsePattern SparsePattern::from_columns(int rows, int cols, std::vector<int> column_starts,
                                          std::vector<int> row_indices) {
  RUBATO_ASSERT(static_cast<int>(column_starts.size()) == cols + 1, "one start per column and the end");
  RUBATO_ASSERT(column_starts.front() == 0 && column_starts.back() == static_cast<int>(row_indices.size()),
                "starts do not enclose the rows");
  SparsePattern p;
  p.rows_ = rows;
  p.cols_ = cols;
  p.column_starts_ = std::move(column_starts);
  p.row_indices_ = std::move(row_indices);
#if RUBATO_ASSERTIONS
  for (int j = 0; j < cols; ++j) {
    const auto column = p.column(j);
    for (std::size_t k = 0; k < column.size(); ++k)
      RUBATO_ASSERT(column[k] >= 0 && column[k] < rows && (k == 0 || column[k - 1] < column[k]), "rows must ascend");
  }
#endif
  return p;
}

SparsePattern SparsePattern::dense(int rows, int cols) {
  SparsePattern p;
  p.rows_ = rows;
  p.cols_ = cols;
  p.column_starts_.resize(static_cast<std::size_t>(cols) + 1);
  p.row_indices_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  for (int j = 0; j <= cols; ++j) p.column_starts_[j] = j * rows;
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) p.row_indices_[j * rows + i] = i;
  return p;
}

SparsePattern SparsePattern::identity(int n) {
  SparsePattern p;
  p.rows_ = p.cols_ = n;
  p.column_starts_.resize(static_cast<std::size_t>(n) + 1);
  p.row_indices_.resize(static_cast<std::size_t>(n));
  std::iota(p.column_starts_.begin(), p.column_starts_.end(), 0);
  std::iota(p.row_indices_.begin(), p.row_indices_.end(), 0);
  return p;
}

int SparsePattern::index_of(int row, int col) const noexcept {
  if (row < 0 || row >= rows_ || col < 0 || col >= cols_) return -1;
  const auto begin = row_indices_.begin() + column_starts_[col], end = row_indices_.begin() + column_starts_[col + 1];
  const auto found = std::lower_bound(begin, end, row);
  return found != end && *found == row ? static_cast<int>(found - row_indices_.begin()) : -1;
}

double SparsePattern::density() const noexcept {
  return rows_ == 0 || cols_ == 0 ? 0.0 : nnz() / (static_cast<double>(rows_) * cols_);
}

SparsePattern united(const SparsePattern& a, const SparsePattern& b) {
  RUBATO_ASSERT(a.rows() == b.rows() && a.cols() == b.cols(), "patterns of different shape");
  std::vector<int> starts = {0}, rows;
  starts.reserve(static_cast<std::size_t>(a.cols()) + 1);
  rows.reserve(static_cast<std::size_t>(std::max(a.nnz(), b.nnz())));
  for (int j = 0; j < a.cols(); ++j) {
    const auto x = a.column(j), y = b.column(j);
    std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(rows));
    starts.push_back(static_cast<int>(rows.size()));
  }
  return SparsePattern::from_columns(a.rows(), a.cols(), std::move(starts), std::move(rows));
}

TransposedPattern transposed(const SparsePattern& a) {
  std::vector<int> starts(static_cast<std::size_t>(a.rows()) + 1, 0);
  for (const int i : a.row_indices()) ++starts[i + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<int> rows(static_cast<std::size_t>(a.nnz())), source(static_cast<std::size_t>(a.nnz()));
  std::vector<int> next(starts.begin(), starts.end() - 1);
  for (int j = 0; j < a.cols(); ++j)
    for (int p = a.column_starts()[j]; p < a.column_starts()[j + 1]; ++p) {
      const int to = next[a.row_indices()[p]]++;
      rows[to] = j;
      source[to] = p;
    }
  return {SparsePattern::from_columns(a.cols(), a.rows(), std::move(starts), std::move(rows)), std::move(source)};
}

std::vector<int> positions_in(const SparsePattern& part, const SparsePattern& whole) {
  RUBATO_ASSERT(part.rows() == whole.rows() && part.cols() == whole.cols(), "patterns of different shape");
  std::vector<int> positions(static_cast<std::size_t>(part.nnz()), -1);
  for (int j = 0; j < part.cols(); ++j) {  // both columns ascend: one walk along each
    int w = whole.column_starts()[j];
    for (int p = part.column_starts()[j]; p < part.column_starts()[j + 1]; ++p) {
      while (w < whole.column_starts()[j + 1] && whole.row_indices()[w] < part.row_indices()[p]) ++w;
      if (w < whole.column_starts()[j + 1] && whole.row_indices()[w] == part.row_indices()[p]) positions[p] = w;
    }
  }
  return positions;
}

}  // namespace rubato
