#include "rubato/multibody/geometry.hpp"

#include <cmath>
#include <utility>

namespace rubato::multibody {

namespace {

double norm(const Vector3& x) { return std::hypot(x[0], x[1], x[2]); }
Vector3 scaled(const Vector3& x, double factor) { return {factor * x[0], factor * x[1], factor * x[2]}; }
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

Quaternion from_axis_angle(const Vector3& axis, double angle) {
  const double length = norm(axis);
  if (!(length > 0)) return no_rotation;
  const Vector3 e = scaled(axis, std::sin(angle / 2) / length);
  return {std::cos(angle / 2), e[0], e[1], e[2]};
}

Quaternion from_z_axis(const Vector3& z) {
  const double length = norm(z);
  if (!(length > 0)) return no_rotation;
  if (z[2] < 0 && std::hypot(z[0], z[1]) < 1e-14 * length) return {0, 1, 0, 0};
  // Half way: w = 1 + cos θ, (x, y, z) = e_z × z.
  const double w = 1 + z[2] / length, x = -z[1] / length, y = z[0] / length, size = std::hypot(w, x, y);
  return {w / size, x / size, y / size, 0};
}

Quaternion from_axes(const Vector3& z, const Vector3& x) {
  const Quaternion first = from_z_axis(z);
  const Vector3 x0 = rotated(first, {1, 0, 0}), y0 = rotated(first, {0, 1, 0});
  return product(first, from_axis_angle({0, 0, 1}, std::atan2(dot(x, y0), dot(x, x0))));
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Vector3 rotated(const Quaternion& rotation, const Vector3& x) {
  const Vector3 axis{rotation[1], rotation[2], rotation[3]};
  const Vector3 once = cross(axis, x), twice = cross(axis, once);
  Vector3 y = x;
  for (std::size_t i = 0; i < 3; ++i) y[i] += 2 * (rotation[0] * once[i] + twice[i]);
  return y;
}

Pose composed(const Pose& outer, const Pose& inner) {
  const Vector3 x = rotated(outer.rotation, inner.position);
  return {.position = {outer.position[0] + x[0], outer.position[1] + x[1], outer.position[2] + x[2]},
          .rotation = product(outer.rotation, inner.rotation)};
}

Marker marker(std::string body, const Vector3& position, const Vector3& axis) {
  return {.body = std::move(body), .pose = {.position = position, .rotation = from_z_axis(axis)}};
}
Marker marker_at(std::string body, const Vector3& position, const Vector3& axis) {
  Marker m = marker(std::move(body), position, axis);
  m.in_space = true;
  return m;
}

Vector3 rod_inertia_x(double mass, double length, double radius) {
  const double r2 = radius > 0 ? radius * radius : 1e-6 * length * length;
  const double across = mass * (length * length / 12 + r2 / 4);
  return {mass * r2 / 2, across, across};
}
Vector3 box_inertia(double mass, const Vector3& edges) {
  const double x = edges[0] * edges[0], y = edges[1] * edges[1], z = edges[2] * edges[2];
  return {mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12};
}
Vector3 ball_inertia(double mass, double radius) {
  const double j = 0.4 * mass * radius * radius;
  return {j, j, j};
}
Vector3 disc_inertia_z(double mass, double radius, double thickness) {
  const double across = mass * (radius * radius / 4 + thickness * thickness / 12);
  return {across, across, mass * radius * radius / 2};
}

}  // namespace rubato::multibody
