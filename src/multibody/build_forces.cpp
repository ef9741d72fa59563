/// Force elements of a mechanism.
#include <fmt/format.h>

#include <cmath>

#include "builder.hpp"
#include "rubato/base/function.hpp"
#include "rubato/base/text.hpp"

namespace rubato::multibody::detail {

namespace {

Result<void> check_coefficients(const std::string& what, std::initializer_list<std::pair<const char*, double>> values) {
  for (const auto& [key, value] : values)
    if (auto ok = check_number(what + ": " + key, value, 0, "it must be zero or positive"); !ok) return ok;
  return {};
}

}  // namespace

Result<void> check_function(const std::string& what, const Function& f, int n) {
  const auto values = derivatives(f, 0);
  static constexpr const char* words[] = {"", "the rate of ", "the second derivative of "};
  for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i)
    if (!std::isfinite(values[i]))
      return Error{fmt::format("{}: {}{} is {} at t = 0", what, words[i],
                               f.expression() != nullptr ? "'" + f.expression()->text() + "'" : "the table",
                               shortest(values[i]))};
  return {};
}

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
  if (made.curve)
    if (const double pull = (*made.curve)(now - made.length); !std::isfinite(pull))
      return Error{
          fmt::format("{}: its curve is {} at the start, stretched by {}", what, shortest(pull), now - made.length)};
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
  made.base = static_cast<std::size_t>(model.base_size++);
  model.start.base.conservativeResize(model.base_size);
  model.start.base[model.base_size - 1] = made.deflection(at_start_[made.a.body], at_start_[made.b.body], 0);
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
  for (const auto& [kind, parts] : {std::pair{"force", &force.force}, {"torque", &force.torque}})
    for (std::size_t i = 0; i < 3; ++i)
      if ((*parts)[i])
        if (auto ok =
                check_function(fmt::format("force '{}': {} along {}", force.name, kind, "xyz"[i]), *(*parts)[i], 0);
            !ok)
          return ok;
  std::get<std::vector<AppliedModel>>(model.forces)
      .push_back({.name = force.name,
                  .at = *at,
                  .force = force.force,
                  .torque = force.torque,
                  .in_body_axes = force.in_body_axes});
  return {};
}

/// x of both frames runs along the line of their origins and both have the same y, to six digits; what is left of it is
/// taken out, so that the beam is free of stress at the start.
Result<void> Builder::compile(const Beam& beam) {
  const std::string what = "beam '" + beam.name + "'";
  BeamModel made{.name = beam.name, .torsion_bending = beam.torsion_bending, .damping = beam.damping};
  if (auto ok = attach(beam.a, beam.b, what, made.a, made.b); !ok) return ok;
  for (const auto& [marker, at] : {std::pair{&beam.a, &made.a}, {&beam.b, &made.b}})
    if (const BodyModel* body = body_of(*at); body != nullptr && body->kind != BodyKind::spatial)
      return Error{fmt::format("{}: its node '{}' must be a spatial body or the ground, which turn with it", what,
                               marker->body)};
  static constexpr const char* forces[] = {"EA", "GA_y", "GA_z"};
  static constexpr const char* couples[] = {"GJ", "EI_y", "EI_z"};
  for (std::size_t i = 0; i < 3; ++i) {
    const bool axial = i == 0;
    if (auto ok = check_number(what + ": " + forces[i], beam.axial_shear[i], axial ? 1e-300 : 0,
                               axial ? "it must be positive" : "it must be positive, or zero: rigid in shear");
        !ok)
      return ok;
    if (auto ok = check_number(what + ": " + couples[i], beam.torsion_bending[i], 1e-300, "it must be positive"); !ok)
      return ok;
  }
  if (auto ok = check_coefficients(what, {{"damping", beam.damping}}); !ok) return ok;

  const Three<double> d = minus(point_at_start(made.b), point_at_start(made.a));
  made.length = std::sqrt(dot(d, d));
  if (!(made.length > 1e-12 * size_))
    return Error{what + ": its nodes meet at the start, so it has no length; give a and b different places"};
  const Three<double> x = times(1 / made.length, d);
  const auto apart = [](const Three<double>& u, const Three<double>& v) {
    const Three<double> e = minus(u, v);
    return std::sqrt(dot(e, e));
  };
  for (const auto& [label, at] : {std::pair{"a", &made.a}, {"b", &made.b}}) {
    const Three<double> axis = axis_at_start(*at, 0);
    if (!(apart(axis, x) < 1e-6))
      return Error{
          fmt::format("{}: x of frame {} must run along it, from a to b: it is ({:.6g}, {:.6g}, {:.6g}) at "
                      "the start, the line of the nodes ({:.6g}, {:.6g}, {:.6g})",
                      what, label, axis[0], axis[1], axis[2], x[0], x[1], x[2])};
  }
  Three<double> y = axis_at_start(made.a, 1);
  if (const Three<double> other = axis_at_start(made.b, 1); !(apart(y, other) < 1e-6))
    return Error{
        fmt::format("{}: y of both frames must agree at the start, where it is not twisted: ({:.6g}, {:.6g}, "
                    "{:.6g}) in a, ({:.6g}, {:.6g}, {:.6g}) in b",
                    what, y[0], y[1], y[2], other[0], other[1], other[2])};
  y = minus(y, times(dot(y, x), x));
  y = times(1 / std::sqrt(dot(y, y)), y);
  const Three<double> z = cross(x, y);
  for (Attachment* at : {&made.a, &made.b})
    for (std::size_t k = 0; k < 3; ++k) at->axis[k] = rotate_back(at_start_[at->body].R, k == 0 ? x : k == 1 ? y : z);

  // Residual bending flexibility (beam.hpp, 3): shear along y goes with bending about z.
  made.axial_shear[0] = beam.axial_shear[0];
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const double ga = beam.axial_shear[i], ei = beam.torsion_bending[3 - i];
    made.axial_shear[i] = 1 / ((ga > 0 ? 1 / ga : 0) + made.length * made.length / (12 * ei));
  }
  std::get<std::vector<BeamModel>>(model.forces).push_back(std::move(made));
  return {};
}

}  // namespace rubato::multibody::detail
