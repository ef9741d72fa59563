#pragma once
/// LU with row pivoting of matrices so small that the compiler had better know their size: a solve of two unknowns takes 15
/// instructions instead of 190. In a header, for those who solve in the middle of a loop.
#include <array>
#include <limits>
#include <utility>

#include "rubato/linalg/linear_solver.hpp"
#include "scalar.hpp"

namespace rubato::detail {

/// N × N, by columns.
template <class T, int N>
class SmallLu {
 public:
  FactorStatus factor(const T* __restrict matrix) noexcept {
    if constexpr (N == 2) return factor_two(matrix);
    for (int k = 0; k < N; ++k) row_[k] = k;
    for (int k = 0; k < N; ++k) {
      const T* const column = (k == 0 ? matrix : lu_.data()) + k * N;
      int pivot = k;
      double largest = magnitude(column[k]);
      for (int i = k + 1; i < N; ++i)
        if (const double m = magnitude(column[i]); m > largest) largest = m, pivot = i;
      std::swap(row_[k], row_[pivot]);
      if (k == 0) {  // the first exchange happens on the way
        for (int j = 0; j < N; ++j)
          for (int i = 0; i < N; ++i) at(i, j) = matrix[j * N + row_[i]];
      } else if (pivot != k) {
        for (int j = 0; j < N; ++j) std::swap(at(k, j), at(pivot, j));
      }
      if (const FactorStatus status = judged(largest); status != FactorStatus::ok) return status;
      const T inverse = reciprocal(at(k, k));
      inverse_pivots_[k] = inverse;
      for (int i = k + 1; i < N; ++i) at(i, k) = product(at(i, k), inverse);
      for (int j = k + 1; j < N; ++j)
        for (int i = k + 1; i < N; ++i) at(i, j) -= product(at(i, k), at(k, j));
    }
    return FactorStatus::ok;
  }

  /// In place.
  void solve(T* b) const noexcept {
    T y[N];
    if constexpr (N == 2) {  // no index that only memory knows
      const bool exchanged = row_[0] != 0;
      y[0] = either(exchanged, b[1], b[0]);
      y[1] = either(exchanged, b[0], b[1]);
    } else {
      for (int k = 0; k < N; ++k) y[k] = b[row_[k]];
    }
    for (int k = 0; k < N; ++k)  // L y = P b
      for (int i = k + 1; i < N; ++i) y[i] -= product(at(i, k), y[k]);
    for (int k = N - 1; k >= 0; --k) {  // U x = y
      y[k] = product(y[k], inverse_pivots_[k]);
      for (int i = 0; i < k; ++i) y[i] -= product(at(i, k), y[k]);
    }
    for (int k = 0; k < N; ++k) b[k] = y[k];
  }

  /// The same with the transposed matrix.
  void solve_transposed(T* b) const noexcept {
    T y[N];
    for (int k = 0; k < N; ++k) {  // Uᵀ y = b
      y[k] = b[k];
      for (int i = 0; i < k; ++i) y[k] -= product(at(i, k), y[i]);
      y[k] = product(y[k], inverse_pivots_[k]);
    }
    for (int k = N - 1; k >= 0; --k)  // Lᵀ z = y
      for (int i = k + 1; i < N; ++i) y[k] -= product(at(i, k), y[i]);
    for (int k = 0; k < N; ++k) b[row_[k]] = y[k];  // x = Pᵀ z
  }

  [[nodiscard]] std::span<const T> factors() const noexcept { return lu_; }

 private:
  static constexpr double largest_pivot = std::numeric_limits<double>::max(),
                          smallest_pivot = 4 / largest_pivot;  // 1/p is finite
  /// What is not finite spreads to a later pivot: in U down its column, in L along its row.
  static FactorStatus judged(double pivot) noexcept {
    if (!(pivot <= largest_pivot)) return FactorStatus::not_finite;
    return pivot < smallest_pivot ? FactorStatus::singular : FactorStatus::ok;
  }

  /// factor() without loops, and without indices, which would send its numbers through memory.
  FactorStatus factor_two(const T* matrix) noexcept {
    const bool exchanged = magnitude(matrix[1]) > magnitude(matrix[0]);
    const T pivot = either(exchanged, matrix[1], matrix[0]), below = either(exchanged, matrix[0], matrix[1]),
            right = either(exchanged, matrix[3], matrix[2]), corner = either(exchanged, matrix[2], matrix[3]);
    const T inverse = reciprocal(pivot), l = product(below, inverse), last = corner - product(l, right);
    lu_ = {pivot, l, right, last};
    inverse_pivots_ = {inverse, reciprocal(last)};
    row_ = {exchanged ? 1 : 0, exchanged ? 0 : 1};
    const FactorStatus status = judged(magnitude(pivot));
    return status == FactorStatus::ok ? judged(magnitude(last)) : status;
  }

  T& at(int i, int j) noexcept { return lu_[static_cast<std::size_t>(j * N + i)]; }
  const T& at(int i, int j) const noexcept { return lu_[static_cast<std::size_t>(j * N + i)]; }

  std::array<T, static_cast<std::size_t>(N) * N> lu_{};
  std::array<T, static_cast<std::size_t>(N)> inverse_pivots_{};
  std::array<int, static_cast<std::size_t>(N)> row_{};  // row k of L U is row row_[k] of the matrix
};

/// What the dense solver of N unknowns is as well: a cast finds its factors.
template <class T, int N>
struct KeepsSmallLu {
  SmallLu<T, N> lu;
};

}  // namespace rubato::detail
