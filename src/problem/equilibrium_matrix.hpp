#pragma once
/// The matrix of a Newton step towards equilibrium. Unknowns at its end that relax each on its own, D diagonal in
///   [A B; C D] (x; z) = (b; c),                                                                                  (1)
/// are taken out first: (A − B D⁻¹ C) x = b − B D⁻¹ c, z = D⁻¹(c − C x). What remains has the size of a model without them.
#include "square_system.hpp"

namespace rubato::detail {

class EquilibriumMatrix {
 public:
  /// The last n_local unknowns are local. The analysis stays as long as the places of the entries do.
  void factor(const Sparse& a, int n_local);
  /// False where the reciprocal condition of what is factorised is at round-off.
  [[nodiscard]] bool regular() const noexcept { return rest_.regular(); }
  [[nodiscard]] long analyses() const noexcept { return rest_.analyses(); }
  [[nodiscard]] Vector solve(const Vector& b) const;

 private:
  Sparse b_, c_;
  Vector inverse_;  ///< D⁻¹
  SquareSystem rest_;
};

}  // namespace rubato::detail
