// From a model as data to the parts of a system: regions become sets of elements, groups become conditions and loads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "law_data.hpp"
#include "numbering.hpp"
#include "rigid_system.hpp"
#include "rubato/base/text.hpp"
#include "rubato/fem/mixed_pairs.hpp"

namespace rubato::fem {

FieldFunction::FieldFunction(const Function& everywhere) : everywhere_(everywhere) {}

namespace detail {
namespace {

Result<void> check_pressure(const Region& region, const Material& material, Shape shape, Analysis analysis) {
  const ShapeInfo& s = info(shape);
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("region \"{}\": {}", region.group, why)}; };
  const bool mixed = region.pressure != PressureSpace::none;
  if (analysis == Analysis::plane_stress && !material.prony.empty())
    return refuse(
        fmt::format("material \"{}\" is viscoelastic, which plane stress cannot have: its thickness would have a "
                    "memory as well; use plane strain or a body in space",
                    material.name));
  if (analysis == Analysis::plane_stress && std::isinf(bulk_modulus(material)))
    return refuse(fmt::format(
        "material \"{}\" is incompressible, which plane stress cannot have; give it a bulk modulus", material.name));
  if (const auto* law = std::get_if<LinearElastic>(&material.law); mixed && law != nullptr && !(law->poisson > 0))
    return refuse(fmt::format("pressures need a positive Poisson number; that of material \"{}\" is {}", material.name,
                              law->poisson));
  if (!mixed && std::isinf(bulk_modulus(material)))
    return refuse(fmt::format(
        "material \"{}\" is incompressible: pressure = \"continuous\" or \"discontinuous\" is needed", material.name));
  if (!mixed) return {};
  if (std::holds_alternative<SaintVenantKirchhoff>(material.law))
    return refuse("Saint Venant-Kirchhoff has no volumetric part that a pressure could carry");
  if (analysis == Analysis::plane_stress)
    return refuse("plane stress needs no pressures: the free thickness takes up volume");
  const auto pairs = mixed_pairs();
  if (std::any_of(pairs.begin(), pairs.end(),
                  [&](const MixedPair& pair) { return pair.shape == shape && pair.pressure == region.pressure; }))
    return {};
  std::vector<std::string> known;
  for (const MixedPair& pair : pairs)
    if (pair.pressure == region.pressure) known.emplace_back(info(pair.shape).name);
  return refuse(fmt::format("{} pressures go with {}, not with {}",
                            region.pressure == PressureSpace::continuous ? "continuous" : "discontinuous",
                            joined(known), s.name));
}

Result<void> make_sets(SolidParts& parts) {
  const SolidModel& model = parts.model;
  const Mesh& mesh = model.mesh;
  std::vector<int> region_of(at(mesh.n_elements()), -1);
  const std::vector<char> rigid = rigid_elements(model);
  for (std::size_t r = 0; r < model.regions.size(); ++r) {
    const Region& region = model.regions[r];
    const auto group = group_of(mesh, region.group, "region", mesh.dimension);
    if (!group) return group.error();
    const auto material = std::find_if(model.materials.begin(), model.materials.end(),
                                       [&](const Material& m) { return m.name == region.material; });
    if (material == model.materials.end()) {
      std::vector<std::string> known;
      for (const auto& m : model.materials) known.push_back(m.name);
      return Error{fmt::format("region \"{}\": {}", region.group, unknown_name("material", region.material, known))};
    }
    std::array<std::vector<int>, n_shapes> by_shape;
    for (const int e : (*group)->elements) {
      if (region_of[at(e)] >= 0)
        return Error{fmt::format("element {} belongs to the regions \"{}\" and \"{}\"", mesh.element_label(e),
                                 model.regions[at(region_of[at(e)])].group, region.group)};
      region_of[at(e)] = static_cast<int>(r);
      if (rigid[at(e)] == 0) by_shape[static_cast<std::size_t>(mesh.shapes[at(e)])].push_back(e);
    }
    for (const ShapeInfo& s : shape_list()) {
      const auto& elements = by_shape[static_cast<std::size_t>(s.id)];
      if (elements.empty()) continue;
      if (auto ok = check_pressure(region, *material, s.id, model.analysis); !ok) return ok;
      auto set = make_set(model, s.id, static_cast<int>(r), law_data(*material, region.pressure != PressureSpace::none),
                          elements);
      if (!set) return Error{fmt::format("region \"{}\": {}", region.group, set.error().message)};
      parts.assembly.sets.push_back(*std::move(set));
    }
  }
  for (int e = 0; e < mesh.n_elements(); ++e)
    if (info(mesh.shapes[at(e)]).dimension == mesh.dimension && region_of[at(e)] < 0 && rigid[at(e)] == 0)
      return Error{fmt::format("element {} belongs to no region: it has no material", mesh.element_label(e))};
  if (parts.assembly.sets.empty()) return Error{"the model has no regions that deform"};
  return {};
}

/// ∫ ρ N_a N_b, node by node. Lumped: row sums, for quadratic elements the diagonal scaled to the element's mass (Hinton, Rock,
/// Zienkiewicz, Earthq. Eng. Struct. Dyn. 4 (1976) 245, doi:10.1002/eqe.4290040305), for row sums at their corners may be negative.
void make_mass(SolidParts& parts) {
  const SolidModel& model = parts.model;
  const Mesh& mesh = model.mesh;
  parts.mass.assign(at(parts.node_pattern.nnz()), 0.0);
  VolumePoint point;
  for (const ElementSet& set : parts.assembly.sets) {
    const double density = material_of(model, model.regions[at(set.region)]).density;
    const ShapeInfo& s = info(set.shape);
    const auto rule = quadrature(set.shape, 2 * s.degree + (s.corners == s.dimension + 1 ? 0 : 1));
    for (int slot = 0; slot < set.n_elements; ++slot) {
      const int e = set.element_of[at(slot)];
      const auto nodes = mesh.element(e);
      double local[max_shape_nodes][max_shape_nodes] = {};
      double total = 0, diagonal = 0;
      for (const QuadraturePoint& q : rule) {
        if (!volume_point(mesh, e, q, point)) continue;  // refused before
        const double w = density * point.weight * depth(model, point.x[0]);
        total += w;
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (std::size_t b = 0; b < nodes.size(); ++b) local[a][b] += w * point.shape.n[a] * point.shape.n[b];
      }
      for (std::size_t a = 0; a < nodes.size(); ++a) diagonal += local[a][a];
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        double row = 0;
        for (std::size_t b = 0; b < nodes.size(); ++b) row += local[a][b];
        const double lumped = s.degree == 1 ? row : local[a][a] * total / diagonal;
        if (model.lumped_mass && total > 0) parts.mass[at(parts.node_pattern.index_of(nodes[a], nodes[a]))] += lumped;
        if (!model.lumped_mass)
          for (std::size_t b = 0; b < nodes.size(); ++b)
            parts.mass[at(parts.node_pattern.index_of(nodes[b], nodes[a]))] += local[b][a];
      }
    }
  }
}

