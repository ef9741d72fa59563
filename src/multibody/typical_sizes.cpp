#include "rubato/multibody/typical_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/function.hpp"
#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/modal.hpp"

namespace rubato::multibody {

namespace {

constexpr double of_size = 1e-3, of_speed = 1e-2, of_radian = 1e-2, of_rate = 0.1;  ///< what counts as small
constexpr int n_samples = 200;                                                      ///< of motions along the run

double norm_of(const Vector3& x) { return std::hypot(x[0], x[1], x[2]); }

/// The box around all that has a place at the start.
class Extent {
 public:
  explicit Extent(const Mechanism& mechanism) : mechanism_(mechanism) {
    low_.fill(std::numeric_limits<double>::infinity());
    high_.fill(-std::numeric_limits<double>::infinity());
    for (const Body& body : mechanism.bodies) {
      add(body.pose.position);
      if (body.flexible)
        for (const ModalNode& node : body.flexible->nodes)
          add(composed(body.pose, {.position = node.position}).position);
    }
    for (const Joint& joint : mechanism.joints) add(joint.a), add(joint.b);
    for (const Coupling& coupling : mechanism.couplings)
      if (coupling.type == CouplingType::rolling) add(coupling.a), add(coupling.b, coupling.radius);
    for (const ForceElement& force : mechanism.forces) std::visit([this](const auto& f) { add_force(f); }, force);
  }

  /// The widest edge; 0: a point or nothing.
  [[nodiscard]] double widest() const {
    double edge = 0;
    for (std::size_t i = 0; i < 3; ++i) edge = std::max(edge, high_[i] - low_[i]);
    return std::isfinite(edge) ? edge : 0;
  }

 private:
  void add(const Vector3& x, double radius = 0) {
    for (std::size_t i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], x[i] - radius);
      high_[i] = std::max(high_[i], x[i] + radius);
    }
  }
  void add(const Marker& marker, double radius = 0) {
    Pose pose;
    const auto body = std::ranges::find(mechanism_.bodies, marker.body, &Body::name);
    if (body != mechanism_.bodies.end() && !marker.in_space) pose = body->pose;
    if (!marker.node.empty()) return;  // the nodes are in
    add(composed(pose, marker.pose).position, radius);
  }
  void add_force(const AppliedForce& force) { add(force.at); }
  void add_force(const Contact& contact) {
    add(contact.a.marker, contact.a.radius);
    add(contact.b.marker, contact.b.radius);
  }
  void add_force(const auto& between) { add(between.a), add(between.b); }

  const Mechanism& mechanism_;
  Vector3 low_{}, high_{};
};

/// max |motion'| along the run.
double fastest(const Function& motion, double t_start, double t_end) {
  double fastest = 0;
  for (int i = 0; i <= n_samples; ++i) {
    const double rate = derivatives(motion, t_start + (t_end - t_start) * i / n_samples)[1];
    if (std::isfinite(rate)) fastest = std::max(fastest, std::abs(rate));
  }
  return fastest;
}

double mass_of(const Body& body) {
  if (!body.flexible) return body.mass;
  double mass = 0;
  for (const ModalNode& node : body.flexible->nodes) mass += node.mass;
  return mass;
}

/// The smaller of two sizes, of which 0 stands for none.
double smaller(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

}  // namespace

TypicalSizes typical_sizes(const Mechanism& mechanism, double t_start, double t_end) {
  TypicalSizes sizes;
  if (const double widest = Extent(mechanism).widest(); widest > 0) sizes.length = widest;
  const double length = sizes.length, gravity = norm_of(mechanism.gravity);
  sizes.speed = std::max(std::sqrt(gravity * length), t_end > t_start ? length / (t_end - t_start) : 0);
  double mass = 0, lightest = 0;
  for (const Body& body : mechanism.bodies) {
    sizes.speed = std::max({sizes.speed, norm_of(body.velocity), norm_of(body.angular_velocity) * length});
    mass += mass_of(body);
    lightest = smaller(lightest, mass_of(body));
  }
  for (const Joint& joint : mechanism.joints)
    if (joint.motion && joint.drive != Drive::none)
      sizes.speed =
          std::max(sizes.speed, fastest(*joint.motion, t_start, t_end) * (joint.drive == Drive::angle ? length : 1.0));
  if (mass > 0) sizes.mass = mass, sizes.lightest = lightest;
  sizes.force = sizes.mass * std::max(gravity, sizes.speed * sizes.speed / length);
  for (const ForceElement& force : mechanism.forces)
    if (const auto* contact = std::get_if<Contact>(&force); contact != nullptr && contact->friction) {
      const LuGre& f = *contact->friction;
      if (f.sigma_0 > 0) sizes.bristle = smaller(sizes.bristle, std::max(f.mu_s, f.mu_k) / f.sigma_0);
      sizes.slip = smaller(sizes.slip, f.v_s);
    }
  return sizes;
}

std::vector<std::pair<std::string, double>> small_sizes(const TypicalSizes& sizes, const Layout& layout) {
  const double speed = smaller(of_speed * sizes.speed, sizes.slip), rate = of_rate * sizes.speed / sizes.length;
  const double force = of_size * sizes.force;
  std::vector<std::pair<std::string, double>> small;
  const auto choose = [&](const char* block, double size) {
    if (size > 0 && layout.find(block) != nullptr) small.emplace_back(block, size);
  };
  choose("q", of_size * sizes.length);
  choose("v", speed);
  choose("p", sizes.lightest * speed);
  choose("z", sizes.bristle);
  choose("lambda", force);
  choose("nu", force);
  choose("a", force / sizes.mass);
  choose("mu", sizes.speed);  // zero but for errors
  const auto names = layout.component_names();
  for (const auto& [kind, size] : {std::pair{'r', of_radian}, {'w', rate}})
    for (const char axis : {'x', 'y', 'z'})
      if (const std::string end{'.', kind, axis};
          std::ranges::any_of(names, [&](const std::string& name) { return name.ends_with(end); }))
        small.emplace_back("*" + end, size);
  return small;
}

}  // namespace rubato::multibody
