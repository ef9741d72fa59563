#pragma once
/// One step of a component-wise Lobatto method on B x' = J x, as a matrix.
///
/// Row k has the table A^(k), all have b and c in common. With E_k = e_k e_kᵀ, B regular:
///   R̃ = I + (bᵀ ⊗ hB⁻¹J) (I ⊗ B − h Σ_k A^(k) ⊗ E_k J)⁻¹ (𝟙 ⊗ B)                                                       (1)
/// The eigenvalues of R̃ are to the mixed method what R(hλ) is to a uniform one: |μ|² is the energy an eigenmotion keeps in
/// a step. Schaub & Simeon, ZAMM 83 (2003) 720.
#include <span>

#include "rubato/base/views.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"

namespace rubato {

/// (1); one table per row, with equal s.
[[nodiscard]] Matrix one_step_matrix(std::span<const RungeKuttaTable* const> rows, double h, const Matrix& B,
                                     const Matrix& J);
/// max |μ|² over the eigenvalues of R̃: 1 minus this is the energy that the slowest decaying motion loses in a step.
[[nodiscard]] double kept_energy(const Matrix& one_step);

}  // namespace rubato