/// One load case per function that is not zero: axis by axis.
Result<void> add_loads(SolidParts& parts, const std::array<Function, 3>& functions, std::span<const double> per_node,
                       std::string_view who) {
  const int d = parts.model.mesh.dimension;
  for (int i = 0; i < 3; ++i) {
    if (is_zero(functions[at(i)])) continue;
    if (i >= d) return Error{fmt::format("{}: a plane model has no third axis", who)};
    LoadCase load{.force = std::vector<double>(at(parts.model.mesh.n_nodes() * d)), .factor = functions[at(i)]};
    for (std::size_t node = 0; node < per_node.size(); ++node) load.force[node * at(d) + at(i)] = per_node[node];
    parts.loads.push_back(std::move(load));
  }
  return {};
}

Result<void> make_loads(SolidParts& parts) {
  const SolidModel& model = parts.model;
  const Mesh& mesh = model.mesh;
  const int d = mesh.dimension;
  const auto n_nodes = at(mesh.n_nodes());
  std::vector<double> share(n_nodes);
  const auto starts = parts.node_pattern.column_starts();
  for (std::size_t node = 0; node < n_nodes; ++node)  // the row sums of the mass, so that a free body falls as a whole
    for (int p = starts[node]; p < starts[node + 1]; ++p) share[node] += parts.mass[at(p)];
  if (auto ok = add_loads(parts, model.gravity, share, "gravity"); !ok) return ok;
  for (const Traction& traction : model.tractions) {
    const auto group = group_of(mesh, traction.group, "traction", d - 1);
    if (!group) return group.error();
    std::fill(share.begin(), share.end(), 0.0);
    LoadCase varying{.force = std::vector<double>(n_nodes * at(d)), .factor = traction.varying.factor};
    for (const int e : (*group)->elements) {
      const auto nodes = mesh.element(e);
      const Shape shape = mesh.shapes[at(e)];
      for (const QuadraturePoint& q : quadrature(shape, 5)) {
        const ShapeValues v = evaluate(shape, q.xi);
        std::array<double, 3> x{}, t{}, s{};
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (int i = 0; i < d; ++i) {
            const double node = mesh.point(nodes[a])[at(i)];
            x[at(i)] += v.n[a] * node;
            t[at(i)] += v.dn[a][0] * node;
            s[at(i)] += v.dn[a][1] * node;
          }
        if (d == 2) s = {0, 0, 1};
        const double area = std::hypot(t[1] * s[2] - t[2] * s[1], t[2] * s[0] - t[0] * s[2], t[0] * s[1] - t[1] * s[0]);
        const double weight = q.weight * area * depth(model, x[0]);
        for (std::size_t a = 0; a < nodes.size(); ++a) share[at(nodes[a])] += weight * v.n[a];
        if (!traction.varying.pattern) continue;
        const auto f = traction.varying.pattern(std::span(x).first(at(d)));
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (int i = 0; i < d; ++i) varying.force[at(nodes[a] * d + i)] += weight * v.n[a] * f[at(i)];
      }
    }
    if (traction.varying.pattern) parts.loads.push_back(std::move(varying));
    if (auto ok = add_loads(parts, traction.stress, share, fmt::format("traction on \"{}\"", traction.group)); !ok)
      return ok;
  }
  VolumePoint point;
  for (const BodyForce& body : model.body_forces) {
    const auto group = group_of(mesh, body.group, "body force", d);
    if (!group) return group.error();
    if (!body.force.pattern || is_zero(body.force.factor))
      return Error{fmt::format("body force on \"{}\": it needs a pattern and a factor that is not zero", body.group)};
    LoadCase load{.force = std::vector<double>(n_nodes * at(d)), .factor = body.force.factor};
    for (const int e : (*group)->elements) {
      const auto nodes = mesh.element(e);
      const bool simplex = info(mesh.shapes[at(e)]).corners == d + 1;
      for (const QuadraturePoint& q : quadrature(mesh.shapes[at(e)], simplex ? 6 : 7)) {
        if (!volume_point(mesh, e, q, point)) continue;  // refused before
        const auto f = body.force.pattern(std::span(point.x).first(at(d)));
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (int i = 0; i < d; ++i)
            load.force[at(nodes[a] * d + i)] += point.weight * depth(model, point.x[0]) * point.shape.n[a] * f[at(i)];
      }
    }
    parts.loads.push_back(std::move(load));
  }
  for (const NodalForce& force : model.forces) {
    const auto group = group_of(mesh, force.group, "force");
    if (!group) return group.error();
    const auto nodes = mesh.nodes_of(**group);
    std::fill(share.begin(), share.end(), 0.0);
    for (const int node : nodes)
      share[at(node)] = (*group)->dimension == 0 ? 1.0 : 1.0 / static_cast<double>(nodes.size());
    if (auto ok = add_loads(parts, force.force, share, fmt::format("force on \"{}\"", force.group)); !ok) return ok;
  }
  return {};
}

