#pragma once
/// Products of values on a pattern with vectors. Real matrices also act on complex vectors (stages of complex shifts).
#include <algorithm>
#include <span>

#include "rubato/base/assert.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

/// y += α A x.
template <class A, class T>
void multiply_add(const SparsePattern& pattern, std::span<const A> values, T alpha, std::span<const T> x,
                  std::span<T> y) noexcept {
  RUBATO_ASSERT(static_cast<int>(values.size()) == pattern.nnz() && static_cast<int>(x.size()) == pattern.cols() &&
                    static_cast<int>(y.size()) == pattern.rows(),
                "sizes disagree");
  const std::span<const int> starts = pattern.column_starts(), rows = pattern.row_indices();
  for (std::size_t j = 0; j < x.size(); ++j) {
    const T xj = alpha * x[j];
    for (int p = starts[j]; p < starts[j + 1]; ++p) y[rows[p]] += values[p] * xj;
  }
}

/// y = A x.
template <class A, class T>
void multiply(const SparsePattern& pattern, std::span<const A> values, std::span<const T> x, std::span<T> y) noexcept {
  std::fill(y.begin(), y.end(), T(0));
  multiply_add<A, T>(pattern, values, T(1), x, y);
}

/// y = Aᵀ x.
template <class A, class T>
void multiply_transposed(const SparsePattern& pattern, std::span<const A> values, std::span<const T> x,
                         std::span<T> y) noexcept {
  RUBATO_ASSERT(static_cast<int>(values.size()) == pattern.nnz() && static_cast<int>(x.size()) == pattern.rows() &&
                    static_cast<int>(y.size()) == pattern.cols(),
                "sizes disagree");
  const std::span<const int> starts = pattern.column_starts(), rows = pattern.row_indices();
  for (std::size_t j = 0; j < y.size(); ++j) {
    T sum(0);
    for (int p = starts[j]; p < starts[j + 1]; ++p) sum += values[p] * x[rows[p]];
    y[j] = sum;
  }
}

/// The plain real case, so that containers convert: multiply(pattern, B, x, y).
inline void multiply(const SparsePattern& pattern, std::span<const double> values, std::span<const double> x,
                     std::span<double> y) noexcept {
  multiply<double, double>(pattern, values, x, y);
}
inline void multiply_add(const SparsePattern& pattern, std::span<const double> values, double alpha,
                         std::span<const double> x, std::span<double> y) noexcept {
  multiply_add<double, double>(pattern, values, alpha, x, y);
}

}  // namespace rubato
