// Flexible bodies: inertia against the sum over all nodes, joints and forces on nodes against dual numbers and virtual work.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "rubato/multibody/modal.hpp"
#include "rubato/multibody/scene.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

/// Nodes, shapes and rotations at random: nothing vanishes or cancels by chance.
ModalBody random_body(unsigned seed, std::size_t n_nodes, std::size_t n_modes, bool with_inertia) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vector3{uniform(random), uniform(random), uniform(random)}; };
  ModalBody body;
  for (std::size_t k = 0; k < n_nodes; ++k) {
    ModalNode node{.name = "n" + std::to_string(k), .position = vector(), .mass = 1.5 + uniform(random)};
    if (with_inertia) node.inertia = {0.3, 0.2, 0.1 + 0.05 * uniform(random)};
    body.nodes.push_back(node);
  }
  for (std::size_t i = 0; i < n_modes; ++i) {
    Mode mode{.stiffness = 50 + 10 * static_cast<double>(i), .damping = i == 1 ? 0.5 : 0};
    for (std::size_t k = 0; k < n_nodes; ++k) {
      mode.shape.push_back(vector());
      mode.rotation.push_back(vector());
    }
    body.modes.push_back(mode);
  }
  return body;
}
Body flexible(std::string name, const ModalBody& data) {
  return {.name = std::move(name), .flexible = std::make_shared<const ModalBody>(data)};
}

/// M a − f is by d'Alembert Σ m (∂x'/∂v)ᵀ x'' over all nodes, elastic forces aside; nodes have no inertia of their own here.
/// Velocities of nodes come from the model; accelerations are their differences along the motion.
TEST(Flexible, InertiaIsTheSumOverTheNodes) {
  ModalBody data = random_body(1, 5, 3, false);
  for (Mode& mode : data.modes) {
    mode.stiffness = 1e-30;
    mode.damping = 0;
  }
  const auto system = built({.bodies = {flexible("body", data)}});
  ASSERT_NE(system, nullptr);
  const MechanicalState s = shaken(*system, 7);
  StatePoint at(*system, s);
  Vector q_rate(s.q.size()), left(s.v.size()), f(s.v.size()), sum = Vector::Zero(s.v.size());
  ASSERT_EQ(system->kinematics(at(), view(s.v), view(q_rate)), EvalStatus::ok);
  ASSERT_EQ(system->inertia(at(), view(s.a), view(left)), EvalStatus::ok);
  ASSERT_EQ(system->force(at(), view(f)), EvalStatus::ok);

  const double h = 1e-4;
  const auto velocity = [&](std::size_t node, double t,
                            const Vector& v) {  // along q', a, with q'' as differences make it
    Vector q = s.q;
    // Two stages of the midpoint rule keep q(t) to order h³: q' changes with v and with the chart.
    StatePoint middle(*system, s);
    middle.s.q = s.q + t / 2 * q_rate;
    middle.s.v = s.v + t / 2 * s.a;
    Vector rate(q.size());
    EXPECT_EQ(system->kinematics(middle(), view(std::as_const(middle.s.v)), view(rate)), EvalStatus::ok);
    q += t * rate;
    const Vector3 x = system->velocity(1 + node, view(std::as_const(q)), view(v), view(s.base)).linear;
    return Eigen::Vector3d(x[0], x[1], x[2]);
  };
  for (std::size_t k = 0; k < data.nodes.size(); ++k) {
    const Eigen::Vector3d acceleration = (velocity(k, h, s.v + h * s.a) - velocity(k, -h, s.v - h * s.a)) / (2 * h);
    for (Eigen::Index i = 0; i < s.v.size(); ++i)
      sum[i] += data.nodes[k].mass * velocity(k, 0, Vector::Unit(s.v.size(), i)).dot(acceleration);
  }
  EXPECT_LT((left - f - sum).norm(), 1e-6 * sum.norm());  // h² of the differences
}

