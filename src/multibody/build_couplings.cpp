/// Gears, screws and rolling contacts of a mechanism.
#include <fmt/format.h>

#include <cmath>

#include "builder.hpp"
#include "rubato/base/text.hpp"

namespace rubato::multibody::detail {

Result<std::size_t> Builder::joint_number(const std::string& name, const std::string& what) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < mechanism_.joints.size(); ++i) {
    if (mechanism_.joints[i].name == name) return i;
    known.push_back(mechanism_.joints[i].name);
  }
  return Error{what + ": " + unknown_name("joint", name, known)};
}

Result<void> Builder::add_coupling(const Coupling& coupling) {
  const std::string what = "coupling '" + coupling.name + "'";
  if (coupling.type == CouplingType::rolling) return add_rolling(coupling, what);
  return add_gear(coupling, what);
}

Result<void> Builder::add_gear(const Coupling& coupling, const std::string& what) {
  if (!std::isfinite(coupling.ratio)) return Error{what + ": ratio is not finite"};
  const auto first = joint_number(coupling.joint_1, what);
  if (!first) return first.error();
  const auto type_of = [this](std::size_t i) { return mechanism_.joints[i].type; };
  const auto rate = [this](std::size_t i, bool turning) {
    return JointRate{.a = model.joints[i].a, .b = model.joints[i].b, .turning = turning};
  };
  GearModel made{.ratio = coupling.ratio, .row = model.rolling_names.size()};
  if (coupling.type == CouplingType::screw) {
    if (!coupling.joint_2.empty()) return Error{what + ": a screw is one joint, joint_2 has no meaning"};
    if (type_of(*first) != JointType::cylindrical)
      return Error{fmt::format("{}: a screw needs a cylindrical joint, '{}' is {}", what, coupling.joint_1,
                               type_name(type_of(*first)))};
    made.one = rate(*first, false);
    made.two = rate(*first, true);
  } else {
    const auto second = joint_number(coupling.joint_2, what);
    if (!second) return second.error();
    if (*first == *second) return Error{what + ": both joints are '" + coupling.joint_1 + "'"};
    for (const std::size_t i : {*first, *second})
      if (type_of(i) != JointType::revolute && type_of(i) != JointType::prismatic)
        return Error{fmt::format("{}: a gear needs joints with one rate, revolute or prismatic; '{}' is {}", what,
                                 mechanism_.joints[i].name, type_name(type_of(i)))};
    made.one = rate(*first, type_of(*first) == JointType::revolute);
    made.two = rate(*second, type_of(*second) == JointType::revolute);
  }
  model.rolling_names.push_back(coupling.name + ".rate");
  model.gears.push_back(std::move(made));
  return {};
}

Result<void> Builder::add_rolling(const Coupling& coupling, const std::string& what) {
  RollingModel made{.radius = coupling.radius,
                    .disc = coupling.disc,
                    .normal = model.row_names.size(),
                    .row = model.rolling_names.size()};
  if (auto ok = attach(coupling.a, coupling.b, what, made.a, made.b); !ok) return ok;
  if (auto ok = check_number(what + ": radius", coupling.radius, 1e-300, "it must be positive"); !ok) return ok;
  if (const BodyModel* body = body_of(made.b); body == nullptr || body->kind == BodyKind::point)
    return Error{what + ": what rolls must turn, but frame b belongs to " +
                 (body == nullptr ? std::string("the ground") : "the point '" + body->name + "'")};
  const bool flat = in_plane(made.a) && in_plane(made.b);
  if (flat && std::abs(made.a.axis[2][2]) > 1e-9)
    return Error{what + ": a planar body rolls on a line in its plane, the normal (z of a) leaves it"};
  const Three<double> normal = axis_at_start(made.a, 2), axis = axis_at_start(made.b, 2);
  if (made.disc && std::abs(dot(normal, axis)) > 1 - 1e-6) return Error{what + ": the disc lies flat on the plane"};
  const Three<double> d = minus(point_at_start(made.b), point_at_start(made.a));
  const double gap = std::abs(dot(normal, plus(d, contact_arm(made, normal, axis))));
  if (gap > 0.1 * std::max(size_, made.radius))
    return Error{fmt::format("{}: it does not touch the plane at the start, {:.3g} m lie between", what, gap)};
  if (gap > 1e-6 * std::max(size_, made.radius))
    notes.push_back(fmt::format("{}: {:.3g} m lie between at the start; start values are projected", what, gap));
  model.row_names.push_back(coupling.name + ".normal");
  for (std::size_t i = 0; i < 2; ++i) {
    made.tangent[i] = !(flat && along_z(made.a.axis[i]));
    if (made.tangent[i]) model.rolling_names.push_back(coupling.name + (i == 0 ? ".along_x" : ".along_y"));
  }
  model.rolling_elements.push_back(coupling.name);
  model.rollings.push_back(std::move(made));
  return {};
}

}  // namespace rubato::multibody::detail
