#include "decoupled_stages.hpp"

namespace rubato {

StepStatus DecoupledStages::factor(const StageScheme& scheme, SteppedSystem& system, double h) noexcept {
  for (std::size_t k = 0; k < scheme.real.size(); ++k)
    if (const StepStatus status = system.factor(scheme.real[k] / h, static_cast<int>(k)); status != StepStatus::ok)
      return status;
  for (std::size_t k = 0; k < scheme.pairs.size(); ++k)
    if (const StepStatus status = system.factor(scheme.pairs[k] / h, static_cast<int>(k)); status != StepStatus::ok)
      return status;
  return StepStatus::ok;
}

void DecoupledStages::solve(const StageScheme& scheme, SteppedSystem& system, const Matrix& r, Matrix& dz) noexcept {
  scheme.kernels.to_modes(scheme, n_, r.data(), nullptr, 0, real_.data(), pairs_.data());
  system.solve_slots(static_cast<int>(scheme.real.size()), real_.data(), static_cast<int>(scheme.pairs.size()),
                     pairs_.data());
  scheme.kernels.from_modes(scheme, n_, real_.data(), pairs_.data(), dz.data());
}

double DecoupledStages::correct(const StageScheme& scheme, SteppedSystem& system, const double* r, const double* k,
                                double a, In weights, Matrix& dz, Matrix& z) noexcept {
  scheme.kernels.to_modes(scheme, n_, r, k, a, real_.data(), pairs_.data());
  system.solve_slots(static_cast<int>(scheme.real.size()), real_.data(), static_cast<int>(scheme.pairs.size()),
                     pairs_.data());
  return scheme.kernels.add_from_modes(scheme, n_, real_.data(), pairs_.data(), weights.data(), dz.data(), z.data());
}

}  // namespace rubato
