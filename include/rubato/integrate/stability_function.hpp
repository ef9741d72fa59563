#pragma once
/// The stability function of a one-step method, x₁ = R(hλ) x₀ for x' = λx, as a quotient of polynomials, and what follows
/// from it: stability, damping, amplitude and phase of oscillations.
///
///   R(z) = 1 + z bᵀ(I − zA)⁻¹𝟙 = P(z)/Q(z),   Q = det(I − zA),   P = det(I − zA + z𝟙bᵀ)                             (1)
/// For an oscillation, χ = ωh, R(iχ) = exp((−d_a + i d_p) χ): the amplitude falls by exp(−d_a χ) per step, the phase advances
/// by d_p χ. Exact would be d_a = 0, d_p = 1. With ln R(z) − z = Σ_k c_k z^k
///   d_a = −Σ_{k even} (−1)^{k/2} c_k χ^{k−1},   d_p − 1 = Σ_{k odd} (−1)^{(k−1)/2} c_k χ^{k−1}                        (2)
/// Hairer & Wanner, Solving ODEs II, IV.3-4; van der Houwen & Sommeijer, SIAM J. Numer. Anal. 24 (1987) 595,
/// doi:10.1137/0724041.
#include <complex>
#include <optional>
#include <vector>

#include "rubato/integrate/rosenbrock_table.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"

namespace rubato {

class StabilityFunction {
 public:
  /// Coefficients of 1, z, z², …; both begin with 1. Zeros at the end are dropped.
  StabilityFunction(std::vector<double> numerator, std::vector<double> denominator);

  [[nodiscard]] const std::vector<double>& numerator() const noexcept { return numerator_; }
  [[nodiscard]] const std::vector<double>& denominator() const noexcept { return denominator_; }
  [[nodiscard]] std::complex<double> operator()(std::complex<double> z) const;
  /// Infinite where the numerator has the higher degree.
  [[nodiscard]] double at_infinity() const noexcept;
  [[nodiscard]] const std::vector<std::complex<double>>& zeros() const noexcept { return zeros_; }
  [[nodiscard]] const std::vector<std::complex<double>>& poles() const noexcept { return poles_; }

  /// ρ(χ) = |R(iχ)|
  [[nodiscard]] double spectral_radius(double chi) const;
  /// max ρ(χ) over χ = 10⁻³ … 10⁶ and the limit.
  [[nodiscard]] double largest_on_imaginary_axis() const;
  /// |R| ≤ 1 on the imaginary axis up to rounding, no pole in the left half plane.
  [[nodiscard]] bool a_stable() const;
  [[nodiscard]] bool l_stable() const;

  /// d_a of (2), from |Q|² − |P|²: accurate down to the smallest χ > 0.
  [[nodiscard]] double amplitude_error(double chi) const;
  /// d_p − 1 of (2), χ > 0: by the series where it converges fast, else by the sum of the continuous phases of the factors:
  /// no branch is ever crossed.
  [[nodiscard]] double phase_error(double chi) const;
  [[nodiscard]] double phase_factor(double chi) const { return 1 + phase_error(chi); }
  /// ξ̄ = d_a/d_p and γ̄ = 1/d_p − 1: damping ratio and relative lengthening of the period.
  [[nodiscard]] double damping_ratio(double chi) const { return amplitude_error(chi) / phase_factor(chi); }
  [[nodiscard]] double period_error(double chi) const { return 1 / phase_factor(chi) - 1; }

  /// c_0 … c_n of (2), by series arithmetic; what is zero up to rounding is set to zero.
  [[nodiscard]] std::vector<double> log_series(int n) const;

  /// The first terms of (2): d_a ≈ constant χ^order. Order 0 stands for ∞: the error is identically zero.
  struct Leading {
    int order = 0;
    double constant = 0;
  };
  [[nodiscard]] Leading dissipation() const;  ///< of d_a
  [[nodiscard]] Leading dispersion() const;   ///< of d_p − 1

  /// (k, j): R is the Padé approximation of e^z with numerator of degree k, denominator of degree j.
  struct Degrees {
    int numerator, denominator;
  };
  [[nodiscard]] std::optional<Degrees> pade_degrees() const;

  /// ln (|R(z)|/|e^z|), by the series near 0. The sets where it is positive and negative meet at 0 in r + 1 sectors each, r the
  /// linear order: the order star (Wanner, Hairer, Nørsett, BIT 18 (1978) 475, doi:10.1007/BF01932026).
  [[nodiscard]] double order_star(std::complex<double> z) const;

 private:
  /// ln R(z) − z for |z| < near_.
  [[nodiscard]] std::complex<double> log_error(std::complex<double> z) const;

  std::vector<double> numerator_, denominator_;
  std::vector<std::complex<double>> zeros_, poles_;
  std::vector<double> series_;   ///< c_k of (2)
  double near_ = 0;              ///< half the distance to the next pole or zero
  std::vector<double> damping_;  ///< |Q(iχ)|² − |P(iχ)|² as a polynomial in χ²
};

/// Padé approximation of e^z: Σ_i C(k,i) (k+j−i)!/(k+j)! z^i over the same with k and j exchanged and z → −z.
[[nodiscard]] StabilityFunction pade(int k, int j);

/// (1) with the tridiagonal matrices X and X − e₁e₁ᵀ in place of A and A − 𝟙bᵀ.
[[nodiscard]] StabilityFunction stability_function(const RungeKuttaTable& table);
[[nodiscard]] StabilityFunction stability_function(const RosenbrockCoefficients<double>& method);
/// (1) as it stands, by solving with I − zA: a second way for the tests.
[[nodiscard]] std::complex<double> stability_value(const RungeKuttaTable& table, std::complex<double> z);

}  // namespace rubato
