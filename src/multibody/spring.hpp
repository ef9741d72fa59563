#pragma once
/// Springs and dampers between two markers.
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "force_point.hpp"
#include "motion.hpp"

namespace rubato::multibody::detail {

/// F = k (l − l₀) + d l' + c(l − l₀),  l = |x_b − x_a|: pulls both origins together.
struct SpringModel {
  std::string name;
  Attachment a = {}, b = {};
  double stiffness = 0, damping = 0, length = 0;
  std::shared_ptr<const Function> curve = {};

  [[nodiscard]] bool conservative() const { return damping == 0; }
  template <class S>
  struct Tension {
    Three<S> d;  ///< x_b − x_a
    S length, force;
  };
  template <class S>
  Tension<S> tension(const Bodies<S>& bodies) const {
    using std::sqrt;
    const Three<S> d = minus(bodies.point(b), bodies.point(a));
    const S l = sqrt(dot(d, d));
    S force = stiffness * (l - length);
    if (curve) force += value_at(*curve, S(l - length));
    if (damping != 0) force += damping * dot(d, minus(bodies.velocity(b), bodies.velocity(a))) / l;
    return {d, l, force};
  }
  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const Tension<S> x = tension(at.bodies);
    const Three<S> pull = times(S(x.force / x.length), x.d);
    wrenches.add_force(a.body, pull, at.bodies.arm(a));
    wrenches.add_force(b.body, times(-1.0, pull), at.bodies.arm(b));
  }
  template <class S>
  S energy(const ForcePoint<S>& at) const {
    using std::sqrt;
    const Three<S> d = minus(at.bodies.point(b), at.bodies.point(a));
    const S stretch = sqrt(dot(d, d)) - length;
    S sum = 0.5 * stiffness * stretch * stretch;
    if (curve) sum += work_of(*curve, stretch);
    return sum;
  }

  static constexpr std::size_t n_outputs = 2;
  [[nodiscard]] std::vector<std::string> output_names() const { return {"length", "force"}; }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    const auto x = tension(at.bodies);
    y[0] = x.length;
    y[1] = x.force;
  }
};

/// T = k (φ − φ₀) + d φ' about z of a, which a joint keeps parallel to z of b; φ from x of a to x of b, counting turns.
/// Directions tell φ but for whole turns: it is the value closest to the one at the end of the last step, which stands in the
/// base like those of rotations. A step may turn by less than half a turn.
struct TorsionModel {
  std::string name;
  Attachment a = {}, b = {};
  double stiffness = 0, damping = 0, cos_rest = 1, sin_rest = 0;  ///< of φ₀
  std::size_t base = 0;                                           ///< where the last φ − φ₀ stands

  [[nodiscard]] bool conservative() const { return damping == 0; }
  /// Turns can be counted only where no step covers more than part of one: evaluations beyond a quarter are refused, and the
  /// step is cut. (A half would let rotations between one and one and a half turns pass for small ones.)
  template <class S>
  [[nodiscard]] bool within_reach(const ForcePoint<S>& at) const {
    return std::abs(value_of(deflection(at)) - at.base[base]) <= std::numbers::pi / 2;
  }
  /// φ − φ₀ closest to `last`, from the frames of both bodies.
  template <class S>
  S deflection(const Frame<S>& one, const Frame<S>& other, double last) const {
    using std::atan2;
    const Three<S> x = rotate(other.R, b.axis[0]);
    const S c = dot(rotate(one.R, a.axis[0]), x), s = dot(rotate(one.R, a.axis[1]), x);
    const S within = atan2(S(s * cos_rest - c * sin_rest), S(c * cos_rest + s * sin_rest));
    constexpr double turn = 2 * std::numbers::pi;
    return within + turn * std::round((last - value_of(within)) / turn);
  }
  template <class S>
  S deflection(const ForcePoint<S>& at) const {
    return deflection(at.bodies.frames[a.body], at.bodies.frames[b.body], at.base[base]);
  }
  template <class S>
  S torque(const ForcePoint<S>& at) const {
    const auto& bodies = at.bodies;
    S sum = stiffness * deflection(at);
    if (damping != 0)
      sum += damping * dot(bodies.axis(a, 2), minus(bodies.rates[b.body].angular, bodies.rates[a.body].angular));
    return sum;
  }
  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const Three<S> turn = times(torque(at), at.bodies.axis(a, 2));
    wrenches.add_torque(a.body, turn);
    wrenches.add_torque(b.body, times(-1.0, turn));
  }
  template <class S>
  S energy(const ForcePoint<S>& at) const {
    const S phi = deflection(at);
    return 0.5 * stiffness * phi * phi;
  }

  static constexpr std::size_t n_outputs = 2;
  [[nodiscard]] std::vector<std::string> output_names() const { return {"deflection", "torque"}; }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    y[0] = deflection(at);
    y[1] = torque(at);
  }
};

}  // namespace rubato::multibody::detail
