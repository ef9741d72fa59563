#pragma once
/// Embedded formulas of implicit Runge-Kutta methods for error estimates, with their order computed from the trees.
///
/// Collocation methods with c_1 > 0 (Radau IIA, Gauss), z_i = X_i − x₀:
///   Δμ = γ₀ h F(t₀, x₀) + Σ e_i z_i,   e = −γ₀ A⁻ᵀ ℓ(0),   ℓ_i: Lagrange polynomials of the nodes                 (1)
/// is x̂₁ − x₁ of the quadrature formula of highest order, s, with the weight γ₀ at the node 0. For s = 3
/// e = γ₀/3 (−13−7√6, −13+7√6, −1) (Hairer & Wanner, Solving ODEs II, IV.8).
///
/// Methods with c_1 = 0 (Lobatto, Radau IA): one more stage at c = 0,
///   X_0 = x₀ + h Σ_j r_j F(X_j),   Δμ = h γ₀ [F(t₀, X_0) − F(t₀, X_1)],   r = a_1 + κ D                            (2)
/// where a_1 is the first row of A and D the row with D_1 = 1 and Σ_j D_j c_j^k = 0 for k ≤ s−2. Any κ ≠ 0 gives order s:
///   Δμ = γ₀ κ σ h^{s+1} F_x x^{(s)} + …,   σ = Σ_j D_j c_j^{s−1}/(s−1)!  (if C(s−1) holds)                          (3)
/// The published formulas for s = 3 are κ = b_1/2 (6α₀ − 3α₀θ + 2θ − 2) for (IIIAC)^, r = α₀(2−θ)/4 (1,−2,1), and
/// κ = −b_1/2 (12α₀ + 1)(2−θ) for (IIIDC)^, r = −α₀(2−θ)(1,−2,1); Schaub & Simeon, ZAMM 83 (2003) 720. We take the same κ
/// for every s, and that of (IIIDC)^ with 2−θ → 1+δ for the families that have no published formula.
/// (2) is blind where F does not depend on x: quadrature problems need another watch.
#include "rubato/base/result.hpp"
#include "rubato/base/views.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"

namespace rubato {

struct EmbeddedRadau {
  double gamma0 = 0;
  Vector e;
  int order = 0;  ///< of x̂₁
};

struct EmbeddedLobatto {
  double gamma0 = 0;
  Vector row;          ///< r of (2)
  int order = 0;       ///< of x̂₁
  double alpha0 = 0;   ///< the free parameter
  double kappa = 0;    ///< of (2)
  double leading = 0;  ///< γ₀ κ σ of (3)
};

/// γ₀ = 0 in the functions below stands for this: the real eigenvalue of A, whose factorisation a step has anyway; where
/// there is none (even s) or one so small that (I − hγ₀J)⁻¹ would not filter (below 1/(4s): IIIA, IIIAC near θ = 1), 1/s.
[[nodiscard]] double default_gamma0(const RungeKuttaTable& table);

/// (1). Needs c_1 > 0 and an invertible A.
[[nodiscard]] EmbeddedRadau embedded_radau(const RungeKuttaTable& table, double gamma0 = 0);

/// α₀ where the user says nothing: ½ for IIIA and IIIAC; 1 for the others with three stages; 0, which means X_0 = x₀
/// wherever C(s−1) holds, for the others with s ≠ 3.
[[nodiscard]] double default_alpha0(const RungeKuttaTable& table) noexcept;

/// (2). Needs c_1 = 0. A negative α₀ stands for default_alpha0().
[[nodiscard]] EmbeddedLobatto embedded_lobatto(const RungeKuttaTable& table, double alpha0 = -1, double gamma0 = 0);

/// The estimate is smaller than a hundredth of its natural size γ₀ b_1/2 · σ h^{s+1} F_x x^{(s)}, or zero: the step size would
/// grow without control. (IIIAC)^ does this near θ = 2(3α₀−1)/(3α₀−2), for instance α₀ = ¼, θ = 0.4; θ in [0, 1] is safe
/// for α₀ > 1/3 only.
[[nodiscard]] bool degenerate(const RungeKuttaTable& table, const EmbeddedLobatto& embedded);
/// α₀ as given, or why it is refused: not finite, or degenerate for this table.
[[nodiscard]] Result<double> checked_alpha0(const RungeKuttaTable& table, double alpha0);

/// A tableau in which an embedded formula is the Runge-Kutta method (A, b): for the order conditions.
struct Tableau {
  Matrix A;
  Vector b;
};
[[nodiscard]] Tableau augmented(const RungeKuttaTable& table, const EmbeddedRadau& embedded);
[[nodiscard]] Tableau augmented(const RungeKuttaTable& table, const EmbeddedLobatto& embedded);

/// The formula of order 1 of SPARK3 for Lobatto methods with three stages: x̂₁ = x₀ + Σ d̂_i z_i.
[[nodiscard]] Vector spark_weights();
[[nodiscard]] Tableau spark_tableau(const RungeKuttaTable& table);

}  // namespace rubato
