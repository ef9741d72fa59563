#pragma once
/// How far eigenvalues move, to first order, when one entry of the Jacobian is left out.
#include <vector>

#include "rubato/realtime/deflation.hpp"
#include "rubato/realtime/spectral_blocks.hpp"

namespace rubato::realtime {

/// Leaving out the entry (i, j) adds E = τ Df_ij e_i e_jᵀ to both members of the pair. The sum of the eigenvalues of block k moves by
///   tr(B_k⁻¹ Y_kᴴ E X_k (I − B_k⁻¹ A_k)) = τ Df_ij Σ_l U_li V_jl,   U = B_k⁻¹ Y_kᴴ S,   V = T X_k B_k⁻¹ (B_k − A_k)      (1)
/// with S and T of the reduced pair, so that entries of all four parts of Df count. Blocks × places of the Jacobian; the criterion is the
/// absolute value. Values of entries that are left out already stand for what they would do.
[[nodiscard]] ComplexMatrix block_changes(const ReducedPair& pair, const std::vector<SpectralBlock>& blocks,
                                          const StepPencil& pencil, In jacobian_values);

/// The relative gains g_ij = (Df₂₂)_ij (Df₂₂⁻¹)_ji, 0 outside Df₂₂. Leaving out one entry moves one of the zero eigenvalues to −g/(1 − g),
/// exactly; g = 1: Df₂₂ becomes singular. Rows and columns sum to one. Empty where Df₂₂ is singular.
[[nodiscard]] std::optional<std::vector<double>> relative_gains(const MassSplit& split, const StepPencil& pencil,
                                                                In jacobian_values);

/// By singular values, Df₂₂ = Y Σ Xᵀ: (Σ_kk)⁻¹ Y_ik Df_ij X_jk, singular values × places. Each column sums to the gain; the terms
/// themselves are a heuristic that warns of small singular values.
[[nodiscard]] Matrix singular_value_changes(const MassSplit& split, const StepPencil& pencil, In jacobian_values);

/// The sum over all eigenvalues, exactly:  s [(I − B⁻¹A) B⁻¹]_ji / (1 + s (B⁻¹)_ji),  s = τ Df_ij.                             (2)
/// The denominator vanishes exactly where B without the entry is singular.
struct ExactChange {
  double sum;          ///< (2)
  double denominator;  ///< 1 + s (B⁻¹)_ji
};
/// One for each place; empty where B is singular.
[[nodiscard]] std::optional<std::vector<ExactChange>> exact_changes(const StepPair& pair, const StepPencil& pencil,
                                                                    In jacobian_values);

}  // namespace rubato::realtime
