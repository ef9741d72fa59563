#include "rubato/fem/locking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/base/text.hpp"
#include "rubato/fem/mixed_pairs.hpp"

namespace rubato::fem {

namespace {

/// The linear shape of the region's elements that locks, if any.
const ShapeInfo* linear_shape(const Mesh& mesh, const Region& region) {
  const MeshGroup* group = mesh.find_group(region.group);
  if (group == nullptr) return nullptr;
  for (const int element : group->elements)
    if (const ShapeInfo& shape = info(mesh.shapes[static_cast<std::size_t>(element)]); shape.degree == 1) return &shape;
  return nullptr;
}

std::string remedies(const ShapeInfo& linear) {
  std::vector<std::string> of_second_order;
  std::string words;
  for (const ShapeInfo& shape : shape_list())
    if (shape.linear == linear.id && shape.id != linear.id) of_second_order.emplace_back(shape.name);
  for (const MixedPair& pair : mixed_pairs()) {
    const char* name = pair.pressure == PressureSpace::continuous ? "continuous" : "discontinuous";
    if (pair.shape == linear.id) words += fmt::format("set pressure = \"{}\" in the region, or ", name);
  }
  words += fmt::format("take elements of second order ({})", joined(of_second_order));
  for (const MixedPair& pair : mixed_pairs())
    if (pair.inf_sup_stable && info(pair.shape).linear == linear.id) {
      const char* name = pair.pressure == PressureSpace::continuous ? "continuous" : "discontinuous";
      return words + fmt::format(", best {} with pressure = \"{}\"", info(pair.shape).name, name);
    }
  return words;
}

}  // namespace

std::vector<std::string> notes_on_locking(const SolidModel& model) {
  std::vector<std::string> notes;
  if (model.analysis == Analysis::plane_stress) return notes;
  for (const Region& region : model.regions) {
    const auto material = std::ranges::find(model.materials, region.material, &Material::name);
    if (region.pressure != PressureSpace::none || material == model.materials.end()) continue;
    const double ratio = bulk_modulus(*material) / shear_modulus(*material);
    const ShapeInfo* shape = linear_shape(model.mesh, region);
    if (shape == nullptr || !(ratio > locking_ratio) || std::isinf(ratio)) continue;
    notes.push_back(fmt::format(
        "region \"{}\" locks: material \"{}\" is nearly incompressible (bulk/shear modulus = {:.3g}) and {} "
        "without pressures cannot represent nearly incompressible deformation, displacements come out too small; {}",
        region.group, material->name, ratio, shape->name, remedies(*shape)));
  }
  return notes;
}

}  // namespace rubato::fem
