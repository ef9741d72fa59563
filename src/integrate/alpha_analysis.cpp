#include "rubato/integrate/alpha_analysis.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>

#include "rubato/base/text.hpp"

namespace rubato {

namespace {

constexpr std::array<AlphaFamily, 4> alpha_family_list{
    {{"generalized-alpha", "rho", "generalized-alpha (Chung & Hulbert): second order systems, damping by rho_inf",
      "Chung & Hulbert, J. Appl. Mech. 60 (1993) 371, doi:10.1115/1.2900803", 0.8, 0, 1,
      &AlphaCoefficients::generalized},
     {"hht-alpha", "alpha", "HHT-alpha (Hilber, Hughes, Taylor): second order systems, damping by alpha",
      "Hilber, Hughes, Taylor, Earthquake Eng. Struct. Dyn. 5 (1977) 283, doi:10.1002/eqe.4290050306", -0.1, -1.0 / 3,
      0, &AlphaCoefficients::hht},
     {"newmark", "gamma", "Newmark: second order systems, the trapezoidal rule, or damping of order 1 by gamma > 1/2",
      "Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67", 0.5, 0.5, 1.5, &AlphaCoefficients::newmark},
     {"central-differences", "", "central differences: second order systems, explicit, stable for h omega <= 2",
      "Hairer, Lubich, Wanner, Acta Numerica 12 (2003) 399, doi:10.1017/S0962492902000144", 0, 0, 0,
      [](double) { return AlphaCoefficients::central_differences(); }}}};

/// Multiple eigenvalues are found to the root of the rounding only.
constexpr double stable_up_to = 1 + 1e-6;

/// Of a matrix of any size: an eigenvalue solver for each fixed size takes longer to compile than all the rest here.
double radius(const Eigen::MatrixXd& m) { return m.eigenvalues().cwiseAbs().maxCoeff(); }

/// (q, hv, h²a) from the step before, with h²v̇ = −χ²q; s = 1/χ² stays finite for χ → ∞:
///   q₁ − β h²a₁ = …,  hv₁ − γ h²a₁ = …,  s(1−α_m) h²a₁ + (1−α_f) q₁ = −s α_m h²a₀ − α_f q₀                          (1)
Eigen::Matrix3d amplification(const AlphaCoefficients& c, double s) {
  Eigen::Matrix3d left, right;
  left << 1, 0, -c.beta, 0, 1, -c.gamma, 1 - c.alpha_f, 0, s * (1 - c.alpha_m);
  right << 1, 1, 0.5 - c.beta, 0, 1, 1 - c.gamma, -c.alpha_f, 0, -s * c.alpha_m;
  return left.partialPivLu().solve(right);
}

}  // namespace

std::span<const AlphaFamily> alpha_families() { return alpha_family_list; }

Result<AlphaCoefficients> alpha_by_name(std::string_view name) {
  const auto colon = name.find(':');
  const std::string_view stem = name.substr(0, colon);
  std::vector<std::string> names;
  for (const AlphaFamily& family : alpha_family_list) {
    names.emplace_back(family.name);
    if (family.name != stem) continue;
    if (colon == std::string_view::npos) return family.make(family.standard);
    if (family.parameter.empty()) return Error{fmt::format("method {}: {} has no parameter", name, stem)};
    const std::string_view text = name.substr(colon + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(value >= family.least && value <= family.greatest))
      return Error{fmt::format("method {}: {} = '{}' is not allowed; a number in [{:.6g}, {:.6g}]", name,
                               family.parameter, text, family.least, family.greatest)};
    return family.make(value);
  }
  return Error{unknown_name("method", stem, names)};
}

Eigen::Matrix3d amplification_matrix(const AlphaCoefficients& method, double h_omega) {
  return amplification(method, 1 / (h_omega * h_omega));
}

Eigen::Matrix2d first_order_amplification(const AlphaCoefficients& c, double h_lambda) {
  Eigen::Matrix2d left, right;
  left << 1, -c.gamma, -(1 - c.alpha_f) * h_lambda, 1 - c.alpha_m;
  right << 1, 1 - c.gamma, c.alpha_f * h_lambda, -c.alpha_m;
  return left.partialPivLu().solve(right);
}

double spectral_radius(const AlphaCoefficients& method, double h_omega) {
  return radius(amplification_matrix(method, h_omega));
}

double rho_infinity(const AlphaCoefficients& c) {
  // (1) with s = 0; explicit methods have no limit.
  if (!(c.beta * (1 - c.alpha_f) > 0)) return std::numeric_limits<double>::infinity();
  return radius(amplification(c, 0));
}

double constraint_radius(const AlphaCoefficients& c) {
  if (!(c.beta > 0)) return std::numeric_limits<double>::infinity();
  // Index 3: q prescribed, (hv, h²a) from (2) of alpha_coefficients.hpp. Index 2: v prescribed. Then v̇ from (1) there.
  Eigen::Matrix2d m;
  const double r = (0.5 - c.beta) / c.beta;
  m << 1 - c.gamma / c.beta, 1 - c.gamma - c.gamma * r, -1 / c.beta, -r;
  return std::max({radius(m), std::abs((1 - c.gamma) / c.gamma), std::abs(c.alpha_f / (1 - c.alpha_f))});
}

NumericalVibration numerical_vibration(const AlphaCoefficients& method, double h_omega) {
  const Eigen::VectorXcd roots = Eigen::MatrixXd(amplification_matrix(method, h_omega)).eigenvalues();
  std::complex<double> principal = 0;
  for (const auto& root : roots)
    if (root.imag() > 1e-12 && std::abs(root) > std::abs(principal)) principal = root;
  if (principal == std::complex<double>(0)) return {};
  const double omega = std::arg(principal), decay = -std::log(std::abs(principal));
  return {.period_error = h_omega / omega - 1, .damping_ratio = decay / omega, .oscillates = true};
}

AlphaProperties alpha_properties(const AlphaCoefficients& method) {
  AlphaProperties p{.order = method.second_order() ? 2 : 1,
                    .rho_infinity = rho_infinity(method),
                    .constraint_radius = constraint_radius(method),
                    .stability_limit = std::numeric_limits<double>::infinity()};
  constexpr int per_decade = 200;
  for (int k = -2 * per_decade; k <= 4 * per_decade; ++k) {
    double h_omega = std::pow(10.0, static_cast<double>(k) / per_decade);
    if (spectral_radius(method, h_omega) <= stable_up_to) continue;
    double below = h_omega / std::pow(10.0, 1.0 / per_decade);
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (below + h_omega);
      (spectral_radius(method, middle) <= stable_up_to ? below : h_omega) = middle;
    }
    p.stability_limit = below;
    break;
  }
  return p;
}

}  // namespace rubato
