/// Force elements of a mechanism.
#include <fmt/format.h>

#include <cmath>

#include "builder.hpp"

namespace rubato::multibody::detail {

namespace {

Result<void> check_coefficients(const std::string& what, std::initializer_list<std::pair<const char*, double>> values) {
  for (const auto& [key, value] : values)
    if (auto ok = check_number(what + ": " + key, value, 0, "it must be zero or positive"); !ok) return ok;
  return {};
}

}  // namespace

Result<void> Builder::compile(const SpringDamper& spring) {
  const std::string what = "spring '" + spring.name + "'";
  SpringModel made{
      .name = spring.name, .stiffness = spring.stiffness, .damping = spring.damping, .curve = spring.curve};
  if (auto ok = attach(spring.a, spring.b, what, made.a, made.b); !ok) return ok;
  if (auto ok = check_coefficients(what, {{"stiffness", spring.stiffness}, {"damping", spring.damping}}); !ok)
    return ok;
  const Three<double> d = minus(point_at_start(made.b), point_at_start(made.a));
  const double now = std::sqrt(dot(d, d));
  if (!(now > 0)) return Error{what + ": its origins meet at the start, where it has no direction; use a bushing"};
  made.length = spring.length.value_or(now);
  if (auto ok = check_number(what + ": length", made.length, 0, "it must be zero or positive"); !ok) return ok;
  std::get<std::vector<SpringModel>>(model.forces).push_back(std::move(made));
  return {};
}

Result<void> Builder::compile(const TorsionSpring& spring) {
  const std::string what = "torsion spring '" + spring.name + "'";
  TorsionModel made{.name = spring.name,
                    .stiffness = spring.stiffness,
                    .damping = spring.damping,
                    .cos_rest = std::cos(spring.angle),
                    .sin_rest = std::sin(spring.angle)};
  if (auto ok = attach(spring.a, spring.b, what, made.a, made.b); !ok) return ok;
  if (auto ok = check_coefficients(what, {{"stiffness", spring.stiffness}, {"damping", spring.damping}}); !ok)
    return ok;
  if (!std::isfinite(spring.angle)) return Error{what + ": angle is not finite"};
  std::get<std::vector<TorsionModel>>(model.forces).push_back(std::move(made));
  return {};
}

Result<void> Builder::compile(const Bushing& bushing) {
  const std::string what = "bushing '" + bushing.name + "'";
  BushingModel made{.name = bushing.name,
                    .stiffness = bushing.stiffness,
                    .damping = bushing.damping,
                    .torsional_stiffness = bushing.torsional_stiffness,
                    .torsional_damping = bushing.torsional_damping};
  if (auto ok = attach(bushing.a, bushing.b, what, made.a, made.b); !ok) return ok;
  for (std::size_t i = 0; i < 3; ++i)
    if (auto ok = check_coefficients(what, {{"stiffness", bushing.stiffness[i]},
                                            {"damping", bushing.damping[i]},
                                            {"torsional stiffness", bushing.torsional_stiffness[i]},
                                            {"torsional damping", bushing.torsional_damping[i]}});
        !ok)
      return ok;
  std::get<std::vector<BushingModel>>(model.forces).push_back(std::move(made));
  return {};
}

Result<void> Builder::compile(const AppliedForce& force) {
  const auto at = attach(force.at, "force '" + force.name + "'");
  if (!at) return at.error();
  if (at->body == 0) return Error{"force '" + force.name + "': it acts on the ground, which never moves"};
  std::get<std::vector<AppliedModel>>(model.forces)
      .push_back({.name = force.name,
                  .at = *at,
                  .force = force.force,
                  .torque = force.torque,
                  .in_body_axes = force.in_body_axes});
  return {};
}
Result<void> Builder::compile(const Contact& contact) {
  return Error{"contact '" + contact.name + "': contacts are being written"};
}
Result<void> Builder::compile(const EndStop& stop) {
  return Error{"end stop '" + stop.name + "': end stops are being written"};
}
Result<void> Builder::compile(const Beam& beam) { return Error{"beam '" + beam.name + "': beams are being written"}; }

}  // namespace rubato::multibody::detail
