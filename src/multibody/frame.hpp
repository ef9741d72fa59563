#pragma once
/// Where bodies are and how they move, over the scalar S: evaluated once per call, then seen by joints and forces.
/// Slot 0 is the ground, body i has slot i + 1. All vectors are in space unless said otherwise.
#include <array>
#include <span>

#include "jet.hpp"
#include "rubato/problem/rotation.hpp"

namespace rubato::multibody::detail {

template <class A, class B>
auto plus(const Three<A>& a, const Three<B>& b) {
  return Three<decltype(a[0] + b[0])>{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class A, class B>
auto minus(const Three<A>& a, const Three<B>& b) {
  return Three<decltype(a[0] - b[0])>{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class A, class B>
auto times(const A& a, const Three<B>& b) {
  return Three<decltype(a * b[0])>{a * b[0], a * b[1], a * b[2]};
}
template <class A>
void add(Three<A>& sum, const Three<A>& x) {
  for (std::size_t i = 0; i < 3; ++i) sum[i] += x[i];
}
/// Rᵀ x.
template <class A, class B>
auto rotate_back(const Rotation<A>& r, const Three<B>& x) {
  using S = decltype(r[0][0] * x[0]);
  Three<S> y;
  for (std::size_t i = 0; i < 3; ++i) y[i] = r[0][i] * x[0] + r[1][i] * x[1] + r[2][i] * x[2];
  return y;
}

template <class S>
struct Frame {
  Three<S> r{};     ///< centre of mass
  Rotation<S> R{};  ///< body axes to space
};
/// v and ω of a body, or their derivatives a and α.
template <class S>
struct Twist {
  Three<S> linear{}, angular{};
};
/// A force and its moment about the centre of mass.
template <class S>
struct Wrench {
  Three<S> force{}, torque{};
};

/// A marker found: slot of its body, origin and axes in the body's frame.
struct Attachment {
  std::size_t body = 0;
  Three<double> at{};
  std::array<Three<double>, 3> axis{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
};

/// Bodies at one instant. `rates` is empty where only positions are asked for, `accelerations` likewise.
template <class S>
struct Bodies {
  std::span<const Frame<S>> frames;
  std::span<const Twist<S>> rates = {};
  std::span<const Twist<S>> accelerations = {};

  /// From the centre of mass to the marker's origin.
  [[nodiscard]] Three<S> arm(const Attachment& m) const { return rotate(frames[m.body].R, m.at); }
  [[nodiscard]] Three<S> point(const Attachment& m) const { return plus(frames[m.body].r, arm(m)); }
  [[nodiscard]] Three<S> axis(const Attachment& m, std::size_t k) const { return rotate(frames[m.body].R, m.axis[k]); }
  [[nodiscard]] Three<S> velocity(const Attachment& m) const {
    const auto& twist = rates[m.body];
    return plus(twist.linear, cross(twist.angular, arm(m)));
  }

  /// The same along the motion:  e' = ω × e,  e'' = α × e + ω × e',  x = r + e.
  template <int n>
  [[nodiscard]] Three<Jet<S, n>> turning(std::size_t body, const Three<double>& fixed) const {
    const Three<S> e = rotate(frames[body].R, fixed);
    Three<Jet<S, n>> out;
    for (std::size_t i = 0; i < 3; ++i) out[i].c[0] = e[i];
    if constexpr (n >= 1) {
      if (body == 0) return out;
      const Three<S>& omega = rates[body].angular;
      const Three<S> first = cross(omega, e);
      for (std::size_t i = 0; i < 3; ++i) out[i].c[1] = first[i];
      if constexpr (n >= 2) {
        const Three<S> second = plus(cross(accelerations[body].angular, e), cross(omega, first));
        for (std::size_t i = 0; i < 3; ++i) out[i].c[2] = second[i];
      }
    }
    return out;
  }
  template <int n>
  [[nodiscard]] Three<Jet<S, n>> moving_axis(const Attachment& m, std::size_t k) const {
    return turning<n>(m.body, m.axis[k]);
  }
  template <int n>
  [[nodiscard]] Three<Jet<S, n>> moving_point(const Attachment& m) const {
    Three<Jet<S, n>> x = turning<n>(m.body, m.at);
    for (std::size_t i = 0; i < 3; ++i) {
      x[i].c[0] += frames[m.body].r[i];
      if constexpr (n >= 1) x[i].c[1] += rates[m.body].linear[i];
      if constexpr (n >= 2) x[i].c[2] += accelerations[m.body].linear[i];
    }
    return x;
  }
  /// ω with its first n derivatives.
  template <int n>
  [[nodiscard]] Three<Jet<S, n>> spin(std::size_t body) const {
    Three<Jet<S, n>> out;
    for (std::size_t i = 0; i < 3; ++i) {
      out[i].c[0] = rates[body].angular[i];
      if constexpr (n >= 1) out[i].c[1] = accelerations[body].angular[i];
    }
    return out;
  }
};

/// What joints and forces exert, summed per body.
template <class S>
struct Wrenches {
  std::span<Wrench<S>> sum;
  void add_force(std::size_t body, const Three<S>& force, const Three<S>& arm) {
    if (body == 0) return;
    add(sum[body].force, force);
    add(sum[body].torque, Three<S>(cross(arm, force)));
  }
  void add_torque(std::size_t body, const Three<S>& torque) {
    if (body != 0) add(sum[body].torque, torque);
  }
};

}  // namespace rubato::multibody::detail
