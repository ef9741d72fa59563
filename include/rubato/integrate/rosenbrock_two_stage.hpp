#pragma once
/// Constructive tool: all stiffly accurate two-stage methods of order 2, and their embedded weights, from conditions.
///   stiff accuracy:  α_21 = 1,  b = (β_21, γ)                                                                          (1)
///   order 1:         β_21 + γ = 1,  hence β_21 = 1 − γ, γ_21 = −γ                                                      (2)
///   order 2:         b_2 β_21 + γ = ½,  hence γ² − 2γ + ½ = 0, γ = 1 ± √2/2                                            (3)
///   embedded, Σb̂ = 1: R̂(∞) = 1 − b̂ᵀB⁻¹𝟙 = 1 − 1/γ + b̂_2 (1 − γ)/γ²,  hence b̂_2 = γ + γ² R̂(∞)/(1 − γ)                  (4)
/// (4) shows that R̂(∞) = 0 forces b̂ = b: an estimate needs R̂(∞) ≠ 0.
#include "rubato/integrate/rosenbrock_table.hpp"

namespace rubato::rosenbrock {

/// The larger (sign = +1) or smaller (−1) root of (3), from its coefficients by Newton's iteration, started outside.
template <class T>
constexpr T two_stage_gamma(int sign) {
  T gamma = sign > 0 ? T(2) : T(0);
  for (int i = 0; i < 12; ++i) gamma -= (gamma * gamma - 2 * gamma + T(1) / T(2)) / (2 * gamma - T(2));
  return gamma;
}

template <class T>
constexpr RosenbrockCoefficients<T> two_stage_stiffly_accurate(const T& gamma, const T& r_hat_infinity) {
  const T one(1);
  const T b_hat_2 = gamma + gamma * gamma * r_hat_infinity / (one - gamma);  // (4)
  RosenbrockCoefficients<T> method{};
  method.s = 2;
  method.alpha[1][0] = one;
  method.gamma[0][0] = method.gamma[1][1] = gamma;
  method.gamma[1][0] = -gamma;  // (2)
  method.b[0] = one - gamma;    // (1)
  method.b[1] = gamma;
  method.b_hat[0] = one - b_hat_2;
  method.b_hat[1] = b_hat_2;
  return method;
}

}  // namespace rubato::rosenbrock
