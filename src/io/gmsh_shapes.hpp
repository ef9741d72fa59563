#pragma once
/// Gmsh's element types and node orders.
#include <array>
#include <span>

#include "rubato/fem/shape.hpp"

namespace rubato::io {

struct GmshShape {
  int type;
  fem::Shape shape;
  std::array<signed char, fem::max_shape_nodes> order;  ///< our node a is Gmsh's node order[a]
};

/// Corners agree everywhere. Middle nodes differ in tet10 (the last two edges change places), hex20 and hex27, whose
/// edges go 01, 03, 04, 12, 15, 23, 26, 37, 45, 47, 56, 67 and whose faces −z, −y, −x, +x, +y, +z.
inline constexpr std::array<GmshShape, 13> gmsh_shape_table{{
    {15, fem::Shape::point1, {0}},
    {1, fem::Shape::line2, {0, 1}},
    {8, fem::Shape::line3, {0, 1, 2}},
    {2, fem::Shape::tri3, {0, 1, 2}},
    {9, fem::Shape::tri6, {0, 1, 2, 3, 4, 5}},
    {3, fem::Shape::quad4, {0, 1, 2, 3}},
    {16, fem::Shape::quad8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {10, fem::Shape::quad9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
    {4, fem::Shape::tet4, {0, 1, 2, 3}},
    {11, fem::Shape::tet10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    {5, fem::Shape::hex8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {17, fem::Shape::hex20, {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}},
    {12, fem::Shape::hex27, {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                             19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26}},
}};

[[nodiscard]] constexpr std::span<const GmshShape> gmsh_shapes() { return gmsh_shape_table; }
[[nodiscard]] constexpr const GmshShape* gmsh_shape(long type) {
  for (const GmshShape& s : gmsh_shape_table)
    if (s.type == type) return &s;
  return nullptr;
}
[[nodiscard]] constexpr const GmshShape& gmsh_shape(fem::Shape shape) {
  for (const GmshShape& s : gmsh_shape_table)
    if (s.shape == shape) return s;
  return gmsh_shape_table[0];
}

}  // namespace rubato::io
