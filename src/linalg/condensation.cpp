#include "rubato/linalg/condensation.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "rubato/base/assert.hpp"
#include "scalar.hpp"

namespace rubato {

// Row by row ("IKJ"): a row is loaded once, loses its entries in pivot columns one pivot after the other, in pivot order,
// and each loss adds the pattern of that pivot's row of U. Pivot rows come first and so are final when they are used.
Condensation::Condensation(const SparsePattern& pattern, std::span<const PivotPosition> pivots)
    : n_(pattern.rows()), n_pivots_(static_cast<int>(pivots.size())) {
  RUBATO_ASSERT(pattern.rows() == pattern.cols(), "a square matrix");
  const auto n = static_cast<std::size_t>(n_);
  if (pivots.empty()) {  // S is the matrix itself
    row_order_.resize(n);
    std::iota(row_order_.begin(), row_order_.end(), 0);
    remaining_cols_ = row_order_;
    reduced_ = pattern;
    scatter_.resize(static_cast<std::size_t>(pattern.nnz()));
    std::iota(scatter_.begin(), scatter_.end(), 0);
    u_start_ = {0};
    l_start_.assign(n + 1, 0);
    return;
  }
  std::vector<int> pivot_of_row(n, -1), pivot_of_col(n, -1);
  row_order_.reserve(n);
  for (int k = 0; k < n_pivots_; ++k) {
    const auto [row, col] = pivots[k];
    RUBATO_ASSERT(row >= 0 && row < n_ && col >= 0 && col < n_, "pivot outside the matrix");
    RUBATO_ASSERT(pivot_of_row[row] < 0 && pivot_of_col[col] < 0, "a row or a column is named by two pivots");
    pivot_of_row[row] = pivot_of_col[col] = k;
    row_order_.push_back(row);
    pivot_cols_.push_back(col);
  }
  std::vector<int> reduced_col(n, -1);
  for (int i = 0; i < n_; ++i) {
    if (pivot_of_row[i] < 0) row_order_.push_back(i);
    if (pivot_of_col[i] < 0) {
      reduced_col[i] = static_cast<int>(remaining_cols_.size());
      remaining_cols_.push_back(i);
    }
  }

  // First walk: the patterns of L, U (pivot rows) and S (remaining rows, still by rows).
  const TransposedPattern by_rows = transposed(pattern);
  std::vector<int> seen_in(n, -1), cols;
  std::vector<int> s_start = {0}, s_col;
  u_start_ = {0};
  l_start_ = {0};
  std::priority_queue<int, std::vector<int>, std::greater<>> pending;
  for (int step = 0; step < n_; ++step) {
    const bool is_pivot_row = step < n_pivots_;
    const int own = step < n_pivots_ ? step : n_pivots_;  // eliminated here: the pivots before it
    cols.clear();
    const auto add = [&](int col) {
      if (seen_in[col] == step) return;
      seen_in[col] = step;
      const int k = pivot_of_col[col];
      if (k >= 0 && k < own)
        pending.push(k);
      else if (!(is_pivot_row && k == own))
        cols.push_back(col);
    };
    for (const int col : by_rows.pattern.column(row_order_[step])) add(col);
    while (!pending.empty()) {
      const int k = pending.top();
      pending.pop();
      l_pivot_.push_back(k);
      for (int u = u_start_[k]; u < u_start_[k + 1]; ++u) add(u_col_[u]);
    }
    l_start_.push_back(static_cast<int>(l_pivot_.size()));
    std::sort(cols.begin(), cols.end());
    if (is_pivot_row) {
      u_col_.insert(u_col_.end(), cols.begin(), cols.end());
      u_start_.push_back(static_cast<int>(u_col_.size()));
    } else {
      s_col.insert(s_col.end(), cols.begin(), cols.end());
      s_start.push_back(static_cast<int>(s_col.size()));
    }
  }

  // S by columns. Transposing the row-wise pattern gives both the pattern and where each entry went.
  const int n_reduced = n_ - n_pivots_;
  for (int& col : s_col) col = reduced_col[col];
  const TransposedPattern s =
      transposed(SparsePattern::from_columns(n_reduced, n_reduced, std::move(s_start), std::move(s_col)));
  reduced_ = s.pattern;
  std::vector<int> s_position(s.source.size());
  for (std::size_t p = 0; p < s.source.size(); ++p) s_position[s.source[p]] = static_cast<int>(p);
  const SparsePattern s_by_rows = transposed(reduced_).pattern;

  // Second walk: where every product and every value of A goes. Within a row the targets of two pivots are the same where their
  // rows of U have the same columns.
  std::vector<char> like_before(static_cast<std::size_t>(n_pivots_), 0);
  const auto u_cols = [&](int k) { return std::span(u_col_).subspan(u_start_[k], u_start_[k + 1] - u_start_[k]); };
  for (int k = 1; k < n_pivots_; ++k) like_before[k] = std::ranges::equal(u_cols(k - 1), u_cols(k)) ? 1 : 0;
  const int u_base = reduced_.nnz(), pivot_base = u_base + static_cast<int>(u_col_.size()),
            l_base = pivot_base + n_pivots_;
  scatter_.resize(static_cast<std::size_t>(pattern.nnz()));
  std::vector<int> position(n, -1);
  for (int step = 0; step < n_; ++step) {
    for (int l = l_start_[step]; l < l_start_[step + 1]; ++l) position[pivot_cols_[l_pivot_[l]]] = l_base + l;
    if (step < n_pivots_) {
      position[pivot_cols_[step]] = pivot_base + step;
      for (int u = u_start_[step]; u < u_start_[step + 1]; ++u) position[u_col_[u]] = u_base + u;
    } else {
      const int row = step - n_pivots_;
      for (int p = s_by_rows.column_starts()[row]; p < s_by_rows.column_starts()[row + 1]; ++p)
        position[remaining_cols_[s_by_rows.row_indices()[p]]] = s_position[p];
    }
    const int old_row = row_order_[step];
    for (int p = by_rows.pattern.column_starts()[old_row]; p < by_rows.pattern.column_starts()[old_row + 1]; ++p)
      scatter_[by_rows.source[p]] = position[by_rows.pattern.row_indices()[p]];
    for (int l = l_start_[step]; l < l_start_[step + 1]; ++l) {
      const int k = l_pivot_[l];
      operations_ += u_start_[k + 1] - u_start_[k];
      const bool shares = l > l_start_[step] && l_pivot_[l - 1] == k - 1 && like_before[k] != 0;
      l_target_.push_back(shares ? l_target_.back() : target_.size());
      if (!shares)
        for (const int col : u_cols(k)) target_.push_back(position[col]);
    }
  }
}

template <class T>
CondensedMatrix<T>::CondensedMatrix(const Condensation& symbolic)
    : symbolic_(&symbolic),
      buffer_(static_cast<std::size_t>(symbolic.reduced_.nnz()) + symbolic.u_col_.size() +
              static_cast<std::size_t>(symbolic.n_pivots_) + symbolic.l_pivot_.size()),
      inverse_pivots_(static_cast<std::size_t>(symbolic.n_pivots_)),
      eliminated_(static_cast<std::size_t>(symbolic.n_pivots_)) {}

template <class T>
FactorStatus CondensedMatrix<T>::reduce(std::span<const T> values) noexcept {
  const Condensation& s = *symbolic_;
  RUBATO_ASSERT(values.size() == s.scatter_.size(), "values do not fit the pattern");
  std::fill(buffer_.begin(), buffer_.end(), T(0));
  for (std::size_t p = 0; p < values.size(); ++p) buffer_[s.scatter_[p]] = values[p];

  T* const b = buffer_.data();
  const T* const u = b + s.reduced_.nnz();
  const T* const pivot = u + s.u_col_.size();
  T* const l = b + (pivot - b) + s.n_pivots_;
  for (int step = 0; step < s.n_; ++step) {
    for (int e = s.l_start_[step]; e < s.l_start_[step + 1]; ++e) {
      const int k = s.l_pivot_[e];
      const int* target = s.target_.data() + s.l_target_[e];
      const T factor = detail::product(l[e], inverse_pivots_[k]);
      l[e] = factor;
      for (int j = s.u_start_[k]; j < s.u_start_[k + 1]; ++j) b[*target++] -= detail::product(factor, u[j]);
    }
    if (step < s.n_pivots_) {
      if (!detail::is_finite(pivot[step])) return FactorStatus::not_finite;
      if (pivot[step] == T(0)) return FactorStatus::singular;
      inverse_pivots_[step] = detail::reciprocal(pivot[step]);
    }
  }
  return FactorStatus::ok;
}

template <class T>
void CondensedMatrix<T>::forward(std::span<const T> rhs, std::span<T> reduced_rhs) noexcept {
  const Condensation& s = *symbolic_;
  RUBATO_ASSERT(static_cast<int>(rhs.size()) == s.n_ && static_cast<int>(reduced_rhs.size()) == s.reduced_size(),
                "sizes disagree");
  const T* const l = buffer_.data() + s.reduced_.nnz() + s.u_col_.size() + s.n_pivots_;
  for (int step = 0; step < s.n_; ++step) {
    T sum = rhs[s.row_order_[step]];
    for (int e = s.l_start_[step]; e < s.l_start_[step + 1]; ++e)
      sum -= detail::product(l[e], eliminated_[s.l_pivot_[e]]);
    (step < s.n_pivots_ ? eliminated_[step] : reduced_rhs[step - s.n_pivots_]) = sum;
  }
}

template <class T>
void CondensedMatrix<T>::backward(std::span<const T> reduced_solution, std::span<T> solution) noexcept {
  const Condensation& s = *symbolic_;
  RUBATO_ASSERT(
      static_cast<int>(solution.size()) == s.n_ && static_cast<int>(reduced_solution.size()) == s.reduced_size(),
      "sizes disagree");
  for (std::size_t i = 0; i < reduced_solution.size(); ++i) solution[s.remaining_cols_[i]] = reduced_solution[i];
  const T* const u = buffer_.data() + s.reduced_.nnz();
  for (int k = s.n_pivots_ - 1; k >= 0; --k) {
    T sum = eliminated_[k];
    for (int j = s.u_start_[k]; j < s.u_start_[k + 1]; ++j) sum -= detail::product(u[j], solution[s.u_col_[j]]);
    solution[s.pivot_cols_[k]] = detail::product(sum, inverse_pivots_[k]);
  }
}

template class CondensedMatrix<double>;
template class CondensedMatrix<std::complex<double>>;

}  // namespace rubato
