#include "catalogue/elliptic.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace rubato::catalogue {

namespace {

/// a₀ = 1, b₀ = √(1 − k²), c₀ = k;  a' = (a + b)/2, b' = √(a b), c' = (a − b)/2 until c vanishes (quadratic convergence).
struct Means {
  std::array<double, 12> a{}, c{};
  int n = 0;
  explicit Means(double k) {
    a[0] = 1;
    c[0] = k;
    double b = std::sqrt((1 - k) * (1 + k));
    while (std::abs(c[n]) > 1e-17 && n + 1 < 12) {
      a[n + 1] = (a[n] + b) / 2;
      c[n + 1] = (a[n] - b) / 2;
      b = std::sqrt(a[n] * b);
      ++n;
    }
  }
};

}  // namespace

double complete_elliptic_k(double k) {
  const Means m(k);
  return std::numbers::pi / (2 * m.a[m.n]);
}

JacobiFunctions jacobi(double u, double k) {
  const Means m(k);
  const double period = 2 * std::numbers::pi / m.a[m.n];  // 4 K
  double phi = std::ldexp(m.a[m.n] * std::remainder(u, period), m.n);
  for (int i = m.n; i > 0; --i) phi = (phi + std::asin(m.c[i] / m.a[i] * std::sin(phi))) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

Swing swing(double theta0, double omega, double t) {
  const double k = std::sin(theta0 / 2);
  const auto [sn, cn, dn] = jacobi(complete_elliptic_k(std::abs(k)) + omega * t, std::abs(k));
  return {2 * std::asin(k * sn), 2 * k * omega * cn};
}

}  // namespace rubato::catalogue
