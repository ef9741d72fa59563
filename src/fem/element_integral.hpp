#pragma once
/// Integrals over undeformed elements.
#include "element_set.hpp"

namespace rubato::fem::detail {

/// ∫ weight(x) over element e, undeformed.
template <class Weight>
[[nodiscard]] double integral(const Mesh& mesh, int e, const Weight& weight) {
  VolumePoint point;
  double sum = 0;
  const ShapeInfo& s = info(mesh.shapes[at(e)]);
  for (const QuadraturePoint& q : quadrature(s.id, 2 * s.degree + 1))
    if (volume_point(mesh, e, q, point)) sum += point.weight * weight(point.x);
  return sum;
}

}  // namespace rubato::fem::detail
