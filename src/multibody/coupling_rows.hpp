#pragma once
/// Relations between velocities, A v + b = 0, and the forces of their multipliers ν.
///   rate of a joint: turning ρ = z_a·(ω_b − ω_a), couple ν z_a on b; sliding ρ = (z_a·d)', force ν z_a on b at x_b      (1)
///   gear   0 = ρ₁ − ratio ρ₂,   screw   0 = sliding − ratio turning                                                    (2)
/// Rolling: b touches the plane through x_a with normal n = z_a at x_b + c,
///   c = −radius (n − (n·w) w)/s,  s = √(1 − (n·w)²),  w = z_b (disc),   or c = −radius n (ball),                       (3)
///   0 = n·(d + c)  (a position constraint),   0 = a_i·u, i = x, y,                                                     (4)
///   u = v_b + ω_b × c − v_a − ω_a × (d + c): the velocity of b's matter against that of a where they touch.
/// Since n·δc = n·(θ_b × c) the multipliers of all three rows are one force at the point of contact.
#include "frame.hpp"

namespace rubato::multibody::detail {

/// The freedom of a joint that a coupling uses.
struct JointRate {
  Attachment a = {}, b = {};
  bool turning = true;
};

struct GearModel {
  JointRate one = {}, two = {};
  double ratio = 1;
  std::size_t row = 0;
};

struct RollingModel {
  Attachment a = {}, b = {};
  double radius = 0;
  bool disc = false;
  std::array<bool, 2> tangent{true, true};  ///< rows of (4) for x and y of a; planar bodies need one
  std::size_t normal = 0;                   ///< its row in g
  std::size_t row = 0;                      ///< its first row in A v + b
};

/// ρ with n − 1 derivatives.
template <int n, class S>
Jet<S, n - 1> joint_rate(const JointRate& joint, const Bodies<S>& bodies) {
  const auto axis = bodies.template moving_axis<n>(joint.a, 2);
  if (!joint.turning)
    return rate_of(
        dot(axis, minus(bodies.template moving_point<n>(joint.b), bodies.template moving_point<n>(joint.a))));
  const Three<Jet<S, n - 1>> z{shortened(axis[0]), shortened(axis[1]), shortened(axis[2])};
  return dot(z, minus(bodies.template spin<n - 1>(joint.b.body), bodies.template spin<n - 1>(joint.a.body)));
}
template <class S>
void add_rate_load(const JointRate& joint, const S& nu, const Bodies<S>& bodies, Wrenches<S>& wrenches) {
  const Three<S> load = times(nu, bodies.axis(joint.a, 2)), opposite = times(-1.0, load);
  if (joint.turning) {
    wrenches.add_torque(joint.b.body, load);
    wrenches.add_torque(joint.a.body, opposite);
    return;
  }
  const Three<S> arm = bodies.arm(joint.b);
  const Three<S> x = plus(bodies.frames[joint.b.body].r, arm);
  wrenches.add_force(joint.b.body, load, arm);
  wrenches.add_force(joint.a.body, opposite, minus(x, bodies.frames[joint.a.body].r));
}

template <int n, class S>
S gear_row(const GearModel& gear, const Bodies<S>& bodies) {  // (2)
  return joint_rate<n>(gear.one, bodies).c[n - 1] - gear.ratio * joint_rate<n>(gear.two, bodies).c[n - 1];
}
template <class S>
void add_gear(const GearModel& gear, const Bodies<S>& bodies, std::span<const S> nu, Wrenches<S>& wrenches) {
  add_rate_load(gear.one, nu[gear.row], bodies, wrenches);
  add_rate_load(gear.two, S(-gear.ratio * nu[gear.row]), bodies, wrenches);
}

/// From the centre of b to the point of contact.
template <class T>
Three<T> contact_arm(const RollingModel& rolling, const Three<T>& n, const Three<T>& w) {
  if (!rolling.disc) return times(-rolling.radius, n);
  using std::sqrt;
  const T cosine = dot(n, w);
  const T s = sqrt(T(1.0) - cosine * cosine);
  T factor;
  if constexpr (requires { inverse(s); })
    factor = -rolling.radius * inverse(s);
  else
    factor = -rolling.radius / s;
  return times(factor, minus(n, times(cosine, w)));  // (3)
}

template <int n, class S>
S normal_row(const RollingModel& rolling, const Bodies<S>& bodies) {
  const auto normal = bodies.template moving_axis<n>(rolling.a, 2);
  const auto arm = contact_arm(rolling, normal, bodies.template moving_axis<n>(rolling.b, 2));
  const auto d = minus(bodies.template moving_point<n>(rolling.b), bodies.template moving_point<n>(rolling.a));
  return dot(normal, plus(d, arm)).c[n];
}

template <int n, class S>
void rolling_rows(const RollingModel& rolling, const Bodies<S>& bodies, std::span<S> out) {
  using J = Jet<S, n - 1>;
  const auto normal = bodies.template moving_axis<n>(rolling.a, 2);
  const auto arm = contact_arm(rolling, normal, bodies.template moving_axis<n>(rolling.b, 2));
  const auto d = minus(bodies.template moving_point<n>(rolling.b), bodies.template moving_point<n>(rolling.a));
  Three<J> c, from_a, slip;
  for (std::size_t i = 0; i < 3; ++i) {
    c[i] = shortened(arm[i]);
    from_a[i] = shortened(d[i]) + c[i];
    slip[i] = rate_of(d[i]);
  }
  slip = plus(slip, cross(bodies.template spin<n - 1>(rolling.b.body), c));
  slip = minus(slip, cross(bodies.template spin<n - 1>(rolling.a.body), from_a));
  std::size_t row = rolling.row;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!rolling.tangent[i]) continue;
    const auto along = bodies.template moving_axis<n>(rolling.a, i);
    out[row++] = dot(Three<J>{shortened(along[0]), shortened(along[1]), shortened(along[2])}, slip).c[n - 1];
  }
}

/// Σ of the multipliers, a force on b; λ or ν may be empty.
template <class S>
Three<S> rolling_load(const RollingModel& rolling, const Bodies<S>& bodies, std::span<const S> lambda,
                      std::span<const S> nu) {
  Three<S> force{};
  if (!lambda.empty()) force = times(lambda[rolling.normal], bodies.axis(rolling.a, 2));
  std::size_t row = rolling.row;
  for (std::size_t i = 0; i < 2 && !nu.empty(); ++i)
    if (rolling.tangent[i]) add(force, times(nu[row++], bodies.axis(rolling.a, i)));
  return force;
}
template <class S>
void add_rolling(const RollingModel& rolling, const Bodies<S>& bodies, std::span<const S> lambda, std::span<const S> nu,
                 Wrenches<S>& wrenches) {
  const Three<S> force = rolling_load(rolling, bodies, lambda, nu);
  const Three<S> c = contact_arm(rolling, bodies.axis(rolling.a, 2), bodies.axis(rolling.b, 2));
  const Three<S> touch = plus(bodies.point(rolling.b), c);
  wrenches.add_force(rolling.b.body, force, minus(touch, bodies.frames[rolling.b.body].r));
  wrenches.add_force(rolling.a.body, times(-1.0, force), minus(touch, bodies.frames[rolling.a.body].r));
}

}  // namespace rubato::multibody::detail
