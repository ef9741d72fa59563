#pragma once
/// A large pair with a singular A reduced to a small one that has all eigenvalues but those that are zero by structure:
///   S A T = Ã,   S B T = B̃   with T (n × s) and S (s × n).
#include <optional>

#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime {

struct ReducedPair {
  Matrix a, b, difference;  ///< Ã, B̃, S (B − A) T
  Matrix right, left;       ///< T, S
};

/// For A = diag(L₁, 0): orthonormal columns of T with B(algebraic rows, :) T = 0 and rows of S with S B(:, algebraic columns) = 0. Good also where
/// J₂₂ is badly conditioned. Empty where B(algebraic rows, :) or B(:, algebraic columns) loses rank.
[[nodiscard]] std::optional<ReducedPair> deflate_orthonormal(const StepPair& pair, const MassSplit& split);

/// For A = diag(L₁, 0): T = [I; −J₂₂⁻¹ J₂₁], S = [I, −J₁₂ J₂₂⁻¹], so that Ã = L₁ and B̃ = L₁ − τ (J₁₁ − J₁₂ J₂₂⁻¹ J₂₁). Empty where J₂₂
/// is singular.
[[nodiscard]] std::optional<ReducedPair> deflate_complement(const StepPair& pair, const MassSplit& split);

/// Any A. Its entries are covered by as few rows R and columns C as possible (König: as many as its structural rank s): A = U V with
/// U = [e_R, A(:, C)], V = [A(R, :); e_C]. T = B⁻¹ U, S = V B⁻¹: B̃ = V B⁻¹ U = M and Ã = M². Empty where B is singular.
[[nodiscard]] std::optional<ReducedPair> deflate_cover(const StepPair& pair);

/// M alone: its eigenvalues are those of the pair that are not zero by structure, for B⁻¹ U V and V B⁻¹ U share them.
[[nodiscard]] std::optional<Matrix> evolution(const StepPair& pair);

}  // namespace rubato::realtime
