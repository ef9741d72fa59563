#pragma once
/// Newton's equations of all stages by GMRES in W coordinates, preconditioned with Lobatto IIIC for every row.
///
/// r̂ = (W⁻¹ ⊗ I) r, K̂ of stage_operator.hpp (2); the preconditioner is K̂ with the corner of IIIC in all rows,
///   P⁻¹ = ((hX_C)⁻¹ ⊗ B − I ⊗ J)⁻¹ · (X_C⁻¹ in differential rows, I in algebraic ones)                              (1)
/// decoupled by the eigenvectors of X_C (stage_scheme.hpp (2), transformed by W). GMRES sees D P⁻¹ K̂ D⁻¹ with the weights D
/// of Newton's norm: what it makes small is the error of the correction as Newton measures it (Wᵀ diag(b) W is a unit matrix
/// but for its last entry, so the norm over W coordinates is nearly that over stages).
/// For rows that have IIIC, and where hJ is small, P⁻¹K̂ is near the identity.
#include "decoupled_stages.hpp"
#include "rubato/linalg/gmres.hpp"
#include "stage_operator.hpp"

namespace rubato {

class StageKrylov {
 public:
  [[nodiscard]] static Result<std::unique_ptr<StageKrylov>> create(int s, std::span<const char> algebraic);

  [[nodiscard]] const StageScheme& scheme() const noexcept { return scheme_; }
  /// Factors of the preconditioner.
  [[nodiscard]] StepStatus factor(SteppedSystem& system, double h) const noexcept {
    return DecoupledStages::factor(scheme_, system, h);
  }
  /// K dz = r. Stops where the error, in the norm √(Σ (w_k dz_k)²/(n s)), is below `tolerance` or `relative` of dz. False:
  /// no convergence.
  [[nodiscard]] bool solve(StageOperator& stages, const StageRules& rules, SteppedSystem& system, double h, In weights,
                           double tolerance, double relative, const Matrix& r, Matrix& dz) noexcept;
  [[nodiscard]] long iterations() const noexcept { return iterations_; }

 private:
  StageKrylov(StageScheme scheme, std::span<const char> algebraic);
  void precondition(SteppedSystem& system, const Matrix& r, Matrix& out) noexcept;

  static constexpr int restart = 30, max_iterations = 90;
  StageScheme scheme_;  ///< IIIC, its modes in W coordinates
  Matrix X_inverse_;
  std::vector<char> algebraic_;
  DecoupledStages decoupled_;
  Gmres gmres_;
  Matrix right_, scaled_, work_, product_, solution_;
  Vector weights_;
  long iterations_ = 0;
};

}  // namespace rubato
