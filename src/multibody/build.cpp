/// Names, bodies and markers of a mechanism.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "builder.hpp"
#include "rubato/base/text.hpp"

namespace rubato::multibody::detail {

namespace {

Result<void> check_inertia(const Body& body, const std::string& what, Rotation<double>& out) {
  if (body.kind == BodyKind::point) {
    if (body.inertia == Vector3{} && body.products == Vector3{} && body.angular_velocity == Vector3{}) return {};
    return Error{what + ": a point does not turn, so it has neither inertia nor angular velocity; make it spatial"};
  }
  if (body.kind == BodyKind::planar) {
    out[2][2] = body.inertia[2];
    if (body.angular_velocity[0] != 0 || body.angular_velocity[1] != 0 || body.velocity[2] != 0)
      return Error{what + ": a planar body moves across z and turns about z only, its start velocity does not"};
    return check_number(what + ": inertia about z", body.inertia[2], 1e-300, "a planar body needs a positive one");
  }
  const Vector3 &j = body.inertia, &c = body.products;
  if (auto ok = check_finite(what, "inertia", j); !ok) return ok;
  if (auto ok = check_finite(what, "products of inertia", c); !ok) return ok;
  out = {{{j[0], c[0], c[1]}, {c[0], j[1], c[2]}, {c[1], c[2], j[2]}}};
  Eigen::MatrixXd m(3, 3);
  m << j[0], c[0], c[1], c[0], j[1], c[2], c[1], c[2], j[2];
  const Eigen::Vector3d principal = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m).eigenvalues();
  if (!(principal[0] > 0))
    return Error{
        fmt::format("{}: inertia is not positive definite (smallest principal moment {:.6g}); thin bodies need "
                    "a little about their axis, or are points",
                    what, principal[0])};
  if (principal[2] > (principal[0] + principal[1]) * (1 + 1e-9))
    return Error{
        fmt::format("{}: no body has the principal moments of inertia {:.6g}, {:.6g}, {:.6g}: each is at most "
                    "the sum of the other two",
                    what, principal[0], principal[1], principal[2])};
  return {};
}

}  // namespace

Result<Quaternion> checked_rotation(const Quaternion& q, const std::string& what) {
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(norm - 1) < 1e-6))
    return Error{fmt::format("{}: rotation ({}, {}, {}, {}) is a quaternion (w, x, y, z) of length {:.6g}, not 1", what,
                             q[0], q[1], q[2], q[3], norm)};
  return Quaternion{q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
}

Result<void> check_finite(const std::string& what, const char* key, const Vector3& x) {
  if (std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2])) return {};
  return Error{fmt::format("{}: {} ({}, {}, {}) is not finite", what, key, x[0], x[1], x[2])};
}

Result<void> check_number(const std::string& what, double value, double least, const char* meaning) {
  if (std::isfinite(value) && value >= least) return {};
  return Error{fmt::format("{} = {}: {}", what, value, meaning)};
}

Result<void> Builder::run() {
  if (auto ok = check_names(); !ok) return ok;
  if (auto ok = check_finite("mechanism", "gravity", mechanism_.gravity); !ok) return ok;
  model.gravity = mechanism_.gravity;
  const auto flat = std::find_if(mechanism_.bodies.begin(), mechanism_.bodies.end(),
                                 [](const Body& body) { return body.kind == BodyKind::planar; });
  if (mechanism_.gravity[2] != 0 && flat != mechanism_.bodies.end())
    notes.push_back(
        fmt::format("gravity along z does not move planar bodies such as '{}', which stay in their plane", flat->name));
  if (auto ok = add_bodies(); !ok) return ok;
  measure();
  for (const Joint& joint : mechanism_.joints)
    if (auto ok = add_joint(joint); !ok) return ok;
  for (const Coupling& coupling : mechanism_.couplings)
    if (auto ok = add_coupling(coupling); !ok) return ok;
  for (const ForceElement& force : mechanism_.forces)
    if (auto ok = std::visit([this](const auto& f) { return compile(f); }, force); !ok) return ok;
  each_force(model.forces, [this](auto& element) {
    model.conservative = model.conservative && element.conservative();
    if constexpr (requires { element.depends_on_time(); })
      if (element.depends_on_time()) model.autonomous = false;
    if constexpr (requires { element.n_states(); }) {
      element.first_state = model.state_names.size();
      for (int i = 0; i < element.n_states(); ++i)
        model.state_names.push_back(fmt::format("{}.state{}", element.name, i + 1));
    }
  });
  share_mode();
  model.sizes.z = static_cast<int>(model.state_names.size());
  model.sizes.lambda = static_cast<int>(model.row_names.size());
  model.sizes.nu = static_cast<int>(model.rolling_names.size());
  model.start.z = Vector::Zero(model.sizes.z);
  model.start.lambda = Vector::Zero(model.sizes.lambda);
  model.start.nu = Vector::Zero(model.sizes.nu);
  return {};
}

