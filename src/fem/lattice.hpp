#pragma once
/// Cells in rows, columns and layers, any of them left out: what all generated meshes are made of.
///
/// Nodes lie on the lattice of half cells: corners at even numbers, middle nodes of edges, faces and volumes where one,
/// two or three numbers are odd.
#include <array>
#include <functional>
#include <string>

#include "rubato/fem/generate.hpp"

namespace rubato::fem {

using Cell = std::array<int, 3>;

struct Lattice {
  Shape shape = Shape::quad4;
  Cell cells = {1, 1, 1};
  std::array<bool, 3> periodic = {};
  std::function<Place(const Place& in_cells)> position = {};  ///< of a lattice point, counted in cells from the corner
  std::function<std::string(const Cell&)> group = {};         ///< of a cell; empty text: left out
  /// Of a side of a cell without neighbour there: axis 0 … 2 and whether it is the high one; empty text: no group.
  std::function<std::string(const Cell&, int axis, bool high)> side = {};
  bool straight = false;
  double distortion = 0;
};
[[nodiscard]] Mesh make_mesh(const Lattice& lattice);

/// What every generator asks of its arguments: a shape of the dimension, divisions of at least 1 and not too many in
/// all.
[[nodiscard]] Result<void> check_lattice(std::string_view generator, Shape shape, int dimension, const Cell& cells);

/// The mesh when it passes `check`; otherwise what it found, behind the name of the generator.
[[nodiscard]] Result<Mesh> checked(std::string_view generator, Mesh mesh);

}  // namespace rubato::fem
