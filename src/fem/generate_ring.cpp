// Rings in the plane, hollow cylinders and bushings: lattices in radius, angle and height, closed in the angle.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fem/lattice.hpp"
#include "rubato/fem/generate.hpp"

namespace rubato::fem {
namespace {

constexpr double pi = 3.14159265358979323846;

Result<void> check_layers(std::string_view generator, double inner_radius, const std::vector<RingLayer>& layers,
                          int around) {
  if (!(inner_radius > 0 && std::isfinite(inner_radius)))
    return Error{fmt::format("{}: inner radius {}; it must be positive", generator, inner_radius)};
  if (layers.empty()) return Error{fmt::format("{}: there are no layers; at least one is needed", generator)};
  double before = inner_radius;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const RingLayer& layer = layers[i];
    if (!(layer.outer_radius > before && std::isfinite(layer.outer_radius)))
      return Error{fmt::format("{}: layer {} ('{}') ends at radius {} and begins at {}; radii must rise", generator,
                               i + 1, layer.group, layer.outer_radius, before)};
    if (layer.divisions < 1)
      return Error{fmt::format("{}: layer {} ('{}') has {} divisions; there must be at least 1", generator, i + 1,
                               layer.group, layer.divisions)};
    if (layer.group.empty()) return Error{fmt::format("{}: layer {} has no group name", generator, i + 1)};
    before = layer.outer_radius;
  }
  if (around < 3)
    return Error{fmt::format("{}: {} divisions around; a closed ring needs at least 3", generator, around)};
  return {};
}

/// Radius and layer of every division.
class Layers {
 public:
  Layers(double inner_radius, const std::vector<RingLayer>& layers) : layers_(layers) {
    double before = inner_radius;
    radii_.push_back(before);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const RingLayer& layer = layers[i];
      for (int k = 1; k <= layer.divisions; ++k) {
        const double part = static_cast<double>(k) / layer.divisions;
        radii_.push_back(before * (1 - part) + layer.outer_radius * part);
        layer_of_.push_back(i);
      }
      before = layer.outer_radius;
    }
  }
  [[nodiscard]] int divisions() const { return static_cast<int>(layer_of_.size()); }
  [[nodiscard]] double radius(double in_cells) const {
    const auto i = static_cast<std::size_t>(in_cells);
    const double part = in_cells - static_cast<double>(i);
    return part > 0 ? radii_[i] * (1 - part) + radii_[i + 1] * part : radii_[i];
  }
  [[nodiscard]] const std::string& group(int division) const { return layers_[layer_of_[division]].group; }
  [[nodiscard]] std::size_t layer(int division) const { return layer_of_[division]; }

 private:
  const std::vector<RingLayer>& layers_;
  std::vector<double> radii_;
  std::vector<std::size_t> layer_of_;
};

Result<std::array<int, 3>> lattice_size(std::string_view generator, Shape shape, int dimension,
                                        const std::vector<RingLayer>& layers, int around, int along) {
  double radial = 0;
  for (const RingLayer& layer : layers) radial += layer.divisions;
  const std::array<int, 3> cells{static_cast<int>(std::min(radial, 1e9)), around, along};
  if (auto fine = check_lattice(generator, shape, dimension, cells); !fine) return fine.error();
  return cells;
}

Lattice polar(Shape shape, const std::array<int, 3>& cells, const Layers& layers, double length) {
  Lattice lattice{.shape = shape, .cells = cells, .periodic = {false, true, false}};
  lattice.position = [&layers, cells, length](const Place& in_cells) {
    const double r = layers.radius(in_cells[0]), angle = 2 * pi * in_cells[1] / cells[1];
    return Place{r * std::cos(angle), r * std::sin(angle), length * (in_cells[2] / cells[2] - 0.5)};
  };
  lattice.group = [&layers](const Cell& cell) { return layers.group(cell[0]); };
  lattice.side = [](const Cell&, int axis, bool high) -> std::string {
    if (axis == 0) return high ? "outer" : "inner";
    return high ? "front" : "back";
  };
  return lattice;
}

}  // namespace

Result<Mesh> ring(const Ring& r) {
  if (auto fine = check_layers("ring", r.inner_radius, r.layers, r.around); !fine) return fine.error();
  const auto cells = lattice_size("ring", r.shape, 2, r.layers, r.around, 1);
  if (!cells) return cells.error();
  const Layers layers(r.inner_radius, r.layers);
  return checked("ring", make_mesh(polar(r.shape, *cells, layers, 0)));
}

Result<Mesh> hollow_cylinder(const HollowCylinder& c) {
  if (auto fine = check_layers("hollow_cylinder", c.inner_radius, c.layers, c.around); !fine) return fine.error();
  if (!(c.length > 0 && std::isfinite(c.length)))
    return Error{fmt::format("hollow_cylinder: length {}; it must be positive", c.length)};
  const auto cells = lattice_size("hollow_cylinder", c.shape, 3, c.layers, c.around, c.along);
  if (!cells) return cells.error();
  const Layers layers(c.inner_radius, c.layers);
  return checked("hollow_cylinder", make_mesh(polar(c.shape, *cells, layers, c.length)));
}

Result<Mesh> bushing(const Bushing& b) {
  if (!(b.element_size > 0 && b.element_size < b.length))
    return Error{fmt::format("bushing: element size {}; it must be positive and smaller than the length {}",
                             b.element_size, b.length)};
  if (!(b.void_angle > 0 && b.void_angle < pi))
    return Error{fmt::format("bushing: each void spans {} rad; allowed are more than 0 and less than π", b.void_angle)};
  const auto wished = [&](double distance) {
    const double n = std::round(distance / b.element_size);
    return n >= 1 ? static_cast<int>(std::min(n, 1e6)) : 1;  // written so that NaN gives 1, and the radii are refused
  };
  const std::vector<RingLayer> list{{b.void_inner_radius, wished(b.void_inner_radius - b.inner_radius), "rubber"},
                                    {b.void_outer_radius, wished(b.void_outer_radius - b.void_inner_radius), "rubber"},
                                    {b.outer_radius, wished(b.outer_radius - b.void_outer_radius), "rubber"}};
  // A multiple of four around, an even number in a void: the mesh is symmetric about both axes.
  const int around = std::max(3, (wished(pi * (b.inner_radius + b.outer_radius)) + 2) / 4) * 4;
  const int half = std::clamp(static_cast<int>(std::lround(b.void_angle / (4 * pi) * around)), 1, around / 4 - 1);
  if (auto fine = check_layers("bushing", b.inner_radius, list, around); !fine) return fine.error();
  const auto cells = lattice_size("bushing", b.shape, 3, list, around, wished(b.length));
  if (!cells) return cells.error();
  const Layers layers(b.inner_radius, list);
  Lattice lattice = polar(b.shape, *cells, layers, b.length);
  lattice.group = [&](const Cell& cell) -> std::string {
    const int from_axis = (cell[1] + half) % (around / 2);  // 0 … 2 half − 1 in the voids about angle 0 and π
    return layers.layer(cell[0]) == 1 && from_axis < 2 * half ? "" : "rubber";
  };
  lattice.side = [last = (*cells)[0] - 1](const Cell& cell, int axis, bool high) -> std::string {
    if (axis == 2) return high ? "front" : "back";
    if (axis == 1) return "void_ends";
    if (high) return cell[0] == last ? "outer" : "stop_inner";
    return cell[0] == 0 ? "inner" : "stop_outer";
  };
  return checked("bushing", make_mesh(lattice));
}

}  // namespace rubato::fem
