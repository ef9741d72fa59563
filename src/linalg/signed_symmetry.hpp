#pragma once
/// Finds out whether a matrix is symmetric once some of its rows are multiplied by −1.
///
/// The step matrices of constrained systems are: c²M − c f_v − f_q bordered by −f_λ = Gᵀ on the right and −g_q = −G below.
/// Wanted are s_i = ±1 with
///   s_i a_ij = s_j a_ji   for all i, j.                                                                          (1)
/// Each pair a_ij = ±a_ji ≠ 0 tells s_j from s_i: one walk over the graph of the matrix, breadth first from the lowest
/// number not reached yet (s = 1 there), finds them, or a pair that allows neither sign, or a contradiction.
/// Symmetric without conjugation, also where the values are complex.
#include <algorithm>
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "rubato/linalg/pattern.hpp"
#include "scalar.hpp"

namespace rubato::detail {

template <class T>
class SignedSymmetry {
 public:
  explicit SignedSymmetry(const SparsePattern& pattern)
      : pattern_(pattern),
        twins_(static_cast<std::size_t>(pattern.nnz()), -1),
        signs_(static_cast<std::size_t>(pattern.rows()), 1),
        queue_(static_cast<std::size_t>(pattern.rows())) {
    const TransposedPattern other = transposed(pattern);
    const std::vector<int> place = positions_in(other.pattern, pattern);
    for (std::size_t p = 0; p < place.size(); ++p)
      if (place[p] >= 0) twins_[place[p]] = other.source[p];
    for (int j = 0; j < pattern.cols(); ++j)
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
        if (pattern.row_indices()[p] >= j || twins_[p] < 0)
          pairs_.push_back({pattern.row_indices()[p], j, p, twins_[p]});
  }

  /// An entry on or below the diagonal and its mirror image; or, mirror = −1, one whose image is not in the pattern.
  struct Pair {
    int row, col, position, mirror;
  };
  [[nodiscard]] std::span<const Pair> pairs() const noexcept { return pairs_; }

  /// Does (1) hold for diag(scale) A diag(scale), entries of size 1? Signs that held before are tried first.
  [[nodiscard]] bool holds(std::span<const T> values, std::span<const double> scale) noexcept {
    return verified(values, scale) || (found(values, scale) && verified(values, scale));
  }
  /// After holds() was true: s_i, and the largest |s_i a_ij − s_j a_ji| of the scaled matrix.
  [[nodiscard]] std::span<const signed char> signs() const noexcept { return signs_; }
  [[nodiscard]] double defect() const noexcept { return defect_; }

 private:
  /// Assembly in another order leaves differences of a few ε of the largest entries; smaller entries may differ in more
  /// of their digits.
  static constexpr double relative = 1e-13, absolute = 1e-15;

  static double tolerance(T x, T y) noexcept { return relative * (magnitude(x) + magnitude(y)) + absolute; }

  [[nodiscard]] bool verified(std::span<const T> values, std::span<const double> scale) noexcept {
    defect_ = 0;
    for (const Pair& e : pairs_) {
      if (e.row == e.col) continue;
      const double size = scale[e.row] * scale[e.col];
      const T x = values[e.position] * size, y = e.mirror < 0 ? T(0) : values[e.mirror] * size;
      const double difference = magnitude(signs_[e.row] == signs_[e.col] ? x - y : x + y);
      if (!(difference <= tolerance(x, y))) return false;
      defect_ = std::max(defect_, difference);
    }
    return true;
  }

  [[nodiscard]] bool found(std::span<const T> values, std::span<const double> scale) noexcept {
    std::fill(signs_.begin(), signs_.end(), static_cast<signed char>(0));
    for (std::size_t start = 0; start < signs_.size(); ++start) {
      if (signs_[start] != 0) continue;
      signs_[start] = 1;
      std::size_t head = 0, tail = 0;
      queue_[tail++] = static_cast<int>(start);
      while (head < tail) {
        const int i = queue_[head++];
        for (int p = pattern_.column_starts()[i]; p < pattern_.column_starts()[i + 1]; ++p) {
          const int j = pattern_.row_indices()[p];
          if (twins_[p] < 0 || j == i) continue;
          const double size = scale[i] * scale[j];
          const T x = values[p] * size, y = values[twins_[p]] * size;
          const bool same = magnitude(x - y) <= tolerance(x, y), opposite = magnitude(x + y) <= tolerance(x, y);
          if (!same && !opposite) return false;
          if (same && opposite) continue;  // both are as good as zero
          const auto sign = static_cast<signed char>(same ? signs_[i] : -signs_[i]);
          if (signs_[j] == 0) {
            signs_[j] = sign;
            queue_[tail++] = j;
          } else if (signs_[j] != sign) {
            return false;
          }
        }
      }
    }
    return true;
  }

  SparsePattern pattern_;
  std::vector<int> twins_;  // the position of the mirror image, −1 if there is none
  std::vector<Pair> pairs_;
  std::vector<signed char> signs_;
  std::vector<int> queue_;
  double defect_ = 0;
};

}  // namespace rubato::detail
