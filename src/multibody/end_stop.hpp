#pragma once
/// End stop: one-sided springs where x, the way of b along z of a or the angle about it, leaves [min, max].
///   u = x − max above, min − x below;   F = max(0, k u + d u') back towards the range where u > 0                      (1)
///   x = e·(x_b − x_a),  x' = e·(v_b − v_a − ω_a × (x_b − x_a)):  the force on a acts at x_b as well                    (2)
///   or x = φ about z of a, which a joint keeps parallel to z of b, seen from the middle of the range: |φ − middle| < π  (3)
/// Without damping F is continuous; with it F jumps to d u' on arrival. Steps end where a side begins or ceases to push
/// (one_sided.hpp).
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "force_point.hpp"
#include "one_sided.hpp"

namespace rubato::multibody::detail {

struct EndStopModel {
  std::string name;
  Attachment a = {}, b = {};
  bool angular = false;
  double min = 0, max = 0, stiffness = 0, damping = 0;
  double middle = 0;                      ///< of the range of angles
  std::array<Touching, 2> touching = {};  ///< below, above

  [[nodiscard]] bool conservative() const { return damping == 0; }
  template <class S>
  S position(const Bodies<S>& bodies) const {
    using std::atan2;
    if (!angular) return dot(bodies.axis(a, 2), minus(bodies.point(b), bodies.point(a)));  // (2)
    const Three<S> x = bodies.axis(b, 0);
    const S c = dot(bodies.axis(a, 0), x), s = dot(bodies.axis(a, 1), x);
    const double cm = std::cos(middle), sm = std::sin(middle);
    return S(atan2(S(s * cm - c * sm), S(c * cm + s * sm)) + middle);  // (3)
  }
  template <class S>
  S rate(const Bodies<S>& bodies) const {
    const Three<S> e = bodies.axis(a, 2), &spin = bodies.rates[a.body].angular;
    if (angular) return dot(e, minus(bodies.rates[b.body].angular, spin));
    const Three<S> d = minus(bodies.point(b), bodies.point(a));
    return dot(e, minus(minus(bodies.velocity(b), bodies.velocity(a)), cross(spin, d)));  // (2)
  }
  /// On b, along z of a.
  template <class S>
  S force(const ForcePoint<S>& at) const {
    const S x = position(at.bodies);
    const bool below = closes(0, at.mode, value_of(x)), above = !below && closes(1, at.mode, value_of(x));
    if (!above && !below && !is_tracer<S>) return S(0.0);
    const std::size_t side = below ? 0 : 1;
    S push = stiffness * depth(side, x);
    if (damping != 0) push += damping * (outwards[side] * rate(at.bodies));
    return -outwards[side] * where((above || below) && touching[side].presses(at.mode, value_of(push)), push);  // (1)
  }
  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const auto& bodies = at.bodies;
    const Three<S> back = times(force(at), bodies.axis(a, 2));
    if (angular) {
      wrenches.add_torque(b.body, back);
      wrenches.add_torque(a.body, times(-1.0, back));
      return;
    }
    const Three<S> d = minus(bodies.point(b), bodies.point(a));
    wrenches.add_force(b.body, back, bodies.arm(b));
    wrenches.add_force(a.body, times(-1.0, back), plus(bodies.arm(a), d));
  }
  template <class S>
  S energy(const ForcePoint<S>& at) const {
    const S x = position(at.bodies);
    const bool below = closes(0, at.mode, value_of(x)), above = !below && closes(1, at.mode, value_of(x));
    const S u = where(above || below, depth(below ? 0 : 1, x));
    return 0.5 * stiffness * u * u;
  }

  [[nodiscard]] std::span<Touching> touchings() { return touching; }
  [[nodiscard]] std::span<const Touching> touchings() const { return touching; }
  [[nodiscard]] std::size_t n_roots() const { return 2 * touching[0].n_roots(); }
  [[nodiscard]] std::vector<std::string> root_names() const {
    std::vector<std::string> names;
    touching[0].add_root_names(name + ".min", names);
    touching[1].add_root_names(name + ".max", names);
    return names;
  }
  void roots(const ForcePoint<double>& at, std::span<double> out) const {
    const std::size_t n = touching[0].n_roots();
    for (const std::size_t side : {0U, 1U}) {
      const Pressure p = pressure(side, at.bodies);
      touching[side].roots(at.mode, p.depth, p.push, out.subspan(side * n, n));
    }
  }
  [[nodiscard]] int mode_bits(const ForcePoint<double>& at) const {
    int bits = 0;
    for (const std::size_t side : {0U, 1U}) {
      const Pressure p = pressure(side, at.bodies);
      bits |= touching[side].bits(p.depth, p.rate, p.push);
    }
    return bits;
  }

  static constexpr std::size_t n_outputs = 2;
  [[nodiscard]] std::vector<std::string> output_names() const {
    if (angular) return {"angle", "torque"};
    return {"position", "force"};
  }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    y[0] = position(at.bodies);
    y[1] = force(at);
  }

 private:
  static constexpr std::array<double, 2> outwards{-1, 1};
  /// u of (1). An end that is missing is far away.
  template <class S>
  S depth(std::size_t side, const S& x) const {
    const double end = side == 0 ? min : max;
    return outwards[side] * (x - (std::isfinite(end) ? end : outwards[side] * std::numeric_limits<double>::max()));
  }
  [[nodiscard]] bool closes(std::size_t side, int mode, double x) const {
    return touching[side].closes(mode, depth(side, x));
  }
  struct Pressure {
    double depth, rate, push;  ///< u, u', k u + d u'
  };
  [[nodiscard]] Pressure pressure(std::size_t side, const Bodies<double>& bodies) const {
    const double u = depth(side, position(bodies)), speed = outwards[side] * rate(bodies);
    return {u, speed, stiffness * u + damping * speed};
  }
};

}  // namespace rubato::multibody::detail
