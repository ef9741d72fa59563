#pragma once
/// A pair taken apart into blocks of its spectrum, orthonormal bases inside each block and upper triangular blocks:
///   Y_kᴴ A X_l = δ_kl A_k,   Y_kᴴ B X_l = δ_kl B_k.
#include <optional>
#include <vector>

#include "rubato/realtime/schur.hpp"

namespace rubato::realtime {

struct SpectralBlock {
  std::vector<int> members;  ///< positions of its eigenvalues in the form it was made from
  ComplexMatrix x, y;        ///< columns
  ComplexMatrix a, b;        ///< A_k, B_k
};

struct TwoBlocks {
  SpectralBlock first, second;  ///< the set, the others
};

/// From two orderings, the set on top (1) and, continued from there, the others on top (2):
///   X₁ = Z⁽¹⁾(:, 1..k),  X₂ = Z⁽²⁾(:, 1..n−k),  Y₁ = Q⁽²⁾(:, n−k+1..n),  Y₂ = Q⁽¹⁾(:, k+1..n).
/// Empty where an eigenvalue of the set is too close to one of the others.
[[nodiscard]] std::optional<TwoBlocks> two_blocks(const SchurPair& form, const Flags& set);

/// One block for each cluster; together the clusters hold every position once.
[[nodiscard]] std::optional<std::vector<SpectralBlock>> spectral_blocks(const SchurPair& form,
                                                                        const std::vector<std::vector<int>>& clusters);

}  // namespace rubato::realtime
