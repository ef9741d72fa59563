// From rigid regions as data to bodies: nodes, references, masses, what is free and what is known.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "numbering.hpp"
#include "rigid_body.hpp"

namespace rubato::fem::detail {
namespace {

bool held(const std::optional<Function>& f) { return f && is_zero(*f); }

Eigen::Vector3d place(const Mesh& mesh, int node) {
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  for (int i = 0; i < mesh.dimension; ++i) x[i] = mesh.point(node)[at(i)];
  return x;
}

/// Which components are free, and the strains that then have to vanish.
Result<void> choose_motion(RigidBody& body, Analysis analysis) {
  RigidRegion& data = body.data;
  const int d = body.dimension;
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("rigid \"{}\": {}", data.name, why)}; };
  for (int i = d; i < 3; ++i)
    if (data.displacement[at(i)] || !is_zero(data.force[at(i)])) return refuse("a plane model has no third axis");
  for (std::size_t i = 0; i < 2 && d == 2; ++i)
    if (data.rotation[i] || !is_zero(data.moment[i]) || data.inertia[i] != 0)
      return refuse("in the plane rotation, moment and inertia are those about z");
  body.axial = analysis == Analysis::axisymmetric;
  if (body.axial && (data.displacement[0] || data.rotation[2] || !is_zero(data.force[0]) || !is_zero(data.moment[2])))
    return refuse("in an axisymmetric model it moves along the axis y only");
  for (int i = 0; i < d; ++i)
    if (data.displacement[at(i)] && !is_zero(data.force[at(i)]))
      return refuse(fmt::format("displacement and force along {}: one of them", "xyz"[i]));
  const auto n = std::ranges::count_if(data.rotation, [](const auto& f) { return f.has_value(); });
  const auto n_held = std::ranges::count_if(data.rotation, held);
  const bool hinge = d == 3 && n == 2 && n_held == 2;
  body.turns = n > 0 && n == 3 - body.first_rotation();
  if (n != 0 && !body.turns && !hinge)
    return refuse("of the rotations all three are given, or none, or two as 0: then it turns about the third axis");
  for (std::size_t i = 0; i < 3; ++i)
    if (data.rotation[i] && !is_zero(data.moment[i]))
      return refuse(fmt::format("rotation and moment about {}: one of them", "xyz"[i]));
  const auto axis =
      hinge ? std::ranges::find_if(data.rotation, [](const auto& f) { return !f; }) - data.rotation.begin() : -1;
  body.coordinate.fill(-1);
  for (int i = body.axial ? 1 : 0; i < d; ++i)
    if (!data.displacement[at(i)]) body.coordinate[at(i)] = 0;
  if (body.turns || body.axial) return {};
  for (int k = 0; k < d; ++k)
    for (int i = 0; i < d; ++i)
      if (k != axis && i != axis) body.coordinate[at((k + 1) * d + i)] = 0;
  for (int i = 0; i < d; ++i)
    for (int j = i; j < d; ++j)
      if (i != axis && j != axis) body.strains.emplace_back(i, j);
  return {};
}

/// A free rotation has to move nodes: the moments of the nodes about each free axis.
bool rotation_is_seen(const RigidBody& body, const Mesh& mesh, const Eigen::Vector3d& centre) {
  if (body.strains.empty()) return true;
  const bool pinned = std::all_of(body.data.displacement.begin(), body.data.displacement.begin() + body.dimension,
                                  [](const auto& f) { return f.has_value(); });
  const Eigen::Vector3d pivot =
      pinned ? Eigen::Vector3d(body.reference[0], body.reference[1], body.reference[2]) : centre;
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const int node : body.nodes) second += (place(mesh, node) - pivot) * (place(mesh, node) - pivot).transpose();
  const double all = second.trace();
  if (!(all > 0)) return false;
  const Eigen::Matrix3d about = all * Eigen::Matrix3d::Identity() - second;
  const auto axis =
      std::ranges::find_if(body.data.rotation, [](const auto& f) { return !f; }) - body.data.rotation.begin();
  if (body.dimension == 2) return about(2, 2) > 1e-12 * all;
  if (body.strains.size() == 3) return about(axis, axis) > 1e-12 * all;
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(about)).eigenvalues()[0] > 1e-12 * all;
}

