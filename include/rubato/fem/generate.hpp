#pragma once
/// Meshes of simple bodies, so that examples and tests need no mesh program: blocks, rings, hollow cylinders, bushings,
/// Cook's membrane, the truck platform.
///
/// All are made of cells in rows and columns, which are quadrilaterals or hexahedra, or split: a quadrilateral into two
/// triangles, a hexahedron into six tetrahedra around one diagonal (Kuhn). Nodes are numbered row by row. Lengths are
/// in the caller's unit. The result has passed `check`; what the arguments do wrong is said in one sentence.
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/fem/mesh.hpp"

namespace rubato::fem {

using Place = std::array<double, 3>;  ///< x, y, z; in the plane z = 0

/// A box, moved to another form by `map`. Sides are the groups "left" and "right" (x low, high), "bottom" and "top" (y
/// low, high) and in space "back" and "front" (z low, high), with outward normals.
struct Block {
  Shape shape = Shape::quad4;  ///< its dimension is that of the mesh
  std::array<int, 3> divisions = {1, 1, 1};
  Place low = {0, 0, 0}, high = {1, 1, 1};
  std::string group = "body";                          ///< of all cells
  std::function<Place(const Place& in_box)> map = {};  ///< empty: the box itself
  bool straight = false;  ///< middle nodes between the mapped corners, not mapped themselves: edges are straight
  /// Inner corners are moved by up to this part of the shortest edge there, 0 … 0.3; all edges are straight then.
  double distortion = 0;
};
[[nodiscard]] Result<Mesh> block(const Block& block);

/// A layer of a ring or cylinder, from the radius of the one before.
struct RingLayer {
  double outer_radius = 1;
  int divisions = 1;
  std::string group = {};
};

/// Rings around the origin of the plane, closed. Besides the layers, the groups "inner" and "outer" are the lines at
/// the innermost and outermost radius. The first node lies on the x axis.
struct Ring {
  Shape shape = Shape::quad9;
  double inner_radius = 0.5;
  std::vector<RingLayer> layers = {};
  int around = 48;
};
[[nodiscard]] Result<Mesh> ring(const Ring& ring);

/// A ring drawn out along z, from −length/2 to length/2: the groups are surfaces now, with the ends "back" (z low) and
/// "front".
struct HollowCylinder {
  Shape shape = Shape::hex8;
  double inner_radius = 0.5;
  std::vector<RingLayer> layers = {};
  int around = 24;
  double length = 1;
  int along = 8;
};
[[nodiscard]] Result<Mesh> hollow_cylinder(const HollowCylinder& cylinder);

/// A rubber bushing with two kidney-shaped voids through its whole length, centred on the x axis on either side. Where
/// the inner sleeve moves far along x, a void closes and its walls touch: radial stops.
///
/// Groups: "rubber"; "inner" and "outer", where the sleeves are; "stop_inner" and "stop_outer", the walls of the voids
/// towards the axis and away from it; "void_ends", their other walls; "back" and "front".
struct Bushing {
  Shape shape = Shape::hex8;
  double inner_radius = 0.010, outer_radius = 0.025, length = 0.040;
  double void_inner_radius = 0.015, void_outer_radius = 0.020;
  double void_angle = 1.75;       ///< each spans this, rad; rounded to whole elements
  double element_size = 0.00122;  ///< wished edge length: 0.00122 gives 29,568 hex8 elements
                                  ///< and 106,692 unknowns, 0.003 gives 9,828 unknowns
};
[[nodiscard]] Result<Mesh> bushing(const Bushing& bushing);

/// Cook's membrane: the trapezoid (0,0), (48,44), (48,60), (0,44) in n × n cells with straight edges. Groups of a
/// block, and the points "corner" (48, 60) and, where it is a node, "middle" (48, 52).
[[nodiscard]] Result<Mesh> cook_membrane(Shape shape, int n);

/// Platform of a truck: a strip 6 m × 0.1 m of 23 × 3 rectangles in two tri6 each, 329 nodes. Groups of a block; the
/// points "support_fixed" and "support_moved" of the bottom edge, at the 4th and 19th of its 23 divisions; the lines
/// "load": those of the top edge that the load on x ∈ [2.25, 3.75] touches. The outermost two of them are covered in
/// part only.
[[nodiscard]] Result<Mesh> truck_platform();

/// The node at a place, within 1e-9 of the size of the mesh; or the sentence that there is none, with the nearest.
[[nodiscard]] Result<int> node_at(const Mesh& mesh, const Place& place);

}  // namespace rubato::fem
