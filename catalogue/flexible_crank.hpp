#pragma once
/// A crank that carries a flexible rod, and a slider: (φ₁, φ₂, x₃, q₁ … q₄); q₁, q₂: lateral modes of the rod; q₃, q₄:
/// longitudinal displacement of its mid- and end point. M v' = f, signs of the Test Set for IVP Solvers, crank; no gravity.
/// Constraints are the business of those who use it (slider_crank.cpp, elastic_double_pendulum.cpp).
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "rubato/problem/mechanical.hpp"

namespace rubato::catalogue {

struct FlexibleCrank {
  static constexpr double m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.30, j1 = 0.002727, j2 = 0.0045339259;
  static constexpr double young = 0.20e12, width = 0.008, height = 0.008, rho = 7870, speed = 150;
  static constexpr double section = width * height;
  static constexpr double axial_stiffness = young * section / l2;  // A_K, N/m

  bool damped = false, nonlinear = false;
  double axial_mass = 1;  ///< factor of the longitudinal mass block: 1/15 for the quadratic element, 1 in the Test Set
  double pi = std::numbers::pi;

  template <class S>
  using Four = std::array<S, 4>;
  template <class S>
  static S dot(const Four<double>& a, const Four<S>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  }
  template <class S>
  static Four<S> elastic(std::span<const S> x) {
    return {x[3], x[4], x[5], x[6]};
  }

  // A_M, A_K, A_B and what they multiply.
  [[nodiscard]] Four<double> c1() const { return {0, 0, section * l2 * 2 / 3, section * l2 / 6}; }
  [[nodiscard]] Four<double> c2() const { return {section * l2 * 2 / pi, 0, 0, 0}; }
  [[nodiscard]] Four<double> c12() const { return {0, 0, section * l2 * l2 / 3, section * l2 * l2 / 6}; }
  [[nodiscard]] Four<double> c21() const { return {section * l2 * l2 / pi, -section * l2 * l2 / (2 * pi), 0, 0}; }
  template <class S>
  Four<S> mass_times(const Four<S>& x) const {
    const double am = rho * section * l2, axial = axial_mass * am;
    return {0.5 * am * x[0], 0.5 * am * x[1], axial * (8.0 * x[2] + x[3]), axial * (x[2] + 2.0 * x[3])};
  }
  /// K_q x = the lateral part and the longitudinal part of it.
  template <class S>
  Four<S> bending_times(const Four<S>& x) const {
    const double ak = axial_stiffness, slim = height / l2 * height / l2, pi4 = pi * pi * pi * pi;
    return {ak * (pi4 / 24 * slim) * x[0], ak * (pi4 * 2 / 3 * slim) * x[1], S(0.0), S(0.0)};
  }
  template <class S>
  Four<S> stretching_times(const Four<S>& x) const {
    const double ak = axial_stiffness;
    return {S(0.0), S(0.0), ak * (16.0 / 3 * x[2] - 8.0 / 3 * x[3]), ak * (-8.0 / 3 * x[2] + 7.0 / 3 * x[3])};
  }
  /// B_q x; B_q is antisymmetric.
  template <class S>
  Four<S> gyration_times(const Four<S>& x) const {
    const double ab = section * l2, b13 = -16 / (pi * pi * pi) * ab, b14 = (8 / (pi * pi * pi) - 1 / pi) * ab,
                 b24 = ab / (2 * pi);
    return {b13 * x[2] + b14 * x[3], b24 * x[3], -b13 * x[0], -b14 * x[0] - b24 * x[1]};
  }

