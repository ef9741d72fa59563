#pragma once
/// One Newton iteration of decoupled stages (stage_scheme.hpp) where B = I and the unknowns are few: all that follows the
/// evaluations of f in one function whose loops the compiler knows. With two unknowns the passes of stage_kernels.hpp and the
/// solves between them spend most of their time on calls and on handing numbers to each other through memory.
/// Same sums in the same order: same results, to the last bit.
#include <memory>

#include "stage_scheme.hpp"
#include "stepped_system.hpp"

namespace rubato {

class SmallSweep {
 public:
  /// For this scheme and n unknowns; null where there is none.
  [[nodiscard]] static std::unique_ptr<SmallSweep> create(const StageScheme& scheme, int n);

  virtual ~SmallSweep() = default;
  /// Takes the factors that the system solves with, real slots and complex ones from 0 on. False where it scales, condenses or
  /// has other solvers than small dense ones: no sweep then. Valid until the structure of the system changes.
  [[nodiscard]] virtual bool attach(const SteppedSystem& system) noexcept = 0;
  /// stages = x + Z.
  virtual void begin(const double* x, const double* z, double* stages) const noexcept = 0;
  /// With r: f at the stages and a = 1/h:  ((hA)⁻¹ ⊗ I − I ⊗ J) ΔZ = r − a A⁻¹ Z,  Z += ΔZ,  stages = x + Z.
  /// Returns Σ (w_k ΔZ_ik)² over all stages i and components k.
  [[nodiscard]] virtual double advance(double a, const double* x, const double* r, const double* weights, double* dz,
                                       double* z, double* stages) const noexcept = 0;
};

}  // namespace rubato
