#include "rubato/fem/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "element_integral.hpp"

namespace rubato::fem {

namespace {

double volume_of(const SolidModel& model, int e) {
  return detail::integral(model.mesh, e, [&](const auto& x) { return detail::depth(model, x[0]); });
}

}  // namespace

std::vector<RegionMeasure> measure_regions(const SolidModel& model) {
  std::vector<RegionMeasure> out;
  for (const Region& region : model.regions) {
    RegionMeasure& measure = out.emplace_back();
    const MeshGroup* group = model.mesh.find_group(region.group);
    if (group == nullptr) continue;
    for (const int e : group->elements) measure.volume += volume_of(model, e);
    const auto material = std::ranges::find(model.materials, region.material, &Material::name);
    if (material != model.materials.end()) measure.mass = material->density * measure.volume;
  }
  return out;
}

std::vector<RegionMeasure> measure_rigid(const SolidModel& model) {
  std::vector<RegionMeasure> out;
  std::vector<char> in_region(static_cast<std::size_t>(model.mesh.n_elements()));
  for (const Region& region : model.regions)
    if (const MeshGroup* group = model.mesh.find_group(region.group))
      for (const int e : group->elements) in_region[static_cast<std::size_t>(e)] = 1;
  for (const RigidRegion& rigid : model.rigid) {
    RegionMeasure& measure = out.emplace_back();
    if (const MeshGroup* group = model.mesh.find_group(rigid.group);
        group != nullptr && group->dimension == model.mesh.dimension)
      for (const int e : group->elements)
        if (in_region[static_cast<std::size_t>(e)] == 0) measure.volume += volume_of(model, e);
    measure.mass = rigid.density * measure.volume + rigid.mass;
  }
  return out;
}

MeshQuality quality(const Mesh& mesh) {
  MeshQuality out;
  detail::VolumePoint point;
  for (int e = 0; e < mesh.n_elements(); ++e) {
    const ShapeInfo& s = info(mesh.shapes[static_cast<std::size_t>(e)]);
    if (s.dimension != mesh.dimension) continue;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const QuadraturePoint& q : quadrature(s.id, s.quadrature)) {
      const double det = detail::volume_point(mesh, e, q, point) ? point.weight / q.weight : 0;
      least = std::min(least, det);
      most = std::max(most, det);
    }
    if (const double ratio = most > 0 ? least / most : 0; out.worst < 0 || ratio < out.least_ratio) {
      out.least_ratio = ratio;
      out.worst = e;
    }
    double shortest = std::numeric_limits<double>::infinity(), longest = 0;
    for (const Facet& facet : facets(s.id)) {
      const int corners = info(facet.shape).corners, edges = corners == 2 ? 1 : corners;
      for (int k = 0; k < edges; ++k) {
        const auto a = mesh.point(mesh.element(e)[static_cast<std::size_t>(facet.nodes[static_cast<std::size_t>(k)])]);
        const auto b = mesh.point(
            mesh.element(e)[static_cast<std::size_t>(facet.nodes[static_cast<std::size_t>((k + 1) % corners)])]);
        double square = 0;
        for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
        shortest = std::min(shortest, std::sqrt(square));
        longest = std::max(longest, std::sqrt(square));
      }
    }
    if (const double aspect = longest / shortest; out.longest < 0 || aspect > out.largest_aspect) {
      out.largest_aspect = aspect;
      out.longest = e;
    }
  }
  return out;
}

}  // namespace rubato::fem
