#pragma once
/// Solves the decoupled equations (2) of stage_scheme.hpp: real modes in the real slots 0, 1, …, complex ones likewise.
#include "stage_scheme.hpp"
#include "stepped_system.hpp"

namespace rubato {

class DecoupledStages {
 public:
  DecoupledStages(int n, int most_stages) : modes_(Matrix::Zero(n, most_stages)), complex_(Eigen::VectorXcd::Zero(n)) {}

  /// λ_k/h B − J for every mode.
  [[nodiscard]] static StepStatus factor(const StageScheme& scheme, SteppedSystem& system, double h) noexcept;
  /// ((hA)⁻¹ ⊗ B − I ⊗ J) dz = r, columns: stages.
  void solve(const StageScheme& scheme, SteppedSystem& system, const Matrix& r, Matrix& dz) noexcept;

 private:
  Matrix modes_;
  Eigen::VectorXcd complex_;
};

}  // namespace rubato
