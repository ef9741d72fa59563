// Motions, gears, screws and rolling: rates and forces follow from the constraints, ratios hold, and what is wrong is said.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/base/function.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

std::shared_ptr<const Function> of_time(const char* text) {
  const std::string variables[] = {"t"};
  auto expression = Expression::parse(text, variables);
  EXPECT_TRUE(expression.ok()) << text;
  return std::make_shared<const Function>(*expression);
}

/// A body that can turn and slide about an odd axis, and another one beside it.
Mechanism shafts(JointType one, JointType two) {
  const Vector3 axis{0.3, -0.5, 1};
  const Quaternion turn = from_axis_angle({1, 2, -1}, 0.8);
  return {.bodies = {{.name = "first", .mass = 2, .inertia = {0.3, 0.4, 0.5}, .pose = {.rotation = turn}},
                     {.name = "second", .mass = 1, .inertia = {0.2, 0.3, 0.2}, .pose = {.position = {1, 1, 0}}}},
          .joints = {{.name = "one",
                      .type = one,
                      .a = marker_at("ground", {0.2, 0, 0}, axis),
                      .b = marker_at("first", {0.2, 0, 0}, axis)},
                     {.name = "two",
                      .type = two,
                      .a = marker_at("first", {1, 1, 0.5}, {1, 0, 0}),
                      .b = marker_at("second", {1, 1, 0.5}, {1, 0, 0})}}};
}

TEST(Couplings, DrivenJointsHaveExactRates) {
  Mechanism m = shafts(JointType::cylindrical, JointType::revolute);
  m.joints[0].drive = Drive::position;
  m.joints[0].motion = of_time("0.3*sin(2*t)");
  m.joints[1].drive = Drive::angle;
  m.joints[1].motion = of_time("0.4*t^2 - 0.1*t");
  m.joints.push_back({.name = "actuator",
                      .type = JointType::distance,
                      .a = {.body = "ground"},
                      .b = {.body = "second", .pose = {.position = {0, 0, 1}}},
                      .drive = Drive::position,
                      .motion = of_time("sqrt(3) + 0.2*sin(3*t)")});
  const auto system = built(m);
  ASSERT_NE(system, nullptr);
  EXPECT_FALSE(system->autonomous());
  for (unsigned seed = 1; seed <= 3; ++seed) expect_exact_rates(*system, seed);
}

TEST(Couplings, GearsScrewsAndRollingHaveExactRates) {
  Mechanism gear = shafts(JointType::revolute, JointType::prismatic);
  gear.couplings = {{.name = "gear", .joint_1 = "one", .joint_2 = "two", .ratio = -2.5}};
  Mechanism screw = shafts(JointType::cylindrical, JointType::revolute);
  screw.couplings = {{.name = "screw", .type = CouplingType::screw, .joint_1 = "one", .ratio = 0.1}};
  for (const Mechanism& m : {gear, screw})
    for (unsigned seed = 1; seed <= 3; ++seed) expect_exact_rates(*built(m), seed);
  for (const bool disc : {false, true}) {
    const Mechanism wheel{
        .bodies = {{.name = "table", .mass = 2, .inertia = {0.3, 0.4, 0.5}},
                   {.name = "wheel", .mass = 1, .inertia = {0.2, 0.3, 0.2}, .pose = {.position = {1, 0.5, 0.9}}}},
        .couplings = {{.name = "rolls",
                       .type = CouplingType::rolling,
                       .a = marker_at("table", {0.1, 0.2, 0.5}),
                       .b = marker_at("wheel", {1, 0.5, 0.9}, {1, 0.2, 0}),
                       .radius = 0.4,
                       .disc = disc}}};
    for (unsigned seed = 1; seed <= 3; ++seed) expect_exact_rates(*built(wheel), seed);
  }
}

/// A shaft turned by a motion drives another through a gear: ratio of angles, and of torques.
TEST(Couplings, AGearKeepsItsRatio) {
  const auto shaft = [](const char* name, double x) {
    return Body{.name = name, .mass = 1, .inertia = {0.1, 0.1, 0.2}, .pose = {.position = {x, 0, 0}}};
  };
  Mechanism m{.bodies = {shaft("small", 0), shaft("large", 1)},
              .joints = {{.name = "in",
                          .type = JointType::revolute,
                          .a = marker_at("ground"),
                          .b = marker_at("small"),
                          .drive = Drive::angle,
                          .motion = of_time("0.5*t^2")},
                         {.name = "out",
                          .type = JointType::revolute,
                          .a = marker_at("ground", {1, 0, 0}),
                          .b = marker_at("large", {1, 0, 0})}},
              .couplings = {{.name = "gear", .joint_1 = "in", .joint_2 = "out", .ratio = -3}}};
  const auto end = run(built(m), {.t_end = 2});
  EXPECT_NEAR(end["small.wz"], 2, 1e-9);
  EXPECT_NEAR(end["large.wz"], -2.0 / 3, 1e-9);
  EXPECT_NEAR(end["small.qw"], std::cos(1), 1e-8);             // half of the angle 2
  EXPECT_NEAR(end["large.qz"], -std::sin(1.0 / 3), 1e-8);      // half of −2/3
  EXPECT_NEAR(end["in.torque.z"], 0.2 * (1 + 1.0 / 9), 1e-6);  // J φ'' of both, seen from the fast shaft
}

