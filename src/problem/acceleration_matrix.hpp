#pragma once
/// The linear system of accelerations and multipliers (accelerations.cpp, (3)). Where soft rows alone determine their multipliers λ_s, and
/// forces depend on none, it is block triangular,
///   C λ_s = b_s,   [M Jᵀ; J 0] (a, λ_h) = (b_a − J_sᵀ λ_s, b_h),                                                  (1)
/// two symmetric systems instead of one without symmetry.
#include <optional>

#include "start.hpp"

namespace rubato::detail {

class AccelerationMatrix {
 public:
  /// `coupled`: forces or algebraic equations depend on multipliers or algebraic z.
  explicit AccelerationMatrix(bool coupled) : coupled_(coupled) {}

  /// The matrix at the state of `start`.
  void factor(Start& start);
  [[nodiscard]] bool regular() const noexcept { return soft_system_.regular() && rest_system_.regular(); }
  [[nodiscard]] Vector solve(const Vector& b) const;
  [[nodiscard]] Vector weakest_direction() const;

 private:
  bool coupled_;
  std::vector<int> soft_, rest_;  ///< unknowns of the two systems; none are soft where all is one system
  Sparse reaction_;               ///< J_sᵀ on the rows of rest_
  SquareSystem soft_system_, rest_system_;
};

}  // namespace rubato::detail
