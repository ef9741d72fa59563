/// From a mechanism to its scene: which solids and lines stand for which part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "rubato/base/text.hpp"
#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/modal.hpp"
#include "rubato/multibody/scene.hpp"
#include "solids.hpp"

namespace rubato::multibody {

using namespace detail;

namespace {

Vector3 sum(const Vector3& a, const Vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double distance(const Vector3& a, const Vector3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
Quaternion opposite(const Quaternion& q) { return {q[0], -q[1], -q[2], -q[3]}; }

}  // namespace

class SceneMaker {
 public:
  explicit SceneMaker(const Mechanism& mechanism) : mechanism_(mechanism) {
    scene_.parts_.push_back({.name = "ground", .kind = PartKind::ground});
    start_.emplace_back();
    slot_["ground"] = 0;
    for (const Body& body : mechanism_.bodies) {
      slot_[body.name] = start_.size();
      start_.push_back(body.pose);
      scene_.parts_.push_back({.name = body.name, .kind = PartKind::body});
    }
    scene_.n_bodies_ = mechanism_.bodies.size();
    first_node_.resize(start_.size());
    for (std::size_t slot = 1; slot <= scene_.n_bodies_; ++slot) {
      const Body& body = mechanism_.bodies[slot - 1];
      if (!body.flexible) continue;
      first_node_[slot] = start_.size();
      for (std::size_t k = 0; k < body.flexible->nodes.size(); ++k)
        start_.push_back(composed(body.pose, node_pose(*body.flexible, k, body.deformation)));
    }
    scene_.n_frames_ = start_.size() - 1;
    tied_.resize(start_.size());
    clothed_.resize(start_.size());
    node_.resize(start_.size());
  }

  Result<Scene> make() {
    tie_markers();
    for (std::size_t i = 0; i < mechanism_.looks.size(); ++i)
      if (auto ok = add_look(mechanism_.looks[i], fmt::format("look {}", i + 1)); !ok) return ok.error();
    add_round_surfaces();
    measure();
    add_bodies();
    for (const Joint& joint : mechanism_.joints) add_joint(joint);
    for (const Coupling& coupling : mechanism_.couplings)
      if (coupling.type == CouplingType::rolling) add_plane(coupling.a);
    for (const ForceElement& force : mechanism_.forces) std::visit([this](const auto& f) { add_force(f); }, force);
    return std::move(scene_);
  }

 private:
  using Anchor = Scene::Anchor;
  using Curve = Scene::Curve;

  /// A body that does not exist is the ground.
  [[nodiscard]] std::size_t part_of(const Marker& marker) const {
    const auto found = slot_.find(marker.body);
    return found == slot_.end() ? 0 : found->second;
  }
  /// The slot of the body or, on a flexible one, of the node that the marker follows.
  [[nodiscard]] std::size_t slot_of(const Marker& marker) const {
    const std::size_t slot = part_of(marker);
    if (first_node_[slot] == 0) return slot;
    const Body& body = mechanism_.bodies[slot - 1];
    if (const auto named = node_number(*body.flexible, marker.node); !marker.node.empty() && named)
      return first_node_[slot] + *named;
    const Vector3 place =
        marker.in_space ? rotated(opposite(body.pose.rotation), difference(marker.pose.position, body.pose.position))
                        : marker.pose.position;
    const std::span<const double> eta = body.deformation;
    return first_node_[slot] + nearest_node(*body.flexible, place, marker.in_space ? eta : eta.first(0));
  }
  /// A marker relative to what it follows.
  [[nodiscard]] Pose local(const Marker& marker) const {
    const std::size_t slot = slot_of(marker);
    if (!marker.in_space) {
      Pose pose = marker.pose;
      if (const std::size_t part = part_of(marker); slot != part && marker.node.empty())
        pose.position =
            difference(pose.position, mechanism_.bodies[part - 1].flexible->nodes[slot - first_node_[part]].position);
      return pose;
    }
    const Pose& body = start_[slot];
    const Quaternion back = opposite(body.rotation);
    return {.position = rotated(back, difference(marker.pose.position, body.position)),
            .rotation = product(back, marker.pose.rotation)};
  }
  [[nodiscard]] Vector3 in_space(std::size_t slot, const Vector3& at) const {
    return sum(start_[slot].position, rotated(start_[slot].rotation, at));
  }
  [[nodiscard]] Anchor anchor(const Marker& marker, const Vector3& offset = {}) const {
    const Pose pose = local(marker);
    return {.slot = slot_of(marker), .at = sum(pose.position, rotated(pose.rotation, offset))};
  }

  void add_piece(std::size_t part, Scene::Rule rule, std::size_t count,
                 std::vector<std::vector<std::int32_t>> faces = {}) {
    scene_.pieces_.push_back({.part = part, .first = scene_.n_points_, .count = count, .faces = std::move(faces)});
    scene_.rules_.push_back(std::move(rule));
    scene_.n_points_ += count;
  }
  void add_line(std::size_t part, std::vector<Anchor> anchors) {
    const std::size_t count = anchors.size();
    add_piece(part, {.anchors = std::move(anchors)}, count);
  }
  void add_solid(std::size_t part, const Marker& at, SolidMesh mesh) {
    std::vector<Anchor> anchors;
    for (const Vector3& corner : mesh.corners) anchors.push_back(anchor(at, corner));
    const std::size_t count = anchors.size();
    add_piece(part, {.anchors = std::move(anchors)}, count, std::move(mesh.faces));
  }
  std::size_t new_part(const std::string& name, PartKind kind) {
    scene_.parts_.push_back({.name = name, .kind = kind});
    return scene_.parts_.size() - 1;
  }

  /// Everything that joints and forces hold on to, per body.
  void tie(const Marker& marker) { tied_[slot_of(marker)].push_back(local(marker).position); }
  void tie_markers() {
    for (const Joint& joint : mechanism_.joints) {
      tie(joint.a);
      tie(joint.b);
    }
    for (const Coupling& coupling : mechanism_.couplings)
      if (coupling.type == CouplingType::rolling) {
        tie(coupling.a);
        tie(coupling.b);
      }
    for (const ForceElement& force : mechanism_.forces)
      std::visit(
          [this](const auto& f) {
            if constexpr (requires { f.at; }) {
              tie(f.at);
            } else if constexpr (requires { f.a.marker; }) {
              tie(f.a.marker);
              tie(f.b.marker);
            } else {
              if constexpr (requires { f.axial_shear; }) node_[slot_of(f.a)] = node_[slot_of(f.b)] = true;
              tie(f.a);
              tie(f.b);
            }
          },
          force);
  }

  Result<void> add_look(const Look& look, const std::string& what) {
    for (const Marker* marker : {&look.at, &look.to})
      if (!slot_.contains(marker->body)) {
        std::vector<std::string> known;
        for (const auto& [name, slot] : slot_) known.push_back(name);
        return Error{what + ": " + unknown_name("body", marker->body, known)};
      }
    const std::size_t slot = part_of(look.at);
    const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
    const Vector3 size = look.type == LookType::box        ? look.size
                         : look.type == LookType::cylinder ? Vector3{look.radius, look.radius, look.length}
                                                           : Vector3{look.radius, look.radius, look.radius};
    if (look.type == LookType::line) {
      add_line(slot, {anchor(look.at), anchor(look.to)});
      return {};
    }
    if (!positive(size[0]) || !positive(size[1]) || !positive(size[2]))
      return Error{fmt::format("{} on '{}': its sizes ({}, {}, {}) must be positive", what, look.at.body, size[0],
                               size[1], size[2])};
    clothed_[slot] = true;
    add_solid(slot, look.at,
              look.type == LookType::box        ? box_mesh(size)
              : look.type == LookType::cylinder ? cylinder_mesh(look.radius, look.length)
                                                : sphere_mesh(look.radius));
    return {};
  }

  /// What touches or rolls shows itself, unless the body has looks.
  void add_round(const Marker& marker, bool sphere, double radius, const std::vector<bool>& clothed) {
    const std::size_t slot = part_of(marker);
    if (!(radius > 0) || clothed[slot]) return;
    clothed_[slot] = true;
    add_solid(slot, marker, sphere ? sphere_mesh(radius) : cylinder_mesh(radius, radius / 2));
  }
  void add_round_surfaces() {
    const std::vector<bool> clothed = clothed_;
    for (const Coupling& coupling : mechanism_.couplings)
      if (coupling.type == CouplingType::rolling) {
        const auto* body = find_body(coupling.b.body);
        const bool flat = body != nullptr && body->kind == BodyKind::planar;
        add_round(coupling.b, !coupling.disc && !flat, coupling.radius, clothed);
      }
    for (const ForceElement& force : mechanism_.forces)
      if (const auto* contact = std::get_if<Contact>(&force))
        for (const Surface* surface : {&contact->a, &contact->b})
          if (surface->shape != Shape::plane)
            add_round(surface->marker, surface->shape == Shape::sphere, surface->radius, clothed);
  }
  [[nodiscard]] const Body* find_body(const std::string& name) const {
    const auto found = std::find_if(mechanism_.bodies.begin(), mechanism_.bodies.end(),
                                    [&](const Body& body) { return body.name == name; });
    return found == mechanism_.bodies.end() ? nullptr : &*found;
  }

  /// The diagonal of the box around all that is known by now.
  void measure() {
    Vector3 low = start_.size() > 1 ? start_[1].position : Vector3{}, high = low;
    const auto include = [&](const Vector3& x) {
      for (std::size_t i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], x[i]);
        high[i] = std::max(high[i], x[i]);
      }
    };
    for (std::size_t slot = 0; slot < start_.size(); ++slot) {
      if (slot > 0) include(start_[slot].position);
      for (const Vector3& at : tied_[slot]) include(in_space(slot, at));
    }
    std::vector<Vector3> points(scene_.n_points_);
    scene_.place(std::span(start_).subspan(1), points);
    for (const Vector3& x : points) include(x);
    const double diagonal = distance(low, high);
    if (std::isfinite(diagonal) && diagonal > 0) scene_.size_ = diagonal;
  }

