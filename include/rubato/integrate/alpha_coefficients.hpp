#pragma once
/// Newmark's method and its descendants, in the notation and with the signs of Chung & Hulbert, J. Appl. Mech. 60 (1993) 371,
/// doi:10.1115/1.2900803:
///   (1−α_m) a₁ + α_m a₀ = (1−α_f) v̇₁ + α_f v̇₀,   a: algorithmic acceleration, carried from step to step, a ≠ v̇          (1)
///   q₁ = q₀ + h v₀ + h² [(½−β) a₀ + β a₁],   v₁ = v₀ + h [(1−γ) a₀ + γ a₁]                                              (2)
///
/// Inserting smooth solutions: a_n = v̇(t_n + Δh) + κ h² v⃛ + …, Δ = α_m − α_f, and (2) misses
///   C h³ v̈ in q,   D h² v̈ + E h³ v⃛ in v,                                                                               (3)
///   C = 1/6 − Δ/2 − β,   D = ½ − Δ − γ (0 for order 2),   E = 1/6 − (1−γ)Δ²/2 − γ(1+Δ)²/2 − κ,
///   κ = (1−α_f)/2 − (1−α_m)(1+Δ)²/2 − α_m Δ²/2.
namespace rubato {

struct AlphaCoefficients {
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;

  /// ρ∞ ∈ [0, 1], the spectral radius as hω → ∞; the least damping of slow motions for this ρ∞.
  static constexpr AlphaCoefficients generalized(double rho) {
    const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), d = 1 - am + af;
    return {.alpha_m = am, .alpha_f = af, .beta = d * d / 4, .gamma = d - 0.5};
  }
  /// α ∈ [−1/3, 0]. Hilber, Hughes, Taylor, Earthquake Eng. Struct. Dyn. 5 (1977) 283, doi:10.1002/eqe.4290050306.
  static constexpr AlphaCoefficients hht(double alpha) {
    return {.alpha_m = 0, .alpha_f = -alpha, .beta = (1 - alpha) * (1 - alpha) / 4, .gamma = 0.5 - alpha};
  }
  /// γ ≥ ½, with the β that damps most. ½: the trapezoidal rule; above: order 1.
  /// Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67.
  static constexpr AlphaCoefficients newmark(double gamma) {
    return {.alpha_m = 0, .alpha_f = 0, .beta = (gamma + 0.5) * (gamma + 0.5) / 4, .gamma = gamma};
  }
  /// β = 0, γ = ½: explicit where forces depend on positions only; the leap-frog or Verlet method.
  static constexpr AlphaCoefficients central_differences() {
    return {.alpha_m = 0, .alpha_f = 0, .beta = 0, .gamma = 0.5};
  }

  /// Δ: a_n belongs to the time t_n + Δh.
  [[nodiscard]] constexpr double shift() const { return alpha_m - alpha_f; }
  /// C, D, E of (3).
  [[nodiscard]] constexpr double position_error() const { return 1.0 / 6 - shift() / 2 - beta; }
  [[nodiscard]] constexpr double first_velocity_error() const { return 0.5 - shift() - gamma; }
  [[nodiscard]] constexpr double velocity_error() const {
    const double d = shift(), e = 1 + d;
    const double kappa = (1 - alpha_f) / 2 - (1 - alpha_m) * e * e / 2 - alpha_m * d * d / 2;
    return 1.0 / 6 - (1 - gamma) * d * d / 2 - gamma * e * e / 2 - kappa;
  }
  [[nodiscard]] constexpr bool second_order() const {
    const double d = first_velocity_error();
    return d < 1e-12 && d > -1e-12;
  }
};

static_assert(AlphaCoefficients::generalized(1).beta == 0.25);  // ρ∞ = 1: average acceleration …
static_assert(AlphaCoefficients::generalized(1).gamma == 0.5);
static_assert(AlphaCoefficients::generalized(0).gamma == 1.5);  // ρ∞ = 0: strongest damping
static_assert(AlphaCoefficients::generalized(0.5).alpha_m == 0);
static_assert(AlphaCoefficients::generalized(0.8).second_order() && AlphaCoefficients::hht(-0.3).second_order());
static_assert(AlphaCoefficients::newmark(0.5).second_order() && !AlphaCoefficients::newmark(0.6).second_order());
static_assert(AlphaCoefficients::hht(0).beta == 0.25 && AlphaCoefficients::hht(0).gamma == 0.5);
static_assert(AlphaCoefficients::newmark(0.5).beta == 0.25);
// The trapezoidal rule: −h³/12 in both; central differences: h³/6 in q.
static_assert(AlphaCoefficients::newmark(0.5).velocity_error() + 1.0 / 12 < 1e-15 &&
              AlphaCoefficients::newmark(0.5).velocity_error() + 1.0 / 12 > -1e-15);
static_assert(AlphaCoefficients::newmark(0.5).position_error() == 1.0 / 6 - 0.25);
static_assert(AlphaCoefficients::central_differences().position_error() == 1.0 / 6);

}  // namespace rubato
