#pragma once
/// Rotations in a chart: R = R(base) exp(δ̃), base a unit quaternion (w, x, y, z), δ a rotation vector, ω body-fixed.
///   exp(δ̃) = I + a δ̃ + b δ̃²,  a = sin θ/θ, b = (1 − cos θ)/θ², θ = |δ|                                              (1)
///   δ' = T(δ)⁻¹ ω,  T⁻¹ = I + δ̃/2 + c δ̃²,  c = (1 − (θ/2) cot(θ/2))/θ²                                            (2)
/// a, b, c are even in θ: functions of s = θ², differentiable at δ = 0 over every scalar. Singular at θ = 2π.
#include <array>
#include <cmath>

#include "rubato/base/dual.hpp"
#include "rubato/base/status.hpp"
#include "rubato/base/tracer.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

template <class S>
using Three = std::array<S, 3>;
template <class S>
using Rotation = std::array<Three<S>, 3>;  ///< rows

template <class S>
Three<S> three(std::span<const S> x, std::size_t first) {
  return {x[first], x[first + 1], x[first + 2]};
}
template <class A, class B>
auto dot(const Three<A>& a, const Three<B>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class A, class B>
auto cross(const Three<A>& a, const Three<B>& b) {
  using S = decltype(a[0] * b[0]);
  return Three<S>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class A, class B>
auto rotate(const Rotation<A>& r, const Three<B>& x) {
  using S = decltype(r[0][0] * x[0]);
  return Three<S>{dot(r[0], x), dot(r[1], x), dot(r[2], x)};
}

namespace detail {

/// Σ coefficients[k] s^k.
template <class S, std::size_t n>
S polynomial(const std::array<double, n>& coefficients, const S& s) {
  S sum = S(coefficients[n - 1]);
  for (std::size_t k = n - 1; k-- > 0;) sum = sum * s + coefficients[k];
  return sum;
}
/// (−1)^k / (2k + shift)!
template <std::size_t n>
constexpr std::array<double, n> alternating(int shift) {
  std::array<double, n> c{};
  double factorial = 1;
  for (int i = 2; i <= shift; ++i) factorial *= i;
  for (std::size_t k = 0; k < n; ++k) {
    c[k] = (k % 2 == 0 ? 1 : -1) / factorial;
    const double next = 2 * static_cast<double>(k) + shift;
    factorial *= (next + 1) * (next + 2);
  }
  return c;
}

template <class S>
struct ChartFactors {
  S a, b, c;
};
/// Series for s < 1 (truncation below 1e-17), closed forms beyond.
template <class S>
ChartFactors<S> chart_factors(const S& s) {
  using std::cos, std::sin, std::sqrt;
  if (value_of(s) < 1) {
    // |B_2k| / (2k)!
    static constexpr std::array<double, 11> bernoulli{1.0 / 12,
                                                      1.0 / 720,
                                                      1.0 / 30240,
                                                      1.0 / 1209600,
                                                      1.0 / 47900160,
                                                      691.0 / 1307674368000.0,
                                                      1.0 / 74724249600.0,
                                                      3617.0 / 10670622842880000.0,
                                                      43867.0 / 5109094217170944000.0,
                                                      174611.0 / 802857662698291200000.0,
                                                      77683.0 / 14101100039391805440000.0};
    return {polynomial(alternating<10>(1), s), polynomial(alternating<10>(2), s), polynomial(bernoulli, s)};
  }
  const S theta = sqrt(s);
  const S a = sin(theta) / theta, b = (1.0 - cos(theta)) / s;
  return {a, b, (1.0 - 0.5 * a / b) / s};  // (θ/2) cot(θ/2) = a/(2b)
}

}  // namespace detail

/// R of a unit quaternion (w, x, y, z).
inline Rotation<double> rotation_of(In quaternion) {
  const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

/// exp(δ̃) x by (1).
template <class S, class X>
Three<S> rotate_by(const Three<S>& delta, const Three<X>& x) {
  const auto f = detail::chart_factors(dot(delta, delta));
  const Three<S> once = cross(delta, x), twice = cross(delta, once);
  return {x[0] + f.a * once[0] + f.b * twice[0], x[1] + f.a * once[1] + f.b * twice[1],
          x[2] + f.a * once[2] + f.b * twice[2]};
}

/// exp(δ̃) by (1), as a matrix.
template <class S>
Rotation<S> rotation_by(const Three<S>& delta) {
  const S s = dot(delta, delta);
  const auto f = detail::chart_factors(s);
  Rotation<S> r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) r[i][k] = f.b * delta[i] * delta[k];
  const S diagonal = 1.0 - f.b * s;  // δ̃² = δδᵀ − |δ|² I
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    r[i][i] += diagonal;
    r[j][k] -= f.a * delta[i];
    r[k][j] += f.a * delta[i];
  }
  return r;
}

/// δ of R = exp(δ̃), |δ| < π:  axial(R) = (sin θ/θ) δ, so δ = axial(R) asin(x)/x with x = sin θ for small θ, θ/sin θ beyond.
template <class S>
Three<S> rotation_vector(const Rotation<S>& r) {
  using std::atan2, std::sqrt;
  const Three<S> axial{0.5 * (r[2][1] - r[1][2]), 0.5 * (r[0][2] - r[2][0]), 0.5 * (r[1][0] - r[0][1])};
  const S square = dot(axial, axial), cosine = 0.5 * (r[0][0] + r[1][1] + r[2][2] - 1.0);
  S factor;
  if (value_of(cosine) > 0.95) {  // sin² θ < 0.1: a series, differentiable at θ = 0 (truncation below 1e-17)
    static constexpr auto arcsine = [] {
      std::array<double, 15> c{1};  // (2k)! / (4ᵏ k!² (2k + 1))
      for (std::size_t k = 1; k < c.size(); ++k) {
        const double m = 2 * static_cast<double>(k);
        c[k] = c[k - 1] * (m - 1) * (m - 1) / (m * (m + 1));
      }
      return c;
    }();
    factor = detail::polynomial(arcsine, square);
  } else {
    const S sine = sqrt(square);
    factor = atan2(sine, cosine) / sine;
  }
  return {factor * axial[0], factor * axial[1], factor * axial[2]};
}

/// R(base) exp(δ̃) x: a body-fixed vector in space.
template <class S, class X>
Three<S> to_space(In quaternion, const Three<S>& delta, const Three<X>& x) {
  return rotate(rotation_of(quaternion), rotate_by(delta, x));
}

/// δ' = T(δ)⁻¹ ω by (2); out of domain near the singularity, which a rebase after every step keeps far away.
template <class S>
EvalStatus chart_rate(const Three<S>& delta, const Three<S>& omega, std::span<S> rate) {
  const S s = dot(delta, delta);
  if (!(value_of(s) < 30)) return EvalStatus::out_of_domain;
  const S c = detail::chart_factors(s).c;
  const Three<S> once = cross(delta, omega), twice = cross(delta, once);
  for (std::size_t i = 0; i < 3; ++i) rate[i] = omega[i] + 0.5 * once[i] + c * twice[i];
  return EvalStatus::ok;
}

namespace detail {

using Quaternion = std::array<double, 4>;  ///< (w, x, y, z)

inline Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
/// The unit quaternion of exp(δ̃).
inline Quaternion quaternion_of(In delta) {
  const double s = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
  const double half = chart_factors(s / 4).a / 2;
  return {std::cos(std::sqrt(s) / 2), half * delta[0], half * delta[1], half * delta[2]};
}

}  // namespace detail

/// base ← base ∘ exp(δ), normalised; δ ← 0.
inline void rebase_rotation(Out delta, Out quaternion) {
  const detail::Quaternion base{quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
  const detail::Quaternion moved = detail::product(base, detail::quaternion_of(delta));
  double norm = 0;
  for (const double p : moved) norm += p * p;
  norm = std::sqrt(norm);
  for (std::size_t i = 0; i < 4; ++i) quaternion[i] = moved[i] / norm;
  for (auto& d : delta) d = 0;
}

/// δ ← log(R(to)⁻¹ R(from) exp δ̃): the same rotation in the chart around another base. |δ| ≤ π afterwards.
inline void transport_rotation(In from, In to, Out delta) {
  const detail::Quaternion inverse{to[0], -to[1], -to[2], -to[3]}, base{from[0], from[1], from[2], from[3]};
  detail::Quaternion q = detail::product(inverse, detail::product(base, detail::quaternion_of(delta)));
  if (q[0] < 0)
    for (double& p : q) p = -p;
  const double sine = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);  // of half the angle
  const double scale = sine > 0 ? 2 * std::atan2(sine, q[0]) / sine : 2;
  for (std::size_t i = 0; i < 3; ++i) delta[i] = scale * q[i + 1];
}

}  // namespace rubato
