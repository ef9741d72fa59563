#pragma once
/// Contact of two surfaces by a penalty, with LuGre friction. n points from a to b, a is the penetration, the force acts in
/// the middle of the overlap, c = x_b − (r_b − a/2) n, on both bodies:
///   plane, sphere        n = z_a,               a = r_b − n·d,  d = x_b − x_a                                         (1)
///   plane, cylinder      n = z_a,               a = r_b |m| − n·d,  m = n − e (e·n), e = z_b;  c on the rim, below x_b   (2)
///   sphere, sphere       n = d/|d|,             a = r_a + r_b − |d|                                                   (3)
///   cylinder, cylinder or sphere                the same with d across e = z_a instead of d                          (4)
/// A cylinder is a disc about z on planes, infinitely long against others; of two cylinders the axes are parallel, which
/// joints (or the plane) must see to. In every case a' = −n·v, v the velocity of b relative to a at c, so that
/// N = k a^p is exactly the slope of k a^(p+1)/(p+1).
///   N = max(0, k a^p (1 + c a'))  or  max(0, k a^p + c a')  for a > 0                                                  (5)
/// The first is continuous, the second jumps to c a' where the surfaces meet. Friction, for v_t = v across n:
///   ζ' = v_t − σ₀ |v_t| ζ/g(|v_t|),  g = μ_k + (μ_s − μ_k) exp(−|v_t/v_s|^γ),  force on b: −N (σ₀ ζ + σ₁ ζ' + σ₂ v_t)  (6)
///   ζ' = −ζ/τ,  τ = μ_k/(σ₀ v_s), while open: the time bristles take to bend when sliding with v_s                   (7)
/// Canudas de Wit, Olsson, Åström, Lischinsky, IEEE Trans. Automat. Contr. 40 (1995) 419, doi:10.1109/9.376053.
/// The kinks at a = 0 and, in the second law, at N = 0 are roots: steps end there (one_sided.hpp). ζ has one component where both
/// bodies are planar, else two: along x and y of a plane; around and along a cylinder; between spheres along two directions that
/// follow n smoothly from where it is at the start to (not including) the opposite side of a.
#include <cmath>
#include <optional>
#include <vector>

#include "force_point.hpp"
#include "one_sided.hpp"
#include "rubato/multibody/mechanism.hpp"

namespace rubato::multibody::detail {

enum class ContactPair : std::uint8_t { plane_sphere, plane_cylinder, spheres, cylinder_round };

struct ContactModel {
  std::string name;
  Attachment a = {}, b = {};
  ContactPair pair = ContactPair::plane_sphere;
  double radius_a = 0, radius_b = 0, stiffness = 0, exponent = 1, damping = 0;
  bool damping_by_penetration = true;
  bool planar = false;   ///< both bodies move in the plane, the normal as well
  bool swapped = false;  ///< a and b are the mechanism's b and a
  std::optional<LuGre> friction = {};
  std::size_t first_state = 0;
  Touching touching = {};

  [[nodiscard]] bool conservative() const { return damping == 0 && !friction; }
  [[nodiscard]] int n_states() const { return !friction ? 0 : planar ? 1 : 2; }

  template <class S>
  struct Touch {
    Three<S> n{}, c{};
    S depth{};  ///< a; negative: the gap
  };
  template <class S>
  Touch<S> touch(const Bodies<S>& bodies) const {
    Touch<S> out;
    const Three<S> x = bodies.point(b);
    Three<S> d = minus(x, bodies.point(a));
    if (pair == ContactPair::plane_sphere || pair == ContactPair::plane_cylinder) {
      out.n = bodies.axis(a, 2);
      Three<S> down = out.n;
      S reach = S(radius_b);
      if (pair == ContactPair::plane_cylinder) {
        const Three<S> e = bodies.axis(b, 2);
        const Three<S> m = minus(out.n, times(dot(e, out.n), e));
        const S l = length(m);
        reach = radius_b * l;
        down = times(S(1.0 / l), m);
      }
      out.depth = reach - dot(out.n, d);  // (1), (2)
      out.c = plus(minus(x, times(radius_b, down)), times(S(0.5 * out.depth), out.n));
      return out;
    }
    if (pair == ContactPair::cylinder_round) {
      const Three<S> e = bodies.axis(a, 2);
      d = minus(d, times(dot(e, d), e));
    }
    const S l = length(d);
    out.n = times(S(1.0 / l), d);
    out.depth = (radius_a + radius_b) - l;  // (3), (4)
    out.c = minus(x, times(S(radius_b - 0.5 * out.depth), out.n));
    return out;
  }

