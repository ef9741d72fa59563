#pragma once
/// The matrix of a Newton step towards equilibrium. Unknowns at its end that relax each on its own, D diagonal in
///   [A B; C D] (x; z) = (b; c),                                                                                  (1)
/// are taken out first: (A − B D⁻¹ C) x = b − B D⁻¹ c, z = D⁻¹(c − C x). What remains has the size of a model without them.
#include "start.hpp"

namespace rubato::detail {

class EquilibriumMatrix {
 public:
  /// n unknowns, the last n_local of them local.
  EquilibriumMatrix(int n, int n_local, const Triplets& entries);
  /// False where the reciprocal condition of what is factorised is at round-off.
  [[nodiscard]] bool regular() const noexcept { return rest_.regular(); }
  [[nodiscard]] Vector solve(const Vector& b) const;

 private:
  struct Parts {
    Triplets kept;
    Sparse b, c;
    Vector inverse;  ///< D⁻¹
  };
  static Parts split(int n, int n_local, const Triplets& entries);
  explicit EquilibriumMatrix(Parts parts, int n_kept);

  Sparse b_, c_;
  Vector inverse_;
  SquareSystem rest_;
};

}  // namespace rubato::detail
