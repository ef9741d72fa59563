#include "rubato/io/mesh_grid.hpp"

#include <array>

#include "rubato/base/assert.hpp"

namespace rubato::io {
namespace {

VtuCell cell_of(fem::Shape shape) {
  constexpr std::array<VtuCell, fem::n_shapes> cells{
      VtuCell::point1, VtuCell::line2, VtuCell::line3, VtuCell::tri3, VtuCell::tri6,  VtuCell::quad4, VtuCell::quad8,
      VtuCell::quad9,  VtuCell::tet4,  VtuCell::tet10, VtuCell::hex8, VtuCell::hex20, VtuCell::hex27};
  return cells[static_cast<std::size_t>(shape)];
}

/// The values of the chosen nodes or elements; a vector of the plane gets a third component.
VtuArray array_of(const FieldArray& field, std::span<const int> chosen) {
  const auto n = static_cast<std::size_t>(field.components), shown = n == 2 ? 3 : n;
  std::vector<float> values;
  values.reserve(chosen.size() * shown);
  for (const int i : chosen)
    for (std::size_t k = 0; k < shown; ++k)
      values.push_back(k < n ? static_cast<float>(field.values[static_cast<std::size_t>(i) * n + k]) : 0.0F);
  return {.name = field.name, .components = static_cast<int>(shown), .values = std::move(values)};
}

}  // namespace

VtuGrid mesh_grid(const fem::Mesh& mesh, std::span<const double> displacement, std::span<const FieldArray> nodal,
                  std::span<const FieldArray> elements) {
  const int d = mesh.dimension, n_nodes = mesh.n_nodes();
  RUBATO_ASSERT(displacement.empty() || displacement.size() == mesh.points.size(), "a displacement of another mesh");
  VtuGrid grid;
  std::vector<int> nodes, volumes;
  for (int node = 0; node < n_nodes; ++node) {
    nodes.push_back(node);
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(node * d + k);
      grid.points.push_back(k < d ? static_cast<float>(mesh.points[i] + (displacement.empty() ? 0 : displacement[i]))
                                  : 0);
    }
  }
  for (int e = 0; e < mesh.n_elements(); ++e) {
    if (fem::info(mesh.shapes[e]).dimension != d) continue;
    volumes.push_back(e);
    grid.connectivity.insert(grid.connectivity.end(), mesh.element(e).begin(), mesh.element(e).end());
    grid.offsets.push_back(static_cast<std::int32_t>(grid.connectivity.size()));
    grid.types.push_back(static_cast<std::uint8_t>(cell_of(mesh.shapes[e])));
  }
  if (!displacement.empty())
    grid.point_data.push_back(array_of(
        {.name = "displacement", .components = d, .values = {displacement.begin(), displacement.end()}}, nodes));
  for (const FieldArray& field : nodal) {
    RUBATO_ASSERT(static_cast<int>(field.values.size()) == n_nodes * field.components, "a field of other nodes");
    grid.point_data.push_back(array_of(field, nodes));
  }
  for (const FieldArray& field : elements) {
    RUBATO_ASSERT(static_cast<int>(field.values.size()) == mesh.n_elements() * field.components,
                  "a field of other elements");
    grid.cell_data.push_back(array_of(field, volumes));
  }
  std::vector<std::int32_t> group_of(static_cast<std::size_t>(mesh.n_elements()), -1), groups;
  std::int32_t number = 0;
  for (const fem::MeshGroup& group : mesh.groups) {
    if (group.dimension != d) continue;
    for (const int e : group.elements)
      if (group_of[e] < 0) group_of[e] = number;
    ++number;
  }
  for (const int e : volumes) groups.push_back(group_of[e]);
  grid.cell_data.push_back({.name = "group", .components = 1, .values = std::move(groups)});
  return grid;
}

}  // namespace rubato::io
