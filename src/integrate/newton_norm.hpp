#pragma once
/// How steppers with a Newton iteration measure it: norm, and the tolerance κ as a fraction of that of the step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/problem/layout.hpp"
#include "stepped_system.hpp"

namespace rubato {

/// Without error control the tolerances say nothing: the iteration goes on until hardly anything is left to correct.
inline constexpr double fixed_step_tolerance = 1e-10;

/// What steps are measured by: the user's tolerances, or those of fixed steps.
[[nodiscard]] inline Tolerances step_tolerances(const IntegrateOptions& options) {
  if (options.step.fixed_step > 0) return {.rtol = fixed_step_tolerance, .atol = fixed_step_tolerance};
  return options.tolerances;
}

/// The one number that stands for them.
[[nodiscard]] inline double main_tolerance(const Tolerances& tolerances) noexcept {
  return tolerances.rtol > 0 ? tolerances.rtol : tolerances.atol;
}

/// For the ErrorNorm of the iteration: the powers of h that `norm` asks for.
[[nodiscard]] inline StepOptions newton_norm_options(StepOptions step, NewtonNorm norm, const Layout& layout) {
  if (norm == NewtonNorm::plain || norm == NewtonNorm::scaled) step.h_scaling = false;
  if (norm != NewtonNorm::error) step.h_power_of.clear();
  if (norm == NewtonNorm::h_norm) {
    step.h_scaling = true;
    for (const Block& block : layout.blocks()) {
      if (block.unknown == ScaledUnknown::velocity) step.h_power_of.emplace_back(block.name, 1);
      if (block.unknown == ScaledUnknown::acceleration || block.unknown == ScaledUnknown::force)
        step.h_power_of.emplace_back(block.name, 2);
    }
  }
  return step;
}

/// What a correction is multiplied by: the weights of `norm` at x or, with NewtonNorm::scaled, 1/D_R of the scaling.
inline void newton_weights(SteppedSystem& system, const ErrorNorm& norm, In x, double h, Out weights) noexcept {
  if (system.options().newton.norm == NewtonNorm::scaled)
    system.scaled_weights(1 / h, weights);
  else
    norm.weights(x, h, weights);
}

/// The unknown with the largest share in a correction (of several stages: one after the other), for messages; −1 where it is not finite.
[[nodiscard]] inline int largest_share(In correction, In weights) noexcept {
  double largest = -1;
  int index = -1;
  for (std::size_t i = 0; i < correction.size(); ++i) {
    const double share = std::abs(correction[i] * weights[i % weights.size()]);
    if (!std::isfinite(share)) return -1;
    if (share > largest) largest = share, index = static_cast<int>(i % weights.size());
  }
  return index;
}

/// Θ up to which J is kept. With fixed steps a poor J has no smaller step to escape to.
[[nodiscard]] inline double jacobian_reuse(const IntegrateOptions& options, double with_error_control = 1e-3) {
  return options.newton.reuse_jacobian.value_or(options.step.fixed_step > 0 ? 1e-3 : with_error_control);
}

/// Of the Runge-Kutta methods with error control: a tenth of what RADAU5 has, max(10u/rtol, min(0.03, √rtol)). That code takes a new
/// Jacobian in most steps, so that its last correction leaves far less than estimated; with J kept, what is left shows in the answer. Over
/// the table of tolerances errors fall by a third (radau5) and a half (radau), the runs beyond three times the error of RADAU5 from 75 to 33 of 1400,
/// for 0 and 2 % more work at equal digits.
[[nodiscard]] inline double newton_kappa(const IntegrateOptions& options, double rtol) {
  if (options.newton.tolerance > 0) return options.newton.tolerance;
  if (options.step.fixed_step > 0) return 1e-6;  // to rounding
  const double u = std::numeric_limits<double>::epsilon();
  return rtol > 0 ? std::max(10 * u / rtol, std::min(0.003, 0.1 * std::sqrt(rtol))) : 0.003;
}

/// Corrections below this that no longer shrink are rounding errors of the model, of which the norm relaxed by powers of h shows some
/// hundred u/rtol. More would be felt: corrections of velocities count for 1/h as much there, and steps add them up (with 1e5 u/rtol the
/// heavy top ended 63 tolerances off at 1e-10, 6 so; the pendulum 25 and 0.1).
[[nodiscard]] inline double newton_noise(double rtol) noexcept {
  return std::min(0.03, 1e3 * std::numeric_limits<double>::epsilon() / rtol);
}

}  // namespace rubato
