/// Flexible bodies of a mechanism: checks of their data, inertia integrals, nodes that markers hold on to.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <set>

#include "builder.hpp"
#include "rubato/multibody/modal.hpp"

namespace rubato::multibody::detail {

namespace {

Result<void> check_nodes(const ModalBody& body, const std::string& what) {
  if (body.nodes.empty()) return Error{what + ": it is flexible, but has no nodes"};
  std::set<std::string, std::less<>> names;
  for (std::size_t k = 0; k < body.nodes.size(); ++k) {
    const ModalNode& node = body.nodes[k];
    const std::string which = fmt::format("{}: node {}", what, node.name.empty() ? std::to_string(k + 1) : node.name);
    if (!node.name.empty() && !names.insert(node.name).second) return Error{which + ": another node has this name"};
    if (auto ok = check_finite(which, "position", node.position); !ok) return ok;
    if (auto ok = check_number(which + ": mass", node.mass, 0, "it must be zero or positive"); !ok) return ok;
    for (const double j : node.inertia)
      if (auto ok = check_number(which + ": inertia", j, 0, "it must be zero or positive"); !ok) return ok;
  }
  return {};
}

Result<void> check_modes(const ModalBody& body, const std::string& what) {
  for (std::size_t i = 0; i < body.modes.size(); ++i) {
    const Mode& mode = body.modes[i];
    const std::string which = fmt::format("{}: mode {}", what, i + 1);
    const auto shapes = [&](const char* key, const std::vector<Vector3>& values) -> Result<void> {
      if (values.size() != body.nodes.size())
        return Error{fmt::format("{}: {} has {} entries for {} nodes; each node needs one, of three numbers", which,
                                 key, values.size(), body.nodes.size())};
      for (const Vector3& x : values)
        if (auto ok = check_finite(which, key, x); !ok) return ok;
      return {};
    };
    if (auto ok = shapes("shape", mode.shape); !ok) return ok;
    if (!mode.rotation.empty())
      if (auto ok = shapes("rotation", mode.rotation); !ok) return ok;
    for (const auto& [key, value] : {std::pair{"stiffness", mode.stiffness},
                                     {"frequency", mode.frequency_hz},
                                     {"damping", mode.damping},
                                     {"damping ratio", mode.damping_ratio}})
      if (auto ok = check_number(which + ": " + key, value, 0, "it must be positive"); !ok) return ok;
    if ((mode.stiffness > 0) == (mode.frequency_hz > 0))
      return Error{which + (mode.stiffness > 0 ? ": stiffness and frequency are given, one of them says both"
                                               : ": neither stiffness nor frequency is given, one must be positive")};
    if (mode.damping > 0 && mode.damping_ratio > 0)
      return Error{which + ": damping and its ratio are given, one of them says both"};
  }
  return {};
}

/// ⟨a, b⟩ of flexible.hpp (5), without m.
Rotation<double> moment(const Three<double>& a, const Three<double>& b) {
  Rotation<double> out{};
  for (std::size_t r = 0; r < 3; ++r) {
    out[r][r] = dot(a, b);
    for (std::size_t c = 0; c < 3; ++c) out[r][c] -= 0.5 * (a[r] * b[c] + b[r] * a[c]);
  }
  return out;
}
void add_times(Rotation<double>& sum, double factor, const Rotation<double>& part) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) sum[r][c] += factor * part[r][c];
}
Three<double> along_axes(const Vector3& j, const Three<double>& x) { return {j[0] * x[0], j[1] * x[1], j[2] * x[2]}; }

