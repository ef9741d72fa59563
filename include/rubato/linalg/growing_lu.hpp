#pragma once
/// LU of a dense matrix that grows by a row and a column at a time, as those of Krylov spaces do:
///   P [H c; rᵀ d] = [L 0; lᵀ 1] [U u; 0 p],   u = L⁻¹ P c,   lᵀ = rᵀ U⁻¹,   p = d − lᵀu                               (1)
/// which takes k² operations where a new factorisation takes k³. Rows found by an earlier search for pivots keep their order; where p is
/// small beside the terms of its sum, everything is factorised again with a new search.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rubato/base/assert.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

class GrowingLu {
 public:
  GrowingLu() = default;
  explicit GrowingLu(int most) : h_(most, most), lu_(most, most), rows_(static_cast<std::size_t>(most)) {}

  void clear() noexcept { factored_ = 0; }
  /// Entries of leading blocks that have been solved with must not change before clear().
  [[nodiscard]] double& entry(int i, int j) noexcept { return h_(i, j); }

  /// The leading m × m block; false: it is singular.
  [[nodiscard]] bool solve(int m, const Vector& right, Vector& x) noexcept {
    RUBATO_ASSERT(m <= h_.rows() && factored_ <= m, "blocks grow");
    while (factored_ < m)
      if (!extend(factored_) && !factor(m)) return false;
    for (int i = 0; i < m; ++i) {
      x[i] = right[rows_[static_cast<std::size_t>(i)]];
      for (int k = 0; k < i; ++k) x[i] -= lu_(i, k) * x[k];
    }
    for (int i = m - 1; i >= 0; --i) {
      for (int k = i + 1; k < m; ++k) x[i] -= lu_(i, k) * x[k];
      x[i] /= lu_(i, i);
    }
    return true;
  }

 private:
  static constexpr double too_small = 1e-6;

  /// (1) for row and column m.
  [[nodiscard]] bool extend(int m) noexcept {
    double largest = std::abs(h_(m, m)), pivot = h_(m, m);
    for (int i = 0; i < m; ++i) {
      double u = h_(rows_[static_cast<std::size_t>(i)], m), l = h_(m, i);
      for (int k = 0; k < i; ++k) {
        u -= lu_(i, k) * lu_(k, m);
        l -= lu_(m, k) * lu_(k, i);
      }
      lu_(i, m) = u;
      lu_(m, i) = l / lu_(i, i);
      pivot -= lu_(m, i) * u;
      largest = std::max(largest, std::abs(lu_(m, i) * u));
    }
    if (!(std::abs(pivot) > too_small * largest)) return false;
    lu_(m, m) = pivot;
    rows_[static_cast<std::size_t>(m)] = m;
    factored_ = m + 1;
    return true;
  }

  /// Gauss with row pivots.
  [[nodiscard]] bool factor(int m) noexcept {
    factored_ = 0;
    lu_.topLeftCorner(m, m) = h_.topLeftCorner(m, m);
    for (int i = 0; i < m; ++i) rows_[static_cast<std::size_t>(i)] = i;
    for (int k = 0; k < m; ++k) {
      int pivot = k;
      for (int i = k + 1; i < m; ++i)
        if (std::abs(lu_(i, k)) > std::abs(lu_(pivot, k))) pivot = i;
      if (!(std::abs(lu_(pivot, k)) > 0)) return false;
      if (pivot != k) {
        lu_.row(k).head(m).swap(lu_.row(pivot).head(m));
        std::swap(rows_[static_cast<std::size_t>(k)], rows_[static_cast<std::size_t>(pivot)]);
      }
      for (int i = k + 1; i < m; ++i) lu_(i, k) /= lu_(k, k);
      for (int j = k + 1; j < m; ++j)
        for (int i = k + 1; i < m; ++i) lu_(i, j) -= lu_(i, k) * lu_(k, j);
    }
    factored_ = m;
    return true;
  }

  Matrix h_, lu_;
  std::vector<int> rows_;  ///< P
  int factored_ = 0;
};

}  // namespace rubato