/// ½ v·M v, M' v by dual numbers along the motion, and energy: v·(M a + ½ M' v) of the free body is −d/dt strain energy.
TEST(Flexible, InertiaRateAndEnergy) {
  const auto system = built({.bodies = {flexible("body", random_body(2, 4, 3, true))}, .gravity = {1, -2, 3}});
  ASSERT_NE(system, nullptr);
  const MechanicalState s = shaken(*system, 3);
  StatePoint at(*system, s);
  const auto n = static_cast<std::size_t>(s.v.size());
  Vector q_rate(s.q.size()), rate(s.v.size()), f(s.v.size());
  ASSERT_EQ(system->kinematics(at(), view(s.v), view(q_rate)), EvalStatus::ok);
  ASSERT_EQ(system->inertia_rate(at(), view(rate)), EvalStatus::ok);
  ASSERT_EQ(system->force(at(), view(f)), EvalStatus::ok);
  std::vector<Dual8> q(n), v(n), p(n);
  for (std::size_t i = 0; i < n; ++i) {
    q[i] = Dual8(s.q[static_cast<Eigen::Index>(i)]);
    q[i].d[0] = q_rate[static_cast<Eigen::Index>(i)];
    v[i] = Dual8(s.v[static_cast<Eigen::Index>(i)]);
  }
  ScratchMemory memory(system->scratch_bytes());
  const MechanicalPoint<Dual8> point{.t = Dual8(s.t),
                                     .q = q,
                                     .v = v,
                                     .z = {},
                                     .lambda = {},
                                     .nu = {},
                                     .u = {},
                                     .base = view(s.base),
                                     .scratch = memory.scratch()};
  ASSERT_EQ(system->dual()->inertia(point, v, p), EvalStatus::ok);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(rate[static_cast<Eigen::Index>(i)], p[i].d[0], 1e-12 * (1 + std::abs(p[i].d[0]))) << i;
  // Power of gravity, strain and damping: from their energies by dual numbers, and d₂ η₂'².
  Dual8 weight, strain;
  ASSERT_EQ(system->dual()->part_energy(0, point, weight), EvalStatus::ok);
  ASSERT_EQ(system->part_names().back(), "body");
  ASSERT_EQ(system->dual()->part_energy(2, point, strain), EvalStatus::ok);
  const double loss = 0.5 * s.v[7] * s.v[7];
  EXPECT_NEAR(f.dot(s.v) + 0.5 * rate.dot(s.v), -weight.d[0] - strain.d[0] - loss, 1e-11 * f.norm());
}

/// Joints, couplings and rolling between nodes of flexible bodies, rigid bodies and the ground: rates, accelerations and
/// reactions are exact.
TEST(Flexible, JointsHoldNodes) {
  const ModalBody one = random_body(3, 4, 3, true), other = random_body(4, 3, 2, false);
  for (const JointType type :
       {JointType::fixed, JointType::revolute, JointType::prismatic, JointType::cylindrical, JointType::universal,
        JointType::planar, JointType::distance, JointType::point_on_line}) {
    Mechanism m{.bodies = {flexible("one", one), flexible("other", other)}};
    const Vector3 &a = one.nodes[1].position, &b = other.nodes[2].position;
    m.bodies[1].pose.position = {a[0] - b[0] + 0.2, a[1] - b[1], a[2] - b[2]};
    m.joints = {{.name = "joint",
                 .type = type,
                 .a = {.body = "one", .pose = {.position = {0.2, 0, 0}}, .node = "n1"},
                 .b = {.body = "other", .pose = {.rotation = no_rotation}, .node = "n2"}}};
    if (type == JointType::distance) m.joints[0].length = 0.2;
    if (type == JointType::distance) m.joints[0].a.pose.position = {};
    if (type == JointType::universal) m.joints[0].b.pose.rotation = from_axis_angle({0, 0, 1}, std::numbers::pi / 2);
    const auto system = built(m);
    ASSERT_NE(system, nullptr);
    expect_exact_rates(*system, 11);
  }
}
TEST(Flexible, CouplingsHoldNodes) {
  const ModalBody data = random_body(3, 4, 3, true);
  const auto held = [&](const char* name, JointType type, const char* node) {
    return Joint{.name = name,
                 .type = type,
                 .a = {.pose = {.position = data.nodes[static_cast<std::size_t>(node[1] - '0')].position}},
                 .b = {.body = "body", .node = node}};
  };
  const auto system =
      built({.bodies = {flexible("body", data)},
             .joints = {held("turning", JointType::revolute, "n0"), held("sliding", JointType::prismatic, "n1"),
                        held("both", JointType::cylindrical, "n2")},
             .couplings = {
                 {.name = "gear", .type = CouplingType::gear, .joint_1 = "turning", .joint_2 = "sliding", .ratio = 3},
                 {.name = "screw", .type = CouplingType::screw, .joint_1 = "both", .ratio = 0.1},
                 {.name = "rolling",
                  .type = CouplingType::rolling,
                  .a = {.pose = {.position = {0, 0, data.nodes[3].position[2] - 0.3}}},
                  .b = {.body = "body", .node = "n3"},
                  .radius = 0.3}}});
  ASSERT_NE(system, nullptr);
  expect_exact_rates(*system, 5);
}

