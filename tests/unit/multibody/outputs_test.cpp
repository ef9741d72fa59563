// Channels of joints and force elements against what statics and Newton say.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/base/function.hpp"
#include "rubato/multibody/modal.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

constexpr double gravity = 9.81;

std::shared_ptr<const Function> function_of(const char* text, std::string variable) {
  const std::string variables[] = {std::move(variable)};
  return std::make_shared<Function>(*Expression::parse(text, variables, {}));
}

/// Unknowns and outputs as the mechanism says they are at the start, without any projection.
Ending at_start(const Mechanism& m) {
  Ending ending;
  const auto system = built(m);
  if (system == nullptr) return ending;
  ending.state = system->start();
  ending.state.a = Vector::Zero(ending.state.v.size());
  look(*system, ending);
  return ending;
}

Body point(const char* name, const Vector3& at, double mass, const Vector3& velocity = {}) {
  return {.name = name, .kind = BodyKind::point, .mass = mass, .pose = {.position = at}, .velocity = velocity};
}
/// A sphere of radius 0.1 on the plane z = 0 of the ground.
Contact on_floor(bool swapped) {
  Contact contact{.name = "touch",
                  .a = {.shape = Shape::plane},
                  .b = {.marker = {.body = "ball"}, .radius = 0.1},
                  .stiffness = 2e5,
                  .exponent = 1.5};
  if (swapped) std::swap(contact.a, contact.b);
  return contact;
}

TEST(Outputs, ASphereAtRestIsCarried) {
  const double mass = 3, depth = std::pow(mass * gravity / 2e5, 1 / 1.5);
  Mechanism m{
      .bodies = {point("ball", {0.3, 0, 0.1 - depth}, mass)}, .forces = {on_floor(false)}, .gravity = {0, 0, -gravity}};
  const auto end = run(built(m), {.t_end = 0.2, .formulation = "index-1"});
  EXPECT_NEAR(end["touch.normal_force"], mass * gravity, 1e-6);
  EXPECT_NEAR(end["touch.force.z"], mass * gravity, 1e-6);
  EXPECT_NEAR(end["touch.gap"], -depth, 1e-12);
  EXPECT_EQ(end["touch.friction_force"], 0);
  m.forces = {on_floor(true)};  // b is the ground now: it is pressed down
  EXPECT_NEAR(at_start(m)["touch.force.z"], -mass * gravity, 1e-9);
  m.bodies[0].pose.position[2] = 0.1 + 0.02;
  const auto open = at_start(m);
  EXPECT_NEAR(open["touch.gap"], 0.02, 1e-15);
  EXPECT_EQ(open["touch.normal_force"], 0);
}

/// Sliding much faster than v_s the friction is μ_k N against the motion.
TEST(Outputs, SlidingFriction) {
  const double mass = 3, depth = std::pow(mass * gravity / 2e5, 1 / 1.5), mu = 0.3;
  for (const bool swapped : {false, true}) {
    Contact contact = on_floor(swapped);
    contact.friction = LuGre{.mu_k = mu, .mu_s = 0.4};
    const Mechanism m{.bodies = {point("ball", {0, 0, 0.1 - depth}, mass, {3, -4, 0})},
                      .forces = {contact},
                      .gravity = {0, 0, -gravity}};
    const auto end = run(built(m), {.t_end = 0.2, .rtol = 1e-8, .formulation = "index-1"});
    const double force = mu * mass * gravity, sign = swapped ? -1 : 1;
    EXPECT_NEAR(end["touch.friction_force"], force, 1e-5);
    EXPECT_NEAR(end["touch.force.x"], -sign * 0.6 * force, 1e-5);
    EXPECT_NEAR(end["touch.force.y"], sign * 0.8 * force, 1e-5);
  }
}

