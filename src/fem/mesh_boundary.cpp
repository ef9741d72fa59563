// Facets that belong to one volume element only: the boundary, with normals that point outwards.
#include <algorithm>

#include "rubato/fem/mesh.hpp"

namespace rubato::fem {
namespace {

using Key = std::array<int, 4>;  ///< corners, ascending; −1 where a facet has fewer

Key key_of(std::span<const int> nodes, int corners) {
  Key key{-1, -1, -1, -1};
  std::copy_n(nodes.begin(), corners, key.begin());
  std::sort(key.begin(), key.end());
  return key;
}

struct Side {
  Key key;
  BoundarySide place;
};

/// The facets of all volumes that only one of them has, by key.
std::vector<Side> single_sides(const Mesh& mesh) {
  std::vector<Side> sides;
  for (int e = 0; e < mesh.n_elements(); ++e) {
    if (info(mesh.shapes[e]).dimension != mesh.dimension) continue;
    const auto& own = facets(mesh.shapes[e]);
    for (std::size_t f = 0; f < own.size(); ++f) {
      Side side{.key = {}, .place = {e, static_cast<int>(f)}};
      side.key = key_of(facet_nodes(mesh, side.place), info(own[f].shape).corners);
      sides.push_back(side);
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.key < b.key; });
  std::vector<Side> single;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].key == sides[i].key) ++end;
    if (end == i + 1) single.push_back(sides[i]);
    i = end;
  }
  return single;
}

}  // namespace

std::vector<int> facet_nodes(const Mesh& mesh, const BoundarySide& side) {
  std::vector<int> nodes;
  for (const int local : facets(mesh.shapes[side.element])[static_cast<std::size_t>(side.facet)].nodes)
    nodes.push_back(mesh.element(side.element)[local]);
  return nodes;
}

std::vector<BoundarySide> boundary_sides(const Mesh& mesh) {
  std::vector<BoundarySide> out;
  for (const Side& side : single_sides(mesh)) out.push_back(side.place);
  std::sort(out.begin(), out.end(), [](const BoundarySide& a, const BoundarySide& b) {
    return std::pair(a.element, a.facet) < std::pair(b.element, b.facet);
  });
  return out;
}

void add_boundary(Mesh& mesh, std::string_view name) {
  std::vector<int> added;
  const bool labelled = !mesh.element_labels.empty();
  long label = labelled ? *std::max_element(mesh.element_labels.begin(), mesh.element_labels.end()) : 0;
  for (const BoundarySide& side : boundary_sides(mesh)) {
    const Shape shape = facets(mesh.shapes[side.element])[static_cast<std::size_t>(side.facet)].shape;
    added.push_back(mesh.add_element(shape, facet_nodes(mesh, side)));
    if (labelled) mesh.element_labels.push_back(++label);
  }
  auto& group = mesh.group(name, mesh.dimension - 1);
  group.elements.insert(group.elements.end(), added.begin(), added.end());
}

void orient_boundary(Mesh& mesh) {
  const auto sides = single_sides(mesh);
  for (int e = 0; e < mesh.n_elements(); ++e) {
    const ShapeInfo& s = info(mesh.shapes[e]);
    if (s.dimension != mesh.dimension - 1) continue;
    const Key key = key_of(mesh.element(e), s.corners);
    const auto found =
        std::lower_bound(sides.begin(), sides.end(), key, [](const Side& side, const Key& k) { return side.key < k; });
    if (found == sides.end() || found->key != key) continue;
    if (facets(mesh.shapes[found->place.element])[static_cast<std::size_t>(found->place.facet)].shape != s.id) continue;
    const auto nodes = facet_nodes(mesh, found->place);
    std::copy(nodes.begin(), nodes.end(), mesh.nodes.begin() + mesh.starts[e]);
  }
}

}  // namespace rubato::fem
