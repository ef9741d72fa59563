#pragma once
/// Sparse LU whose pivots were chosen off line:
///   block by block from the last to the first: b₁ ← b₁ − A₁₂ x₂,   L₁ U₁ x₁ = b₁,   row after row; L is never stored.
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
};

template <class T>
struct LuMemory {
  explicit LuMemory(const LuTables& tables)
      : u(tables.u_cols.size()), v(tables.u_starts.size() - 1), y(v.size()), x(v.size()), inverse(v.size()) {}
  std::vector<T> u, v, y, x, inverse;
};

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
  T* const x = memory.x.data();
  T* const inverse = memory.inverse.data();
  bool regular = true;
  for (int block = ordering.n_blocks() - 1; block >= 0; --block) {
    const int first = ordering.starts[block], end = ordering.starts[block + 1];
    for (int i = first; i < end; ++i) {
      T rhs = b[ordering.rows[i]];
      for (int p = rows.outer_starts[i]; p < rows.outer_starts[i + 1]; ++p)
        rhs = rhs - values[rows.outer[p].value] * x[rows.outer[p].position];
      for (int p = rows.inner_starts[i]; p < rows.inner_starts[i + 1]; ++p)
        v[rows.inner[p].position] = values[rows.inner[p].value];
      for (int q = tables.l_starts[i]; q < tables.l_starts[i + 1]; ++q) {
        const int k = tables.l_cols[q], row_end = u_starts[k + 1];
        const T l = v[k] * inverse[k];
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
    for (int i = end - 1; i >= first; --i) {
      T rest = y[i];
      for (int p = u_starts[i] + 1; p < u_starts[i + 1]; ++p) rest = rest - u[p] * x[u_cols[p]];
      x[i] = rest * inverse[i];
    }
  }
  for (std::size_t j = 0; j < ordering.cols.size(); ++j) solution[ordering.cols[j]] = x[j];
  return regular ? SolveStatus::ok : SolveStatus::singular;
}

}  // namespace rubato::realtime
