#pragma once
/// What the coefficients of a Newmark-type method say about it: from its amplification matrix.
#include <span>
#include <string_view>

#include "rubato/base/result.hpp"
#include "rubato/base/views.hpp"
#include "rubato/integrate/alpha_coefficients.hpp"

namespace rubato {

/// A family of methods with one parameter (least = greatest: none).
struct AlphaFamily {
  std::string_view name, parameter, help, reference;
  double standard, least, greatest;
  AlphaCoefficients (*make)(double parameter);
};
[[nodiscard]] std::span<const AlphaFamily> alpha_families();
/// "generalized-alpha", "generalized-alpha:0.5" …; the message begins with "unknown" where there is no such family.
[[nodiscard]] Result<AlphaCoefficients> alpha_by_name(std::string_view name);

/// One step for q̈ = −ω²q in the variables (q, hv, h²a), h_omega = hω.
[[nodiscard]] Eigen::Matrix3d amplification_matrix(const AlphaCoefficients& method, double h_omega);
/// One step for x' = λx as first order variable, in (x, ha), h_lambda = hλ.
[[nodiscard]] Eigen::Matrix2d first_order_amplification(const AlphaCoefficients& method, double h_lambda);

/// Largest modulus of an eigenvalue of amplification_matrix().
[[nodiscard]] double spectral_radius(const AlphaCoefficients& method, double h_omega);
/// The limit for hω → ∞.
[[nodiscard]] double rho_infinity(const AlphaCoefficients& method);
/// Largest modulus of an eigenvalue of constraints at position (index 3) or velocity level (index 2): below 1 where errors of
/// multipliers die out. Parasitic roots of first order variables (z) included.
[[nodiscard]] double constraint_radius(const AlphaCoefficients& method);

/// The numerical vibration beside the true one, from the pair of complex eigenvalues e^(−ζΩ ± iΩ): Ω/χ and ζ, χ = hω.
struct NumericalVibration {
  double period_error = 0;   ///< T_numerical/T − 1
  double damping_ratio = 0;  ///< ζ
  bool oscillates = false;   ///< false: the pair has become real
};
[[nodiscard]] NumericalVibration numerical_vibration(const AlphaCoefficients& method, double h_omega);

struct AlphaProperties {
  int order = 0;
  double rho_infinity = 0;
  double constraint_radius = 0;
  double stability_limit = 0;  ///< hω up to which spectral_radius() ≤ 1; infinite: unconditionally stable
};
[[nodiscard]] AlphaProperties alpha_properties(const AlphaCoefficients& method);

}  // namespace rubato