/// ∫ρ (1, ξ)(1, ξ)ᵀ of the elements, and mass and inertia at the reference. J = ∫ρ ξξᵀ and the inertia I = tr(J) 1 − J are one and
/// the same: J = tr(I)/2 1 − I.
Result<void> add_mass(RigidBody& body, const SolidModel& model, const std::vector<int>& region_of) {
  const RigidRegion& data = body.data;
  const Mesh& mesh = model.mesh;
  const int d = body.dimension;
  const double square = body.length * body.length;
  if (!(data.density >= 0 && data.mass >= 0) || !std::isfinite(data.density + data.mass))
    return Error{fmt::format("rigid \"{}\": density {} and mass {}: numbers that are not negative are needed",
                             data.name, data.density, data.mass)};
  const MeshGroup& group = *mesh.find_group(data.group);
  VolumePoint point;
  for (const int e : group.elements) {
    const ShapeInfo& s = info(mesh.shapes[at(e)]);
    if (s.dimension != d) break;
    double density = data.density;
    if (const int r = region_of[at(e)]; r >= 0) density = material_of(model, model.regions[at(r)]).density;
    for (const QuadraturePoint& q : quadrature(s.id, 2 * s.degree + (s.corners == s.dimension + 1 ? 0 : 1))) {
      if (!volume_point(mesh, e, q, point)) continue;  // refused before
      const double w = density * point.weight * depth(model, point.x[0]);
      std::array<double, 4> shape = {1, 0, 0, 0};
      for (int i = 0; i < d; ++i) shape[at(i + 1)] = (point.x[at(i)] - body.reference[at(i)]) / body.length;
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t l = 0; l < 4; ++l) body.mass[k][l] += w * shape[k] * shape[l];
    }
  }
  body.mass[0][0] += data.mass;
  const auto& inertia = data.inertia;
  for (int k = 0; k < d; ++k) {
    const double j = d == 2 ? 0.5 * inertia[2] : 0.5 * (inertia[0] + inertia[1] + inertia[2]) - inertia[at(k)];
    if (!(j >= -1e-12 * (inertia[0] + inertia[1] + inertia[2])) || !std::isfinite(j))
      return Error{
          fmt::format("rigid \"{}\": inertia [{}, {}, {}]: none may be negative or exceed the sum of the others",
                      data.name, inertia[0], inertia[1], inertia[2])};
    body.mass[at(k + 1)][at(k + 1)] += j / square;
  }
  return {};
}

/// A flat part has no inertia against strain across it, so that its mass matrix is singular although nothing of it moves: the
/// smallest of the moments about the centre of mass are raised to this part of the largest. Masses of the nodes, which belong to
/// elements that deform, count.
Result<void> raise_inertia(RigidBody& body, const SolidParts& parts) {
  constexpr double least = 1e-6;
  const int d = body.dimension;
  std::vector<int> number(at(parts.model.mesh.n_nodes()), -1);
  for (std::size_t a = 0; a < body.nodes.size(); ++a) number[at(body.nodes[a])] = static_cast<int>(a);
  Eigen::Matrix4d all;
  for (int k = 0; k < 4; ++k)
    for (int l = 0; l < 4; ++l) all(k, l) = body.mass[at(k)][at(l)];
  const auto shape = [&](int a) { return Eigen::Vector4d(1, body.xi[at(a)][0], body.xi[at(a)][1], body.xi[at(a)][2]); };
  const auto starts = parts.node_pattern.column_starts(), rows = parts.node_pattern.row_indices();
  for (std::size_t a = 0; a < body.nodes.size(); ++a)
    for (int p = starts[at(body.nodes[a])]; p < starts[at(body.nodes[a]) + 1]; ++p)
      if (const int b = number[at(rows[at(p)])]; b >= 0)
        all += parts.mass[at(p)] * shape(static_cast<int>(a)) * shape(b).transpose();
  const bool moves = std::ranges::any_of(body.coordinate, [](int c) { return c >= 0; });
  if (moves && !(all(0, 0) > 0)) return Error{fmt::format("rigid \"{}\" has no mass", body.data.name)};
  if (body.strains.empty()) return {};
  const Eigen::MatrixXd moments = all.block(1, 1, d, d) - all.block(1, 0, d, 1) * all.block(0, 1, 1, d) / all(0, 0);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(moments);
  const double largest = eigen.eigenvalues()[d - 1];
  for (int m = 0; m < d; ++m) {
    const double lack = std::max(0.0, least * largest - eigen.eigenvalues()[m]);
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l)
        body.mass[at(k + 1)][at(l + 1)] += lack * eigen.eigenvectors()(k, m) * eigen.eigenvectors()(l, m);
  }
  return {};
}

/// 1/E of all parts that may turn.
Result<double> compliance(const SolidParts& parts) {
  constexpr double stiffer = 1e5;
  const double asked = parts.model.rigid_stiffness;
  const bool incompressible = parts.n_lambda > 0 && !parts.compliant;
  if (!(asked >= 0)) return Error{fmt::format("rigid stiffness = {}: a positive number is needed", asked)};
  if (incompressible && asked > 0 && std::isfinite(asked))
    return Error{
        fmt::format("rigid stiffness = {}: beside incompressible regions rigid ones are exactly rigid", asked)};
  if (parts.compliant && std::isinf(asked))
    return Error{"rigid stiffness = inf: beside pressures of finite bulk modulus rigid regions need a finite one"};
  if (incompressible || std::isinf(asked)) return 0.0;
  if (asked > 0) return 1 / asked;
  double shear = 0;
  for (const ElementSet& set : parts.assembly.sets)
    shear = std::max(shear, shear_modulus(material_of(parts.model, parts.model.regions[at(set.region)])));
  return 1 / (stiffer * shear);
}

