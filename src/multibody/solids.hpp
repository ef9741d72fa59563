#pragma once
/// Convex solids as corners and faces, each face seen counter-clockwise from outside.
#include <cstdint>
#include <vector>

#include "rubato/multibody/mechanism.hpp"

namespace rubato::multibody::detail {

struct SolidMesh {
  std::vector<Vector3> corners = {};
  std::vector<std::vector<std::int32_t>> faces = {};
};

[[nodiscard]] SolidMesh box_mesh(const Vector3& edges);
[[nodiscard]] SolidMesh cylinder_mesh(double radius, double length);  ///< about z
[[nodiscard]] SolidMesh sphere_mesh(double radius);
[[nodiscard]] SolidMesh octahedron_mesh(double radius);

}  // namespace rubato::multibody::detail
