#pragma once
/// Jacobi's elliptic functions of real argument, for the exact motion of a pendulum.

namespace rubato::catalogue {

/// K(k) = ∫₀^{π/2} dφ / √(1 − k² sin²φ), 0 ≤ k < 1, by the arithmetic-geometric mean.
[[nodiscard]] double complete_elliptic_k(double k);

struct JacobiFunctions {
  double sn, cn, dn;
};
/// sn(u,k), cn(u,k), dn(u,k), 0 ≤ k < 1; Abramowitz & Stegun 16.4.
[[nodiscard]] JacobiFunctions jacobi(double u, double k);

/// The angle of a pendulum θ'' = −ω² sin θ released from rest at θ₀, and its rate:
///   k = sin(θ₀/2),  sin(θ/2) = k sn(K + ω t, k),  θ' = 2 k ω cn(K + ω t, k).
struct Swing {
  double angle, rate;
};
[[nodiscard]] Swing swing(double theta0, double omega, double t);

}  // namespace rubato::catalogue
