#include "element_set.hpp"

#include <fmt/format.h>

#include <cmath>

namespace rubato::fem::detail {

bool volume_point(const Mesh& mesh, int e, const QuadraturePoint& q, VolumePoint& out) noexcept {
  const int d = mesh.dimension;
  const auto nodes = mesh.element(e);
  const ShapeValues reference = evaluate(mesh.shapes[at(e)], q.xi);
  out.shape = reference;
  out.x = {};
  double j[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  // ∂X_i/∂ξ_k
  for (int i = 0; i < d; ++i)
    for (int k = 0; k < d; ++k) j[i][k] = 0;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const auto x = mesh.point(nodes[a]);
    for (int i = 0; i < d; ++i) {
      out.x[at(i)] += reference.n[a] * x[at(i)];
      for (int k = 0; k < d; ++k) j[i][k] += x[at(i)] * reference.dn[a][at(k)];
    }
  }
  const double det = j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
                     j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
                     j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
  out.weight = q.weight * det;
  if (!(det > 0)) return false;
  double inverse[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, f = (i + 2) % 3;
      inverse[i][k] = (j[a][c] * j[b][f] - j[a][f] * j[b][c]) / det;
    }
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    out.shape.dn[a] = {};
    for (int i = 0; i < d; ++i)
      for (int k = 0; k < d; ++k) out.shape.dn[a][at(i)] += reference.dn[a][at(k)] * inverse[k][i];
  }
  return true;
}

int pressures_of(Shape shape, PressureSpace space) noexcept {
  const ShapeInfo& s = info(shape);
  switch (space) {
    case PressureSpace::none: return 0;
    case PressureSpace::continuous: return s.corners;
    case PressureSpace::discontinuous: return s.degree == 1 ? 1 : s.dimension + 1;
  }
  return 0;
}

void pressure_shapes(Shape shape, PressureSpace space, const std::array<double, 3>& xi,
                     std::span<double> psi) noexcept {
  const ShapeInfo& s = info(shape);
  if (space == PressureSpace::continuous) {
    const ShapeValues v = evaluate(s.linear, xi);
    for (std::size_t k = 0; k < psi.size(); ++k) psi[k] = v.n[k];
  } else if (!psi.empty()) {
    psi[0] = 1;
    for (std::size_t k = 1; k < psi.size(); ++k) psi[k] = xi[k - 1];
  }
}

double depth(const SolidModel& model, double radius) noexcept {
  switch (model.analysis) {
    case Analysis::axisymmetric: return 2 * M_PI * radius;
    case Analysis::space: return 1;
    default: return model.thickness;
  }
}

Result<ElementSet> make_set(const SolidModel& model, Shape shape, int region, const LawData& law,
                            std::span<const int> elements) {
  const Mesh& mesh = model.mesh;
  const ShapeInfo& s = info(shape);
  const PressureSpace space = model.regions[at(region)].pressure;
  ElementSet set;
  set.shape = shape;
  set.region = region;
  set.law = law;
  set.kernel = pack_kernel(static_cast<Kinematics>(model.analysis));
  set.n_elements = static_cast<int>(elements.size());
  set.n_packs = (set.n_elements + lanes - 1) / lanes;
  set.dimension = mesh.dimension;
  set.slots = model.analysis == Analysis::axisymmetric ? 3 : mesh.dimension;
  set.nodes = s.nodes;
  set.pressures = pressures_of(shape, space);
  const auto rule = quadrature(shape, s.quadrature);
  set.points = static_cast<int>(rule.size());
  set.terms = law.n_prony;
  set.components = mesh.dimension == 3 ? 6 : 4;
  set.psi.resize(at(set.points * set.pressures));
  for (std::size_t q = 0; q < rule.size(); ++q)
    pressure_shapes(shape, space, rule[q].xi, std::span(set.psi).subspan(q * at(set.pressures), at(set.pressures)));

  const std::size_t per_point = at((set.nodes * set.slots + 1) * lanes);
  set.geometry.resize(at(set.n_packs) * at(set.points) * per_point);
  set.element_of.assign(at(set.n_packs * lanes), -1);
  set.node_of.resize(at(set.n_packs * set.nodes * lanes));
  set.pressure_of.resize(at(set.n_packs * set.pressures * lanes));
  VolumePoint point;
  for (int slot = 0; slot < set.n_packs * lanes; ++slot) {
    const bool padding = slot >= set.n_elements;  // a copy of the last element without weight
    const int e = elements[padding ? elements.size() - 1 : at(slot)];
    const int pack = slot / lanes, lane = slot % lanes;
    if (!padding) set.element_of[at(slot)] = e;
    const auto nodes = mesh.element(e);
    for (int a = 0; a < set.nodes; ++a) set.node_of[at((pack * set.nodes + a) * lanes + lane)] = nodes[at(a)];
    double* to = set.geometry.data() + at(pack) * at(set.points) * per_point + lane;
    for (std::size_t q = 0; q < rule.size(); ++q, to += per_point) {
      if (!volume_point(mesh, e, rule[q], point))
        return Error{fmt::format("element {} ({}) is turned inside out or has no volume at a quadrature point",
                                 mesh.element_label(e), s.name)};
      const double radius = point.x[0];
      if (model.analysis == Analysis::axisymmetric && !(radius > 0))
        return Error{fmt::format("element {} ({}) lies at radius {} <= 0 of an axisymmetric model",
                                 mesh.element_label(e), s.name, radius)};
      for (int a = 0; a < set.nodes; ++a) {
        for (int i = 0; i < set.dimension; ++i) to[(a * set.slots + i) * lanes] = point.shape.dn[at(a)][at(i)];
        if (set.slots > set.dimension) to[(a * set.slots + 2) * lanes] = point.shape.n[at(a)] / radius;
      }
      to[set.nodes * set.slots * lanes] = padding ? 0 : point.weight * depth(model, radius);
    }
  }
  return set;
}

}  // namespace rubato::fem::detail