/// Every force element between two nodes is minus the slope of its energy, in all coordinates.
TEST(Flexible, ForcesOnNodesAreSlopesOfTheirEnergy) {
  const ModalBody one = random_body(5, 3, 2, true), other = random_body(6, 3, 3, true);
  const Marker a{.body = "one", .pose = {.position = {0.1, 0.2, 0}}, .node = "n1"},
      b{.body = "other", .pose = {.position = {0, 0.1, -0.1}}, .node = "n2"};
  const Vector3 &p = one.nodes[1].position, &q = other.nodes[2].position;
  const std::vector<ForceElement> elements{
      SpringDamper{.name = "f", .a = a, .b = b, .stiffness = 30},
      TorsionSpring{.name = "f", .a = a, .b = b, .stiffness = 20},
      Bushing{.name = "f", .a = a, .b = b, .stiffness = {10, 20, 30}, .torsional_stiffness = {1, 2, 3}},
      Contact{.name = "f",
              .a = {.marker = a, .shape = Shape::sphere, .radius = 2},
              .b = {.marker = b, .shape = Shape::sphere, .radius = 1},
              .stiffness = 40},
      Beam{.name = "f",
           .a = {.body = "one", .node = "n1"},
           .b = {.body = "other", .node = "n2"},
           .axial_shear = {100, 50, 50},
           .torsion_bending = {10, 20, 30}}};
  for (const ForceElement& element : elements) {
    Mechanism m{.bodies = {flexible("one", one), flexible("other", other)}, .forces = {element}};
    m.bodies[1].pose.position = {p[0] - q[0] + 1, p[1] - q[1], p[2] - q[2]};
    const auto system = built(m);
    ASSERT_NE(system, nullptr);
    MechanicalState s = shaken(*system, 9, 0.1);
    s.mode = 0;
    StatePoint at(*system, s);
    Vector q_rate(s.q.size());
    ASSERT_EQ(system->kinematics(at(), view(s.v), view(q_rate)), EvalStatus::ok);
    const Vector f = element_force(*system, s);
    std::vector<Dual8> x(static_cast<std::size_t>(s.q.size())), v(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = Dual8(s.q[static_cast<Eigen::Index>(i)]);
      x[i].d[0] = q_rate[static_cast<Eigen::Index>(i)];
    }
    ScratchMemory memory(system->scratch_bytes());
    const MechanicalPoint<Dual8> point{.t = Dual8(0.0),
                                       .q = x,
                                       .v = v,
                                       .z = {},
                                       .lambda = {},
                                       .nu = {},
                                       .u = {},
                                       .base = view(s.base),
                                       .scratch = memory.scratch()};
    Dual8 energy;
    ASSERT_EQ(system->dual()->part_energy(2, point, energy), EvalStatus::ok);
    EXPECT_GT(std::abs(energy.value), 1e-3) << element.index();
    // Torsion springs suppose parallel axes, which the shaken bodies do not have.
    if (!std::holds_alternative<TorsionSpring>(element)) {
      EXPECT_NEAR(f.dot(s.v), -energy.d[0], 1e-11 * f.norm()) << element.index();
    }
  }
}

/// Markers without a name go to the nearest node, and a note says how far that is; the same place in space and on the body.
TEST(Flexible, MarkersFindTheirNode) {
  const auto beam = modal_beam({.length = 2,
                                .mass_per_length = 1,
                                .inertia_per_length = {0.01, 0, 0},
                                .torsion_bending = {0, 0, 100},
                                .modes = 2,
                                .elements = 4});
  ASSERT_TRUE(beam) << beam.error().message;
  Mechanism m{.bodies = {flexible("rod", *beam)}};
  m.bodies[0].pose = {.position = {1, 0, 0}, .rotation = from_axis_angle({0, 0, 1}, 0.3)};
  m.bodies[0].deformation = {0.1, 0.02};
  const Pose middle = node_pose(*beam, 2, m.bodies[0].deformation);
  const Vector3 turned = rotated(m.bodies[0].pose.rotation, middle.position);
  const Vector3 there{1 + turned[0], turned[1], turned[2]};
  m.joints = {
      {.name = "pin", .type = JointType::spherical, .a = marker_at("ground", there), .b = marker_at("rod", there)}};
  const auto exact = built(m);
  ASSERT_NE(exact, nullptr);
  EXPECT_TRUE(exact->notes().empty()) << exact->notes()[0];
  const auto end = run(exact, {.t_end = 0});
  EXPECT_NEAR(end["rod.b.uy"], 0.1 * beam->modes[0].shape[4][1] + 0.02 * beam->modes[1].shape[4][1], 1e-12);
  EXPECT_NEAR(end["rod.strain_energy"], end["energy.potential"], 1e-12);
  EXPECT_GT(end["rod.strain_energy"], 0.01);
  m.joints[0].b = {.body = "rod", .pose = {.position = {1.1, 0, 0}}};
  m.bodies[0].deformation = {};
  m.joints[0].a = {.pose = {.position = {1 + 1.1 * std::cos(0.3), 1.1 * std::sin(0.3), 0}}};
  const auto near = built(m);
  ASSERT_NE(near, nullptr);
  ASSERT_EQ(near->notes().size(), 1U);
  for (const char* word : {"'pin'", "frame b", "'rod'", "node 3", "0.1 m"})
    EXPECT_NE(near->notes()[0].find(word), std::string::npos) << near->notes()[0];
}

