#pragma once
/// Forces and torques given as functions of time, at the origin of a marker.
#include <memory>
#include <string>
#include <vector>

#include "force_point.hpp"
#include "motion.hpp"
#include "rubato/base/function.hpp"

namespace rubato::multibody::detail {

struct AppliedModel {
  using Components = std::array<std::shared_ptr<const Function>, 3>;
  std::string name;
  Attachment at = {};
  Components force = {}, torque = {};
  bool in_body_axes = false;

  [[nodiscard]] bool conservative() const { return false; }
  [[nodiscard]] bool depends_on_time() const {
    for (const Components* parts : {&force, &torque})
      for (const auto& f : *parts)
        if (f && !(f->expression() != nullptr && f->expression()->is_constant())) return true;
    return false;
  }
  [[nodiscard]] double next_break(double t) const {
    double next = std::numeric_limits<double>::infinity();
    for (const Components* parts : {&force, &torque})
      for (const auto& f : *parts)
        if (f) next = std::min(next, f->next_break(t));
    return next;
  }
  [[nodiscard]] bool jumps_at(double t) const {
    for (const Components* parts : {&force, &torque})
      for (const auto& f : *parts)
        if (f && jumps(*f, t, 0)) return true;
    return false;
  }
  template <class S>
  [[nodiscard]] Three<S> in_space(const Components& parts, const ForcePoint<S>& point) const {
    Three<S> out{};
    for (std::size_t i = 0; i < 3; ++i)
      if (parts[i]) out[i] = value_at(*parts[i], point.t);
    return in_body_axes ? rotate(point.bodies.frames[at.body].R, out) : out;
  }
  template <class S>
  void add_force(const ForcePoint<S>& point, Wrenches<S>& wrenches) const {
    wrenches.add_force(at.body, in_space(force, point), point.bodies.arm(at));
    wrenches.add_torque(at.body, in_space(torque, point));
  }
  template <class S>
  S energy(const ForcePoint<S>&) const {
    return S(0.0);
  }

  static constexpr std::size_t n_outputs = 6;
  [[nodiscard]] std::vector<std::string> output_names() const {
    return {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
  }
  void outputs(const ForcePoint<double>& point, std::span<double> y) const {
    const Three<double> push = in_space(force, point), turn = in_space(torque, point);
    for (std::size_t i = 0; i < 3; ++i) {
      y[i] = push[i];
      y[3 + i] = turn[i];
    }
  }
};

}  // namespace rubato::multibody::detail