TEST(Outputs, Springs) {
  const SpringDamper spring{.name = "spring",
                            .b = {.body = "mass"},
                            .stiffness = 50,
                            .damping = 7,
                            .length = 0.4,
                            .curve = function_of("1000*x^3", "x")};
  const auto pulled = at_start({.bodies = {point("mass", {0.3, 0, 0.4}, 1, {2, 5, 0})}, .forces = {spring}});
  EXPECT_NEAR(pulled["spring.length"], 0.5, 1e-15);
  EXPECT_NEAR(pulled["spring.force"], 50 * 0.1 + 1000 * 1e-3 + 7 * 2 * 0.6, 1e-12);

  const TorsionSpring torsion{
      .name = "torsion", .b = {.body = "wheel"}, .stiffness = 20, .damping = 0.5, .angle = -0.1};
  const Body wheel{.name = "wheel",
                   .kind = BodyKind::planar,
                   .mass = 1,
                   .inertia = {0, 0, 1},
                   .pose = {.rotation = from_axis_angle({0, 0, 1}, 0.3)},
                   .angular_velocity = {0, 0, 2}};
  const auto turned = at_start({.bodies = {wheel}, .forces = {torsion}});
  EXPECT_NEAR(turned["torsion.deflection"], 0.4, 1e-14);
  EXPECT_NEAR(turned["torsion.torque"], 20 * 0.4 + 0.5 * 2, 1e-12);
}

/// The axes of a are turned by a quarter about z: its x is y of space. The force is that on b, in space.
TEST(Outputs, Bushing) {
  const Bushing bushing{.name = "mount",
                        .a = {.pose = {.rotation = from_axis_angle({0, 0, 1}, std::acos(0.0))}},
                        .b = {.body = "engine"},
                        .stiffness = {1000, 2000, 3000},
                        .damping = {10, 20, 30},
                        .torsional_stiffness = {50, 60, 70}};
  Body engine{.name = "engine", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {0.01, 0.02, 0}}};
  engine.pose.rotation = from_axis_angle({0, 0, 1}, std::acos(0.0) + 0.1);
  engine.velocity = {0.5, 0, 0};
  const auto end = at_start({.bodies = {engine}, .forces = {bushing}});
  EXPECT_NEAR(end["mount.deflection.x"], 0.02, 1e-15);
  EXPECT_NEAR(end["mount.deflection.y"], -0.01, 1e-15);
  EXPECT_NEAR(end["mount.rotation.z"], 0.1, 1e-14);
  EXPECT_NEAR(end["mount.force.x"], -2000 * 0.01 - 20 * 0.5, 1e-11);
  EXPECT_NEAR(end["mount.force.y"], -1000 * 0.02, 1e-11);
  EXPECT_NEAR(end["mount.torque.z"], -70 * 0.1, 1e-11);
}

TEST(Outputs, EndStops) {
  const EndStop stop{.name = "stop", .b = {.body = "lift"}, .min = -0.2, .max = 1, .stiffness = 500, .damping = 10};
  const auto end = at_start({.bodies = {point("lift", {0, 0, -0.3}, 1, {0, 0, -2})}, .forces = {stop}});
  EXPECT_NEAR(end["stop.position"], -0.3, 1e-15);
  EXPECT_NEAR(end["stop.force"], 500 * 0.1 + 10 * 2, 1e-12);
  const auto above = at_start({.bodies = {point("lift", {0, 0, 1.1}, 1)}, .forces = {stop}});
  EXPECT_NEAR(above["stop.force"], -500 * 0.1, 1e-11);
  EXPECT_EQ(at_start({.bodies = {point("lift", {}, 1)}, .forces = {stop}})["stop.force"], 0);
}

/// What drives exert: the moment of inertia times the angular acceleration and the moment of the weight, mass times
/// acceleration, the pull of a rope that is wound up (towards a, so negative).
TEST(Outputs, Drives) {
  Mechanism m{.bodies = {{.name = "arm",
                          .kind = BodyKind::planar,
                          .mass = 2,
                          .inertia = {0, 0, 0.3},
                          .pose = {.position = {0.5, 0, 0}}}},
              .joints = {{.name = "motor",
                          .type = JointType::revolute,
                          .b = marker("arm", {-0.5, 0, 0}),
                          .drive = Drive::angle,
                          .motion = function_of("1.5*t^2", "t")}},
              .gravity = {0, -gravity, 0}};
  for (const char* formulation : {"index-3", "index-1"}) {
    const auto end = run(built(m), {.t_end = 0.7, .formulation = formulation});
    const double angle = 1.5 * 0.7 * 0.7, inertia = 0.3 + 2 * 0.25;
    EXPECT_NEAR(end["motor.drive_torque"], inertia * 3 + 2 * gravity * 0.5 * std::cos(angle), 1e-4) << formulation;
  }
  m = {.bodies = {{.name = "table", .mass = 4, .inertia = {1, 1, 1}}},
       .joints = {{.name = "rail",
                   .type = JointType::prismatic,
                   .b = {.body = "table"},
                   .drive = Drive::position,
                   .motion = function_of("0.5*t^2", "t")}},
       .gravity = {0, 0, -gravity}};
  EXPECT_NEAR(run(built(m), {.t_end = 0.3, .formulation = "index-1"})["rail.drive_force"], 4 * (1 + gravity), 1e-7);
  m = {.bodies = {point("weight", {0, 0, -2}, 5)},
       .joints = {{.name = "rope",
                   .type = JointType::distance,
                   .b = {.body = "weight"},
                   .drive = Drive::position,
                   .motion = function_of("2 - 0.5*t^2", "t")}},
       .gravity = {0, 0, -gravity}};
  EXPECT_NEAR(run(built(m), {.t_end = 0.5, .formulation = "index-1"})["rope.drive_force"], -5 * (gravity + 1), 1e-7);
}