Result<void> check_names(const SolidModel& model, const std::vector<RigidBody>& bodies) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::string& name = bodies[k].data.name;
    const auto taken = [&](std::string_view by) {
      return Error{fmt::format("rigid \"{}\": the name is that of a {}, too", name, by)};
    };
    for (std::size_t j = 0; j < k; ++j)
      if (bodies[j].data.name == name) return taken("rigid part before");
    if (std::ranges::find(model.prescribed, name, &Prescribed::group) != model.prescribed.end())
      return taken("prescribed group");  // those of files that move have probes of their names
    if (std::ranges::find(model.probes, name, &Probe::name) != model.probes.end()) return taken("probe");
  }
  return {};
}

}  // namespace

std::vector<char> rigid_elements(const SolidModel& model) {
  std::vector<char> out(at(model.mesh.n_elements()));
  for (const RigidRegion& rigid : model.rigid)
    if (const MeshGroup* group = model.mesh.find_group(rigid.group);
        group != nullptr && group->dimension == model.mesh.dimension)
      for (const int e : group->elements) out[at(e)] = 1;
  return out;
}

Result<std::vector<RigidBody>> make_bodies(const SolidParts& parts) {
  const SolidModel& model = parts.model;
  const Mesh& mesh = model.mesh;
  const int d = mesh.dimension;
  std::vector<int> region_of(at(mesh.n_elements()), -1), body_of(at(mesh.n_nodes()), -1);
  for (std::size_t r = 0; r < model.regions.size(); ++r)
    for (const int e : mesh.find_group(model.regions[r].group)->elements) region_of[at(e)] = static_cast<int>(r);
  const auto soft = compliance(parts);
  if (!soft) return soft.error();
  std::vector<RigidBody> bodies;
  for (const RigidRegion& rigid : model.rigid) {
    RigidBody body{.data = rigid, .dimension = d, .still = model.quasi_static};
    if (rigid.name.empty()) body.data.name = rigid.group;
    const std::string& name = body.data.name;
    const auto group = group_of(mesh, rigid.group, fmt::format("rigid \"{}\"", name));
    if (!group) return group.error();
    body.nodes = mesh.nodes_of(**group);
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    for (const int node : body.nodes) {
      centre += place(mesh, node);
      int& other = body_of[at(node)];
      if (other >= 0)
        return Error{
            fmt::format("rigid \"{}\": node {} belongs to rigid \"{}\" as well; parts that share nodes are one", name,
                        mesh.node_label(node), bodies[at(other)].data.name)};
      other = static_cast<int>(bodies.size());
      for (int i = 0; i < d; ++i)
        if (parts.coordinate[at(node * d + i)] < 0)
          return Error{
              fmt::format("rigid \"{}\": the displacement of node {} is prescribed as well; rigid regions have "
                          "motions of their own",
                          name, mesh.node_label(node))};
    }
    centre /= static_cast<double>(body.nodes.size());
    double farthest = 0;
    for (const int node : body.nodes) farthest = std::max(farthest, (place(mesh, node) - centre).norm());
    if (farthest > 0) body.length = farthest;
    body.volume = std::pow(body.length, d) * (d == 2 ? model.thickness : 1);
    for (int i = 0; i < d; ++i) body.reference[at(i)] = rigid.reference ? (*rigid.reference)[at(i)] : centre[i];
    if (!std::ranges::all_of(body.reference, [](double x) { return std::isfinite(x); }))
      return Error{fmt::format("rigid \"{}\": its reference is not finite", name)};
    for (const int node : body.nodes) {
      std::array<double, 3> xi{};
      for (int i = 0; i < d; ++i) xi[at(i)] = (mesh.point(node)[at(i)] - body.reference[at(i)]) / body.length;
      body.xi.push_back(xi);
    }
    if (auto ok = choose_motion(body, model.analysis); !ok) return ok.error();
    if (!rotation_is_seen(body, mesh, centre))
      return Error{
          fmt::format("rigid \"{}\": its nodes lie on one line, so that the rotation about it is not determined; "
                      "prescribe rotations or choose a larger group",
                      name)};
    body.compliance = *soft;
    if (auto ok = add_mass(body, model, region_of); !ok) return ok.error();
    if (auto ok = raise_inertia(body, parts); !ok) return ok.error();
    bodies.push_back(std::move(body));
  }
  if (auto ok = check_names(model, bodies); !ok) return ok.error();
  return bodies;
}

}  // namespace rubato::fem::detail
