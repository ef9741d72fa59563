#include "rubato/realtime/static_lu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace rubato::realtime {

namespace {

/// The part of a diagonal block that is still to be eliminated, for all samples at once.
class ActiveMatrix {
 public:
  ActiveMatrix(const SparsePattern& a, const Ordering& ordering, int block,
               std::span<const std::vector<double>> samples)
      : n_samples_(samples.size()),
        rows_(static_cast<std::size_t>(ordering.starts[block + 1] - ordering.starts[block])),
        cols_(rows_.size()) {
    const int first = ordering.starts[block];
    std::vector<int> row_of(static_cast<std::size_t>(a.rows()), -1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      row_of[ordering.rows[first + static_cast<int>(i)]] = static_cast<int>(i);
    for (std::size_t j = 0; j < cols_.size(); ++j) {
      const int col = ordering.cols[first + static_cast<int>(j)];
      int place = a.column_starts()[col];
      for (const int row : a.column(col)) {
        if (row_of[row] >= 0) {
          double* const values = insert(row_of[row], static_cast<int>(j));
          for (std::size_t s = 0; s < n_samples_; ++s) values[s] = samples[s][place];
        }
        ++place;
      }
    }
  }

  struct Pivot {
    int row = -1, col = -1;
    long cost = 0;
    double ratio = 0;
  };
  [[nodiscard]] Pivot choose(double threshold) const {
    Pivot best, steadiest;
    for (int j = 0; j < static_cast<int>(cols_.size()); ++j)
      for (const int i : cols_[j]) {
        const long cost = (static_cast<long>(rows_[i].size()) - 1) * (static_cast<long>(cols_[j].size()) - 1);
        if (best.row >= 0 && cost > best.cost) continue;
        const Pivot pivot{i, j, cost, ratio(i, j)};
        if (pivot.ratio > steadiest.ratio) steadiest = pivot;
        if (pivot.ratio < threshold) continue;
        if (best.row < 0 || cost < best.cost || pivot.ratio > best.ratio) best = pivot;
      }
    return best.row >= 0 ? best : steadiest;
  }

  void eliminate(const Pivot& pivot) {
    for (const auto& [col, slot] : rows_[pivot.row]) cols_[col].erase(pivot.row);
    const int pivot_slot = rows_[pivot.row].at(pivot.col);
    for (const int i : cols_[pivot.col]) {
      const int slot = rows_[i].at(pivot.col);
      std::vector<double> multipliers(n_samples_);
      for (std::size_t s = 0; s < n_samples_; ++s) multipliers[s] = at(slot)[s] / at(pivot_slot)[s];
      rows_[i].erase(pivot.col);
      for (const auto& [col, upper] : rows_[pivot.row]) {
        if (col == pivot.col) continue;
        double* const target = insert(i, col);
        for (std::size_t s = 0; s < n_samples_; ++s) target[s] -= multipliers[s] * at(upper)[s];
      }
    }
    rows_[pivot.row].clear();
    cols_[pivot.col].clear();
  }

 private:
  /// |a_ij| against the largest entry of the column, at worst.
  [[nodiscard]] double ratio(int row, int col) const {
    double worst = 1;
    const double* const pivot = at(rows_[row].at(col));
    for (std::size_t s = 0; s < n_samples_; ++s) {
      double largest = 0;
      for (const int i : cols_[col]) largest = std::max(largest, std::abs(at(rows_[i].at(col))[s]));
      const double here = std::abs(pivot[s]);
      worst = std::min(worst, here > smallest_diagonal ? here / largest : 0.0);
    }
    return worst;
  }
  [[nodiscard]] const double* at(int slot) const { return pool_.data() + static_cast<std::size_t>(slot) * n_samples_; }
  double* insert(int row, int col) {
    const auto [place, is_new] = rows_[row].try_emplace(col, n_slots_);
    if (is_new) {
      ++n_slots_;
      pool_.resize(static_cast<std::size_t>(n_slots_) * n_samples_, 0.0);
      cols_[col].insert(row);
    }
    return pool_.data() + static_cast<std::size_t>(place->second) * n_samples_;
  }

  std::size_t n_samples_;
  std::vector<std::map<int, int>> rows_;  ///< column → slot in the pool
  std::vector<std::set<int>> cols_;
  std::vector<double> pool_;
  int n_slots_ = 0;
};

}  // namespace

Result<LuOrdering> lu_ordering(const SparsePattern& a, std::span<const std::vector<double>> samples, double threshold) {
  if (samples.empty()) return Error{"pivots need at least one sample of the step matrix"};
  for (const auto& values : samples)
    for (const double value : values)
      if (!std::isfinite(value)) return Error{fmt::format("a sample of the step matrix holds {}", value)};
  const BlockTriangular form = block_triangular(a);
  if (!form.nonsingular())
    return Error{fmt::format("the step matrix of {} unknowns is singular for any values: its structure has rank {}",
                             a.cols(), form.structural_rank)};
  LuOrdering result{.ordering = form.ordering, .worst_ratio = 1};
  for (int b = 0; b < form.ordering.n_blocks(); ++b) {
    ActiveMatrix active(a, form.ordering, b, samples);
    for (int k = form.ordering.starts[b]; k < form.ordering.starts[b + 1]; ++k) {
      const auto pivot = active.choose(threshold);
      if (pivot.row < 0)
        return Error{
            fmt::format("no pivots serve all samples of the step matrix: after {} of {} in block {} a column is zero "
                        "in one of them",
                        k - form.ordering.starts[b], form.ordering.starts[b + 1] - form.ordering.starts[b], b)};
      result.ordering.rows[k] = form.ordering.rows[form.ordering.starts[b] + pivot.row];
      result.ordering.cols[k] = form.ordering.cols[form.ordering.starts[b] + pivot.col];
      result.worst_ratio = std::min(result.worst_ratio, pivot.ratio);
      active.eliminate(pivot);
    }
  }
  return result;
}

LuTables::LuTables(const SparsePattern& a, const Ordering& ordering) : rows(a, ordering) {
  l_starts = {0};
  u_starts = {0};
  for (int b = 0; b < ordering.n_blocks(); ++b) {
    for (int i = ordering.starts[b]; i < ordering.starts[b + 1]; ++i) {
      std::set<int> row;
      for (int p = rows.inner_starts[i]; p < rows.inner_starts[i + 1]; ++p) row.insert(rows.inner[p].position);
      // Rows of U merge into those that have an entry in their pivot's column; a set may grow while it is walked.
      for (auto k = row.begin(); k != row.end() && *k < i; ++k)
        for (int p = u_starts[*k] + 1; p < u_starts[*k + 1]; ++p) row.insert(u_cols[p]);
      row.insert(i);
      for (const int col : row) (col < i ? l_cols : u_cols).push_back(col);
      l_starts.push_back(static_cast<int>(l_cols.size()));
      u_starts.push_back(static_cast<int>(u_cols.size()));
    }
  }
}

OperationCount LuTables::operations_again() const noexcept {
  OperationCount count;
  const auto n = static_cast<long>(u_starts.size()) - 1, above = static_cast<long>(u_cols.size()) - n;
  const auto outer = static_cast<long>(rows.outer.size()), below = static_cast<long>(l_cols.size());
  count.additions = outer + below + above;
  count.multiplications = outer + below + above + n;
  return count;
}

OperationCount LuTables::operations() const noexcept {
  OperationCount count = operations_again();
  for (const int k : l_cols) {
    const long beside = u_starts[k + 1] - u_starts[k] - 1;  // entries beside the diagonal
    count += {.additions = beside, .multiplications = beside + 1};
  }
  count.divisions += static_cast<long>(u_starts.size()) - 1;
  return count;
}

}  // namespace rubato::realtime