/// A beam stretched by 1 ‰, then bent to a curvature of 0.2/m: section forces are stiffness times strain.
TEST(Outputs, BeamSections) {
  const Beam beam{.name = "beam", .b = {.body = "tip"}, .axial_shear = {5e4, 0, 0}, .torsion_bending = {30, 40, 50}};
  const auto tip = [](const Pose& pose) { return Body{.name = "tip", .mass = 1, .inertia = {1, 1, 1}, .pose = pose}; };
  const auto system = built({.bodies = {tip({.position = {0.5, 0, 0}})}, .forces = {beam}});
  ASSERT_NE(system, nullptr);
  Ending end;
  end.state = system->start();
  end.state.a = Vector::Zero(6);
  end.state.q[0] *= 1.001;
  look(*system, end);
  EXPECT_NEAR(end["beam.normal_force"], 50, 1e-9);
  EXPECT_NEAR(end["beam.bending.z"], 0, 1e-12);
  end.state = system->start();
  end.state.a = Vector::Zero(6);
  end.state.q[5] = 0.1;
  look(*system, end);
  EXPECT_NEAR(end["beam.bending.z"], 50 * 0.1 / 0.5, 1e-12);
}

/// "force" of an element between the ground and a body is what the equations of motion have, at any state.
TEST(Outputs, ForcesAreThoseOfTheEquations) {
  const Bushing bushing{.name = "e",
                        .a = marker("ground", {0.1, 0, 0}, {1, 2, 3}),
                        .b = marker("body", {0, 0.2, 0}, {1, 2, 3}),
                        .stiffness = {10, 20, 30},
                        .damping = {1, 2, 3},
                        .torsional_stiffness = {4, 5, 6}};
  const AppliedForce applied{.name = "e",
                             .at = marker("body", {0, 0.2, 0}),
                             .force = {function_of("1 + t", "t"), {}, function_of("2", "t")},
                             .in_body_axes = true};
  Contact contact{.name = "e",
                  .a = {.shape = Shape::plane},
                  .b = {.marker = marker("body"), .radius = 1.5},
                  .stiffness = 100,
                  .damping = 0.2,
                  .friction = LuGre{.sigma_0 = 1, .mu_k = 0.3, .mu_s = 0.4}};
  for (const ForceElement& force : {ForceElement(bushing), ForceElement(applied), ForceElement(contact)})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const auto system = built({.bodies = {{.name = "body", .mass = 1, .inertia = {1, 1, 1}}}, .forces = {force}});
      ASSERT_NE(system, nullptr);
      Ending end;
      end.state = shaken(*system, seed);
      look(*system, end);
      StatePoint at(*system, end.state);
      Vector f(6);
      ASSERT_EQ(system->part_force(2, at(), view(f)), EvalStatus::ok);
      EXPECT_GT(f.head(3).norm(), 0.1);
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(end[std::string("e.force.") + "xyz"[k]], f[k], 1e-13 * (1 + f.norm())) << seed;
    }
}