/// Bits of the mode: first to all that may touch, then to dampers. Who gets none pays with accuracy around its kinks.
void Builder::share_mode() {
  int next = Flag::first;
  std::vector<std::string> without;
  const auto give = [&next](Flag& flag) {
    if (next < Flag::end) flag.bit = next++;
    return flag.bit != 0;
  };
  each_force(model.forces, [&](auto& element) {
    if constexpr (requires { element.touchings(); })
      for (Touching& touching : element.touchings()) give(touching.closed);
  });
  each_force(model.forces, [&](auto& element) {
    if constexpr (requires { element.touchings(); }) {
      bool all = true;
      for (Touching& touching : element.touchings())
        all = touching.closed.bit != 0 && (!touching.damper || give(touching.pressing)) && all;
      if (!all) without.push_back("'" + element.name + "'");
    }
  });
  model.has_mode = next > Flag::first;
  if (!without.empty())
    notes.push_back(
        fmt::format("{} contacts and end stops have no place in the discrete state, which holds {}: around their "
                    "impacts steps are less accurate ({})",
                    without.size(), Flag::end - Flag::first, joined(without)));
}

Result<void> Builder::check_names() const {
  std::map<std::string, std::string, std::less<>> seen{{"ground", "the ground"}};
  const auto take = [&seen](const char* kind, const std::string& name) -> Result<void> {
    if (name.empty()) return Error{fmt::format("a {} has no name", kind)};
    const auto [it, is_new] = seen.emplace(name, fmt::format("a {}", kind));
    if (!is_new) return Error{fmt::format("{} '{}': {} has this name already", kind, name, it->second)};
    return {};
  };
  for (const Body& body : mechanism_.bodies)
    if (auto ok = take("body", body.name); !ok) return ok;
  for (const Joint& joint : mechanism_.joints)
    if (auto ok = take("joint", joint.name); !ok) return ok;
  for (const Coupling& coupling : mechanism_.couplings)
    if (auto ok = take("coupling", coupling.name); !ok) return ok;
  for (const ForceElement& force : mechanism_.forces)
    if (auto ok = take("force", std::visit([](const auto& f) { return f.name; }, force)); !ok) return ok;
  return {};
}

Result<void> Builder::add_bodies() {
  if (mechanism_.bodies.empty()) return Error{"the mechanism has no bodies"};
  slot_["ground"] = 0;
  at_start_.push_back({.r = {}, .R = rotation_of(no_rotation)});
  std::vector<double> q, v, base;
  for (const Body& body : mechanism_.bodies) {
    const std::string what = "body '" + body.name + "'";
    BodyModel made{.name = body.name, .kind = body.kind, .mass = body.mass, .first = q.size(), .base = base.size()};
    if (body.flexible) {
      if (auto ok = add_flexible(body, what, made); !ok) return ok;
    } else {
      if (auto ok = check_number(what + ": mass", body.mass, 1e-300, "it must be positive"); !ok) return ok;
      if (auto ok = check_inertia(body, what, made.inertia); !ok) return ok;
    }
    if (auto ok = check_finite(what, "position", body.pose.position); !ok) return ok;
    if (auto ok = check_finite(what, "velocity", body.velocity); !ok) return ok;
    if (auto ok = check_finite(what, "angular velocity", body.angular_velocity); !ok) return ok;
    const auto rotation = checked_rotation(body.pose.rotation, what);
    if (!rotation) return rotation.error();
    const Frame<double> frame{.r = body.pose.position, .R = rotation_of(*rotation)};
    made.start = {.position = body.pose.position, .rotation = *rotation};
    q.insert(q.end(), frame.r.begin(), frame.r.end());
    v.insert(v.end(), body.velocity.begin(), body.velocity.end());
    switch (body.kind) {
      case BodyKind::spatial: {
        q.insert(q.end(), 3, 0.0);
        const Three<double> omega = rotate_back(frame.R, body.angular_velocity);
        v.insert(v.end(), omega.begin(), omega.end());
        base.insert(base.end(), rotation->begin(), rotation->end());
        model.plain = false;
        for (std::size_t i = 0; i < made.coordinates() - 6; ++i) {
          q.push_back(body.deformation.empty() ? 0 : body.deformation[i]);
          v.push_back(body.deformation_rate.empty() ? 0 : body.deformation_rate[i]);
        }
        break;
      }
      case BodyKind::planar:
        if (std::hypot((*rotation)[1], (*rotation)[2]) > 1e-12)
          return Error{what + ": a planar body turns about z only, its rotation at the start does not"};
        made.height = frame.r[2];
        q.back() = 2 * std::atan2((*rotation)[3], (*rotation)[0]);
        v.back() = body.angular_velocity[2];
        break;
      case BodyKind::point:
        if (std::abs((*rotation)[0]) < 1 - 1e-12) return Error{what + ": a point does not turn, but has a rotation"};
        break;
    }
    slot_[body.name] = at_start_.size();
    at_start_.push_back(frame);
    model.bodies.push_back(std::move(made));
  }
  model.sizes.q = model.sizes.v = static_cast<int>(q.size());
  model.base_size = static_cast<int>(base.size());
  const auto vector = [](const std::vector<double>& x) { return Vector(map(In(x))); };
  model.start.q = vector(q);
  model.start.v = vector(v);
  model.start.base = vector(base);
  return {};
}

