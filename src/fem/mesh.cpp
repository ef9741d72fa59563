#include "rubato/fem/mesh.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato::fem {

int Mesh::add_point(std::span<const double> coordinates) {
  RUBATO_ASSERT(static_cast<int>(coordinates.size()) == dimension, "a point of another dimension");
  points.insert(points.end(), coordinates.begin(), coordinates.end());
  return n_nodes() - 1;
}

int Mesh::add_element(Shape shape, std::span<const int> element_nodes) {
  RUBATO_ASSERT(static_cast<int>(element_nodes.size()) == info(shape).nodes, "not as many nodes as the shape has");
  shapes.push_back(shape);
  nodes.insert(nodes.end(), element_nodes.begin(), element_nodes.end());
  starts.push_back(static_cast<int>(nodes.size()));
  return n_elements() - 1;
}

MeshGroup& Mesh::group(std::string_view name, int group_dimension) {
  for (MeshGroup& known : groups)
    if (known.name == name && known.dimension == group_dimension) return known;
  return groups.emplace_back(MeshGroup{.name = std::string(name), .dimension = group_dimension});
}

const MeshGroup* Mesh::find_group(std::string_view name) const noexcept {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const MeshGroup& g) { return g.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

std::vector<int> Mesh::nodes_of(const MeshGroup& group) const {
  std::vector<int> all;
  for (const int e : group.elements) {
    const auto own = element(e);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace rubato::fem
