#pragma once
/// Entries left out because they are small, for comparison: |Df_ij| < σ/τ, in scaled equations and unknowns. It ignores what entries do together,
/// and for algebraic equations it is wrong: a tiny entry may carry a stiff mode.
#include <span>

#include "rubato/realtime/model_structure.hpp"
#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime {

struct MagnitudeScale {
  In rows, cols;  ///< of equations and unknowns: |Df_ij| cols_j / rows_i is compared; empty: ones
};

/// At one state.
[[nodiscard]] Keep keep_by_magnitude(const StepPencil& pencil, In jacobian_values, double sigma,
                                     const MagnitudeScale& scale = {});
/// For all samples: what one of them keeps.
[[nodiscard]] Keep keep_by_magnitude(const StepPencil& pencil, std::span<const std::vector<double>> samples,
                                     double sigma, const MagnitudeScale& scale = {});

/// The largest |x_i| at the samples, 1e-3 at least: sizes of unknowns.
[[nodiscard]] std::vector<double> sizes_at(const std::vector<Sample>& samples);

/// The dynamic variant decides in every step anew: entries with |Df_ij| < limit_ij count as zero,
///   limit_ij = σ Σ_k |M_ik| s_k / (τ s_j),   s: sizes of unknowns.                                                       (1)
/// Algebraic equations have no mass, and keep theirs.
[[nodiscard]] std::vector<double> drop_limits(const ModelStructure& structure, double step, double sigma, In sizes);
/// What is left of the kept entries at one state. NaN stays.
[[nodiscard]] Keep kept_above(In limits, const Keep& keep, In jacobian_values);

}  // namespace rubato::realtime
