// Frames and solids of a model file: where a frame ends up, what a solid weighs.
#include "io/model_geometry.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "rubato/base/text.hpp"

namespace rubato::io {

using multibody::Pose;
using multibody::Quaternion;
using multibody::Vector3;

namespace {

double norm(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Quaternion times(const Quaternion& p, const Quaternion& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}
Quaternion about(const Vector3& unit, double angle) {
  const double s = std::sin(angle / 2);
  return {std::cos(angle / 2), s * unit[0], s * unit[1], s * unit[2]};
}
/// A length that divides without harm; 0 for what is none.
double usable(double length) { return std::isfinite(length) && length > 1e-150 && length < 1e150 ? length : 0; }

/// The shortest turn that brings z to a direction of length 1.
Quaternion z_to(const Vector3& d) {
  if (d[2] < -1 + 1e-12) return {0, 1, 0, 0};  // half a turn about x
  const double w = std::sqrt((1 + d[2]) / 2);
  return {w, -d[1] / (2 * w), d[0] / (2 * w), 0};
}

Result<Quaternion> along(const Vector3& axis, const std::optional<Vector3>& x_axis) {
  const double length = usable(norm(axis));
  if (length == 0) return Error{"axis has no length; a direction is needed"};
  const Vector3 z{axis[0] / length, axis[1] / length, axis[2] / length};
  const Quaternion turn = z_to(z);
  if (!x_axis) return turn;
  // x and y after that turn are the images of e_x and e_y: read the angle of x_axis between them.
  const double x_length = usable(norm(*x_axis));
  const auto image = [&](const Vector3& v) {
    const Quaternion conjugate{turn[0], -turn[1], -turn[2], -turn[3]};
    const Quaternion r = times(times(turn, {0, v[0], v[1], v[2]}), conjugate);
    return Vector3{r[1], r[2], r[3]};
  };
  const auto part = [&](const Vector3& e) {
    const Vector3 d = image(e);
    return ((*x_axis)[0] * d[0] + (*x_axis)[1] * d[1] + (*x_axis)[2] * d[2]) / x_length;
  };
  if (x_length == 0 || norm(cross(z, *x_axis)) < 1e-9 * x_length)
    return Error{"x_axis has no part across axis; another direction is needed"};
  return times(turn, about({0, 0, 1}, std::atan2(part({0, 1, 0}), part({1, 0, 0}))));
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
      pose.rotation =
          about({(*f.rotation_vector)[0] / length, (*f.rotation_vector)[1] / length, (*f.rotation_vector)[2] / length},
                angle);
  } else if (f.euler) {
    pose.rotation =
        times(about({0, 0, 1}, (*f.euler)[2]), times(about({0, 1, 0}, (*f.euler)[1]), about({1, 0, 0}, (*f.euler)[0])));
  } else {
    const auto turn = along(f.axis.value_or(Vector3{0, 0, 1}), f.x_axis);
    if (!turn) return turn.error();
    pose.rotation = f.angle ? times(*turn, about({0, 0, 1}, *f.angle)) : *turn;
  }
  return pose;
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
      const std::string direction = !s.along.empty() ? s.along : s.type == Solid::rod ? "x" : "z";
      if (direction != "x" && direction != "y" && direction != "z")
        return Error{fmt::format("shape.along = \"{}\"; allowed: \"x\", \"y\", \"z\"", direction)};
      volume = pi * r * r * l;
      const double across = (3 * r * r + l * l) / 12;
      moments = {across, across, across};
      moments[static_cast<std::size_t>(direction[0] - 'x')] = r * r / 2;
      break;
    }
  }
  const double m = mass ? *mass : *density * volume;
  if (!(m > 0) || !std::isfinite(m)) return Error{fmt::format("density times volume is {} kg", shortest(m))};
  return SolidInertia{m, {m * moments[0], m * moments[1], m * moments[2]}};
}

}  // namespace rubato::io
