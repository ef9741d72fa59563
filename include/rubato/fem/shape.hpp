#pragma once
/// Reference elements: their nodes, shape functions and quadrature.
///
/// Nodes are numbered as VTK numbers them (corners, edges, faces, volume); readers of other formats permute. Lines, quadrilaterals
/// and hexahedra live on [−1, 1]^d, triangles and tetrahedra on ξ_i ≥ 0, Σ ξ_i ≤ 1.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rubato::fem {

enum class Shape : std::uint8_t {
  point1,
  line2,
  line3,
  tri3,
  tri6,
  quad4,
  quad8,
  quad9,
  tet4,
  tet10,
  hex8,
  hex20,
  hex27
};
inline constexpr int n_shapes = 13;
inline constexpr int max_shape_nodes = 27;

struct ShapeInfo {
  Shape id;
  std::string_view name;  ///< "quad9"
  int dimension;
  int nodes;
  int corners;
  int degree;      ///< of the complete polynomials it contains
  Shape linear;    ///< the shape of its corners
  int quadrature;  ///< Gauss points per direction (lines, quads, hexes) or degree (simplices) of the default rule
};
[[nodiscard]] const ShapeInfo& info(Shape shape) noexcept;
[[nodiscard]] std::span<const ShapeInfo> shape_list() noexcept;
[[nodiscard]] std::optional<Shape> shape_from_name(std::string_view name) noexcept;

/// Reference coordinates of the nodes.
[[nodiscard]] std::span<const std::array<double, 3>> reference_nodes(Shape shape) noexcept;

/// N_a(ξ) and ∂N_a/∂ξ_k, [a] and [a][k].
struct ShapeValues {
  std::array<double, max_shape_nodes> n{};
  std::array<std::array<double, 3>, max_shape_nodes> dn{};
};
[[nodiscard]] ShapeValues evaluate(Shape shape, const std::array<double, 3>& xi) noexcept;

struct QuadraturePoint {
  std::array<double, 3> xi;
  double weight;
};
/// A rule that is exact for polynomials of the given degree: per direction on lines, quads and hexes (tensor Gauss), in total on
/// simplices. Degrees up to 9 (simplices: up to 6).
[[nodiscard]] std::vector<QuadraturePoint> quadrature(Shape shape, int degree);

/// The facets (edges in the plane, faces in space) of an element: shape and local nodes, ordered so that the normal points
/// outwards for a positively oriented element.
struct Facet {
  Shape shape;
  std::vector<int> nodes;
};
[[nodiscard]] const std::vector<Facet>& facets(Shape shape);

}  // namespace rubato::fem
