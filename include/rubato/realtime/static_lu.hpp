#pragma once
/// Sparse LU whose pivots were chosen off line:
///   block by block from the last to the first: b₁ ← b₁ − A₁₂ x₂,   L₁ U₁ x₁ = b₁,   row after row.
/// L and U stay for further right-hand sides (lu_solve_again).
/// Pivots are those that serve all given samples of A; other values may need others: watch the residual (ResidualMonitor).
#include <cmath>

#include "rubato/realtime/static_solver.hpp"

namespace rubato::realtime {

/// Pivots stand on the diagonal of the ordering; with `worst_ratio`, the smallest |pivot| / (largest entry of its column) over all samples.
struct LuOrdering {
  Ordering ordering;
  double worst_ratio = 0;
};

/// Chooses pivots by the fewest possible new entries, (entries of the row − 1)(entries of the column − 1) (Markowitz, Manag. Sci. 3 (1957)
/// 255, doi:10.1287/mnsc.3.3.255), among those of ratio ≥ threshold in every sample at once; where there are none, the best ratio.
/// Refuses a structurally singular pattern, and samples for which no pivots serve.
[[nodiscard]] Result<LuOrdering> lu_ordering(const SparsePattern& a, std::span<const std::vector<double>> samples,
                                             double threshold = 0.1);

struct LuTables {
  LuTables(const SparsePattern& a, const Ordering& ordering);
  OrderedRows rows;
  std::vector<int> l_starts, l_cols;  ///< rows of L without the diagonal, ascending
  std::vector<int> u_starts, u_cols;  ///< rows of U, diagonal first
  [[nodiscard]] OperationCount operations() const noexcept;
  [[nodiscard]] OperationCount operations_again() const noexcept;  ///< of a further right-hand side
};

template <class T>
struct LuMemory {
  explicit LuMemory(const LuTables& tables)
      : l(tables.l_cols.size()),
        u(tables.u_cols.size()),
        v(tables.u_starts.size() - 1),
        y(v.size()),
        x(v.size()),
        inverse(v.size()) {}
  std::vector<T> l, u, v, y, x, inverse;
};

/// U₁ x₁ = y₁ of the block [first, end).
template <class T>
void lu_substitute_back(const LuTables& tables, int first, int end, LuMemory<T>& memory) noexcept {
  const int* const u_starts = tables.u_starts.data();
  const int* const u_cols = tables.u_cols.data();
  const T* const u = memory.u.data();
  T* const x = memory.x.data();
  for (int i = end - 1; i >= first; --i) {
    T rest = memory.y[i];
    for (int p = u_starts[i] + 1; p < u_starts[i + 1]; ++p) rest = rest - u[p] * x[u_cols[p]];
    x[i] = rest * memory.inverse[i];
  }
}

/// T is double, or a number that counts.
template <class T>
[[nodiscard]] SolveStatus lu_solve(const LuTables& tables, std::span<const T> values, std::span<const T> b,
                                   std::span<T> solution, LuMemory<T>& memory) noexcept {
  using std::abs;
  const OrderedRows& rows = tables.rows;
  const Ordering& ordering = rows.ordering;
  const int* const u_starts = tables.u_starts.data();
  const int* const u_cols = tables.u_cols.data();
  T* const u = memory.u.data();
  T* const v = memory.v.data();
  T* const y = memory.y.data();
  T* const inverse = memory.inverse.data();
  bool regular = true;
  for (int block = ordering.n_blocks() - 1; block >= 0; --block) {
    const int first = ordering.starts[block], end = ordering.starts[block + 1];
    for (int i = first; i < end; ++i) {
      T rhs = rows.right_side<T>(i, values, b, memory.x);
      for (int p = rows.inner_starts[i]; p < rows.inner_starts[i + 1]; ++p)
        v[rows.inner[p].position] = values[rows.inner[p].value];
      for (int q = tables.l_starts[i]; q < tables.l_starts[i + 1]; ++q) {
        const int k = tables.l_cols[q], row_end = u_starts[k + 1];
        const T l = v[k] * inverse[k];
        memory.l[q] = l;
        v[k] = T(0.0);
        for (int p = u_starts[k] + 1; p < row_end; ++p) v[u_cols[p]] = v[u_cols[p]] - l * u[p];
        rhs = rhs - l * y[k];
      }
      y[i] = rhs;
      for (int p = u_starts[i]; p < u_starts[i + 1]; ++p) {
        u[p] = v[u_cols[p]];
        v[u_cols[p]] = T(0.0);
      }
      const T pivot = u[u_starts[i]];
      const bool fine = abs(pivot) > T(smallest_diagonal);
      regular = regular && fine;
      inverse[i] = T(1.0) / (fine ? pivot : T(1.0));
    }
    lu_substitute_back(tables, first, end, memory);
  }
  for (std::size_t j = 0; j < ordering.cols.size(); ++j) solution[ordering.cols[j]] = memory.x[j];
  return regular ? SolveStatus::ok : SolveStatus::singular;
}

/// Another right-hand side for the values of the last lu_solve().
template <class T>
void lu_solve_again(const LuTables& tables, std::span<const T> values, std::span<const T> b, std::span<T> solution,
                    LuMemory<T>& memory) noexcept {
  const OrderedRows& rows = tables.rows;
  const Ordering& ordering = rows.ordering;
  for (int block = ordering.n_blocks() - 1; block >= 0; --block) {
    const int first = ordering.starts[block], end = ordering.starts[block + 1];
    for (int i = first; i < end; ++i) {
      T rhs = rows.right_side<T>(i, values, b, memory.x);
      for (int q = tables.l_starts[i]; q < tables.l_starts[i + 1]; ++q)
        rhs = rhs - memory.l[q] * memory.y[tables.l_cols[q]];
      memory.y[i] = rhs;
    }
    lu_substitute_back(tables, first, end, memory);
  }
  for (std::size_t j = 0; j < ordering.cols.size(); ++j) solution[ordering.cols[j]] = memory.x[j];
}

}  // namespace rubato::realtime