/// β K(undeformed) of all nodes: the same body with nothing prescribed.
void make_stiffness_damping(SolidParts& parts) {
  SolidParts whole;
  whole.model = parts.model;
  whole.model.prescribed.clear();
  whole.n_lambda = parts.n_lambda;
  whole.assembly.n_nodes = parts.assembly.n_nodes;
  whole.assembly.dimension = parts.assembly.dimension;
  whole.assembly.sets = parts.assembly.sets;
  for (ElementSet& set : whole.assembly.sets) {
    set.free_axes.clear();
    for (auto* places : {&set.stiffness_place, &set.reaction_place, &set.constraint_place, &set.compliance_place})
      places->clear();
  }
  const auto numbered = number_displacements(whole);
  RUBATO_ASSERT(numbered.ok(), "nothing is prescribed here");
  make_patterns(whole);
  whole.assembly.make_blocks(1);
  std::vector<double> values(at(whole.patterns.K.nnz()));
  const std::vector<double> rest(parts.coordinate.size()), no_pressure(at(parts.n_lambda));
  ScratchMemory memory(whole.assembly.scratch_bytes());
  [[maybe_unused]] const EvalStatus status =
      whole.assembly.run({.u = rest, .lambda = no_pressure, .stiffness = values}, memory.scratch());
  RUBATO_ASSERT(status == EvalStatus::ok, "undeformed elements are not inverted");
  std::vector<Entry> entries;  // the numbers of q ascend with the places: the order of the values stays
  for (int j = 0; j < whole.patterns.K.cols(); ++j)
    for (const int i : whole.patterns.K.column(j))
      entries.push_back({whole.free_places[at(i)], whole.free_places[at(j)]});
  const int n = static_cast<int>(parts.coordinate.size());
  parts.stiffness_damping_pattern = SparsePattern::from_entries(n, n, std::move(entries));
  for (double& v : values) v *= parts.model.stiffness_damping;
  parts.stiffness_damping = std::move(values);
}

