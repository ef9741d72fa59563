#pragma once
/// Exact elimination of local unknowns: the first steps of a sparse LU whose pivots are known from the structure.
///
/// With the pivot rows and columns first, A = [A₁₁ A₁₂; A₂₁ A₂₂] and A₁₁ = L₁₁ U₁₁,
///   S = A₂₂ − A₂₁ A₁₁⁻¹ A₁₂   (1)     S x₂ = b₂ − A₂₁ A₁₁⁻¹ b₁   (2)     x₁ = A₁₁⁻¹ (b₁ − A₁₂ x₂)   (3)
/// Mechanical systems in first-order form, q' = v, M v' = f − …: the row of q'_i = v_i holds −1 in the column of v_i. With
/// these pivots A(c) = cB − J of size 2n_q + n_λ shrinks to S = c²M − c f_v − f_q, bordered, of size n_q + n_λ, at one
/// multiplication and addition per entry of cM − f_v.
#include <complex>
#include <span>
#include <vector>

#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

/// Equation `row` is solved for unknown `col`.
using PivotPosition = Entry;

/// The symbolic part: an immutable value, one for any number of CondensedMatrix. Time is linear in the number of arithmetic
/// operations of one elimination. So is memory, but pivots one after the other whose rows of U have the same columns, such as the
/// inner unknowns of a finite element, share what is kept for them.
class Condensation {
 public:
  /// Pivots are eliminated in the given order; no row and no column twice. A pivot that is structurally zero even after
  /// fill-in is taken as a zero value: the numeric part then reports `singular`.
  Condensation(const SparsePattern& pattern, std::span<const PivotPosition> pivots);

  [[nodiscard]] int size() const noexcept { return n_; }
  [[nodiscard]] int n_pivots() const noexcept { return n_pivots_; }
  [[nodiscard]] int reduced_size() const noexcept { return n_ - n_pivots_; }
  /// Pattern of S: remaining rows × remaining columns, each in their old order.
  [[nodiscard]] const SparsePattern& reduced_pattern() const noexcept { return reduced_; }
  [[nodiscard]] std::span<const int> remaining_rows() const noexcept {
    return std::span(row_order_).subspan(static_cast<std::size_t>(n_pivots_));
  }
  [[nodiscard]] std::span<const int> remaining_cols() const noexcept { return remaining_cols_; }
  /// Multiplications with addition in one numeric elimination.
  [[nodiscard]] long operations() const noexcept { return operations_; }
  /// Numbers kept for them; fewer where pivots share.
  [[nodiscard]] long targets() const noexcept { return static_cast<long>(target_.size()); }

 private:
  template <class T>
  friend class CondensedMatrix;

  int n_ = 0, n_pivots_ = 0;
  long operations_ = 0;
  SparsePattern reduced_;
  // One buffer holds all numbers: S by columns | U by pivots, without diagonal | pivots | L by rows.
  std::vector<int> row_order_;  // old row of each step: pivot rows in pivot order, then the remaining ones
  std::vector<int> pivot_cols_, remaining_cols_;
  std::vector<int> scatter_;           // position in A → position in the buffer
  std::vector<int> u_start_, u_col_;   // row k of U: its old columns, ascending
  std::vector<int> l_start_;           // per step: its entries of L
  std::vector<int> l_pivot_;           // per entry of L: the pivot that it eliminates
  std::vector<std::size_t> l_target_;  // per entry of L: where its targets begin
  std::vector<int> target_;            // per entry of that pivot's row of U: where the product goes
};

/// The numeric part for T = double or std::complex<double>: sized once, then free of allocations.
template <class T>
class CondensedMatrix {
 public:
  /// `symbolic` must outlive this object.
  explicit CondensedMatrix(const Condensation& symbolic);

  /// (1). `values` of A in the order of its pattern. singular: a pivot is exactly zero.
  [[nodiscard]] FactorStatus reduce(std::span<const T> values) noexcept;
  /// Values of S in the order of reduced_pattern(), valid after reduce().
  [[nodiscard]] std::span<const T> reduced_values() const noexcept {
    return std::span(buffer_).first(static_cast<std::size_t>(symbolic_->reduced_.nnz()));
  }
  /// (2). Keeps what backward() needs.
  void forward(std::span<const T> rhs, std::span<T> reduced_rhs) noexcept;
  /// (3), for the right-hand side of the last forward().
  void backward(std::span<const T> reduced_solution, std::span<T> solution) noexcept;

 private:
  const Condensation* symbolic_;
  std::vector<T> buffer_, inverse_pivots_, eliminated_;
};
extern template class CondensedMatrix<double>;
extern template class CondensedMatrix<std::complex<double>>;

}  // namespace rubato