/// A nut on a fixed screw falls: (m p² + J) φ'' = −m g p with z = p φ.
TEST(Couplings, AScrewTurnsFallingIntoTurning) {
  const double pitch = 0.05, mass = 2, inertia = 0.01, g = 9.81;
  Mechanism m{.bodies = {{.name = "nut", .mass = mass, .inertia = {0.01, 0.01, inertia}}},
              .joints = {{.name = "thread", .type = JointType::cylindrical, .b = {.body = "nut"}}},
              .couplings = {{.name = "screw", .type = CouplingType::screw, .joint_1 = "thread", .ratio = pitch}},
              .gravity = {0, 0, -g}};
  const double spin = -mass * g * pitch / (mass * pitch * pitch + inertia);
  const auto end = run(built(m), {.t_end = 1});
  EXPECT_NEAR(end["nut.wz"], spin, 1e-8);
  EXPECT_NEAR(end["nut.z"], pitch * spin / 2, 1e-8);
  EXPECT_NEAR(end["energy.total"], 0, 1e-8);
}

/// A ball rolls down a slope with 5/7 of the acceleration of a sliding one; friction carries 2/7.
TEST(Couplings, ABallRollsDownASlope) {
  const double slope = 0.3, radius = 0.2, mass = 3, g = 9.81;
  const Vector3 normal{std::sin(slope), 0, std::cos(slope)};
  const Mechanism m{.bodies = {{.name = "ball",
                                .mass = mass,
                                .inertia = ball_inertia(mass, radius),
                                .pose = {.position = {radius * normal[0], 0, radius * normal[2]}}}},
                    .couplings = {{.name = "contact",
                                   .type = CouplingType::rolling,
                                   .a = marker("ground", {}, normal),
                                   .b = {.body = "ball"},
                                   .radius = radius}},
                    .gravity = {0, 0, -g}};
  const auto end = run(built(m), {.t_end = 1});
  const double speed = 5.0 / 7 * g * std::sin(slope);
  EXPECT_NEAR(end["ball.vx"], speed * std::cos(slope), 1e-8);
  EXPECT_NEAR(end["ball.vz"], -speed * std::sin(slope), 1e-8);
  EXPECT_NEAR(end["ball.x"], radius * normal[0] + speed / 2 * std::cos(slope), 1e-8);
  const double normal_force = mass * g * std::cos(slope), friction = 2.0 / 7 * mass * g * std::sin(slope);
  EXPECT_NEAR(end["contact.force.x"], normal_force * normal[0] - friction * std::cos(slope), 1e-6);
  EXPECT_NEAR(end["contact.force.z"], normal_force * normal[2] + friction * std::sin(slope), 1e-6);
}

/// A leaning disc that rolls steadily in a circle of its centre of radius R keeps its lean. With lean angle α of its axis
/// from the horizontal, precession Ω and spin follow from the balance of moments about the point of contact.
TEST(Couplings, ALeaningDiscKeepsItsEnergyAndTouchesTheGround) {
  const double radius = 0.3, mass = 2, lean = 0.25;
  const Vector3 axis{std::cos(lean), 0, std::sin(lean)};  // of the disc; it runs along y
  const double j = mass * radius * radius;
  const Mechanism m{.bodies = {{.name = "disc",
                                .mass = mass,
                                .inertia = {j / 4, j / 4, j / 2},
                                .pose = {.position = {0, 0, radius * std::cos(lean)}, .rotation = from_z_axis(axis)},
                                .velocity = {0, 3, 0},
                                .angular_velocity = {-10 * axis[0], 0, -10 * axis[2]}}},
                    .couplings = {{.name = "contact",
                                   .type = CouplingType::rolling,
                                   .a = {.body = "ground"},
                                   .b = {.body = "disc"},
                                   .radius = radius,
                                   .disc = true}},
                    .gravity = {0, 0, -9.81}};
  const auto system = built(m);
  const auto start = run(system, {.t_end = 0}), end = run(system, {.t_end = 2});
  EXPECT_NEAR(end["energy.total"], start["energy.total"], 1e-6);
  EXPECT_LT(end["constraint.residual"], 1e-6);  // index 2: drifts a little
  EXPECT_GT(std::hypot(end["disc.x"], end["disc.y"]), 0.1);
}

}  // namespace
}  // namespace rubato::multibody
