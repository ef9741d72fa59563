#include "solid_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/base/text.hpp"
#include "rubato/fem/measure.hpp"

namespace rubato::app {

namespace {

std::string mesh_words(const fem::Mesh& mesh) {
  std::vector<std::string> shapes;
  for (const auto& shape : fem::shape_list())
    if (const auto n = std::ranges::count(mesh.shapes, shape.id); n > 0 && shape.dimension == mesh.dimension)
      shapes.push_back(fmt::format("{} {}", n, shape.name));
  return fmt::format("{} nodes, {}", mesh.n_nodes(), joined(shapes));
}

std::string group_words(const fem::Mesh& mesh) {
  std::vector<std::string> groups;
  for (const auto& group : mesh.groups)
    groups.push_back(fmt::format("{} ({} {})", group.name, group.elements.size(),
                                 group.dimension == mesh.dimension       ? "elements"
                                 : group.dimension == mesh.dimension - 1 ? "sides"
                                 : group.dimension == 0                  ? "points"
                                                                         : "edges"));
  return joined(groups);
}

std::string quality_words(const fem::Mesh& mesh) {
  const fem::MeshQuality quality = fem::quality(mesh);
  return fmt::format("least ratio of Jacobians {:.3g} (element {}), edges up to {:.3g} : 1 (element {})",
                     quality.least_ratio, mesh.element_label(quality.worst), quality.largest_aspect,
                     mesh.element_label(quality.longest));
}

std::string pressure_words(double pascal) {
  if (std::isinf(pascal)) return "inf";
  return pascal >= 1e9   ? fmt::format("{:.4g} GPa", pascal / 1e9)
         : pascal >= 1e6 ? fmt::format("{:.4g} MPa", pascal / 1e6)
         : pascal >= 1e3 ? fmt::format("{:.4g} kPa", pascal / 1e3)
                         : fmt::format("{:.4g} Pa", pascal);
}

/// ν = (3κ − 2μ)/(6κ + 2μ), E = 2μ (1 + ν), at small strains.
std::string material_words(const fem::Material& material) {
  const double shear = fem::shear_modulus(material), bulk = fem::bulk_modulus(material);
  const double poisson = std::isinf(bulk) ? 0.5 : (3 * bulk - 2 * shear) / (6 * bulk + 2 * shear);
  return fmt::format("{}: shear modulus {}, bulk modulus {}, Young's modulus {}, Poisson's ratio {:.6g}, {:.5g} kg/m³",
                     material.name, pressure_words(shear), pressure_words(bulk),
                     pressure_words(2 * shear * (1 + poisson)), poisson, material.density);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> solid_words(const fem::SolidSystem& system) {
  const fem::SolidModel& model = system.model();
  const auto patterns = system.tangent_patterns();
  std::vector<std::pair<std::string, std::string>> out = {
      {"mesh", mesh_words(model.mesh)},
      {"groups", group_words(model.mesh)},
      {"quality", quality_words(model.mesh)},
      {"sizes",
       fmt::format("{} displacements, {} pressures{}, {} nonzeros of stiffness and constraints", system.sizes().q,
                   system.sizes().lambda, model.rigid.empty() ? "" : " and stresses of rigid parts",
                   patterns.K.nnz() + patterns.r_lambda.nnz() + patterns.g_q.nnz() + patterns.g_lambda.nnz())}};
  for (const auto& material : model.materials) out.emplace_back("material", material_words(material));
  fem::RegionMeasure whole;
  for (const auto& measures : {fem::measure_regions(model), fem::measure_rigid(model)})
    for (const auto& part : measures) {
      whole.volume += part.volume;
      whole.mass += part.mass;
    }
  out.emplace_back("body", fmt::format("volume {:.6g} m³, mass {:.6g} kg", whole.volume, whole.mass));
  return out;
}

}  // namespace rubato::app
