#pragma once
/// What an implicit Runge-Kutta method can do, computed from its coefficients: nothing here repeats a claim of a paper.
///
///   B(ξ): Σ b_i c_i^{k−1} = 1/k,   C(η): Σ_j a_ij c_j^{k−1} = c_i^k/k,   D(ζ): Σ_i b_i c_i^{k−1} a_ij = b_j (1 − c_j^k)/k   (1)
///   m_ij = b_i a_ij + b_j a_ji − b_i b_j: zero means symplectic; b ≥ 0 and m ≥ 0 algebraic (B-) stability             (2)
///   α₀(A⁻¹) = sup over diagonal D > 0 of λ_min(sym(D^½ A⁻¹ D^{−½})): for ⟨F(x) − F(y), x − y⟩ ≤ ν|x − y|² the stages exist
///   and are unique if hν < α₀                                                                                       (3)
/// Hairer & Wanner, Solving ODEs II, IV.5, IV.12, IV.14; Hairer, Lubich, Wanner, Geometric Numerical Integration, VI.
#include <complex>
#include <string>
#include <vector>

#include "rubato/integrate/runge_kutta_table.hpp"
#include "rubato/integrate/stability_function.hpp"

namespace rubato {

/// ξ, η, ζ of (1); residuals below 1e-13 count as zero.
struct SimplifyingOrders {
  int B = 0, C = 0, D = 0;
};
/// The largest residual of the k-th equations of (1).
[[nodiscard]] double b_residual(const RungeKuttaTable& table, int k);
[[nodiscard]] double c_residual(const RungeKuttaTable& table, int k);
[[nodiscard]] double d_residual(const RungeKuttaTable& table, int k);
[[nodiscard]] SimplifyingOrders simplifying_orders(const RungeKuttaTable& table);

/// Classical order. Up to 9 by all conditions of the rooted trees; beyond, ξ by B(ξ), C(η), D(ζ) of the unblended members of
/// which the table is a combination: ξ ≤ 2η + 2 and ξ ≤ η + ζ + 1 for each, ξ ≤ η + ζ' + 2 for each pair (Butcher, Math. Comp.
/// 18 (1964) 50; Jay, SIAM J. Numer. Anal. 35 (1998) 416 for combinations).
struct OrderFound {
  int order = 0;
  bool by_trees = true;
};
[[nodiscard]] OrderFound classical_order(const RungeKuttaTable& table);

/// σ: (3) of rooted_trees.hpp holds for all pairs with at most σ nodes together.
struct SymplecticOrder {
  int order = 0;             ///< 0: infinite
  bool lower_bound = false;  ///< all trees of the library fulfil it, the next may as well
};
[[nodiscard]] SymplecticOrder symplectic_order(const RungeKuttaTable& table);

/// (m_ij) of (2).
[[nodiscard]] Matrix symplecticity_matrix(const RungeKuttaTable& table);

/// α₀ of (3). Where A is singular the stages that do not count are left out: those with a zero row (X_i = x₀) or a zero
/// column (F(X_i) is not used by the stages). Infinite if no stage is left (explicit), NaN if A stays singular.
[[nodiscard]] double coercivity(const RungeKuttaTable& table);

/// The unblended members of a blend with their weights; a member is its own only part.
struct BlendPart {
  RungeKuttaFamily family;
  double weight;
};
[[nodiscard]] std::vector<BlendPart> blend_parts(const RungeKuttaTable& table);

struct RungeKuttaProperties {
  OrderFound order;
  SimplifyingOrders simplifying;
  int stage_order;  ///< min(ξ, η)
  bool stiffly_accurate, invertible;
  double r_infinity;
  bool a_stable, l_stable;
  bool algebraically_stable, symplectic;
  double smallest_m;  ///< eigenvalue of (2)
  SymplecticOrder symplectic_order;
  double coercivity;
  StabilityFunction::Leading dissipation, dispersion;
  std::vector<std::complex<double>> eigenvalues;  ///< of A
};
[[nodiscard]] RungeKuttaProperties runge_kutta_properties(const RungeKuttaTable& table);

/// θ(χ) = max(0, 1 − √(χ⁶ − 12χ⁴ + 2304)/√(χ⁶ + 12χ⁴ + 144χ²)) makes |R(iχ)| of lobatto-iiidc with three stages smallest.
[[nodiscard]] double maximum_damping_theta(double chi) noexcept;
/// The θ in [0, 1] with the smallest |R(iχ)|, by search: for any blend.
[[nodiscard]] double maximum_damping_theta(RungeKuttaFamily family, int s, double chi);

}  // namespace rubato
