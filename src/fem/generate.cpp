// Blocks, and what is made of a block: Cook's membrane and the truck platform.
#include "rubato/fem/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fem/lattice.hpp"
#include "rubato/base/text.hpp"

namespace rubato::fem {
namespace {

constexpr std::array<std::array<std::string_view, 2>, 3> side_names{
    {{"left", "right"}, {"bottom", "top"}, {"back", "front"}}};

void add_point_group(Mesh& mesh, std::string_view name, int node) {
  const int element = mesh.add_element(Shape::point1, std::array{node});
  mesh.group(name, 0).elements.push_back(element);
}

std::string text(const Place& x, int dimension) {
  return dimension == 2 ? fmt::format("({}, {})", shortest(x[0]), shortest(x[1]))
                        : fmt::format("({}, {}, {})", shortest(x[0]), shortest(x[1]), shortest(x[2]));
}

}  // namespace

Result<Mesh> block(const Block& b) {
  const int d = info(b.shape).dimension;
  if (auto fine = check_lattice("block", b.shape, std::max(d, 2), b.divisions); !fine) return fine.error();
  if (!(b.distortion >= 0 && b.distortion <= 0.3))
    return Error{fmt::format(
        "block: distortion {} is outside [0, 0.3] (part of the shortest edge; more folds elements)", b.distortion)};
  for (int k = 0; k < d; ++k)
    if (!(b.low[k] < b.high[k] && std::isfinite(b.low[k]) && std::isfinite(b.high[k])))
      return Error{fmt::format("block: it reaches from {} to {} along axis {}; the second must be larger, both finite",
                               b.low[k], b.high[k], k + 1)};
  if (b.group.empty()) return Error{"block: its group has no name"};
  Lattice lattice{.shape = b.shape, .cells = b.divisions, .straight = b.straight, .distortion = b.distortion};
  lattice.position = [&](const Place& in_cells) {
    Place x{};
    for (int k = 0; k < d; ++k) {
      const double part = in_cells[k] / b.divisions[k];
      x[k] = b.low[k] * (1 - part) + b.high[k] * part;
    }
    return b.map ? b.map(x) : x;
  };
  lattice.group = [&](const Cell&) { return b.group; };
  lattice.side = [](const Cell&, int axis, bool high) {
    return std::string(side_names[static_cast<std::size_t>(axis)][high ? 1 : 0]);
  };
  return checked("block", make_mesh(lattice));
}

Result<Mesh> cook_membrane(Shape shape, int n) {
  if (info(shape).dimension != 2)
    return Error{fmt::format("cook_membrane: shape {} has dimension {}; it lies in the plane", info(shape).name,
                             info(shape).dimension)};
  auto mesh = block({.shape = shape, .divisions = {n, n, 1}, .map = [](const Place& x) {
                       return Place{48 * x[0], 44 * x[0] + x[1] * (44 - 28 * x[0]), 0};
                     }});
  if (!mesh) return Error{"cook_membrane: " + mesh.error().message};
  if (const auto node = node_at(*mesh, {48, 60, 0})) add_point_group(*mesh, "corner", *node);
  if (const auto node = node_at(*mesh, {48, 52, 0})) add_point_group(*mesh, "middle", *node);
  return mesh;
}

Result<Mesh> truck_platform() {
  constexpr double length = 6, height = 0.1, load_low = 2.25, load_high = 3.75;
  constexpr int columns = 23, rows = 3;
  auto mesh = block({.shape = Shape::tri6, .divisions = {columns, rows, 1}, .high = {length, height, 0}});
  if (!mesh) return mesh;
  for (const auto& [name, column] : {std::pair{"support_fixed", 4}, std::pair{"support_moved", 19}})
    if (const auto node = node_at(*mesh, {length * column / columns, 0, 0})) add_point_group(*mesh, name, *node);
  std::vector<int> loaded;
  for (const int e : mesh->find_group("top")->elements) {
    double low = length, high = 0;
    for (const int node : mesh->element(e)) {
      low = std::min(low, mesh->point(node)[0]);
      high = std::max(high, mesh->point(node)[0]);
    }
    if (high > load_low && low < load_high) loaded.push_back(e);
  }
  mesh->group("load", 1).elements = loaded;
  return mesh;
}

Result<int> node_at(const Mesh& mesh, const Place& place) {
  int nearest = -1;
  double shortest_distance = std::numeric_limits<double>::infinity(), size = 0;
  for (int node = 0; node < mesh.n_nodes(); ++node) {
    Place gap{};
    for (int k = 0; k < mesh.dimension; ++k) {
      gap[k] = mesh.point(node)[k] - place[k];
      size = std::max(size, std::abs(mesh.point(node)[k]));
    }
    const double distance = std::hypot(gap[0], gap[1], gap[2]);
    if (distance < shortest_distance) {
      shortest_distance = distance;
      nearest = node;
    }
  }
  if (shortest_distance <= 1e-9 * size) return nearest;
  if (nearest < 0) return Error{"mesh: it has no nodes"};
  Place x{};
  std::copy_n(mesh.point(nearest).begin(), mesh.dimension, x.begin());
  return Error{fmt::format("mesh: no node at {}; the nearest, {}, is at {}", text(place, mesh.dimension),
                           mesh.node_label(nearest), text(x, mesh.dimension))};
}

}  // namespace rubato::fem