/// Every unknown and output has its unit, but for what has none: parts of quaternions, residuals of different rows, and modal
/// coordinates, whose unit is that of their shapes.
TEST(Outputs, HaveUnits) {
  const ModalBody fork{
      .nodes = {{.name = "stem", .mass = 1, .inertia = {1, 1, 1}}, {.name = "tip", .position = {1, 0, 0}, .mass = 1}},
      .modes = {{.shape = {{0, 0, 0}, {0, 1, 0}}, .stiffness = 1}}};
  const std::string variables[] = {"t"};
  const auto motion = std::make_shared<Function>(*Expression::parse("t", variables));
  const Marker a{.body = "a"}, b{.body = "b"};
  const Mechanism m{
      .bodies = {{.name = "a", .mass = 1, .inertia = {1, 1, 1}},
                 {.name = "b", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {1, 0, 0}}},
                 {.name = "flat", .kind = BodyKind::planar, .mass = 1, .inertia = {0, 0, 1}},
                 {.name = "fork", .flexible = std::make_shared<const ModalBody>(fork)}},
      .joints = {{.name = "hinge", .type = JointType::revolute, .b = a, .drive = Drive::angle, .motion = motion},
                 {.name = "rail", .type = JointType::prismatic, .a = marker("a", {1, 0, 0}), .b = b},
                 {.name = "rope", .type = JointType::distance, .a = a, .b = b}},
      .couplings =
          {{.name = "roll", .type = CouplingType::rolling, .a = marker("ground", {0, 0, -0.1}), .b = b, .radius = 0.1}},
      .forces = {SpringDamper{.name = "spring", .a = a, .b = b}, TorsionSpring{.name = "torsion", .a = a, .b = b},
                 Bushing{.name = "bushing", .a = a, .b = b}, AppliedForce{.name = "push", .at = a},
                 Contact{.name = "touch",
                         .a = {.marker = a, .radius = 0.1},
                         .b = {.marker = b, .radius = 0.1},
                         .friction = LuGre{.mu_k = 0.1, .mu_s = 0.1}},
                 EndStop{.name = "stop", .a = a, .b = b}, EndStop{.name = "turn", .a = a, .b = b, .angular = true},
                 Beam{.name = "beam", .a = a, .b = b, .axial_shear = {1, 1, 1}, .torsion_bending = {1, 1, 1}}}};
  const auto system = built(m);
  ASSERT_NE(system, nullptr);
  std::vector<std::string> names = system->output_names();
  for (const char* block : {"q", "v", "z", "lambda", "nu", "a", "p"})
    for (const auto& name : system->names(block)) names.push_back(name);
  std::map<std::string, std::string> unit;
  std::vector<std::string> without;
  for (const auto& name : names)
    if ((unit[name] = channel_unit(m, name)).empty()) without.push_back(name);
  EXPECT_EQ(without, (std::vector<std::string>{"a.qw", "a.qx", "a.qy", "a.qz", "b.qw", "b.qx", "b.qy", "b.qz",
                                               "fork.qw", "fork.qx", "fork.qy", "fork.qz", "constraint.residual",
                                               "fork.eta1", "fork.veta1", "fork.veta1_rate", "fork.peta1"}));
  for (const auto& [name, expected] : std::map<std::string, std::string>{{"a.x", "m"},
                                                                         {"a.vx", "m/s"},
                                                                         {"a.wz_rate", "rad/s^2"},
                                                                         {"flat.rz", "rad"},
                                                                         {"a.lx", "kg*m^2/s"},
                                                                         {"fork.tip.x", "m"},
                                                                         {"fork.tip.uy", "m"},
                                                                         {"fork.strain_energy", "J"},
                                                                         {"hinge.x", "N"},
                                                                         {"hinge.xz", "N*m"},
                                                                         {"hinge.angle", "N*m"},
                                                                         {"hinge.drive_torque", "N*m"},
                                                                         {"rope.length", "N"},
                                                                         {"spring.length", "m"},
                                                                         {"torsion.deflection", "rad"},
                                                                         {"bushing.deflection.x", "m"},
                                                                         {"bushing.torque.y", "N*m"},
                                                                         {"touch.state1", "m"},
                                                                         {"roll.along_x", "N"},
                                                                         {"stop.position", "m"},
                                                                         {"turn.angle", "rad"},
                                                                         {"beam.bending.y", "N*m"},
                                                                         {"energy.total", "J"}})
    EXPECT_EQ(unit[name], expected) << name;
}

}  // namespace
}  // namespace rubato::multibody
