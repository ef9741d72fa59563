#pragma once
/// LU of a dense matrix, rows and columns scaled to size one first: models mix units, and the condition number is that of the scaled
/// matrix.
#include <optional>
#include <vector>

#include "rubato/base/views.hpp"

namespace rubato::realtime {

class DenseLu {
 public:
  /// Empty where the matrix is singular to working precision.
  [[nodiscard]] static std::optional<DenseLu> create(Matrix m);
  /// X ← M⁻¹ X.
  void solve(Matrix& x) const;
  /// X ← M⁻ᵀ X.
  void solve_transposed(Matrix& x) const;

 private:
  DenseLu() = default;
  void solve(Matrix& x, const char* trans, const Vector& before, const Vector& after) const;
  Matrix lu_;
  Vector rows_, cols_;  ///< factors of the rows and columns
  std::vector<int> pivots_;
};

}  // namespace rubato::realtime
