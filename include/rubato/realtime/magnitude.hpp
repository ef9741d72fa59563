#pragma once
/// Entries left out because they are small, for comparison: |Df_ij| < σ/τ, in scaled equations and unknowns. It ignores what entries do together,
/// and for algebraic equations it is wrong: a tiny entry may carry a stiff mode.
#include <span>

#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime {

struct MagnitudeScale {
  In rows, cols;  ///< of equations and unknowns: |Df_ij| cols_j / rows_i is compared; empty: ones
};

/// At one state: the dynamic variant decides so in every step.
[[nodiscard]] Keep keep_by_magnitude(const StepPencil& pencil, In jacobian_values, double sigma,
                                     const MagnitudeScale& scale = {});
/// For all samples: what one of them keeps.
[[nodiscard]] Keep keep_by_magnitude(const StepPencil& pencil, std::span<const std::vector<double>> samples,
                                     double sigma, const MagnitudeScale& scale = {});

}  // namespace rubato::realtime
