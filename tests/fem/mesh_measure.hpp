#pragma once
/// Lengths, areas, volumes and normals of parts of a mesh, by quadrature: independent of how the mesh was made.
#include <array>
#include <cmath>
#include <string_view>

#include "rubato/fem/mesh.hpp"

namespace rubato::fem {

struct Measure {
  double size = 0;                 ///< ∫ 1
  std::array<double, 3> normal{};  ///< ∫ n, of lines in the plane and surfaces in space
  double flux = 0;                 ///< ∫ x·n, likewise
};

inline Measure measure(const Mesh& mesh, const std::vector<int>& elements) {
  Measure out;
  for (const int e : elements) {
    const ShapeInfo& s = info(mesh.shapes[e]);
    for (const auto& q : quadrature(s.id, s.dimension == 3 && s.corners == 4 ? 6 : 5)) {
      const ShapeValues v = evaluate(s.id, q.xi);
      std::array<double, 3> x{};
      std::array<std::array<double, 3>, 3> t{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
      for (int a = 0; a < s.nodes; ++a)
        for (int i = 0; i < mesh.dimension; ++i) {
          const double c = mesh.point(mesh.element(e)[a])[i];
          x[i] += v.n[a] * c;
          for (int k = 0; k < s.dimension; ++k) t[k][i] += v.dn[a][k] * c;
        }
      if (s.dimension < 2 || (s.dimension == 2 && mesh.dimension == 2)) t[s.dimension] = {0, 0, 1};
      const std::array<double, 3> n{t[0][1] * t[1][2] - t[0][2] * t[1][1], t[0][2] * t[1][0] - t[0][0] * t[1][2],
                                    t[0][0] * t[1][1] - t[0][1] * t[1][0]};
      if (s.dimension == mesh.dimension) {
        out.size += q.weight * (n[0] * t[2][0] + n[1] * t[2][1] + n[2] * t[2][2]);
        continue;
      }
      out.size += q.weight * std::hypot(n[0], n[1], n[2]);
      for (int i = 0; i < 3; ++i) {
        out.normal[i] += q.weight * n[i];
        out.flux += q.weight * n[i] * x[i];
      }
    }
  }
  return out;
}

inline Measure measure(const Mesh& mesh, std::string_view group) {
  const MeshGroup* found = mesh.find_group(group);
  return found == nullptr ? Measure{.size = -1} : measure(mesh, found->elements);
}

}  // namespace rubato::fem