/// Scenes follow the nodes: a line through all of them, springs at the node they hold on to, and velocities that are the
/// derivatives of all this.
TEST(Flexible, ScenesMoveWithTheNodes) {
  const ModalBody data = random_body(9, 4, 2, true);
  Mechanism m{.bodies = {{.name = "block", .mass = 1, .inertia = {1, 1, 1}}, flexible("frame", data)},
              .forces = {SpringDamper{.name = "spring",
                                      .a = {.body = "block"},
                                      .b = {.body = "frame", .pose = {.position = {0, 0.1, 0}}, .node = "n2"},
                                      .stiffness = 1}},
              .looks = {{.type = LookType::sphere, .at = {.body = "frame", .node = "n3"}, .radius = 0.1}}};
  const auto system = built(m);
  const auto scene = make_scene(m);
  ASSERT_TRUE(scene) << scene.error().message;
  ASSERT_EQ(scene->n_frames(), system->n_frames());
  ASSERT_EQ(scene->n_frames(), 6U);
  const MechanicalState s = shaken(*system, 13);
  Vector q_rate(s.q.size());
  StatePoint at(*system, s);
  ASSERT_EQ(system->kinematics(at(), view(s.v), view(q_rate)), EvalStatus::ok);
  const auto placed = [&](double t) {
    const Vector q = s.q + t * q_rate;
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < system->n_frames(); ++i) poses.push_back(system->pose(i, view(q), view(s.base)));
    std::vector<Vector3> points(scene->n_points());
    scene->place(poses, points);
    return std::pair(poses, points);
  };
  std::vector<BodyVelocity> rates;
  for (std::size_t i = 0; i < system->n_frames(); ++i)
    rates.push_back(system->velocity(i, view(s.q), view(s.v), view(s.base)));
  std::vector<Vector3> velocities(scene->n_points());
  const auto here = placed(0);
  scene->velocities(here.first, rates, velocities);
  const double h = 1e-5;
  const auto before = placed(-h).second, after = placed(h).second;
  std::size_t line = 0, spring = 0;
  for (const ScenePiece& piece : scene->pieces()) {
    const std::string& name = scene->parts()[piece.part].name;
    if (name == "frame" && piece.count == 4) line = piece.first;
    if (name == "spring") spring = piece.first + piece.count - 1;
    if (name == "spring") continue;  // teeth of a zigzag are not followed
    for (std::size_t i = piece.first; i < piece.first + piece.count; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(velocities[i][k], (after[i][k] - before[i][k]) / (2 * h), 1e-7) << name;
  }
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(here.second[line + k], here.first[2 + k].position);
  const Vector3 arm = rotated(here.first[4].rotation, {0, 0.1, 0});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(here.second[spring][k], here.first[4].position[k] + arm[k], 1e-14);
}