/// The sums (4) and (5) over all nodes.
FlexibleModel integrals(const ModalBody& body) {
  const std::size_t n = body.modes.size();
  FlexibleModel out;
  out.s.resize(n);
  out.b.resize(n);
  out.d.resize(n * n);
  out.m.resize(n * n);
  out.linear.resize(n);
  out.quadratic.resize(n * n);
  for (std::size_t k = 0; k < body.nodes.size(); ++k) {
    const ModalNode& node = body.nodes[k];
    NodeModel shapes{.at = node.position};
    for (const Mode& mode : body.modes) {
      shapes.shape.push_back(mode.shape[k]);
      shapes.turn.push_back(mode.rotation.empty() ? Three<double>{} : mode.rotation[k]);
    }
    const double m = node.mass;
    out.mass += m;
    add(out.first, times(m, node.position));
    add_times(out.inertia, m, moment(node.position, node.position));
    for (std::size_t r = 0; r < 3; ++r) out.inertia[r][r] += node.inertia[r];
    for (std::size_t i = 0; i < n; ++i) {
      const Three<double>&phi = shapes.shape[i], &psi = shapes.turn[i];
      add(out.s[i], times(m, phi));
      add(out.b[i], plus(times(m, cross(node.position, phi)), along_axes(node.inertia, psi)));
      add_times(out.linear[i], 2 * m, moment(node.position, phi));
      for (std::size_t j = 0; j < n; ++j) {
        const Three<double>& other = shapes.shape[j];
        out.m[i * n + j] += m * dot(phi, other) + dot(psi, along_axes(node.inertia, shapes.turn[j]));
        add(out.d[i * n + j], times(m, cross(phi, other)));
        if (i <= j) add_times(out.quadratic[i * n + j], (i < j ? 2 : 1) * m, moment(phi, other));
      }
    }
    out.nodes.push_back(std::move(shapes));
  }
  return out;
}

/// The mass matrix of (6) to (8), undeformed, must be positive definite: a mode that is a rigid motion is none. Scaled to a
/// diagonal of ones its smallest eigenvalue says how close it comes.
Result<void> check_mass(const FlexibleModel& body, const std::string& what) {
  if (!(body.mass > 0)) return Error{fmt::format("{}: the masses of its nodes add up to {} kg", what, body.mass)};
  const std::size_t n = 6 + body.n();
  std::vector<double> unit(n), column(n), eta(body.n());
  Eigen::MatrixXd m(n, n);
  Rotation<double> straight{};
  for (std::size_t k = 0; k < 3; ++k) straight[k][k] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[i] = 1;
    body.inertia_times<double>(straight, eta, unit, column);
    for (std::size_t k = 0; k < n; ++k) m(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = column[k];
  }
  for (std::size_t i = 0; i < n; ++i)
    if (const auto at = static_cast<Eigen::Index>(i); !(m(at, at) > 0))
      return Error{i < 6 ? fmt::format("{}: its nodes have no inertia about {}; thin bodies need a little about their "
                                       "axis",
                                       what, "xyz"[i - 3])
                         : fmt::format("{}: mode {} moves no mass", what, i - 5)};
  const Eigen::VectorXd scale = m.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd(scale.asDiagonal() * m * scale.asDiagonal()));
  if (solver.eigenvalues()[0] > 1e-12) return {};
  Eigen::Index worst = 0;
  solver.eigenvectors().col(0).tail(static_cast<Eigen::Index>(body.n())).cwiseAbs().maxCoeff(&worst);
  if (body.n() == 0 || solver.eigenvectors().col(0).tail(static_cast<Eigen::Index>(body.n())).norm() < 1e-3)
    return Error{
        fmt::format("{}: the inertia of its nodes is not positive definite; thin bodies need a little about "
                    "their axis",
                    what)};
  return Error{fmt::format(
      "{}: mode {} moves the nodes that have mass as a rigid motion or the other modes do; it must be left out", what,
      worst + 1)};
}

}  // namespace

