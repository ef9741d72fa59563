#pragma once
/// End stop: one-sided springs where x, the way of b along z of a or the angle about it, leaves [min, max].
///   u = x − max above, min − x below;   F = max(0, k u + d u') back towards the range where u > 0                      (1)
///   x = e·(x_b − x_a),  x' = e·(v_b − v_a − ω_a × (x_b − x_a)):  the force on a acts at x_b as well                    (2)
///   or x = φ about z of a, which a joint keeps parallel to z of b, seen from the middle of the range: |φ − middle| < π  (3)
/// Without damping F is continuous; with it F jumps to d u' on arrival. Both ends are roots, so that steps end there.
#include <cmath>
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
  double middle = 0;  ///< of the range of angles

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
  S force(const Bodies<S>& bodies) const {
    const S x = position(bodies);
    const bool above = value_of(x) > max, below = value_of(x) < min;
    if (!above && !below && !is_tracer<S>) return S(0.0);
    const double outwards = below ? -1 : 1;
    S push = stiffness * (outwards * (x - (below ? min : max)));
    if (damping != 0) push += damping * (outwards * rate(bodies));
    return -outwards * where((above || below) && value_of(push) > 0, push);  // (1)
  }
  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const auto& bodies = at.bodies;
    const S push = force(bodies);
    if (value_of(push) == 0 && !is_tracer<S>) return;
    const Three<S> back = times(push, bodies.axis(a, 2));
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
    const bool above = value_of(x) > max, below = value_of(x) < min;
    const S u = where(above || below, S(x - (below ? min : max)));
    return 0.5 * stiffness * u * u;
  }

  static constexpr std::size_t n_roots = 2;
  [[nodiscard]] std::vector<std::string> root_names() const { return {name + ".min", name + ".max"}; }
  void roots(const ForcePoint<double>& at, std::span<double> out) const {
    const double x = position(at.bodies);
    out[0] = std::isfinite(min) ? x - min : 1;
    out[1] = std::isfinite(max) ? max - x : 1;
  }

  static constexpr std::size_t n_outputs = 2;
  [[nodiscard]] std::vector<std::string> output_names() const {
    if (angular) return {"angle", "torque"};
    return {"position", "force"};
  }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    y[0] = position(at.bodies);
    y[1] = force(at.bodies);
  }
};

}  // namespace rubato::multibody::detail