  void add_bodies() {
    const bool few = mechanism_.bodies.size() <= 200;  // beyond, lines tell enough and files stay small
    for (std::size_t slot = 1; slot <= mechanism_.bodies.size(); ++slot) {
      if (first_node_[slot] != 0) {
        add_nodes(slot);
        continue;
      }
      const Marker centre{.body = mechanism_.bodies[slot - 1].name};
      if (!clothed_[slot] && (few || tied_[slot].empty()))
        add_solid(slot, centre, octahedron_mesh((node_[slot] ? 0.006 : 0.02) * scene_.size_));
      add_ties(slot, slot);
    }
  }
  /// A line from the origin to everything that is tied to it.
  void add_ties(std::size_t part, std::size_t slot) {
    std::vector<Vector3> seen{{}};
    for (const Vector3& at : tied_[slot]) {
      const auto same = [&](const Vector3& x) { return distance(x, at) < 1e-9 * scene_.size_; };
      if (std::any_of(seen.begin(), seen.end(), same)) continue;
      seen.push_back(at);
      add_line(part, {{.slot = slot}, {.slot = slot, .at = at}});
    }
  }
  /// A flexible body: a line through its nodes in their order.
  void add_nodes(std::size_t part) {
    std::vector<Anchor> line;
    const std::size_t count = mechanism_.bodies[part - 1].flexible->nodes.size();
    for (std::size_t slot = first_node_[part]; slot < first_node_[part] + count; ++slot) {
      line.push_back({.slot = slot});
      add_ties(part, slot);
    }
    add_line(part, std::move(line));
  }

