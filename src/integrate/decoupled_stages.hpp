#pragma once
/// Solves the decoupled equations (2) of stage_scheme.hpp: real modes in the real slots 0, 1, …, complex ones likewise.
#include "stage_scheme.hpp"
#include "stepped_system.hpp"

namespace rubato {

class DecoupledStages {
 public:
  DecoupledStages(int n, int most_stages)
      : n_(n), real_(Matrix::Zero(n, most_stages)), pairs_(Eigen::MatrixXcd::Zero(n, most_stages / 2)) {}

  /// λ_k/h B − J for every mode.
  [[nodiscard]] static StepStatus factor(const StageScheme& scheme, SteppedSystem& system, double h) noexcept;
  /// ((hA)⁻¹ ⊗ B − I ⊗ J) dz = r, columns: stages.
  void solve(const StageScheme& scheme, SteppedSystem& system, const Matrix& r, Matrix& dz) noexcept {
    scheme.kernels.to_modes(scheme, n_, r.data(), nullptr, 0, real_.data(), pairs_.data());
    system.solve_slots(scheme.real.size(), real_.data(), scheme.pairs.size(), pairs_.data());
    scheme.kernels.from_modes(scheme, n_, real_.data(), pairs_.data(), dz.data());
  }
  /// The same for r − a k (k null: for r), dz also added to z. Returns the sum of the squares of dz with these weights.
  [[nodiscard]] double correct(const StageScheme& scheme, SteppedSystem& system, const double* r, const double* k,
                               double a, In weights, Matrix& dz, Matrix& z) noexcept {
    scheme.kernels.to_modes(scheme, n_, r, k, a, real_.data(), pairs_.data());
    system.solve_slots(scheme.real.size(), real_.data(), scheme.pairs.size(), pairs_.data());
    return scheme.kernels.add_from_modes(scheme, n_, real_.data(), pairs_.data(), weights.data(), dz.data(), z.data());
  }

 private:
  std::ptrdiff_t n_;
  Matrix real_;
  Eigen::MatrixXcd pairs_;
};

}  // namespace rubato
