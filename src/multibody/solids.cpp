#include "solids.hpp"

#include <cmath>
#include <numbers>

namespace rubato::multibody::detail {

namespace {
constexpr int around = 20, rings = 9;  ///< corners of a circle; rings of a sphere between its poles

/// A point of the unit circle; exact where it meets an axis.
Vector3 on_circle(int i, double radius, double z) {
  const double phi = 2 * std::numbers::pi * i / around;
  double c = std::cos(phi), s = std::sin(phi);
  if (4 * i % around == 0) {
    c = std::round(c);
    s = std::round(s);
  }
  return {radius * c, radius * s, z};
}
/// Quadrilaterals between the rings that begin at `low` and `high`.
void add_band(SolidMesh& mesh, std::int32_t low, std::int32_t high) {
  for (std::int32_t i = 0; i < around; ++i) {
    const std::int32_t next = (i + 1) % around;
    mesh.faces.push_back({low + i, low + next, high + next, high + i});
  }
}
}  // namespace

SolidMesh box_mesh(const Vector3& edges) {
  SolidMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.corners.push_back(
        {(i & 1 ? 0.5 : -0.5) * edges[0], (i & 2 ? 0.5 : -0.5) * edges[1], (i & 4 ? 0.5 : -0.5) * edges[2]});
  mesh.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return mesh;
}

SolidMesh cylinder_mesh(double radius, double length) {
  SolidMesh mesh;
  for (const double z : {-length / 2, length / 2})
    for (int i = 0; i < around; ++i) mesh.corners.push_back(on_circle(i, radius, z));
  add_band(mesh, 0, around);
  std::vector<std::int32_t> bottom, top;
  for (std::int32_t i = 0; i < around; ++i) {
    bottom.push_back(around - 1 - i);
    top.push_back(around + i);
  }
  mesh.faces.push_back(std::move(bottom));
  mesh.faces.push_back(std::move(top));
  return mesh;
}

SolidMesh sphere_mesh(double radius) {
  SolidMesh mesh;
  for (int k = 1; k <= rings; ++k) {
    const double theta = std::numbers::pi * k / (rings + 1);  // from the south pole
    for (int i = 0; i < around; ++i)
      mesh.corners.push_back(on_circle(i, radius * std::sin(theta), -radius * std::cos(theta)));
  }
  const std::int32_t south = around * rings, north = south + 1, last = around * (rings - 1);
  mesh.corners.push_back({0, 0, -radius});
  mesh.corners.push_back({0, 0, radius});
  for (std::int32_t k = 0; k + 1 < rings; ++k) add_band(mesh, around * k, around * (k + 1));
  for (std::int32_t i = 0; i < around; ++i) {
    mesh.faces.push_back({south, (i + 1) % around, i});
    mesh.faces.push_back({last + i, last + (i + 1) % around, north});
  }
  return mesh;
}

SolidMesh octahedron_mesh(double radius) {
  const double r = radius;
  return {.corners = {{r, 0, 0}, {0, r, 0}, {-r, 0, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}},
          .faces = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}}};
}

}  // namespace rubato::multibody::detail