  /// A patch, once for all that touches it.
  void add_plane(const Marker& marker) {
    const std::pair place{slot_of(marker), local(marker).position};
    if (std::find(planes_.begin(), planes_.end(), place) != planes_.end()) return;
    planes_.push_back(place);
    const double half = scene_.size_ / 2;
    std::vector<Anchor> corners;
    for (const auto& [x, y] : {std::pair{-half, -half}, {half, -half}, {half, half}, {-half, half}})
      corners.push_back(anchor(marker, {x, y, 0}));
    add_piece(part_of(marker), {.anchors = std::move(corners)}, 4, {{0, 1, 2, 3}});
  }

  void add_joint(const Joint& joint) {
    const std::size_t part = new_part(joint.name, PartKind::joint);
    const auto axis = [&](double half) {
      add_line(part, {anchor(joint.a, {0, 0, -half}), anchor(joint.a, {0, 0, half})});
    };
    switch (joint.type) {
      case JointType::revolute: return axis(0.03 * scene_.size_);
      case JointType::prismatic:
      case JointType::cylindrical:
      case JointType::point_on_line: return axis(0.12 * scene_.size_);
      case JointType::distance: return add_line(part, {anchor(joint.a), anchor(joint.b)});
      case JointType::fixed:
      case JointType::spherical:
      case JointType::universal: return add_solid(part, joint.a, octahedron_mesh(0.012 * scene_.size_));
      case JointType::planar:
      case JointType::point_on_plane:
      case JointType::parallel: {
        const double h = 0.1 * scene_.size_;
        return add_line(part, {anchor(joint.a, {-h, -h, 0}), anchor(joint.a, {h, -h, 0}), anchor(joint.a, {h, h, 0}),
                               anchor(joint.a, {-h, h, 0}), anchor(joint.a, {-h, -h, 0})});
      }
    }
  }

