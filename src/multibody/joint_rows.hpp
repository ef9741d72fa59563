#pragma once
/// Joints as rows g(t, q) and as the forces their multipliers exert. With x the origins, d = x_b − x_a, a_i and b_k the axes:
///   space k     g = d_k                      force λ e_k on b at x_b, opposite on a at x_a                              (1)
///   along i     g = a_i·d − s(t)             force λ a_i on b at x_b, opposite on a, there as well (a_i turns with a)   (2)
///   dot i, k    g = a_i·b_k                  couple λ b_k × a_i on b, opposite on a                                     (3)
///   distance    g = (d·d − l(t)²)/(2 l(0))   force λ d/l(0) on b, opposite on a                                         (4)
///   angle       g = u·b_x, u = a_y cos φ(t) − a_x sin φ(t)    as (3)                                                    (5)
/// These are the rows of Gᵀλ, which stands on the left of the equations of motion: bodies feel the opposite.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frame.hpp"
#include "motion.hpp"

namespace rubato::multibody::detail {

struct JointRow {
  enum class Kind : std::uint8_t { space, along, dot, distance, angle };
  Kind kind = Kind::space;
  std::uint8_t i = 0, k = 0;
  bool driven = false;  ///< s(t), l(t) or φ(t) is the joint's motion
};

struct JointModel {
  Attachment a = {}, b = {};
  std::size_t first = 0;  ///< of its rows in g
  std::vector<JointRow> rows = {};
  double length = 0;  ///< l(0) of (4)
  std::shared_ptr<const Function> motion = {};
  std::array<bool, 3> needs_a{}, needs_b{};  ///< axes that its rows use
};

/// The rows of one joint: values, rates or accelerations with n = 0, 1, 2.
template <int n, class S>
void joint_rows(const JointModel& joint, const S& t, const Bodies<S>& bodies, std::span<S> out) {
  using J = Jet<S, n>;
  const J motion = joint.motion ? along_time<n>(*joint.motion, t) : J();
  const Three<J> d = minus(bodies.template moving_point<n>(joint.b), bodies.template moving_point<n>(joint.a));
  std::array<Three<J>, 3> a, b;
  for (std::size_t i = 0; i < 3; ++i) {
    if (joint.needs_a[i]) a[i] = bodies.template moving_axis<n>(joint.a, i);
    if (joint.needs_b[i]) b[i] = bodies.template moving_axis<n>(joint.b, i);
  }
  std::size_t place = joint.first;
  for (const JointRow& row : joint.rows) {
    J g;
    switch (row.kind) {
      case JointRow::Kind::space: g = d[row.i]; break;
      case JointRow::Kind::along: g = dot(a[row.i], d); break;
      case JointRow::Kind::dot: g = dot(a[row.i], b[row.k]); break;
      case JointRow::Kind::distance: {
        const J length = row.driven ? motion : J(joint.length);
        g = (0.5 / joint.length) * (dot(d, d) - length * length);
        break;
      }
      case JointRow::Kind::angle: {
        const auto [c, s] = turn_of(motion);
        g = c * dot(a[1], b[0]) - s * dot(a[0], b[0]);
        break;
      }
    }
    if (row.kind == JointRow::Kind::along && row.driven) g -= motion;
    out[place++] = g.c[n];
  }
}

/// Σ λ_i (force, couple) of a joint: the force on b at x_b and the couple on b; on a the opposite, `at_a` of it at x_a.
template <class S>
struct JointLoad {
  Three<S> at_a{}, at_b{}, couple{};
  [[nodiscard]] Three<S> force() const { return plus(at_a, at_b); }
};

template <class S>
JointLoad<S> joint_load(const JointModel& joint, const S& t, const Bodies<S>& bodies, std::span<const S> lambda) {
  std::array<Three<S>, 3> a{}, b{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (joint.needs_a[i]) a[i] = bodies.axis(joint.a, i);
    if (joint.needs_b[i]) b[i] = bodies.axis(joint.b, i);
  }
  JointLoad<S> load;
  std::size_t place = joint.first;
  for (const JointRow& row : joint.rows) {
    const S& l = lambda[place++];
    switch (row.kind) {
      case JointRow::Kind::space: load.at_a[row.i] += l; break;                                // (1)
      case JointRow::Kind::along: add(load.at_b, times(l, a[row.i])); break;                   // (2)
      case JointRow::Kind::dot: add(load.couple, times(l, cross(b[row.k], a[row.i]))); break;  // (3)
      case JointRow::Kind::distance: {                                                         // (4)
        const Three<S> d = minus(bodies.point(joint.b), bodies.point(joint.a));
        add(load.at_a, times(S(l / joint.length), d));
        break;
      }
      case JointRow::Kind::angle: {  // (5)
        const auto [c, s] = turn_of(along_time<0>(*joint.motion, t));
        const Three<S> u = minus(times(c.c[0], a[1]), times(s.c[0], a[0]));
        add(load.couple, times(l, cross(b[0], u)));
        break;
      }
    }
  }
  return load;
}

/// What the multiplier of the driven row, the last one, exerts on b: along z of a (2), about it (5), or away from a (4).
inline double drive_load(const JointModel& joint, const Bodies<double>& bodies, std::span<const double> lambda) {
  const double l = lambda[joint.first + joint.rows.size() - 1];
  if (joint.rows.back().kind != JointRow::Kind::distance) return l;
  const Three<double> d = minus(bodies.point(joint.b), bodies.point(joint.a));
  return l * std::sqrt(dot(d, d)) / joint.length;
}

template <class S>
void add_joint(const JointModel& joint, const S& t, const Bodies<S>& bodies, std::span<const S> lambda,
               Wrenches<S>& wrenches) {
  const JointLoad<S> load = joint_load(joint, t, bodies, lambda);
  const Three<S> arm_b = bodies.arm(joint.b);
  wrenches.add_force(joint.b.body, load.force(), arm_b);
  wrenches.add_torque(joint.b.body, load.couple);
  if (joint.a.body == 0) return;
  const Three<S> from_a = minus(plus(bodies.frames[joint.b.body].r, arm_b), bodies.frames[joint.a.body].r);
  wrenches.add_force(joint.a.body, times(-1.0, load.at_a), bodies.arm(joint.a));
  wrenches.add_force(joint.a.body, times(-1.0, load.at_b), from_a);
  wrenches.add_torque(joint.a.body, times(-1.0, load.couple));
}

}  // namespace rubato::multibody::detail