  template <class S>
  void inertia(const MechanicalPoint<S>& p, std::span<const S> a, std::span<S> out) const {
    const Four<S> q = elastic(p.q), ae = elastic(a), mq = mass_times(q), ma = mass_times(ae), bq = gyration_times(q);
    const auto c1_ = c1(), c2_ = c2(), c21_ = c21();
    const auto [s, c] = sin_cos(p.q[0] - p.q[1]);
    const S m12 = 0.5 * l1 * l2 * m2 * c + rho * l1 * (s * dot(c2_, q) + c * dot(c1_, q));
    const S m22 = j2 + q[0] * mq[0] + q[1] * mq[1] + q[2] * mq[2] + q[3] * mq[3] + 2 * rho * dot(c12(), q);
    out[0] = (j1 + m2 * l1 * l1) * a[0] + m12 * a[1];
    out[1] = m12 * a[0] + m22 * a[1];
    out[2] = m3 * a[2];
    for (std::size_t i = 0; i < 4; ++i) {
      const S m1i = rho * l1 * (-s * c1_[i] + c * c2_[i]);
      const S m2i = rho * c21_[i] - rho * bq[i];  // B_qᵀ q = −B_q q
      out[0] += m1i * ae[i];
      out[1] += m2i * ae[i];
      out[3 + i] = m1i * a[0] + m2i * a[1] + ma[i];
    }
  }

  /// What the motion alone does: centrifugal and Coriolis terms.
  template <class S>
  void motion_force(const MechanicalPoint<S>& p, std::span<S> f) const {
    const Four<S> q = elastic(p.q), qd = elastic(p.v), mq = mass_times(q), bqd = gyration_times(qd);
    const auto c1_ = c1(), c2_ = c2(), c12_ = c12();
    const auto [s, c] = sin_cos(p.q[0] - p.q[1]);
    const S v1 = p.v[0], v2 = p.v[1];
    f[0] = -0.5 * l1 * l2 * m2 * v2 * v2 * s + rho * l1 * v2 * v2 * (-s * dot(c1_, q) + c * dot(c2_, q)) -
           2 * rho * l1 * v2 * (c * dot(c1_, qd) + s * dot(c2_, qd));
    S qd_m_q = S(0.0);
    for (std::size_t i = 0; i < 4; ++i) qd_m_q += qd[i] * mq[i];
    f[1] = 0.5 * l1 * l2 * m2 * v1 * v1 * s + rho * l1 * v1 * v1 * (s * dot(c1_, q) - c * dot(c2_, q)) -
           2 * rho * v2 * dot(c12_, qd) - 2.0 * v2 * qd_m_q;
    f[2] = S(0.0);
    for (std::size_t i = 0; i < 4; ++i)
      f[3 + i] =
          v2 * v2 * mq[i] + rho * (v2 * v2 * c12_[i] + l1 * v1 * v1 * (c * c1_[i] + s * c2_[i]) + 2.0 * v2 * bqd[i]);
  }
  /// −K_q q − D_q q̇ and the stiffness of second order, on q₁ … q₄.
  template <class S>
  Four<S> elastic_force(const Four<S>& q, const Four<S>& qd) const {
    const Four<S> bending = bending_times(q), stretching = stretching_times(q), dq = damping_times(qd);
    const Four<S> nq = nonlinear_force(q);
    Four<S> f;
    for (std::size_t i = 0; i < 4; ++i) f[i] = -bending[i] - stretching[i] - dq[i] - nq[i];
    return f;
  }
  template <class S>
  Four<S> damping_times(const Four<S>& x) const {
    if (!damped) return {S(0.0), S(0.0), S(0.0), S(0.0)};
    constexpr double d33 = 0.5 * 230.8375455264791, d34 = -0.5 * 262.688487992052, d44 = 0.5 * 421.7421837156818;
    return {5.0 * x[0], 25.0 * x[1], d33 * x[2] + d34 * x[3], d34 * x[2] + d44 * x[3]};
  }
  template <class S>
  Four<S> nonlinear_force(const Four<S>& q) const {
    if (!nonlinear) return {S(0.0), S(0.0), S(0.0), S(0.0)};
    const double kappa = 0.5 * young * section * pi * pi / (l2 * l2), eta = 80 / (9 * pi * pi);
    const S stretch = -4.0 * q[2] + 2.0 * q[3];
    return {kappa * (q[0] * q[3] - eta * q[1] * stretch), kappa * (4.0 * q[1] * q[3] - eta * q[0] * stretch),
            4 * kappa * eta * q[0] * q[1], kappa * (0.5 * q[0] * q[0] + 2.0 * q[1] * q[1] - 2 * eta * q[0] * q[1])};
  }
};

}  // namespace rubato::catalogue
