#pragma once
/// Newton matrices of BDF formulas for index 3 and their inverses, block by block, in all scalings of the publication.
///
///   u' = v,  M v' = f(u, v) + G λ,  φ(u) = 0,  Gᵀ = φ_u,   X = −f_u − (Gλ)_u,  Y = −f_v,   γ = h/α₀
///   three fields (u, v, λ):   A = [ α₀ I, −h I, 0;  h X, α₀ M + h Y, −h G;  h Gᵀ, 0, 0 ]                          (4)
///   two fields (u, λ):        B = [ α₀ U, −h G;  h Gᵀ, 0 ],   U = γ⁻¹ M + Y + γ X                                (37)
/// D_L A D_R, D_L B D_R are formed analytically, never as products. With σ = s h² (s = 1/h²: σ = 1):
///   left                D_L = diag(1, 1, 1/h)          D_R = 1                       (16), (44)
///   lambda              D_L = diag(1, h/σ, 1/h)        D_R = diag(1, 1, σ/h²)        (24)
///   lambda_and_v        D_L = diag(1, h/σ, 1/h)        D_R = diag(1, 1/h, σ/h²)      (29), (49)
/// (two fields: without the v block; `lambda` is then the same as `lambda_and_v`).
/// Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397, doi:10.1137/050638503; their numbers.
#include <span>
#include <string>

#include "rubato/base/views.hpp"
#include "rubato/linalg/step_scaling.hpp"

namespace rubato::experiments::scaling {

enum class Form : std::uint8_t { three_field, two_field };

/// The seven cases of the publication.
struct Variant {
  Form form;
  ScalingMode mode;
  const char* name;
  int condition_power;                 ///< condition ~ h^power
  int u_power, v_power, lambda_power;  ///< of the row sums of the inverse; v_power unused with two fields
};
[[nodiscard]] std::span<const Variant> variants();

/// α₀ … α_k of the k-step formula, k = 1 … 6.
[[nodiscard]] std::span<const double> bdf_coefficients(int k);

/// What stands before the blocks of the scaled matrix and residual.
///   three fields: [ α₀, −kinematic, 0;  stiffness·X, inertia·(α₀M + hY), −force·G;  constraint·Gᵀ, 0, 0 ]
///   two fields:   [ inertia·(α₀²M + α₀hY + h²X), −force·G;  constraint·Gᵀ, 0 ]
/// and in residuals stiffness·f.
struct Coefficients {
  double kinematic, stiffness, inertia, force, constraint;
};
[[nodiscard]] Coefficients coefficients(Form form, ScalingMode mode, double h, double sigma = 1);

struct Blocks {
  Matrix X, Y, G, M;  ///< M empty: identity
};
[[nodiscard]] Matrix newton_matrix(const Variant& variant, const Blocks& blocks, double alpha0, double h,
                                   double sigma = 1);

/// (9), (17), (25), (30), (39), (45), (50) for M = I, σ = 1. The first column of the three-field inverses is printed to
/// leading order; `exact_first_column` replaces I by R⁻¹(I + γY) there.
[[nodiscard]] Matrix printed_inverse(const Variant& variant, const Blocks& blocks, double alpha0, double h,
                                     bool exact_first_column = false);

}  // namespace rubato::experiments::scaling