  /// What acts on b at c of a closed contact.
  template <class S>
  struct Push {
    S normal{};
    Three<S> friction{};
  };
  template <class S>
  Push<S> push(const ForcePoint<S>& at, const Touch<S>& here) const {
    const auto& bodies = at.bodies;
    const bool closed = touching.closes(at.mode, value_of(here.depth));
    const Three<S> v = relative_velocity(bodies, here);
    S normal = stiffness * odd_power(here.depth, exponent);
    bool presses = true;
    if (damping != 0 && damping_by_penetration) {
      const S factor = 1.0 - damping * dot(here.n, v);
      presses = value_of(factor) > 0;
      normal = normal * factor;
    } else if (damping != 0) {
      normal = normal - damping * dot(here.n, v);
      presses = touching.presses(at.mode, value_of(normal));
    }
    Push<S> out;
    out.normal = where(closed && presses, normal);  // (5)
    if (friction) {
      const auto directions = tangents(bodies, here.n);
      const Bristles<S> bristles = bend(at, v, directions);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n_states()); ++i) {
        const S mu = friction->sigma_0 * at.z[first_state + i] + friction->sigma_1 * bristles.rate[i] +
                     friction->sigma_2 * bristles.v[i];
        out.friction = minus(out.friction, times(S(out.normal * mu), directions[i]));  // (6)
      }
    }
    return out;
  }
  template <class S>
  void add_force(const ForcePoint<S>& at, Wrenches<S>& wrenches) const {
    const Touch<S> here = touch(at.bodies);
    if (!touching.closes(at.mode, value_of(here.depth)) && !is_tracer<S>) return;
    const Push<S> acts = push(at, here);
    const Three<S> on_b = plus(times(acts.normal, here.n), acts.friction);
    wrenches.add_force(b.body, on_b, arm(at.bodies, here, b));
    wrenches.add_force(a.body, times(-1.0, on_b), arm(at.bodies, here, a));
  }
  template <class S>
  void rates(const ForcePoint<S>& at, std::span<S> out) const {
    if (out.empty()) return;
    const auto& bodies = at.bodies;
    const Touch<S> here = touch(bodies);
    const bool closed = touching.closes(at.mode, value_of(here.depth));
    const double tau = friction->mu_k / (friction->sigma_0 * friction->v_s);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = where(!closed, S(-at.z[first_state + i] / tau));  // (7)
    if (!closed && !is_tracer<S>) return;
    const Bristles<S> bristles = bend(at, relative_velocity(bodies, here), tangents(bodies, here.n));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += where(closed, bristles.rate[i]);
  }
  template <class S>
  S energy(const ForcePoint<S>& at) const {
    const S depth = touch(at.bodies).depth;
    const bool closed = touching.closes(at.mode, value_of(depth));
    if (!closed && !is_tracer<S>) return S(0.0);
    return where(closed, S(stiffness / (exponent + 1) * depth * odd_power(depth, exponent)));
  }

  [[nodiscard]] std::span<Touching> touchings() { return {&touching, 1}; }
  [[nodiscard]] std::span<const Touching> touchings() const { return {&touching, 1}; }
  [[nodiscard]] std::size_t n_roots() const { return touching.n_roots(); }
  [[nodiscard]] std::vector<std::string> root_names() const {
    std::vector<std::string> names;
    touching.add_root_names(name + ".gap", names);
    return names;
  }
  void roots(const ForcePoint<double>& at, std::span<double> out) const {
    const Pressure p = pressure(at);
    touching.roots(at.mode, p.depth, p.push, out);
  }
  [[nodiscard]] int mode_bits(const ForcePoint<double>& at) const {
    const Pressure p = pressure(at);
    return touching.bits(p.depth, p.rate, p.push);
  }

  static constexpr std::size_t n_outputs = 6;
  [[nodiscard]] std::vector<std::string> output_names() const {
    return {"gap", "normal_force", "friction_force", "force.x", "force.y", "force.z"};
  }
  void outputs(const ForcePoint<double>& at, std::span<double> y) const {
    const Touch<double> here = touch(at.bodies);
    const Push<double> acts = touching.closes(at.mode, here.depth) ? push(at, here) : Push<double>{};
    y[0] = -here.depth;
    y[1] = acts.normal;
    y[2] = length(acts.friction);
    for (std::size_t i = 0; i < 3; ++i) {
      const double on_b = acts.normal * here.n[i] + acts.friction[i];
      y[3 + i] = swapped ? -on_b : on_b;
    }
  }

 private:
  struct Pressure {
    double depth, rate, push;  ///< a, a', and N of (5) without its bounds
  };
  [[nodiscard]] Pressure pressure(const ForcePoint<double>& at) const {
    const Touch<double> here = touch(at.bodies);
    const double rate = -dot(here.n, relative_velocity(at.bodies, here));
    return {here.depth, rate, stiffness * odd_power(here.depth, exponent) + damping * rate};
  }
  template <class S>
  struct Bristles {
    std::array<S, 2> v{}, rate{};  ///< v_t and ζ'
  };
  /// |x|, with derivative 0 at 0.
  template <class S>
  static S root(const S& square) {
    using std::sqrt;
    return value_of(square) > 0 ? S(sqrt(square)) : square;
  }
  template <class S>
  static S length(const Three<S>& x) {
    return root(S(dot(x, x)));
  }
  /// From the centre of mass to where they touch.
  template <class S>
  static Three<S> arm(const Bodies<S>& bodies, const Touch<S>& here, const Attachment& of) {
    return minus(here.c, bodies.frames[of.body].r);
  }
  template <class S>
  Three<S> relative_velocity(const Bodies<S>& bodies, const Touch<S>& here) const {
    const Twist<S>&one = bodies.rates[a.body], &other = bodies.rates[b.body];
    return minus(plus(other.linear, cross(other.angular, arm(bodies, here, b))),
                 plus(one.linear, cross(one.angular, arm(bodies, here, a))));
  }
  template <class S>
  std::array<Three<S>, 2> tangents(const Bodies<S>& bodies, const Three<S>& n) const {
    if (planar) return {Three<S>{-n[1], n[0], S(0.0)}, Three<S>{}};
    const Three<S> x = bodies.axis(a, 0), y = bodies.axis(a, 1), z = bodies.axis(a, 2);
    if (pair == ContactPair::cylinder_round) return {cross(z, n), z};
    if (pair != ContactPair::spheres) return {x, y};
    // The shortest turn from z to n, applied to x and y.
    const S n_x = dot(x, n), n_y = dot(y, n), f = 1.0 / (1.0 + dot(z, n));
    const Three<S> halfway = times(f, plus(z, n));
    return {minus(x, times(n_x, halfway)), minus(y, times(n_y, halfway))};
  }
  template <class S>
  Bristles<S> bend(const ForcePoint<S>& at, const Three<S>& v, const std::array<Three<S>, 2>& directions) const {
    using std::exp, std::pow;
    const auto n = static_cast<std::size_t>(n_states());
    const LuGre& l = *friction;
    Bristles<S> out;
    S square = S(0.0);
    for (std::size_t i = 0; i < n; ++i) {
      out.v[i] = dot(directions[i], v);
      square += out.v[i] * out.v[i];
    }
    const S speed = root(square);
    S g = S(l.mu_s);
    if (l.mu_s != l.mu_k && value_of(square) > 0)
      g = l.mu_k + (l.mu_s - l.mu_k) * exp(S(-pow(S(speed / l.v_s), l.gamma)));
    for (std::size_t i = 0; i < n; ++i) out.rate[i] = out.v[i] - l.sigma_0 * speed * at.z[first_state + i] / g;  // (6)
    return out;
  }
};

}  // namespace rubato::multibody::detail
