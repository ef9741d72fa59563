#pragma once
/// Geometrically exact beam of two nodes with one point of integration; x along it, straight and free of stress at the start.
///   θ = log(EᵀF),  R = E exp(θ̃/2),  d = x_b − x_a,  E and F the axes of a and b: R lies half-way between both       (1)
///   κ = θ/L,  Γ = Rᵀd/L − e₁;  energy U = L/2 (ΓᵀC_Γ Γ + κᵀC_κ κ)                                                    (2)
///   C_Γ = diag(EA, S_y, S_z),  C_κ = diag(GJ, EI_y, EI_z),  1/S_y = 1/GA_y + L²/(12 EI_z),  1/S_z likewise with EI_y  (3)
/// (3) is the residual bending flexibility: one element has the nodal deflections of the exact beam, P L³/(3 EI) among them.
/// With Ω_a, Ω_b, V_a, V_b the spins and velocities of both ends in the axes R, η = Ω_b − Ω_a and D = Rᵀd,
///   θ' = A η,  A = (θ̃/2)/sinh(θ̃/2) = I + β θ̃²,  β = (1 − (θ/2)/sin(θ/2))/θ²                                        (4)
///   spin of R:  Ω = (Ω_a + Ω_b)/2 − ½ tanh(θ̃/4) η,  tanh(θ̃/4) = γ θ̃,  γ = tan(θ/4)/θ                               (5)
///   Γ' = (V_b − V_a − Ω × D)/L,  κ' = A η/L                                                                          (6)
///   N = C_Γ (Γ + damping Γ'),  M = C_κ (κ + damping κ'),  τ = D × N                                                  (7)
/// From the power L (N·Γ' + M·κ') = −Σ force·velocity follows what acts, in the axes R:
///   on b: force −N, couple τ/2 − m;  on a: force N, couple τ/2 + m;  m = A M + γ/2 τ × θ                             (8)
/// An element bends by less than half a turn. Simo & Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79,
/// doi:10.1016/0045-7825(86)90079-4; (3): MacNeal, Comput. Struct. 8 (1978) 175, doi:10.1016/0045-7949(78)90020-2.
#include <string>
#include <vector>

#include "force_point.hpp"

namespace rubato::multibody::detail {

struct BeamModel {
  std::string name;
  Attachment a = {}, b = {};
  double length = 0;
  Three<double> axial_shear{}, torsion_bending{};  ///< C_Γ and C_κ of (3)
  double damping = 0;

  [[nodiscard]] bool conservative() const { return damping == 0; }

  /// Everything that depends on positions alone.
  template <class S>
  struct Strain {
    std::array<Three<S>, 3> axes;    ///< of R, in space
    Three<S> d, theta, shear, bend;  ///< D, θ, Γ, κ
    S beta, gamma;                   ///< of (4) and (5)

    /// Rᵀ x.
    [[nodiscard]] Three<S> inside(const Three<S>& x) const {
      return {dot(axes[0], x), dot(axes[1], x), dot(axes[2], x)};
    }
    /// R x.
    [[nodiscard]] Three<S> outside(const Three<S>& x) const {
      return plus(plus(times(x[0], axes[0]), times(x[1], axes[1])), times(x[2], axes[2]));
    }
    /// A x.
    [[nodiscard]] Three<S> a(const Three<S>& x) const {
      return plus(x, times(beta, Three<S>(cross(theta, cross(theta, x)))));  // (4)
    }
  };

