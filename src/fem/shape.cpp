// Shape functions of the reference elements. Lines, quadrilaterals and hexahedra with all nodes are products of Lagrange
// polynomials on −1, 0, 1; quad8 and hex20 are the serendipity elements; simplices are written in barycentric coordinates.
// Formulas as in Hughes, The Finite Element Method (1987), chapter 3.
#include "rubato/fem/shape.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato::fem {
namespace {

using Xi = std::array<double, 3>;

constexpr std::array<ShapeInfo, n_shapes> list{{
    {Shape::point1, "point1", 0, 1, 1, 0, Shape::point1, 1},
    {Shape::line2, "line2", 1, 2, 2, 1, Shape::line2, 3},
    {Shape::line3, "line3", 1, 3, 2, 2, Shape::line2, 5},
    {Shape::tri3, "tri3", 2, 3, 3, 1, Shape::tri3, 1},
    {Shape::tri6, "tri6", 2, 6, 3, 2, Shape::tri3, 5},
    {Shape::quad4, "quad4", 2, 4, 4, 1, Shape::quad4, 3},
    {Shape::quad8, "quad8", 2, 8, 4, 2, Shape::quad4, 5},
    {Shape::quad9, "quad9", 2, 9, 4, 2, Shape::quad4, 5},
    {Shape::tet4, "tet4", 3, 4, 4, 1, Shape::tet4, 1},
    {Shape::tet10, "tet10", 3, 10, 4, 2, Shape::tet4, 4},
    {Shape::hex8, "hex8", 3, 8, 8, 1, Shape::hex8, 3},
    {Shape::hex20, "hex20", 3, 20, 8, 2, Shape::hex8, 5},
    {Shape::hex27, "hex27", 3, 27, 8, 2, Shape::hex8, 5},
}};

constexpr std::array<Xi, 1> point_nodes{{{0, 0, 0}}};
constexpr std::array<Xi, 3> line_nodes{{{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}}};
constexpr std::array<Xi, 6> tri_nodes{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {.5, 0, 0}, {.5, .5, 0}, {0, .5, 0}}};
constexpr std::array<Xi, 9> quad_nodes{
    {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 0, 0}}};
constexpr std::array<Xi, 10> tet_nodes{{{0, 0, 0},
                                        {1, 0, 0},
                                        {0, 1, 0},
                                        {0, 0, 1},
                                        {.5, 0, 0},
                                        {.5, .5, 0},
                                        {0, .5, 0},
                                        {0, 0, .5},
                                        {.5, 0, .5},
                                        {0, .5, .5}}};
// Corners, edges of the bottom, of the top, upright edges; faces −x, +x, −y, +y, −z, +z; the middle.
constexpr std::array<Xi, 27> hex_nodes{
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},  {-1, 1, 1},  {0, -1, -1},
     {1, 0, -1},   {0, 1, -1},  {-1, 0, -1}, {0, -1, 1},  {1, 0, 1},   {0, 1, 1},  {-1, 0, 1}, {-1, -1, 0}, {1, -1, 0},
     {1, 1, 0},    {-1, 1, 0},  {-1, 0, 0},  {1, 0, 0},   {0, -1, 0},  {0, 1, 0},  {0, 0, -1}, {0, 0, 1},   {0, 0, 0}}};

/// The Lagrange polynomial on {−1, 1} or {−1, 0, 1} that is 1 at `node`, and its derivative.
struct Line {
  double value, slope;
};
Line lagrange(int degree, double node, double x) noexcept {
  if (degree == 1) return {0.5 * (1 + node * x), 0.5 * node};
  if (node == 0) return {1 - x * x, -2 * x};
  return {0.5 * x * (x + node), x + 0.5 * node};
}

void tensor(Shape shape, const Xi& xi, ShapeValues& out) noexcept {
  const ShapeInfo& s = info(shape);
  const auto nodes = reference_nodes(shape);
  for (int a = 0; a < s.nodes; ++a) {
    std::array<Line, 3> f{{{1, 0}, {1, 0}, {1, 0}}};
    for (int k = 0; k < s.dimension; ++k) f[k] = lagrange(s.degree, nodes[a][k], xi[k]);
    out.n[a] = f[0].value * f[1].value * f[2].value;
    out.dn[a] = {f[0].slope * f[1].value * f[2].value, f[0].value * f[1].slope * f[2].value,
                 f[0].value * f[1].value * f[2].slope};
  }
}

/// Serendipity: corners Π½(1 + ξ_k a_k) · (Σ ξ_k a_k − d + 1), edges with a_m = 0: Π_{k≠m} ½(1 + ξ_k a_k) · (1 − ξ_m²).
void serendipity(Shape shape, const Xi& xi, ShapeValues& out) noexcept {
  const ShapeInfo& s = info(shape);
  const auto nodes = reference_nodes(shape);
  const int d = s.dimension;
  for (int a = 0; a < s.nodes; ++a) {
    std::array<double, 3> f{1, 1, 1}, slope{};
    int middle = -1;
    for (int k = 0; k < d; ++k) {
      const double node = nodes[a][k];
      if (node == 0) {
        middle = k;
        f[k] = 1 - xi[k] * xi[k];
        slope[k] = -2 * xi[k];
      } else {
        f[k] = 0.5 * (1 + node * xi[k]);
        slope[k] = 0.5 * node;
      }
    }
    double last = 1;
    if (middle < 0) {
      last = 1 - d;
      for (int k = 0; k < d; ++k) last += nodes[a][k] * xi[k];
    }
    const double product = f[0] * f[1] * f[2];
    out.n[a] = product * last;
    for (int k = 0; k < d; ++k) {
      double others = slope[k];
      for (int m = 0; m < d; ++m)
        if (m != k) others *= f[m];
      out.dn[a][k] = others * last + (middle < 0 ? product * nodes[a][k] : 0.0);
    }
  }
}