  void add_force(const SpringDamper& spring) {
    constexpr std::size_t points = 15;
    Anchor a = anchor(spring.a);
    const Anchor b = anchor(spring.b);
    // Teeth lie across z where the spring does, so that pictures of plane mechanisms show them.
    const Vector3 d = difference(in_space(b.slot, b.at), in_space(a.slot, a.at));
    const bool upright = std::hypot(d[0], d[1]) < 0.3 * std::abs(d[2]);
    a.along = rotated(opposite(start_[a.slot].rotation), upright ? Vector3{0, 1, 0} : Vector3{0, 0, 1});
    add_piece(new_part(spring.name, PartKind::force),
              {.curve = Curve::zigzag, .anchors = {a, b}, .scale = 0.025 * scene_.size_}, points);
  }
  void add_force(const TorsionSpring& spring) {
    std::vector<Anchor> arc;
    for (int i = 0; i <= 24; ++i) {
      const double phi = 2 * std::numbers::pi * i / 16, r = (0.02 + 0.001 * i) * scene_.size_;
      arc.push_back(anchor(spring.a, {r * std::cos(phi), r * std::sin(phi), 0}));
    }
    add_line(new_part(spring.name, PartKind::force), std::move(arc));
  }
  void add_force(const Bushing& bushing) {
    const double edge = 0.025 * scene_.size_;
    add_solid(new_part(bushing.name, PartKind::force), bushing.a, box_mesh({edge, edge, edge}));
  }
  void add_force(const Beam& beam) {
    constexpr std::size_t points = 9;
    Anchor a = anchor(beam.a), b = anchor(beam.b);
    a.along = rotated(local(beam.a).rotation, {1, 0, 0});
    b.along = rotated(local(beam.b).rotation, {1, 0, 0});
    const double length = distance(in_space(a.slot, a.at), in_space(b.slot, b.at));
    add_piece(new_part(beam.name, PartKind::force), {.curve = Curve::hermite, .anchors = {a, b}, .scale = length},
              points);
  }
  void add_force(const Contact& contact) {
    for (const Surface* surface : {&contact.a, &contact.b})
      if (surface->shape == Shape::plane) add_plane(surface->marker);
  }
  void add_force(const AppliedForce&) {}  // where it acts, a line of the body ends
  void add_force(const EndStop&) {}

  const Mechanism& mechanism_;
  Scene scene_;
  std::map<std::string, std::size_t, std::less<>> slot_;
  std::vector<Pose> start_;                 ///< per slot: ground, bodies, nodes
  std::vector<std::size_t> first_node_;     ///< per body: the slot of its first node, 0 where it is rigid
  std::vector<std::vector<Vector3>> tied_;  ///< per slot: points of joints and forces, in body axes
  std::vector<std::pair<std::size_t, Vector3>> planes_;
  std::vector<bool> clothed_, node_;  ///< per slot: has a solid of its own; holds a beam
};

Result<Scene> make_scene(const Mechanism& mechanism) { return SceneMaker(mechanism).make(); }

}  // namespace rubato::multibody
