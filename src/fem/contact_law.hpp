#pragma once
/// Pressure over depth and friction over slip, with their derivatives: (1) and (2) of contact.hpp.
#include <Eigen/Core>
#include <cmath>

#include "rubato/fem/contact.hpp"

namespace rubato::fem::detail {

template <int d>
using Vec = Eigen::Matrix<double, d, 1>;
template <int d>
using Mat = Eigen::Matrix<double, d, d>;

struct Pressure {
  double p = 0, slope = 0, energy = 0;  ///< p, dp/d(depth), ∫ p
};
[[nodiscard]] inline Pressure pressure(const ContactLaw& law, double depth) noexcept {
  const double k = law.stiffness, d0 = law.onset;
  if (!(depth > 0)) return {};
  if (depth < d0)
    return {.p = k * depth * depth / (2 * d0), .slope = k * depth / d0, .energy = k * depth * depth * depth / (6 * d0)};
  return {.p = k * (depth - d0 / 2), .slope = k, .energy = k * (depth * (depth - d0) / 2 + d0 * d0 / 6)};
}

/// ψ(v) = v_t/√(|v_t|² + v_s²) with v_t = v − n (n·v): its value and derivatives.
template <int d>
struct Slip {
  Vec<d> psi;        ///< ψ
  Mat<d> by_v;       ///< ∂ψ/∂v
  Mat<d> by_normal;  ///< ∂ψ/∂n, for changes of n that are perpendicular to it
};
template <int d>
[[nodiscard]] Slip<d> slip(const Vec<d>& v, const Vec<d>& n, double slip_speed) noexcept {
  const double along = n.dot(v);
  const Vec<d> tangential = v - along * n;
  const double s = std::sqrt(tangential.squaredNorm() + slip_speed * slip_speed);
  Slip<d> out;
  out.psi = tangential / s;
  const Mat<d> by_tangential = (Mat<d>::Identity() - out.psi * out.psi.transpose()) / s;
  out.by_v = by_tangential - by_tangential * n * n.transpose();
  out.by_normal = -along * by_tangential - by_tangential * n * v.transpose();
  return out;
}

}  // namespace rubato::fem::detail
