#pragma once
/// Markers and rotations from what people know of them.
#include "rubato/multibody/mechanism.hpp"

namespace rubato::multibody {

/// About an axis of any length but zero, right-handed; the identity for a zero axis.
[[nodiscard]] Quaternion from_axis_angle(const Vector3& axis, double angle);
/// Turns z into the direction given, by the smallest rotation.
[[nodiscard]] Quaternion from_z_axis(const Vector3& z);
/// Turns z into `z` and x into the part of `x` across it.
[[nodiscard]] Quaternion from_axes(const Vector3& z, const Vector3& x);
/// First b, then a.
[[nodiscard]] Quaternion product(const Quaternion& a, const Quaternion& b);
[[nodiscard]] Vector3 rotated(const Quaternion& rotation, const Vector3& x);

/// A pose given relative to another, in the frame of that one.
[[nodiscard]] Pose composed(const Pose& outer, const Pose& inner);

/// In the body's frame, its z along `axis`.
[[nodiscard]] Marker marker(std::string body, const Vector3& position = {}, const Vector3& axis = {0, 0, 1});
/// Given in space, where it is at the start: both markers of a joint are often the same up to the body.
[[nodiscard]] Marker marker_at(std::string body, const Vector3& position = {}, const Vector3& axis = {0, 0, 1});

/// Moments of inertia of homogeneous bodies about their centre of mass.
[[nodiscard]] Vector3 rod_inertia_x(double mass, double length, double radius = 0);  ///< along x; radius 0: 1e-3 length
[[nodiscard]] Vector3 box_inertia(double mass, const Vector3& edges);
[[nodiscard]] Vector3 ball_inertia(double mass, double radius);
[[nodiscard]] Vector3 disc_inertia_z(double mass, double radius, double thickness = 0);  ///< about z

}  // namespace rubato::multibody
