#include "rubato/realtime/static_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/realtime/static_lu.hpp"
#include "rubato/realtime/static_qr.hpp"

namespace rubato::realtime {

namespace {

template <class Tables>
StaticFacts facts_of(const SparsePattern& a, const Tables& tables, std::size_t factor_entries) {
  const Ordering& ordering = tables.rows.ordering;
  return {.n = a.cols(),
          .n_blocks = ordering.n_blocks(),
          .largest_block = ordering.largest_block(),
          .matrix_entries = a.nnz(),
          .factor_entries = static_cast<long>(factor_entries),
          .operations = tables.operations(),
          .again = tables.operations_again()};
}

class StaticQr final : public StaticSolver {
 public:
  StaticQr(const SparsePattern& a, const Ordering& ordering)
      : tables_(a, ordering), memory_(tables_), facts_(facts_of(a, tables_, tables_.r_cols.size())) {}
  SolveStatus solve(In values, In b, Out x) noexcept override { return qr_solve(tables_, values, b, x, memory_); }
  void solve_again(In values, In b, Out x) noexcept override { qr_solve_again(tables_, values, b, x, memory_); }
  const StaticFacts& facts() const noexcept override { return facts_; }

 private:
  QrTables tables_;
  QrMemory<double> memory_;
  StaticFacts facts_;
};

class StaticLu final : public StaticSolver {
 public:
  StaticLu(const SparsePattern& a, const Ordering& ordering)
      : tables_(a, ordering),
        memory_(tables_),
        facts_(facts_of(a, tables_, tables_.l_cols.size() + tables_.u_cols.size())) {}
  SolveStatus solve(In values, In b, Out x) noexcept override { return lu_solve(tables_, values, b, x, memory_); }
  void solve_again(In values, In b, Out x) noexcept override { lu_solve_again(tables_, values, b, x, memory_); }
  const StaticFacts& facts() const noexcept override { return facts_; }

 private:
  LuTables tables_;
  LuMemory<double> memory_;
  StaticFacts facts_;
};

}  // namespace

std::string_view to_string(StaticKind kind) noexcept { return kind == StaticKind::qr ? "qr" : "lu"; }

Result<std::unique_ptr<StaticSolver>> make_static_solver(StaticKind kind, const SparsePattern& a,
                                                         const Ordering& ordering) {
  if (a.rows() != a.cols()) return Error{fmt::format("a matrix of {} × {}; square ones only", a.rows(), a.cols())};
  if (!fits(ordering, a)) return Error{"the orders of rows and columns do not fit the structure of the step matrix"};
  if (const int rank = block_triangular(a).structural_rank; rank < a.cols())
    return Error{fmt::format("the step matrix of {} unknowns is singular for any values: its structure has rank {}",
                             a.cols(), rank)};
  if (kind == StaticKind::qr) return std::unique_ptr<StaticSolver>(std::make_unique<StaticQr>(a, ordering));
  return std::unique_ptr<StaticSolver>(std::make_unique<StaticLu>(a, ordering));
}

OrderedRows::OrderedRows(const SparsePattern& a, const Ordering& order) : ordering(order) {
  const auto n = static_cast<std::size_t>(a.cols());
  std::vector<int> position(n), block_end(n);
  for (std::size_t j = 0; j < n; ++j) position[ordering.cols[j]] = static_cast<int>(j);
  for (int b = 0; b < ordering.n_blocks(); ++b)
    std::fill(block_end.begin() + ordering.starts[b], block_end.begin() + ordering.starts[b + 1],
              ordering.starts[b + 1]);
  const TransposedPattern by_rows = transposed(a);
  const auto starts = by_rows.pattern.column_starts();
  for (std::size_t i = 0; i < n; ++i) {
    inner_starts.push_back(static_cast<int>(inner.size()));
    outer_starts.push_back(static_cast<int>(outer.size()));
    const int row = ordering.rows[i];
    for (int p = starts[row]; p < starts[row + 1]; ++p) {
      const Gathered gathered{by_rows.source[p], position[by_rows.pattern.row_indices()[p]]};
      (gathered.position < block_end[i] ? inner : outer).push_back(gathered);
    }
  }
  inner_starts.push_back(static_cast<int>(inner.size()));
  outer_starts.push_back(static_cast<int>(outer.size()));
}

ResidualMonitor::ResidualMonitor(const SparsePattern& a)
    : a_(a), residual_(static_cast<std::size_t>(a.rows())), size_(residual_), row_(residual_) {}

double ResidualMonitor::backward_error(In values, In b, In x) noexcept {
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    residual_[i] = b[i];
    size_[i] = std::abs(b[i]);
    row_[i] = 0;
  }
  double largest = 0;
  const auto starts = a_.column_starts(), rows = a_.row_indices();
  for (int j = 0; j < a_.cols(); ++j) {
    largest = std::max(largest, std::abs(x[j]));
    for (int p = starts[j]; p < starts[j + 1]; ++p) {
      const double term = values[p] * x[j];
      residual_[rows[p]] -= term;
      size_[rows[p]] += std::abs(term);
      row_[rows[p]] += std::abs(values[p]);
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    const double denominator = size_[i] + 1e-4 * row_[i] * largest;
    const double error = std::abs(residual_[i]) / std::max(denominator, smallest_diagonal);  // zeros are exact
    if (!std::isnan(worst) && !(error <= worst)) worst = error;                              // NaN stays
  }
  return worst;
}

}  // namespace rubato::realtime
