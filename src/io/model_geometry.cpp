// Frames and solids of a model file: where a frame ends up, what a solid weighs.
#include "io/model_geometry.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "rubato/base/text.hpp"
#include "rubato/multibody/geometry.hpp"

namespace rubato::io {

using multibody::Pose;
using multibody::Quaternion;
using multibody::Vector3;

namespace {

double norm(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// A length that divides without harm; 0 for what is none.
double usable(double length) { return std::isfinite(length) && length > 1e-150 && length < 1e150 ? length : 0; }

Result<Quaternion> along(const Vector3& axis, const std::optional<Vector3>& x_axis) {
  const double length = usable(norm(axis));
  if (length == 0) return Error{"axis has no length; a direction is needed"};
  const Vector3 z{axis[0] / length, axis[1] / length, axis[2] / length};
  if (!x_axis) return multibody::from_z_axis(z);
  const double x_length = usable(norm(*x_axis));
  if (x_length == 0 || norm(cross(z, *x_axis)) < 1e-9 * x_length)
    return Error{"x_axis has no part across axis; another direction is needed"};
  return multibody::from_axes(z, *x_axis);
}

}  // namespace

Result<Pose> pose_of(const FrameDraft& f) {
  Pose pose;
  if (f.at) pose.position = *f.at;
  const int ways = static_cast<int>(f.axis || f.x_axis || f.angle) + static_cast<int>(f.euler.has_value()) +
                   static_cast<int>(f.rotation_vector.has_value()) + static_cast<int>(f.quaternion.has_value());
  if (ways > 1)
    return Error{"turned in several ways; choose axis (x_axis, angle), euler, rotation_vector or quaternion"};
  if (f.quaternion) {
    const auto& q = *f.quaternion;
    const double length = usable(std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3])));
    if (length == 0) return Error{"quaternion has no length; w, x, y, z are needed"};
    for (std::size_t i = 0; i < 4; ++i) pose.rotation[i] = q[i] / length;
  } else if (f.rotation_vector) {
    const double angle = norm(*f.rotation_vector);
    if (const double length = usable(angle); length > 0)
      pose.rotation = multibody::from_axis_angle(
          {(*f.rotation_vector)[0] / length, (*f.rotation_vector)[1] / length, (*f.rotation_vector)[2] / length},
          angle);
  } else if (f.euler) {
    pose.rotation = multibody::product(multibody::from_axis_angle({0, 0, 1}, (*f.euler)[2]),
                                       multibody::product(multibody::from_axis_angle({0, 1, 0}, (*f.euler)[1]),
                                                          multibody::from_axis_angle({1, 0, 0}, (*f.euler)[0])));
  } else {
    const auto turn = along(f.axis.value_or(Vector3{0, 0, 1}), f.x_axis);
    if (!turn) return turn.error();
    pose.rotation = f.angle ? multibody::product(*turn, multibody::from_axis_angle({0, 0, 1}, *f.angle)) : *turn;
  }
  return pose;
}

namespace {
/// Where the length of a cylinder or rod lies; a letter that is none of x, y, z as well.
char direction_of(const SolidDraft& s) { return !s.along.empty() ? s.along[0] : s.type == Solid::rod ? 'x' : 'z'; }
}  // namespace

multibody::Look look_of(const SolidDraft& s, const std::string& body) {
  multibody::Look look{.at = {.body = body}, .to = {.body = body}};
  if (s.type == Solid::box) look.size = s.size.value_or(Vector3{});
  look.radius = s.radius.value_or(0);
  look.length = s.length.value_or(0);
  if (s.type == Solid::sphere) look.type = multibody::LookType::sphere;
  if (s.type != Solid::cylinder && s.type != Solid::rod) return look;
  Vector3 axis{};
  axis[static_cast<std::size_t>(direction_of(s) - 'x')] = 1;
  look.type = s.radius ? multibody::LookType::cylinder : multibody::LookType::line;
  look.at.pose.rotation = multibody::from_z_axis(axis);
  if (s.radius) return look;
  for (std::size_t i = 0; i < 3; ++i) {
    look.at.pose.position[i] = -look.length / 2 * axis[i];
    look.to.pose.position[i] = look.length / 2 * axis[i];
  }
  return look;
}

Result<SolidInertia> inertia_of(const SolidDraft& s, std::optional<double> mass, std::optional<double> density) {
  const auto needs = [](const char* what) { return Error{fmt::format("shape needs {}", what)}; };
  constexpr double pi = std::numbers::pi;
  double volume = 0;
  Vector3 moments{};  // of mass 1
  const double r = s.radius.value_or(0), l = s.length.value_or(0);
  switch (s.type) {
    case Solid::box: {
      if (!s.size) return needs("size = [x, y, z]");
      const auto [a, b, c] = *s.size;
      volume = a * b * c;
      moments = {(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12};
      break;
    }
    case Solid::sphere:
      if (!s.radius) return needs("radius");
      volume = 4 * pi / 3 * r * r * r;
      moments = {0.4 * r * r, 0.4 * r * r, 0.4 * r * r};
      break;
    case Solid::cylinder:
    case Solid::rod: {
      if (!s.length) return needs("length");
      if (!s.radius && (s.type == Solid::cylinder || density)) return needs("radius");
      const char direction = direction_of(s);
      if (s.along.size() > 1 || direction < 'x' || direction > 'z')
        return Error{fmt::format("shape.along = \"{}\"; allowed: \"x\", \"y\", \"z\"", s.along)};
      volume = pi * r * r * l;
      const double across = (3 * r * r + l * l) / 12;
      moments = {across, across, across};
      moments[static_cast<std::size_t>(direction - 'x')] = r * r / 2;
      break;
    }
  }
  const double m = mass ? *mass : *density * volume;
  if (!(m > 0) || !std::isfinite(m)) return Error{fmt::format("density times volume is {} kg", shortest(m))};
  return SolidInertia{m, {m * moments[0], m * moments[1], m * moments[2]}};
}

}  // namespace rubato::io