/// The diagonal of the box around bodies and markers.
void Builder::measure() {
  Three<double> low = at_start_[1].r, high = low;
  const auto include = [&](const Three<double>& x) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], x[i]);
      high[i] = std::max(high[i], x[i]);
    }
  };
  for (std::size_t slot = 1; slot <= model.bodies.size(); ++slot) {
    const Frame<double>& body = at_start_[slot];
    include(body.r);
    if (const auto& flexible = model.bodies[slot - 1].flexible)
      for (const NodeModel& node : flexible->nodes) include(plus(body.r, rotate(body.R, node.at)));
  }
  for (const Joint& joint : mechanism_.joints)
    for (const Marker* m : {&joint.a, &joint.b})
      if (const auto at = attach(*m, ""); at.ok()) include(point_at_start(*at));
  const double diagonal = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  if (diagonal > 0) size_ = diagonal;
}

Result<Attachment> Builder::attach(const Marker& marker, const std::string& what) {
  const auto it = slot_.find(marker.body);
  if (it == slot_.end()) {
    std::vector<std::string> known;
    for (const auto& [name, slot] : slot_) known.push_back(name);
    return Error{what + ": " + unknown_name("body", marker.body, known)};
  }
  const auto rotation = checked_rotation(marker.pose.rotation, what);
  if (!rotation) return rotation.error();
  if (auto ok = check_finite(what, "position", marker.pose.position); !ok) return ok.error();
  Attachment at{.body = it->second, .at = marker.pose.position};
  if (at.body > 0 && model.bodies[at.body - 1].flexible) {
    const auto node = attach_to_node(marker, at.body, what);
    if (!node) return node.error();
    at = *node;
  } else if (!marker.node.empty()) {
    return Error{fmt::format("{}: node '{}', but '{}' is rigid and has none", what, marker.node, marker.body)};
  }
  const Rotation<double> axes = rotation_of(*rotation);
  for (std::size_t k = 0; k < 3; ++k) at.axis[k] = {axes[0][k], axes[1][k], axes[2][k]};
  if (marker.in_space) {
    const Frame<double>& body = at_start_[at.body];
    at.at = rotate_back(body.R, minus(at.at, body.r));
    for (auto& axis : at.axis) axis = rotate_back(body.R, axis);
  }
  return at;
}

Result<void> Builder::attach(const Marker& a, const Marker& b, const std::string& what, Attachment& at_a,
                             Attachment& at_b) {
  const auto first = attach(a, what + ", frame a");
  if (!first) return first.error();
  const auto second = attach(b, what + ", frame b");
  if (!second) return second.error();
  if (first->body == second->body)
    return Error{fmt::format("{}: both frames belong to '{}', between two bodies it would act", what, a.body)};
  at_a = *first;
  at_b = *second;
  return {};
}

const BodyModel* Builder::body_of(const Attachment& at) const {
  if (at.body == 0) return nullptr;
  const bool own = at.body <= model.bodies.size();
  return &model.bodies[(own ? at.body : model.stations[at.body - 1 - model.bodies.size()].body) - 1];
}
bool Builder::in_plane(const Attachment& at) const {
  const BodyModel* body = body_of(at);
  return body == nullptr || body->kind == BodyKind::planar;
}
Three<double> Builder::point_at_start(const Attachment& at) const {
  return plus(at_start_[at.body].r, rotate(at_start_[at.body].R, at.at));
}
Three<double> Builder::axis_at_start(const Attachment& at, std::size_t k) const {
  return rotate(at_start_[at.body].R, at.axis[k]);
}

}  // namespace rubato::multibody::detail