Result<void> Builder::add_flexible(const Body& body, const std::string& what, BodyModel& made) {
  const ModalBody& data = *body.flexible;
  if (body.kind != BodyKind::spatial) return Error{what + ": flexible bodies are spatial"};
  if (body.mass != 0 || body.inertia != Vector3{} || body.products != Vector3{})
    return Error{what + ": mass and inertia of a flexible body are those of its nodes, it has none of its own"};
  if (auto ok = check_nodes(data, what); !ok) return ok;
  if (auto ok = check_modes(data, what); !ok) return ok;
  for (const auto& [key, values] :
       {std::pair{"deformation", &body.deformation}, {"deformation rate", &body.deformation_rate}}) {
    if (!values->empty() && values->size() != data.modes.size())
      return Error{
          fmt::format("{}: {} at the start has {} values for {} modes", what, key, values->size(), data.modes.size())};
    for (const double x : *values)
      if (!std::isfinite(x)) return Error{fmt::format("{}: {} at the start is not finite", what, key)};
  }
  auto flexible = std::make_shared<FlexibleModel>(integrals(data));
  if (auto ok = check_mass(*flexible, what); !ok) return ok;
  const std::size_t n = flexible->n();
  for (std::size_t i = 0; i < n; ++i) {
    const Mode& mode = data.modes[i];
    const double m = flexible->m[i * n + i], omega = 2 * std::numbers::pi * mode.frequency_hz;
    const double k = mode.stiffness > 0 ? mode.stiffness : m * omega * omega;
    flexible->stiffness.push_back(k);
    flexible->damping.push_back(mode.damping_ratio > 0 ? 2 * mode.damping_ratio * std::sqrt(k * m) : mode.damping);
    for (std::size_t j = 0; j < i; ++j)
      if (const double shared = std::abs(flexible->m[i * n + j]) / std::sqrt(m * flexible->m[j * n + j]);
          shared > 0.01 && (mode.frequency_hz > 0 || data.modes[j].frequency_hz > 0))
        notes.push_back(
            fmt::format("{}: modes {} and {} move the same masses ({:.2g} of both): they vibrate together, at other "
                        "frequencies than each alone",
                        what, j + 1, i + 1, shared));
  }
  made.modal_data = body.flexible;
  made.mass = flexible->mass;
  made.flexible = std::move(flexible);
  model.flexible = true;
  if (made.flexible->damped()) model.conservative = false;
  return {};
}

/// The slot of a node, made when it is first asked for.
std::size_t Builder::station(std::size_t slot, std::size_t node) {
  const std::size_t first = model.bodies.size() + 1;
  for (std::size_t i = 0; i < model.stations.size(); ++i)
    if (model.stations[i].body == slot && model.stations[i].node == node) return first + i;
  model.stations.push_back({.body = slot, .node = node});
  const BodyModel& body = model.bodies[slot - 1];
  at_start_.push_back(station_frame<double>(body.flexible->nodes[node], at_start_[slot],
                                            body.modal(view(std::as_const(model.start.q)))));
  return first + model.stations.size() - 1;
}

/// `at` counts from the node; places in space are left to the caller.
Result<Attachment> Builder::attach_to_node(const Marker& marker, std::size_t slot, const std::string& what) {
  const ModalBody& data = *mechanism_.bodies[slot - 1].flexible;
  Attachment at{.at = marker.pose.position};
  if (!marker.node.empty()) {
    const auto node = node_number(data, marker.node);
    if (!node) return Error{fmt::format("{}: '{}': {}", what, marker.body, node.error().message)};
    at.body = station(slot, *node);
    return at;
  }
  const Frame<double>& body = at_start_[slot];
  const auto eta = model.bodies[slot - 1].modal(view(std::as_const(model.start.q)));
  const Three<double> place = marker.in_space ? rotate_back(body.R, minus(at.at, body.r)) : at.at;
  const std::size_t node = nearest_node(data, place, marker.in_space ? eta : In{});
  at.body = station(slot, node);
  if (!marker.in_space) at.at = minus(at.at, data.nodes[node].position);
  const Three<double> apart = marker.in_space ? minus(place, node_pose(data, node, eta).position) : at.at;
  if (const double gap = std::sqrt(dot(apart, apart)); gap > 1e-6 * size_ && !what.empty())
    notes.push_back(fmt::format(
        "{}: no node of '{}' lies there; it follows the nearest, {}, {:.3g} m away", what, marker.body,
        data.nodes[node].name.empty() ? fmt::format("node {}", node + 1) : fmt::format("'{}'", data.nodes[node].name),
        gap));
  return at;
}

}  // namespace rubato::multibody::detail
