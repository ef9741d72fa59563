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

}  // namespace rubato