/// Simplices: L_0 = 1 − Σ ξ, L_k = ξ_k; linear N = L, quadratic corners L(2L − 1), edges 4 L_i L_j.
void simplex(Shape shape, const Xi& xi, ShapeValues& out) noexcept {
  const ShapeInfo& s = info(shape);
  const int d = s.dimension;
  std::array<double, 4> l{};
  std::array<Xi, 4> dl{};
  l[0] = 1;
  for (int k = 0; k < d; ++k) {
    l[k + 1] = xi[k];
    l[0] -= xi[k];
    dl[k + 1][k] = 1;
    dl[0][k] = -1;
  }
  if (s.degree == 1) {
    for (int a = 0; a <= d; ++a) {
      out.n[a] = l[a];
      out.dn[a] = dl[a];
    }
    return;
  }
  for (int a = 0; a <= d; ++a) {
    out.n[a] = l[a] * (2 * l[a] - 1);
    for (int k = 0; k < d; ++k) out.dn[a][k] = (4 * l[a] - 1) * dl[a][k];
  }
  constexpr std::array<std::array<int, 2>, 6> edges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
  for (int a = d + 1; a < s.nodes; ++a) {
    const auto [i, j] = edges[static_cast<std::size_t>(a - d - 1)];
    out.n[a] = 4 * l[i] * l[j];
    for (int k = 0; k < d; ++k) out.dn[a][k] = 4 * (dl[i][k] * l[j] + l[i] * dl[j][k]);
  }
}

std::vector<Facet> facets_of(Shape shape) {
  const ShapeInfo& s = info(shape);
  const bool quadratic = s.degree == 2;
  if (s.dimension == 1) return {{Shape::point1, {0}}, {Shape::point1, {1}}};
  std::vector<Facet> out;
  if (s.dimension == 2) {
    for (int k = 0; k < s.corners; ++k) {
      Facet f{quadratic ? Shape::line3 : Shape::line2, {k, (k + 1) % s.corners}};
      if (quadratic) f.nodes.push_back(s.corners + k);
      out.push_back(f);
    }
    return out;
  }
  if (s.corners == 4) {
    constexpr int corner[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    constexpr int edge[4][3] = {{6, 5, 4}, {4, 8, 7}, {5, 9, 8}, {6, 7, 9}};
    for (int f = 0; f < 4; ++f) {
      Facet facet{quadratic ? Shape::tri6 : Shape::tri3, {corner[f], corner[f] + 3}};
      if (quadratic) facet.nodes.insert(facet.nodes.end(), edge[f], edge[f] + 3);
      out.push_back(facet);
    }
    return out;
  }
  constexpr int corner[6][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};
  constexpr int edge[6][4] = {{16, 15, 19, 11}, {9, 18, 13, 17}, {8, 17, 12, 16},
                              {19, 14, 18, 10}, {11, 10, 9, 8},  {12, 13, 14, 15}};
  for (int f = 0; f < 6; ++f) {
    Facet facet{shape == Shape::hex8    ? Shape::quad4
                : shape == Shape::hex20 ? Shape::quad8
                                        : Shape::quad9,
                {corner[f], corner[f] + 4}};
    if (quadratic) facet.nodes.insert(facet.nodes.end(), edge[f], edge[f] + 4);
    if (shape == Shape::hex27) facet.nodes.push_back(20 + f);
    out.push_back(facet);
  }
  return out;
}

}  // namespace

const ShapeInfo& info(Shape shape) noexcept { return list[static_cast<std::size_t>(shape)]; }
std::span<const ShapeInfo> shape_list() noexcept { return list; }

std::optional<Shape> shape_from_name(std::string_view name) noexcept {
  const auto found = std::find_if(list.begin(), list.end(), [&](const ShapeInfo& s) { return s.name == name; });
  return found == list.end() ? std::nullopt : std::optional(found->id);
}

std::span<const Xi> reference_nodes(Shape shape) noexcept {
  const ShapeInfo& s = info(shape);
  const auto first = [&](std::span<const Xi> all) { return all.first(static_cast<std::size_t>(s.nodes)); };
  if (s.dimension == 0) return point_nodes;
  if (s.dimension == 1) return first(line_nodes);
  if (s.dimension == 2) return s.corners == 3 ? first(tri_nodes) : first(quad_nodes);
  return s.corners == 4 ? first(tet_nodes) : first(hex_nodes);
}

ShapeValues evaluate(Shape shape, const Xi& xi) noexcept {
  ShapeValues out;
  switch (shape) {
    case Shape::point1: out.n[0] = 1; break;
    case Shape::quad8:
    case Shape::hex20: serendipity(shape, xi, out); break;
    case Shape::tri3:
    case Shape::tri6:
    case Shape::tet4:
    case Shape::tet10: simplex(shape, xi, out); break;
    default: tensor(shape, xi, out);
  }
  return out;
}

const std::vector<Facet>& facets(Shape shape) {
  static const std::array<std::vector<Facet>, n_shapes> all = [] {
    std::array<std::vector<Facet>, n_shapes> made;
    for (const ShapeInfo& s : list)
      if (s.dimension > 0) made[static_cast<std::size_t>(s.id)] = facets_of(s.id);
    return made;
  }();
  return all[static_cast<std::size_t>(shape)];
}

}  // namespace rubato::fem
