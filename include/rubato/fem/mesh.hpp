#pragma once
/// A mesh as data: points, elements of any shape and dimension, and groups of them by name.
///
/// Volumes (in the plane: areas) carry material; boundary conditions, loads and contacts name groups of facets, lines
/// or points, which are elements of the mesh as well.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/fem/shape.hpp"

namespace rubato::fem {

/// Elements of one dimension under a name; an element may be in several groups.
struct MeshGroup {
  std::string name = {};
  int dimension = 0;
  std::vector<int> elements = {};
};

struct Mesh {
  int dimension = 3;                   ///< of space: 2 or 3
  std::vector<double> points = {};     ///< `dimension` coordinates per node
  std::vector<Shape> shapes = {};      ///< per element
  std::vector<int> starts = {0};       ///< where the nodes of each element begin in `nodes`; one more at the end
  std::vector<int> nodes = {};         ///< nodes of all elements, element by element
  std::vector<long> node_labels = {};  ///< numbers in the file they came from, for messages; empty: index + 1
  std::vector<long> element_labels = {};
  std::vector<MeshGroup> groups = {};

  [[nodiscard]] int n_nodes() const noexcept { return static_cast<int>(points.size()) / dimension; }
  [[nodiscard]] int n_elements() const noexcept { return static_cast<int>(shapes.size()); }
  [[nodiscard]] std::span<const int> element(int e) const noexcept {
    return std::span(nodes).subspan(static_cast<std::size_t>(starts[e]),
                                    static_cast<std::size_t>(starts[e + 1] - starts[e]));
  }
  [[nodiscard]] std::span<const double> point(int node) const noexcept {
    const auto d = static_cast<std::size_t>(dimension);
    return std::span(points).subspan(static_cast<std::size_t>(node) * d, d);
  }
  [[nodiscard]] long node_label(int node) const noexcept { return node_labels.empty() ? node + 1 : node_labels[node]; }
  [[nodiscard]] long element_label(int e) const noexcept { return element_labels.empty() ? e + 1 : element_labels[e]; }

  int add_point(std::span<const double> coordinates);
  int add_element(Shape shape, std::span<const int> element_nodes);
  /// The group of that name, made if need be.
  MeshGroup& group(std::string_view name, int group_dimension);

  [[nodiscard]] const MeshGroup* find_group(std::string_view name) const noexcept;
  /// All nodes of a group, ascending.
  [[nodiscard]] std::vector<int> nodes_of(const MeshGroup& group) const;
};

/// What a model cannot be built on: elements of wrong orientation or no volume, nodes that belong to no element, nodes
/// or elements out of range, an element twice. The message names element or node by label, with its coordinates and the
/// group.
[[nodiscard]] Result<void> check(const Mesh& mesh);

/// A facet by its element and its number there.
struct BoundarySide {
  int element, facet;
};
/// The facets that belong to one volume element only, by element.
[[nodiscard]] std::vector<BoundarySide> boundary_sides(const Mesh& mesh);
/// The nodes of a facet, so that its normal points out of the element.
[[nodiscard]] std::vector<int> facet_nodes(const Mesh& mesh, const BoundarySide& side);

/// The facets that belong to one volume element only, oriented outwards, added as elements under a name.
void add_boundary(Mesh& mesh, std::string_view name);

/// Lists the nodes of the facets that are there already so that their normals point outwards; those between two volumes
/// stay as they are.
void orient_boundary(Mesh& mesh);

}  // namespace rubato::fem
