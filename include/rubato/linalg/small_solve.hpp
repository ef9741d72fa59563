#pragma once
/// Gaussian elimination over any scalar: for small systems inside models, where dual numbers must pass through.
#include <cmath>
#include <span>
#include <utility>

#include "rubato/base/dual.hpp"
#include "rubato/base/tracer.hpp"

namespace rubato {

/// Solves A x = b in place (b becomes x) for a row-major n × n matrix, pivoting on the largest value of a column.
/// Own code because library factorisations take plain numbers only, and this one must differentiate through.
/// Returns false for a singular matrix.
template <class S>
[[nodiscard]] bool solve_small(std::span<S> a, std::span<S> b) noexcept {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(value_of(a[i * n + k])) > std::abs(value_of(a[pivot * n + k]))) pivot = i;
    if (!(std::abs(value_of(a[pivot * n + k])) > 0)) return false;
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const S factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return true;
}

}  // namespace rubato
