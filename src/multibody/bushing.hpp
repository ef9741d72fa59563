#pragma once
/// Bushing: six springs and dampers in the axes of a, from the potential V = ½ uᵀK u + ½ θᵀK_θ θ.
///   u = Eᵀ (x_b − x_a),  θ = log(Eᵀ F),  E and F the axes of a and b                                                  (1)
///   θ' = T(θ)⁻¹ ω,  ω = Fᵀ(ω_b − ω_a);  T⁻¹ = I + θ̃/2 + c θ̃²  (problem/rotation.hpp)                                  (2)
///   force on b at x_b: −E (K u + D u'),  on a the opposite, there as well                                            (3)
///   couple on b: −F T⁻ᵀ (K_θ θ + D_θ θ'),  on a the opposite                                                         (4)
/// The energy is kept exactly without damping, at every angle below half a turn.
#include <string>
#include <vector>

#include "force_point.hpp"

namespace rubato::multibody::detail {

struct BushingModel {
  std::string name;
  Attachment a = {}, b = {};
  Three<double> stiffness{}, damping{}, torsional_stiffness{}, torsional_damping{};

  [[nodiscard]] bool conservative() const {
    for (std::size_t i = 0; i < 3; ++i)
      if (damping[i] != 0 || torsional_damping[i] != 0) return false;
    return true;
  }
  template <class S>
  struct Deflection {
    std::array<Three<S>, 3> e, f;  ///< axes of a and b in space
    Three<S> d, u, theta;
  };
  template <class S>
  Deflection<S> deflection(const Bodies<S>& bodies) const {
    Deflection<S> out;
    for (std::size_t i = 0; i < 3; ++i) {
      out.e[i] = bodies.axis(a, i);
      out.f[i] = bodies.axis(b, i);
    }
    out.d = minus(bodies.point(b), bodies.point(a));
    Rotation<S> relative;
    for (std::size_t i = 0; i < 3; ++i) {
      out.u[i] = dot(out.e[i], out.d);
      for (std::size_t k = 0; k < 3; ++k) relative[i][k] = dot(out.e[i], out.f[k]);
    }
    out.theta = rotation_vector(relative);  // (1)
    return out;
  }
  /// What b does to a at x_b, in space: the opposites of (3) and (4).
  template <class S>
  Wrench<S> load(const Bodies<S>& bodies, const Deflection<S>& x) const {
    const S c = rubato::detail::chart_factors(dot(x.theta, x.theta)).c;
    Three<S> force, torque;
    for (std::size_t i = 0; i < 3; ++i) {
      force[i] = stiffness[i] * x.u[i];
      torque[i] = torsional_stiffness[i] * x.theta[i];
    }
    if (!conservative()) {
      // u' = Eᵀ (x_b' − x_a' − ω_a × d)
      const Three<S>& spin_a = bodies.rates[a.body].angular;
      const Three<S> slip = minus(minus(bodies.velocity(b), bodies.velocity(a)), cross(spin_a, x.d));
      const Three<S> spin = minus(bodies.rates[b.body].angular, spin_a);
      const Three<S> omega{dot(x.f[0], spin), dot(x.f[1], spin), dot(x.f[2], spin)};
      const Three<S> once = cross(x.theta, omega), twice = cross(x.theta, once);
      for (std::size_t i = 0; i < 3; ++i) {
        force[i] += damping[i] * dot(x.e[i], slip);
        torque[i] += torsional_damping[i] * (omega[i] + 0.5 * once[i] + c * twice[i]);  // (2)
      }
    }
    const Three<S> once = cross(x.theta, torque), twice = cross(x.theta, once);
    Wrench<S> out;
    for (std::size_t i = 0; i < 3; ++i) {
      add(out.force, times(force[i], x.e[i]));                                      // (3)
      add(out.torque, times(S(torque[i] - 0.5 * once[i] + c * twice[i]), x.f[i]));  // (4)
    }
    return out;
  }
  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const auto& bodies = at.bodies;
    const auto x = deflection(bodies);
    const Wrench<S> pull = load(bodies, x);
    wrenches.add_force(b.body, times(-1.0, pull.force), bodies.arm(b));
    wrenches.add_torque(b.body, times(-1.0, pull.torque));
    wrenches.add_force(a.body, pull.force, plus(bodies.arm(a), x.d));
    wrenches.add_torque(a.body, pull.torque);
  }
  template <class S>
  S energy(const ForcePoint<S>& at) const {
    const auto x = deflection(at.bodies);
    S sum = S(0.0);
    for (std::size_t i = 0; i < 3; ++i)
      sum += 0.5 * (stiffness[i] * x.u[i] * x.u[i] + torsional_stiffness[i] * x.theta[i] * x.theta[i]);
    return sum;
  }

  static constexpr std::size_t n_outputs = 12;
  [[nodiscard]] std::vector<std::string> output_names() const {
    return {"deflection.x", "deflection.y", "deflection.z", "rotation.x", "rotation.y", "rotation.z",
            "force.x",      "force.y",      "force.z",      "torque.x",   "torque.y",   "torque.z"};
  }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    const auto x = deflection(at.bodies);
    const Wrench<double> pull = load(at.bodies, x);
    for (std::size_t i = 0; i < 3; ++i) {
      y[i] = x.u[i];
      y[3 + i] = x.theta[i];
      y[6 + i] = -pull.force[i];
      y[9 + i] = -pull.torque[i];
    }
  }
};

}  // namespace rubato::multibody::detail
