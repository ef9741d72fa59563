#pragma once
/// Small things about real and complex scalars that the solvers share.
#include <cmath>
#include <complex>
#include <span>

namespace rubato::detail {

/// |re| + |im|: within √2 of the modulus, without a square root; what LAPACK compares pivots with.
inline double magnitude(double x) noexcept { return std::abs(x); }
inline double magnitude(const std::complex<double>& x) noexcept { return std::abs(x.real()) + std::abs(x.imag()); }

inline bool is_finite(double x) noexcept { return std::isfinite(x); }
inline bool is_finite(const std::complex<double>& x) noexcept {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

/// The product of the textbook: std::complex's operator* also repairs infinities, by a function call per product.
inline double product(double a, double b) noexcept { return a * b; }
inline std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// a or b, in registers.
inline double either(bool first, double a, double b) noexcept { return first ? a : b; }
inline std::complex<double> either(bool first, const std::complex<double>& a, const std::complex<double>& b) noexcept {
  return {either(first, a.real(), b.real()), either(first, a.imag(), b.imag())};
}

/// 1/x without a function call: where |re| and |im| differ the smaller is divided by the larger, so that no square overflows.
/// Smith, Comm. ACM 5 (1962) 435, doi:10.1145/368637.368661.
inline double reciprocal(double x) noexcept { return 1 / x; }
inline std::complex<double> reciprocal(const std::complex<double>& x) noexcept {
  const double a = x.real(), b = x.imag();
  if (std::abs(a) >= std::abs(b)) {
    const double ratio = b / a, r = 1 / (a + b * ratio);
    return {r, -ratio * r};
  }
  const double ratio = a / b, r = 1 / (a * ratio + b);
  return {ratio * r, -r};
}

/// 0·x sums to 0 exactly if every x is finite: no branch per number.
inline bool all_finite(std::span<const double> x) noexcept {
  double zero = 0;
  for (const double v : x) zero += 0.0 * v;
  return zero == 0;
}
inline bool all_finite(std::span<const std::complex<double>> x) noexcept {
  return all_finite(std::span<const double>(reinterpret_cast<const double*>(x.data()), 2 * x.size()));
}

}  // namespace rubato::detail