/// D = α M + β K(undeformed) of the free nodes.
void make_damping(SolidParts& parts) {
  const double alpha = parts.model.mass_damping, beta = parts.model.stiffness_damping;
  if (!(alpha > 0 || beta > 0)) return;
  if (beta > 0) make_stiffness_damping(parts);
  const int d = parts.model.mesh.dimension;
  parts.damping.assign(at(parts.patterns.K.nnz()), 0.0);
  const auto add = [&](int row_place, std::size_t q, double value) {
    if (const int row = parts.coordinate[at(row_place)]; row >= 0)
      parts.damping[at(parts.patterns.K.index_of(row, static_cast<int>(q)))] += value;
  };
  for (std::size_t q = 0; q < parts.free_places.size(); ++q) {
    const int place = parts.free_places[q], node = place / d, axis = place % d;
    const auto starts = parts.node_pattern.column_starts();
    for (int p = starts[at(node)]; p < starts[at(node) + 1]; ++p)
      add(parts.node_pattern.row_indices()[at(p)] * d + axis, q, alpha * parts.mass[at(p)]);
    if (parts.stiffness_damping.empty()) continue;
    const auto columns = parts.stiffness_damping_pattern.column_starts();
    for (int p = columns[at(place)]; p < columns[at(place) + 1]; ++p)
      add(parts.stiffness_damping_pattern.row_indices()[at(p)], q, parts.stiffness_damping[at(p)]);
  }
}

}  // namespace

bool is_zero(const Function& f) {
  const Expression* expression = f.expression();
  return expression != nullptr && expression->is_constant() && expression->evaluate(std::span<const double>()) == 0;
}

const Material& material_of(const SolidModel& model, const Region& region) {
  return *std::find_if(model.materials.begin(), model.materials.end(),
                       [&](const Material& m) { return m.name == region.material; });
}

Result<SolidParts> make_parts(SolidModel model) {
  const bool space = model.analysis == Analysis::space;
  if (model.mesh.dimension != (space ? 3 : 2))
    return Error{
        fmt::format("the mesh has {} dimensions; this analysis needs {}", model.mesh.dimension, space ? 3 : 2)};
  if (!(model.thickness > 0) || !std::isfinite(model.thickness))
    return Error{fmt::format("thickness = {} must be positive", model.thickness)};
  if (!(model.mass_damping >= 0 && model.stiffness_damping >= 0 &&
        std::isfinite(model.mass_damping + model.stiffness_damping)))
    return Error{fmt::format("damping {} and {}: numbers that are not negative are needed", model.mass_damping,
                             model.stiffness_damping)};
  if (model.threads < 0 || model.threads > 256)
    return Error{fmt::format("threads = {}; 0 (those of the machine) to 256 are possible", model.threads)};
  if (auto ok = check(model.mesh); !ok) return ok.error();
  for (const Material& material : model.materials)
    if (auto ok = check(material); !ok) return ok.error();
  for (const Probe& probe : model.probes)
    if (probe.nodes.empty() ||
        std::ranges::any_of(probe.nodes, [&](int node) { return node < 0 || node >= model.mesh.n_nodes(); }))
      return Error{fmt::format("probe \"{}\" has no nodes, or nodes that are not of the mesh", probe.name)};
  SolidParts parts;
  parts.model = std::move(model);
  parts.assembly.n_nodes = parts.model.mesh.n_nodes();
  parts.assembly.dimension = parts.model.mesh.dimension;
  if (auto ok = make_sets(parts); !ok) return ok.error();
  if (auto ok = number_displacements(parts); !ok) return ok.error();
  number_pressures(parts);
  auto contacts = Contacts::make(parts.model);
  if (!contacts) return contacts.error();
  parts.contacts = *std::move(contacts);
  for (const Obstacle& obstacle : parts.model.obstacles)
    parts.functions.insert(parts.functions.end(), obstacle.displacement.begin(), obstacle.displacement.end());
  make_patterns(parts);
  make_memory_patterns(parts);
  parts.assembly.make_blocks(parts.model.threads);
  make_mass(parts);
  if (auto ok = make_loads(parts); !ok) return ok.error();
  make_damping(parts);
  return parts;
}

}  // namespace detail

Result<std::shared_ptr<const SolidSystem>> build(SolidModel model) {
  auto parts = detail::make_parts(std::move(model));
  if (!parts) return parts.error();
  if (!parts->model.rigid.empty()) return detail::make_rigid_system(*std::move(parts));
  return detail::make_system(*std::move(parts));
}

}  // namespace rubato::fem
