#pragma once
/// Continuous extensions b(θ) = Σ_{k=1}^{d} b_k θᵏ of Rosenbrock methods, built from conditions instead of printed:
///   b(1) = b                                                                      the interpolant ends in x₁            (1)
///   Σ b_i(θ) Φ_i(t) = θ^{|t|}/γ(t),  |t| ≤ q                                       order q for every θ                    (2)
///   b(θ)ᵀωα² = θ²                                                                 index 1: order 2 in z                  (3)
///   b(θ)ᵀB⁻¹𝟙 = (1 − R(∞)) θ,  i.e. R(θ, ∞) = 1 − (1 − R(∞)) θ                     infinitely stiff parts go straight     (4)
/// All are linear in b_1 … b_d. We take the largest q ≥ max(p−1, 2) for which (1)–(3) are consistent, else the largest q
/// for which (1), (2) are; the lowest degree d ≥ q; then (4) if it is consistent with these; of what remains the shortest.
/// Φ, γ(t), ω, B: rosenbrock_conditions.hpp.
///
/// Compared with the extensions printed for RODAS4, RODAS4P and RODAS5P (same orders 3, 3, 4 and degrees, (3) holds too):
///   method    max defect of order q+1: built, printed     R(θ, ∞) on [0, 1]: built, printed
///   rodas4    0.023    0.058                              [−0.945, 1]  [−0.945, 1]
///   rodas4p   0.0074   0.021                              [0, 1]       [−1.184, 1]
///   rodas5p   0.0031   0.0030                             [0, 1]       [−0.398, 1]
/// so the built ones are used throughout.
#include "rubato/integrate/rosenbrock_table.hpp"

namespace rubato {

/// Fills b_theta, m_theta, dense_order and dense_degree of the table.
void build_dense_output(RosenbrockTable& table);

}  // namespace rubato
