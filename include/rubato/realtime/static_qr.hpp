#pragma once
/// Row-sequential sparse QR (George & Heath) with static storage:
///   block by block from the last to the first: b₁ ← b₁ − A₁₂ x₂,   R₁ x₁ = Q₁ᵀ b₁.
/// Rotations stay for further right-hand sides (qr_solve_again).
/// Every row of A is laid into a vector v and rotated with rows of R from the left to the right,
///   (c, s) = (r_jj, v_j) / h,   h = ± √(r_jj² + v_j²),   (R_j, v) ← (c R_j + s v, c v − s R_j),                          (1)
/// until it meets a row of R that is empty and becomes that row. Where v_j = 0 by chance the rotation is made all the same, and is the
/// identity: the sequence depends on the structure alone.
#include <cmath>

#include "rubato/realtime/static_solver.hpp"

namespace rubato::realtime {

struct QrTables {
  QrTables(const SparsePattern& a, const Ordering& ordering);
  OrderedRows rows;
  std::vector<int> r_starts, r_cols;                    ///< rows of R, diagonal first
  std::vector<int> rotation_starts, rotations, stored;  ///< per row of A in the order of work
  [[nodiscard]] OperationCount operations() const noexcept;
  [[nodiscard]] OperationCount operations_again() const noexcept;  ///< of a further right-hand side
};

template <class T>
struct QrMemory {
  explicit QrMemory(const QrTables& tables)
      : r(tables.r_cols.size()),
        v(tables.stored.size()),
        y(v.size()),
        x(v.size()),
        c(tables.rotations.size()),
        s(c.size()) {}
  std::vector<T> r, v, y, x, c, s;
};

/// R₁ x₁ = y₁ of the block [first, end); false: a diagonal entry counts as zero.
template <class T>
[[nodiscard]] bool qr_substitute_back(const QrTables& tables, int first, int end, QrMemory<T>& memory) noexcept {
  using std::abs;
  const int* const r_starts = tables.r_starts.data();
  const int* const r_cols = tables.r_cols.data();
  const T* const r = memory.r.data();
  T* const x = memory.x.data();
  bool regular = true;
  for (int j = end - 1; j >= first; --j) {
    const int diagonal = r_starts[j];
    T rest = memory.y[j];
    for (int p = diagonal + 1; p < r_starts[j + 1]; ++p) rest = rest - r[p] * x[r_cols[p]];
    const bool fine = abs(r[diagonal]) > T(smallest_diagonal);
    regular = regular && fine;
    x[j] = rest / (fine ? r[diagonal] : T(1.0));
  }
  return regular;
}

/// x > 0 ? yes : no; numbers that are recorded have their own.
template <class T>
[[nodiscard]] T where_positive(const T& x, const T& yes, const T& no) noexcept {
  return x > T(0.0) ? yes : no;
}

/// T is double, or a number that counts or is recorded.
template <class T>
[[nodiscard]] SolveStatus qr_solve(const QrTables& tables, std::span<const T> values, std::span<const T> b,
                                   std::span<T> solution, QrMemory<T>& memory) noexcept {
  using std::copysign;
  using std::sqrt;
  const OrderedRows& rows = tables.rows;
  const Ordering& ordering = rows.ordering;
  const int* const r_starts = tables.r_starts.data();
  const int* const r_cols = tables.r_cols.data();
  T* const r = memory.r.data();
  T* const v = memory.v.data();
  T* const y = memory.y.data();
  bool regular = true;
  for (int block = ordering.n_blocks() - 1; block >= 0; --block) {
    const int first = ordering.starts[block], end = ordering.starts[block + 1];
    for (int i = first; i < end; ++i) {
      T rhs = rows.right_side<T>(i, values, b, memory.x);
      for (int p = rows.inner_starts[i]; p < rows.inner_starts[i + 1]; ++p)
        v[rows.inner[p].position] = values[rows.inner[p].value];
      for (int k = tables.rotation_starts[i]; k < tables.rotation_starts[i + 1]; ++k) {
        const int j = tables.rotations[k], diagonal = r_starts[j], row_end = r_starts[j + 1];
        const T a = r[diagonal], square = a * a + v[j] * v[j];
        // Where both vanish: the identity.
        const T h = where_positive(square, copysign(sqrt(square), a), T(1.0));
        const T c = where_positive(square, a / h, T(1.0)), s = v[j] / h;
        memory.c[k] = c;
        memory.s[k] = s;
        r[diagonal] = where_positive(square, h, a);
        v[j] = T(0.0);
        for (int p = diagonal + 1; p < row_end; ++p) {  // (1)
          const T upper = r[p], lower = v[r_cols[p]];
          r[p] = c * upper + s * lower;
          v[r_cols[p]] = c * lower - s * upper;
        }
        const T upper = y[j];
        y[j] = c * upper + s * rhs;
        rhs = c * rhs - s * upper;
      }
      const int j = tables.stored[i];
      y[j] = rhs;
      for (int p = r_starts[j]; p < r_starts[j + 1]; ++p) {
        r[p] = v[r_cols[p]];
        v[r_cols[p]] = T(0.0);
      }
    }
    regular = qr_substitute_back(tables, first, end, memory) && regular;
  }
  for (std::size_t j = 0; j < ordering.cols.size(); ++j) solution[ordering.cols[j]] = memory.x[j];
  return regular ? SolveStatus::ok : SolveStatus::singular;
}

/// Another right-hand side for the values of the last qr_solve().
template <class T>
void qr_solve_again(const QrTables& tables, std::span<const T> values, std::span<const T> b, std::span<T> solution,
                    QrMemory<T>& memory) noexcept {
  const OrderedRows& rows = tables.rows;
  const Ordering& ordering = rows.ordering;
  for (int block = ordering.n_blocks() - 1; block >= 0; --block) {
    const int first = ordering.starts[block], end = ordering.starts[block + 1];
    for (int i = first; i < end; ++i) {
      T rhs = rows.right_side<T>(i, values, b, memory.x);
      for (int k = tables.rotation_starts[i]; k < tables.rotation_starts[i + 1]; ++k) {
        T& y = memory.y[tables.rotations[k]];
        const T upper = y;
        y = memory.c[k] * upper + memory.s[k] * rhs;
        rhs = memory.c[k] * rhs - memory.s[k] * upper;
      }
      memory.y[tables.stored[i]] = rhs;
    }
    (void)qr_substitute_back(tables, first, end, memory);
  }
  for (std::size_t j = 0; j < ordering.cols.size(); ++j) solution[ordering.cols[j]] = memory.x[j];
}

}  // namespace rubato::realtime
