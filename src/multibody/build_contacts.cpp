/// Contacts and end stops of a mechanism.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "builder.hpp"

namespace rubato::multibody::detail {

namespace {

constexpr double parallel_within = 1e-6;  ///< |sine| of an angle at the start

const char* shape_name(Shape shape) {
  switch (shape) {
    case Shape::sphere: return "sphere";
    case Shape::plane: return "plane";
    case Shape::cylinder: return "cylinder";
  }
  return "?";
}

/// Planes before cylinders before spheres.
int rank(Shape shape) { return shape == Shape::plane ? 0 : shape == Shape::cylinder ? 1 : 2; }

Result<void> check_friction(const std::string& what, const LuGre& l) {
  const std::string friction = what + ": friction: ";
  const auto positive = [&](const char* key, double value) {
    return check_number(friction + key, value, 1e-300, "it must be positive");
  };
  if (auto ok = check_number(friction + "mu_k", l.mu_k, 1e-300, "it must be positive; without friction leave it out");
      !ok)
    return ok;
  if (!(l.mu_s >= l.mu_k) || !std::isfinite(l.mu_s))
    return Error{
        fmt::format("{}mu_s = {} is below mu_k = {}: what sticks holds at least as well", friction, l.mu_s, l.mu_k)};
  if (auto ok = positive("sigma_0", l.sigma_0); !ok) return ok;
  if (auto ok = positive("v_s", l.v_s); !ok) return ok;
  if (auto ok = positive("gamma", l.gamma); !ok) return ok;
  for (const auto& [key, value] : {std::pair{"sigma_1", l.sigma_1}, {"sigma_2", l.sigma_2}})
    if (auto ok = check_number(friction + key, value, 0, "it must be zero or positive"); !ok) return ok;
  return {};
}

}  // namespace

Result<void> Builder::compile(const Contact& contact) {
  const std::string what = "contact '" + contact.name + "'";
  const bool swap = rank(contact.a.shape) > rank(contact.b.shape);
  const Surface &first = swap ? contact.b : contact.a, &second = swap ? contact.a : contact.b;
  ContactModel made{.name = contact.name,
                    .radius_a = first.radius,
                    .radius_b = second.radius,
                    .stiffness = contact.stiffness,
                    .exponent = contact.exponent,
                    .damping = contact.damping,
                    .damping_by_penetration = contact.damping_by_penetration,
                    .swapped = swap,
                    .friction = contact.friction};
  Attachment at_a, at_b;
  if (auto ok = attach(contact.a.marker, contact.b.marker, what, at_a, at_b); !ok) return ok;
  made.a = swap ? at_b : at_a;
  made.b = swap ? at_a : at_b;
  if (second.shape == Shape::plane)
    return Error{what + ": a plane does not touch a plane; planes touch spheres and cylinders"};
  for (const Surface* surface : {&first, &second})
    if (surface->shape != Shape::plane && !(std::isfinite(surface->radius) && surface->radius > 0))
      return Error{fmt::format("{}: radius = {} of the {} on '{}': it must be positive", what, surface->radius,
                               shape_name(surface->shape), surface->marker.body)};
  for (const auto& [key, value] : {std::pair{"stiffness", contact.stiffness}, {"damping", contact.damping}})
    if (auto ok = check_number(what + ": " + key, value, 0, "it must be zero or positive"); !ok) return ok;
  if (auto ok = check_number(what + ": exponent", contact.exponent, 1, "it must be at least 1 (1 penalty, 1.5 Hertz)");
      !ok)
    return ok;
  if (contact.friction)
    if (auto ok = check_friction(what, *contact.friction); !ok) return ok;

  const Three<double> axis_a = axis_at_start(made.a, 2), axis_b = axis_at_start(made.b, 2);
  const Three<double> across = cross(axis_a, axis_b);
  const double sine = std::sqrt(dot(across, across));
  if (first.shape == Shape::plane) {
    made.pair = second.shape == Shape::sphere ? ContactPair::plane_sphere : ContactPair::plane_cylinder;
    if (second.shape == Shape::cylinder && sine < parallel_within)
      return Error{what + ": the cylinder stands upright on the plane; it touches with its rim (a disc) or lies on it"};
  } else if (first.shape == Shape::sphere) {
    made.pair = ContactPair::spheres;
  } else {
    made.pair = ContactPair::cylinder_round;
    if (second.shape == Shape::cylinder && sine > parallel_within)
      return Error{
          fmt::format("{}: the axes of both cylinders differ by {:.3g} degrees; cylinders touch with parallel axes "
                      "only, a sphere and a cylinder at any angle",
                      what, std::asin(std::min(sine, 1.0)) * 180 / std::numbers::pi)};
  }
  const Three<double> n = made.touch(Bodies<double>{.frames = at_start_}).n;
  if (!std::isfinite(n[0] + n[1] + n[2]))
    return Error{what + ": the centres meet at the start, where it has no direction to push"};
  if (made.pair == ContactPair::spheres) {  // tangents follow n from here: z of a
    const Rotation<double>& r = at_start_[made.a.body].R;
    const Three<double> z = rotate_back(r, n);
    const std::size_t least = std::abs(z[0]) < 0.6 ? 0 : 1;
    Three<double> x{};
    x[least] = 1;
    x = minus(x, times(dot(x, z), z));
    x = times(1 / std::sqrt(dot(x, x)), x);
    made.a.axis = {x, cross(z, x), z};
  }
  if (in_plane(made.a) && in_plane(made.b)) {
    made.planar = std::abs(n[2]) < parallel_within;
    if (!made.planar && first.shape != Shape::sphere)
      return Error{what + ": planar bodies move across z, but its normal at the start does not lie in that plane"};
  }
  made.touching = {.damper = made.damping != 0 && !made.damping_by_penetration, .slack = 1e-7 * size_};
  std::get<std::vector<ContactModel>>(model.forces).push_back(std::move(made));
  return {};
}

Result<void> Builder::compile(const EndStop& stop) {
  const std::string what = "end stop '" + stop.name + "'";
  EndStopModel made{.name = stop.name,
                    .angular = stop.angular,
                    .min = stop.min,
                    .max = stop.max,
                    .stiffness = stop.stiffness,
                    .damping = stop.damping};
  if (auto ok = attach(stop.a, stop.b, what, made.a, made.b); !ok) return ok;
  for (const auto& [key, value] : {std::pair{"stiffness", stop.stiffness}, {"damping", stop.damping}})
    if (auto ok = check_number(what + ": " + key, value, 0, "it must be zero or positive"); !ok) return ok;
  if (!(stop.min <= stop.max))
    return Error{fmt::format("{}: min = {} is above max = {}, nothing is left between", what, stop.min, stop.max)};
  if (stop.angular && !(stop.max - stop.min < 2 * std::numbers::pi))
    return Error{fmt::format("{}: from min = {} to max = {} rad is a full turn; angles are known within one turn only",
                             what, stop.min, stop.max)};
  if (stop.angular) made.middle = 0.5 * (stop.min + stop.max);
  made.touching.fill({.damper = made.damping != 0, .slack = made.angular ? 1e-7 : 1e-7 * size_});
  std::get<std::vector<EndStopModel>>(model.forces).push_back(std::move(made));
  return {};
}

}  // namespace rubato::multibody::detail
