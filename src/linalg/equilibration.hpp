#pragma once
/// Scaling of rows and columns, A → diag(r) A diag(c), after which the largest entry of each is about 1.
///
/// Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034: rows and columns at
/// once, each divided by the square root of its largest entry, a few times over. |A| = |Aᵀ| gives r = c.
/// The factors are powers of two: scaling rounds nothing, and a matrix that is exactly singular stays so.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rubato/linalg/pattern.hpp"
#include "scalar.hpp"

namespace rubato::detail {

struct Equilibration {
  explicit Equilibration(int n)
      : row(static_cast<std::size_t>(n), 1.0),
        col(static_cast<std::size_t>(n), 1.0),
        row_largest_(row.size()),
        col_largest_(row.size()) {}

  template <class T>
  void compute(const SparsePattern& pattern, std::span<const T> values) noexcept {
    constexpr int sweeps = 4;  // entries 10¹² … 10¹⁶ apart come to within a factor of about 20 of each other
    std::fill(row.begin(), row.end(), 1.0);
    std::fill(col.begin(), col.end(), 1.0);
    const auto starts = pattern.column_starts(), rows = pattern.row_indices();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      std::fill(row_largest_.begin(), row_largest_.end(), 0.0);
      for (int j = 0; j < pattern.cols(); ++j) {
        double largest = 0;
        for (int p = starts[j]; p < starts[j + 1]; ++p) {
          const int i = rows[p];
          const double a = row[i] * magnitude(values[p]) * col[j];
          row_largest_[i] = std::max(row_largest_[i], a);
          largest = std::max(largest, a);
        }
        col_largest_[j] = largest;
      }
      bool changed = false;
      for (std::size_t i = 0; i < row.size(); ++i) {
        changed |= divide(row[i], row_largest_[i]);
        changed |= divide(col[i], col_largest_[i]);
      }
      if (!changed) break;
    }
  }

  std::vector<double> row, col;

 private:
  /// factor /= 2^⌊½ log₂ largest⌋; false where that changes nothing. Within 2^±1000: a product with two entries that are
  /// not absurd neither overflows nor vanishes.
  static bool divide(double& factor, double largest) noexcept {
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    const int shift = std::ilogb(largest) >> 1;
    const double next = std::scalbn(factor, -shift);
    if (shift == 0 || !(next > 0x1p-1000 && next < 0x1p1000)) return false;
    factor = next;
    return true;
  }

  std::vector<double> row_largest_, col_largest_;
};

}  // namespace rubato::detail