TEST(Flexible, MistakesAreNamed) {
  const ModalBody good = random_body(8, 4, 2, true);
  struct Mistake {
    std::function<void(Body&, ModalBody&)> make;
    std::vector<std::string> words;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Mistake> mistakes{
      {[](Body& b, ModalBody&) { b.mass = 1; }, {"mass and inertia", "its nodes"}},
      {[](Body& b, ModalBody&) { b.kind = BodyKind::planar; }, {"spatial"}},
      {[](Body& b, ModalBody&) {
         b.deformation = {1, 2, 3};
       },
       {"deformation", "3 values for 2 modes"}},
      {[=](Body& b, ModalBody&) {
         b.deformation_rate = {1, nan};
       },
       {"deformation rate", "not finite"}},
      {[](Body&, ModalBody& d) { d.nodes.clear(); }, {"no nodes"}},
      {[](Body&, ModalBody& d) { d.nodes[2].name = "n1"; }, {"node n1", "another node"}},
      {[](Body&, ModalBody& d) { d.nodes[3].mass = -1; }, {"node n3", "mass = -1"}},
      {[](Body&, ModalBody& d) { d.nodes[0].inertia[1] = -2; }, {"node n0", "inertia = -2"}},
      {[=](Body&, ModalBody& d) { d.nodes[0].position[1] = nan; }, {"node n0", "position", "not finite"}},
      {[](Body&, ModalBody& d) {
         for (auto& node : d.nodes) node.mass = 0;
       },
       {"add up to 0 kg"}},
      {[](Body&, ModalBody& d) { d.modes[1].shape.pop_back(); }, {"mode 2", "shape has 3 entries for 4 nodes"}},
      {[](Body&, ModalBody& d) { d.modes[1].rotation.pop_back(); }, {"mode 2", "rotation has 3 entries"}},
      {[=](Body&, ModalBody& d) { d.modes[0].shape[1][2] = nan; }, {"mode 1", "shape", "not finite"}},
      {[](Body&, ModalBody& d) { d.modes[0].stiffness = -1; }, {"mode 1", "stiffness = -1", "positive"}},
      {[](Body&, ModalBody& d) { d.modes[0].stiffness = 0; }, {"mode 1", "neither stiffness nor frequency"}},
      {[](Body&, ModalBody& d) { d.modes[0].frequency_hz = 3; }, {"mode 1", "stiffness and frequency"}},
      {[](Body&, ModalBody& d) { d.modes[1].damping_ratio = 0.1; }, {"mode 2", "damping and its ratio"}},
      {[](Body&, ModalBody& d) {
         for (auto& x : d.modes[1].shape) x = {0, 0, 0};
         for (auto& x : d.modes[1].rotation) x = {0, 0, 0};
       },
       {"mode 2 moves no mass"}},
      {[](Body&, ModalBody& d) {
         for (auto& x : d.modes[1].shape) x = {0, 1, 0};
         d.modes[1].rotation.clear();
       },
       {"mode 2", "rigid motion"}},
      {[](Body&, ModalBody& d) {
         for (auto& node : d.nodes) {
           node.inertia = {};
           node.position = {node.position[0], 0, 0};
         }
       },
       {"no inertia about x"}},
  };
  for (const Mistake& mistake : mistakes) {
    Body body{.name = "rod"};
    ModalBody data = good;
    mistake.make(body, data);
    body.flexible = std::make_shared<const ModalBody>(data);
    const auto system = build({.bodies = {body}});
    ASSERT_FALSE(system.ok()) << mistake.words[0];
    for (const auto& word : mistake.words)
      EXPECT_NE(system.error().message.find(word), std::string::npos) << system.error().message;
    EXPECT_NE(system.error().message.find("body 'rod'"), std::string::npos) << system.error().message;
  }
  Mechanism m{.bodies = {flexible("rod", good), {.name = "ball", .mass = 1, .inertia = {1, 1, 1}}},
              .joints = {{.name = "pin", .type = JointType::spherical, .b = {.body = "rod", .node = "n9"}}}};
  EXPECT_NE(build(m).error().message.find("unknown node 'n9'"), std::string::npos) << build(m).error().message;
  m.joints[0].b = {.body = "ball", .node = "n1"};
  EXPECT_NE(build(m).error().message.find("'ball' is rigid"), std::string::npos) << build(m).error().message;

  for (const auto& [beam, word] :
       {std::pair{ModalBeam{}, "length"},
        {ModalBeam{.length = 1}, "mass per length"},
        {ModalBeam{.length = 1, .mass_per_length = 1}, "inertia per length"},
        {ModalBeam{.length = 1,
        .mass_per_length = 1,
        .inertia_per_length = {1, 0, 0},
        .torsion_bending = {0, 0, 1},
        .elements = 3},
         "even"},
        {ModalBeam{.length = 1, .mass_per_length = 1, .inertia_per_length = {1, 0, 0}}, "it has 0"}}) {
    const auto made = modal_beam(beam);
    ASSERT_FALSE(made.ok()) << word;
    EXPECT_NE(made.error().message.find(word), std::string::npos) << made.error().message;
  }
}

}  // namespace
}  // namespace rubato::multibody
