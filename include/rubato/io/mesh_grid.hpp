#pragma once
/// A deformed mesh with its fields as a grid for ParaView (vtu.hpp). Our shapes are VTK's, with the same node order.
#include <span>
#include <string>
#include <vector>

#include "rubato/fem/mesh.hpp"
#include "rubato/io/vtu.hpp"

namespace rubato::io {

/// Values of nodes or elements: `components` for each of them, one after another. Two components become a vector in
/// space.
struct FieldArray {
  std::string name = {};
  int components = 1;
  std::vector<double> values = {};
};

/// Cells are the volumes (in the plane: areas) of the mesh. Points lie where they moved to; their movement is the array
/// "displacement" of the points (empty: none). `nodal` holds values of all nodes, `elements` of all elements of the
/// mesh, of which those of volumes are shown. Cells carry "group": the first group of volumes they are in, counted from
/// 0, −1 for none.
[[nodiscard]] VtuGrid mesh_grid(const fem::Mesh& mesh, std::span<const double> displacement,
                                std::span<const FieldArray> nodal = {}, std::span<const FieldArray> elements = {});

}  // namespace rubato::io