  template <class S>
  Strain<S> strain(const Bodies<S>& bodies) const {
    Strain<S> out;
    const std::array<Three<S>, 3> e{bodies.axis(a, 0), bodies.axis(a, 1), bodies.axis(a, 2)};
    const std::array<Three<S>, 3> f{bodies.axis(b, 0), bodies.axis(b, 1), bodies.axis(b, 2)};
    Rotation<S> relative;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) relative[i][k] = dot(e[i], f[k]);
    out.theta = rotation_vector(relative);
    const Three<S> half = times(0.5, out.theta);
    const Rotation<S> turn = rotation_by(half);
    for (std::size_t k = 0; k < 3; ++k)
      out.axes[k] = plus(plus(times(turn[0][k], e[0]), times(turn[1][k], e[1])), times(turn[2][k], e[2]));  // (1)
    out.d = out.inside(minus(bodies.point(b), bodies.point(a)));
    out.bend = times(1 / length, out.theta);
    out.shear = times(1 / length, out.d);
    out.shear[0] -= 1.0;  // (2)
    // With ψ = θ/2: β = −(ψ − sin ψ)/ψ³ ψ/(4 sin ψ), γ = (1 − cos ψ)/ψ² ψ/(2 sin ψ); no cancellation at ψ = 0.
    const S s = dot(half, half);
    const auto chart = rubato::detail::chart_factors(s);
    const S third =
        value_of(s) < 1 ? rubato::detail::polynomial(rubato::detail::alternating<10>(3), s) : S((1.0 - chart.a) / s);
    out.beta = -0.25 * third / chart.a;
    out.gamma = 0.5 * chart.b / chart.a;
    return out;
  }

  /// N and M of (7), in the axes R.
  template <class S>
  Wrench<S> stress(const Bodies<S>& bodies, const Strain<S>& x) const {
    Three<S> gamma = x.shear, kappa = x.bend;
    if (damping != 0) {
      const Three<S>&spin_a = bodies.rates[a.body].angular, &spin_b = bodies.rates[b.body].angular;
      const Three<S> eta = x.inside(minus(spin_b, spin_a));
      const Three<S> spin =
          times(0.5, minus(x.inside(plus(spin_a, spin_b)), times(x.gamma, Three<S>(cross(x.theta, eta)))));  // (5)
      const Three<S> slip = minus(x.inside(minus(bodies.velocity(b), bodies.velocity(a))), cross(spin, x.d));
      add(gamma, Three<S>(times(damping / length, slip)));  // (6)
      add(kappa, Three<S>(times(damping / length, x.a(eta))));
    }
    Wrench<S> out;
    for (std::size_t i = 0; i < 3; ++i) {
      out.force[i] = axial_shear[i] * gamma[i];
      out.torque[i] = torsion_bending[i] * kappa[i];
    }
    return out;
  }

  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const auto& bodies = at.bodies;
    const auto x = strain(bodies);
    const Wrench<S> section = stress(bodies, x);
    const Three<S>&n = section.force, &m = section.torque;
    const Three<S> tau = cross(x.d, n);  // (7)
    const Three<S> couple = x.outside(plus(x.a(m), times(S(0.5 * x.gamma), Three<S>(cross(tau, x.theta)))));
    const Three<S> force = x.outside(n), share = x.outside(times(0.5, tau));
    wrenches.add_force(a.body, force, bodies.arm(a));  // (8)
    wrenches.add_force(b.body, times(-1.0, force), bodies.arm(b));
    wrenches.add_torque(a.body, plus(share, couple));
    wrenches.add_torque(b.body, minus(share, couple));
  }

  template <class S>
  S energy(const ForcePoint<S>& at) const {
    const auto x = strain(at.bodies);
    S sum = S(0.0);
    for (std::size_t i = 0; i < 3; ++i)
      sum += axial_shear[i] * x.shear[i] * x.shear[i] + torsion_bending[i] * x.bend[i] * x.bend[i];
    return 0.5 * length * sum;  // (2)
  }

  static constexpr std::size_t n_outputs = 6;
  [[nodiscard]] std::vector<std::string> output_names() const {
    return {"normal_force", "shear_force.y", "shear_force.z", "torsion", "bending.y", "bending.z"};
  }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    const Wrench<double> section = stress(at.bodies, strain(at.bodies));
    for (std::size_t i = 0; i < 3; ++i) {
      y[i] = section.force[i];
      y[3 + i] = section.torque[i];
    }
  }
};

}  // namespace rubato::multibody::detail
