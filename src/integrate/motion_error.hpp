#pragma once
/// Errors of constrained motion at index 3: which parts of a difference between two states count.
///
/// Where 0 = g(t,q) is kept, velocities normal to the constraints and multipliers follow from q: after a change of h their
/// errors are of lower order, and no errors of the motion. Velocities along the constraints are, whole: weighted with h, as the
/// layout has it, they would be allowed tolerance/h per step, and BDF ended 10² to 10⁵ times above its tolerance. So
///   e_q = d_q,   e_v = F d_v,   e_λ = 0,   F d_v: q of (cB − J)⁻¹ (0, c² M d_v, 0)                                   (1)
/// F tends to the projection along the constraints as c → ∞, and takes from stiff velocities what the method damps.
#include <vector>

#include "rubato/integrate/error_norm.hpp"
#include "stepped_system.hpp"

namespace rubato {

class MotionError {
 public:
  /// Applies where the layout has velocities with a power of h, each with its position, and the run does not choose powers.
  MotionError(const Layout& layout, const IntegrateOptions& options);

  [[nodiscard]] bool applies() const noexcept { return !velocities_.empty(); }
  /// Velocities count whole.
  void set_powers(ErrorNorm& norm) const noexcept;
  /// Weights of (1): nothing for multipliers.
  void mask(Out weights) const noexcept;
  /// … and nothing for velocities.
  void mask_velocities(Out weights) const noexcept;
  /// (1), with the factor of shift c in this slot; `work` is overwritten.
  void filter(SteppedSystem& system, double c, const Vector& d, Vector& work, Vector& e, int slot = 0) const noexcept;

 private:
  std::vector<int> positions_, velocities_, multipliers_;
};

/// At index 1 the layout weighs reactions and accelerations with h. Runge-Kutta methods, which solve for them at the end of a step, give
/// them the weight 1: at the same tolerance 1 to 3 digits more, at equal digits 0.99 to 1.05 times the work for radau, 0.95 to 1.4 times for
/// radau5 (docs/methods.md). Undamped vibrations faster than the step cost most: accelerations are ω² times
/// as large there as positions, and their errors ask for steps that resolve what a weight of h passes over. BDF and generalized-α would
/// pay 1.3 and 1.14 times the work, and Rosenbrock methods without stiff accuracy do not solve for algebraic unknowns: they keep the weight.
void weigh_reactions_whole(const Layout& layout, const StepOptions& step, ErrorNorm& norm) noexcept;

}  // namespace rubato
