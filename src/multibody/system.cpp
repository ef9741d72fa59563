/// The model over double, dual numbers and the tracer; names, energies and outputs.
#include "rubato/multibody/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "builder.hpp"
#include "equations.hpp"
#include "rubato/base/function.hpp"
#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/modal.hpp"

namespace rubato::multibody {

namespace {

using namespace detail;

/// Holds the model before the equations that point to it are made.
struct Holder {
  Model held;
};

using Real = Equations<MultibodySystem, double>;

class System final : private Holder, public Real {
 public:
  System(Model model, std::vector<std::string> notes)
      : Holder{std::move(model)}, Real(&held, held.sizes), dual_(&held), tracer_(&held), notes_(std::move(notes)) {
    for (std::size_t i = 0; i < held.bodies.size(); ++i)
      if (held.bodies[i].flexible)
        for (std::size_t k = 0; k < held.bodies[i].flexible->nodes.size(); ++k)
          nodes_.push_back({.body = i + 1, .node = k});
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  bool constant_mass() const noexcept override { return !held.flexible; }
  bool plain_coordinates() const noexcept override { return held.plain; }
  bool rates_near_identity() const noexcept override { return true; }
  bool autonomous() const noexcept override { return held.autonomous; }
  const MechanicalEquations<Dual8>* dual() const noexcept override { return &dual_; }
  const MechanicalEquations<Tracer>* tracer() const noexcept override { return &tracer_; }
  std::size_t scratch_bytes() const noexcept override {
    const auto n = slots();
    return Scratch::bytes_for<Frame<Dual8>>(n) + 2 * Scratch::bytes_for<Twist<Dual8>>(n) +
           Scratch::bytes_for<Wrench<Dual8>>(n) + Scratch::bytes_for<double>(held.row_names.size()) +
           Scratch::bytes_for<double>(static_cast<std::size_t>(held.sizes.v));
  }

  int base_size() const noexcept override { return held.base_size; }
  void rebase(Out q, Out base) const noexcept override {
    for (const BodyModel& body : held.bodies)
      if (body.kind == BodyKind::spatial) rebase_rotation(q.subspan(body.first + 3, 3), base.subspan(body.base, 4));
    for (const TorsionModel& spring : std::get<std::vector<TorsionModel>>(held.forces))
      base[spring.base] =
          spring.deflection(frame_of(spring.a.body, q, base), frame_of(spring.b.body, q, base), base[spring.base]);
  }
  bool transport(In from, In to, Out q) const noexcept override {
    for (const BodyModel& body : held.bodies)
      if (body.kind == BodyKind::spatial)
        transport_rotation(from.subspan(body.base, 4), to.subspan(body.base, 4), q.subspan(body.first + 3, 3));
    return true;
  }

  std::optional<SparsePattern> inertia_pattern() const override;
  std::vector<std::string> names(std::string_view block) const override;
  std::vector<std::string> part_names() const override {
    std::vector<std::string> names{"gravity", "gyroscopic"};
    each_force(held.forces, [&](const auto& element) { names.push_back(element.name); });
    for (const BodyModel& body : held.bodies)
      if (body.flexible) names.push_back(body.name);
    return names;
  }

  std::vector<std::string> output_names() const override;
  EvalStatus outputs(const MechanicalPoint<double>& p, In a, Out y) const noexcept override;
  std::vector<std::string> invariant_names() const override {
    if (held.conservative) return {"energy"};
    return {};
  }
  EvalStatus invariants(const MechanicalPoint<double>& p, Out values) const noexcept override {
    if (!values.empty()) values[0] = kinetic(p) + potential(p);
    return EvalStatus::ok;
  }

  /// Where contacts and end stops open and close. The state stays as it is, another branch of their force holds.
  std::vector<RootInfo> roots() const override {
    std::vector<RootInfo> found;
    each_force(held.forces, [&](const auto& element) {
      if constexpr (requires { element.root_names(); })
        for (auto& name : element.root_names()) found.push_back({.name = std::move(name)});
    });
    return found;
  }
  EvalStatus root_values(const MechanicalPoint<double>& p, Out values) const noexcept override {
    if (values.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const ForcePoint<double> at = force_point(p, scratch);
    std::size_t place = 0;
    each_force(held.forces, [&](const auto& element) {
      if constexpr (requires { element.n_roots(); }) {
        element.roots(at, values.subspan(place, element.n_roots()));
        place += element.n_roots();
      }
    });
    return EvalStatus::ok;
  }
  int starting_mode(const MechanicalPoint<double>& p) const noexcept override {
    if (!held.has_mode) return p.mode;
    int mode = 1;
    Scratch scratch = p.scratch;
    const ForcePoint<double> at = force_point(p, scratch);
    each_force(held.forces, [&](const auto& element) {
      if constexpr (requires { element.mode_bits(at); }) mode |= element.mode_bits(at);
    });
    return mode;
  }
  EventEffect on_event(const EventContext& event, Out q, Out v, Out z) const noexcept override;
  double next_time_event(double t, int /*mode*/) const noexcept override {
    double next = std::numeric_limits<double>::infinity();
    for (const JointModel& joint : held.joints)
      if (joint.motion) next = std::min(next, joint.motion->next_break(t));
    each_force(held.forces, [&](const auto& element) {
      if constexpr (requires { element.next_break(t); }) next = std::min(next, element.next_break(t));
    });
    return next;
  }

  MechanicalState start() const override { return held.start; }
  std::vector<std::string> body_names() const override {
    std::vector<std::string> names;
    for (const BodyModel& body : held.bodies) names.push_back(body.name);
    return names;
  }
  std::vector<std::string> joint_names() const override { return held.joint_names; }
  const std::vector<std::string>& notes() const override { return notes_; }
  std::size_t n_frames() const override { return held.bodies.size() + nodes_.size(); }
  Pose pose(std::size_t number, In q, In base) const override;
  BodyVelocity velocity(std::size_t number, In q, In v, In base) const override;

 private:
  [[nodiscard]] bool jumps_at(double t) const noexcept;
  [[nodiscard]] Frame<double> frame_of(std::size_t slot, In q, In base) const {
    Frame<double> frame;
    for (std::size_t k = 0; k < 3; ++k) frame.R[k][k] = 1;
    MechanicalPoint<double> p;
    p.q = q;
    p.base = base;
    if (slot > held.bodies.size()) {
      const Station& station = held.stations[slot - 1 - held.bodies.size()];
      const BodyModel& body = held.bodies[station.body - 1];
      set_frame(body, p, frame);
      return station_frame(held.node(station), frame, body.modal(q));
    }
    if (slot > 0) set_frame(held.bodies[slot - 1], p, frame);
    return frame;
  }
  [[nodiscard]] double kinetic(const MechanicalPoint<double>& p) const;
  [[nodiscard]] double potential(const MechanicalPoint<double>& p) const;

  Equations<MechanicalEquations<Dual8>, Dual8> dual_;
  Equations<MechanicalEquations<Tracer>, Tracer> tracer_;
  std::vector<std::string> notes_;
  std::vector<Station> nodes_;  ///< of all flexible bodies
};

std::optional<SparsePattern> System::inertia_pattern() const {
  std::vector<Entry> entries;
  for (const BodyModel& body : held.bodies) {
    const int first = static_cast<int>(body.first);
    if (body.flexible) {
      const int n = static_cast<int>(body.coordinates());
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) entries.push_back({first + i, first + k});
      continue;
    }
    for (int k = 0; k < 3; ++k) entries.push_back({first + k, first + k});
    if (body.kind != BodyKind::spatial) continue;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) entries.push_back({first + 3 + i, first + 3 + k});
  }
  return SparsePattern::from_entries(held.sizes.v, held.sizes.v, entries);
}

std::vector<std::string> System::names(std::string_view block) const {
  if (block == "lambda") return held.row_names;
  if (block == "nu") return held.rolling_names;
  if (block == "z") return held.state_names;
  std::vector<std::string> names;
  if (block == "mu")
    for (const auto& name : held.row_names) names.push_back(name + ".mu");
  // Of the directions x, y, z: what stands before and behind, for translations and rotations.
  struct Words {
    const char *linear, *angular, *behind;
  };
  Words words{};
  if (block == "q")
    words = {"", "r", ""};
  else if (block == "v")
    words = {"v", "w", ""};
  else if (block == "a")
    words = {"v", "w", "_rate"};
  else if (block == "p")
    words = {"p", "l", ""};
  else
    return names;
  for (const BodyModel& body : held.bodies) {
    const auto add = [&](const char* before, char axis) {
      names.push_back(body.name + "." + before + axis + words.behind);
    };
    add(words.linear, 'x');
    add(words.linear, 'y');
    if (body.kind == BodyKind::planar)
      add(words.angular, 'z');
    else
      add(words.linear, 'z');
    if (body.kind == BodyKind::spatial)
      for (const char axis : {'x', 'y', 'z'}) add(words.angular, axis);
    for (std::size_t i = 6; i < body.coordinates(); ++i)
      names.push_back(fmt::format("{}.{}eta{}{}", body.name, words.linear, i - 5, words.behind));
  }
  return names;
}

double System::kinetic(const MechanicalPoint<double>& p) const {
  double sum = 0;
  for (const BodyModel& body : held.bodies) {
    const Three<double> v = three(p.v, body.first);
    if (body.flexible) {
      Scratch scratch = p.scratch;
      const auto momenta = scratch.take<double>(body.coordinates());
      const Rotation<double> r = frame_of(static_cast<std::size_t>(&body - held.bodies.data()) + 1, p.q, p.base).R;
      body.flexible->inertia_times<double>(r, body.modal(p.q), body.part(p.v), momenta);
      sum += map(In(momenta)).dot(map(body.part(p.v))) / 2;
      continue;
    }
    if (body.kind == BodyKind::planar) {
      sum += (body.mass * (v[0] * v[0] + v[1] * v[1]) + body.inertia[2][2] * v[2] * v[2]) / 2;
      continue;
    }
    sum += body.mass * dot(v, v) / 2;
    if (body.kind == BodyKind::point) continue;
    const Three<double> omega = three(p.v, body.first + 3);
    sum += dot(omega, rotate(body.inertia, omega)) / 2;
  }
  return sum;
}

double System::potential(const MechanicalPoint<double>& p) const {
  Scratch scratch = p.scratch;
  const ForcePoint<double> at = force_point(p, scratch);
  double sum = height_energy(p, at.bodies);
  for (const BodyModel& body : held.bodies)
    if (body.flexible) sum += body.flexible->strain_energy(body.modal(p.q));
  each_force(held.forces, [&](const auto& element) { sum += element.energy(at); });
  return sum;
}

/// Whether accelerations or reactions jump, or velocities with a drive that has a kink.
bool System::jumps_at(double t) const noexcept {
  bool jumps_there = false;
  for (const JointModel& joint : held.joints) jumps_there = jumps_there || (joint.motion && jumps(*joint.motion, t, 2));
  each_force(held.forces, [&](const auto& element) {
    if constexpr (requires { element.jumps_at(t); }) jumps_there = jumps_there || element.jumps_at(t);
  });
  return jumps_there;
}

/// A root that has fired is on its new side here: of elements with one the state tells the branch. Others keep theirs, also
/// where rounding shows them on the other side, just after an event of their own.
EventEffect System::on_event(const EventContext& event, Out q, Out v, Out z) const noexcept {
  EventEffect effect{.mode = event.mode};
  if (event.roots.empty()) effect.state_changed = jumps_at(event.t);
  if (event.roots.empty() || !held.has_mode || event.mode == 0) return effect;
  ScratchMemory memory(scratch_bytes());
  Scratch scratch = memory.scratch();
  const ForcePoint<double> at = force_point({.t = event.t,
                                             .q = q,
                                             .v = v,
                                             .z = z,
                                             .lambda = {},
                                             .nu = {},
                                             .u = event.u,
                                             .base = event.base,
                                             .scratch = scratch},
                                            scratch);
  std::size_t place = 0;
  each_force(held.forces, [&](const auto& element) {
    if constexpr (requires { element.touchings(); }) {
      const std::size_t end = place + element.n_roots();
      const bool fired = std::ranges::any_of(event.roots, [&](int root) {
        return static_cast<std::size_t>(root) >= place && static_cast<std::size_t>(root) < end;
      });
      place = end;
      if (!fired) return;
      int mask = 0;
      for (const Touching& touching : element.touchings()) {
        mask |= touching.closed.set(true) | touching.pressing.set(true);
        effect.state_changed = effect.state_changed || touching.damper;  // its force jumps
      }
      effect.mode = (effect.mode & ~mask) | element.mode_bits(at);
    }
  });
  return effect;
}

Pose System::pose(std::size_t number, In q, In base) const {
  if (number >= held.bodies.size()) {
    const Station& station = nodes_[number - held.bodies.size()];
    const BodyModel& body = held.bodies[station.body - 1];
    return composed(pose(station.body - 1, q, base), node_pose(*body.modal_data, station.node, body.modal(q)));
  }
  const BodyModel& body = held.bodies[number];
  Pose out{.position = three(q, body.first)};
  if (body.kind == BodyKind::planar) {
    out.rotation = {std::cos(out.position[2] / 2), 0, 0, std::sin(out.position[2] / 2)};
    out.position[2] = body.height;
  } else if (body.kind == BodyKind::spatial) {
    Three<double> delta = three(q, body.first + 3);
    for (std::size_t k = 0; k < 4; ++k) out.rotation[k] = base[body.base + k];
    rebase_rotation(delta, out.rotation);
  }
  return out;
}

BodyVelocity System::velocity(std::size_t number, In q, In v, In base) const {
  if (number >= held.bodies.size()) {
    const Station& station = nodes_[number - held.bodies.size()];
    const BodyModel& body = held.bodies[station.body - 1];
    const auto twist =
        station_twist(held.node(station), frame_of(station.body, q, base).R, body.modal(q), body.part(v));
    return {.linear = twist.linear, .angular = twist.angular};
  }
  const BodyModel& body = held.bodies[number];
  BodyVelocity out{.linear = three(v, body.first)};
  if (body.kind == BodyKind::spatial)
    out.angular = rotate(rotation_of(pose(number, q, base).rotation), three(v, body.first + 3));
  if (body.kind == BodyKind::planar) std::swap(out.linear[2], out.angular[2]);
  return out;
}

/// Of spatial bodies the quaternion (states hold only the increment over the base); of flexible ones the strain energy, and of
/// named nodes the place in space and the displacement in body axes; per joint force and torque on b at its
/// origin, in space, and what a drive exerts; per rolling contact the force on b; what force elements have to say.
std::vector<std::string> System::output_names() const {
  std::vector<std::string> names;
  for (const BodyModel& body : held.bodies)
    if (body.kind == BodyKind::spatial)
      for (const char* c : {"qw", "qx", "qy", "qz"}) names.push_back(body.name + "." + c);
  for (const BodyModel& body : held.bodies) {
    if (!body.flexible) continue;
    names.push_back(body.name + ".strain_energy");
    for (const ModalNode& node : body.modal_data->nodes)
      for (const char* c : {"x", "y", "z", "ux", "uy", "uz"})
        if (!node.name.empty()) names.push_back(body.name + "." + node.name + "." + c);
  }
  for (std::size_t i = 0; i < held.joints.size(); ++i) {
    for (const char* c : {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"})
      names.push_back(held.joint_names[i] + "." + c);
    if (held.joints[i].motion)
      names.push_back(held.joint_names[i] +
                      (held.joints[i].rows.back().kind == JointRow::Kind::angle ? ".drive_torque" : ".drive_force"));
  }
  for (const std::string& rolling : held.rolling_elements)
    for (const char* c : {"force.x", "force.y", "force.z"}) names.push_back(rolling + "." + c);
  each_force(held.forces, [&](const auto& element) {
    for (const std::string& name : element.output_names()) names.push_back(element.name + "." + name);
  });
  for (const char* c : {"energy.kinetic", "energy.potential", "energy.total", "constraint.residual"})
    names.emplace_back(c);
  return names;
}

EvalStatus System::outputs(const MechanicalPoint<double>& p, In /*a*/, Out y) const noexcept {
  std::size_t place = 0;
  for (std::size_t i = 0; i < held.bodies.size(); ++i)
    if (held.bodies[i].kind == BodyKind::spatial)
      for (const double c : pose(i, p.q, p.base).rotation) y[place++] = c;
  for (std::size_t i = 0; i < held.bodies.size(); ++i) {
    const BodyModel& body = held.bodies[i];
    if (!body.flexible) continue;
    y[place++] = body.flexible->strain_energy(body.modal(p.q));
    const Frame<double> frame = frame_of(i + 1, p.q, p.base);
    for (std::size_t k = 0; k < body.flexible->nodes.size(); ++k) {
      if (body.modal_data->nodes[k].name.empty()) continue;
      const NodeModel& node = body.flexible->nodes[k];
      const Three<double> s = node_motion(node, body.modal(p.q), false).s;
      for (const double x : plus(frame.r, rotate(frame.R, s))) y[place++] = x;
      for (const double u : minus(s, node.at)) y[place++] = u;
    }
  }
  Scratch scratch = p.scratch;
  const ForcePoint<double> at = force_point(p, scratch);
  const Bodies<double>& bodies = at.bodies;
  for (const JointModel& joint : held.joints) {
    const JointLoad<double> load = joint_load(joint, p.t, bodies, p.lambda);
    for (const double f : load.force()) y[place++] = -f;
    for (const double t : load.couple) y[place++] = -t;
    if (joint.motion) y[place++] = -drive_load(joint, bodies, p.lambda);
  }
  for (const RollingModel& rolling : held.rollings)
    for (const double f : rolling_load(rolling, bodies, p.lambda, p.nu)) y[place++] = -f;
  each_force(held.forces, [&](const auto& element) {
    element.outputs(at, y.subspan(place, element.n_outputs));
    place += element.n_outputs;
  });
  y[place++] = kinetic(p);
  y[place++] = potential(p);
  y[place] = y[place - 2] + y[place - 1];
  ++place;
  MechanicalPoint<double> inner = p;
  const auto g = inner.scratch.take<double>(held.row_names.size());
  static_cast<void>(constraint(inner, g));
  double worst = 0;
  for (const double x : g) worst = std::max(worst, std::abs(x));
  y[place] = worst;
  return EvalStatus::ok;
}

}  // namespace

Result<std::shared_ptr<const MultibodySystem>> build(const Mechanism& mechanism) {
  Builder builder(mechanism);
  if (auto ok = builder.run(); !ok) return ok.error();
  return std::shared_ptr<const MultibodySystem>(
      std::make_shared<const System>(std::move(builder.model), std::move(builder.notes)));
}

}  // namespace rubato::multibody
