// Mechanisms from the modeller against exact solutions and the catalogue.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catalogue/catalogue.hpp"
#include "catalogue/elliptic.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

constexpr double gravity = 9.81;

/// A rod of length 1 on a hinge, released at θ₀ from the downward vertical: θ'' = −(3g/2l) sin θ.
Mechanism pendulum(BodyKind kind, double theta0) {
  const double length = 1, mass = 2;
  const double s = std::sin(theta0), c = std::cos(theta0);
  Body rod{.name = "rod",
           .kind = kind,
           .mass = mass,
           .inertia = {mass * length * length / 12, 0.01, mass * length * length / 12},
           .pose = {.position = {length / 2 * s, -length / 2 * c, 0}, .rotation = from_axis_angle({0, 0, 1}, theta0)}};
  return {.bodies = {rod},
          .joints = {{.name = "hinge",
                      .type = JointType::revolute,
                      .b = {.body = "rod", .pose = {.position = {0, length / 2, 0}}}}},
          .gravity = {0, -gravity, 0}};
}

TEST(KnownMotions, PendulumFollowsTheEllipticSolution) {
  const double theta0 = 2.5, t = 1.7, omega = std::sqrt(1.5 * gravity);
  const auto exact = catalogue::swing(theta0, omega, t);
  const double s = std::sin(exact.angle), c = std::cos(exact.angle);
  for (const BodyKind kind : {BodyKind::spatial, BodyKind::planar})
    for (const char* formulation : {"index-2", "ggl", "index-1"}) {
      const auto end = run(built(pendulum(kind, theta0)), {.t_end = t, .formulation = formulation});
      EXPECT_NEAR(end["rod.x"], s / 2, 1e-8);
      EXPECT_NEAR(end["rod.y"], -c / 2, 1e-8);
      EXPECT_NEAR(end["rod.vx"], exact.rate * c / 2, 1e-8);
      EXPECT_NEAR(end["rod.wz"], exact.rate, 1e-8);
      // The hinge carries weight and centripetal force: m (a − g) in the directions along and across the rod.
      const double along = 2 * (exact.rate * exact.rate / 2 + gravity * c);
      const double across = 2 * (-1.5 * gravity * s / 2 + gravity * s);
      // (Multipliers of index-2 formulations have the lower order of the stages.)
      const double tolerance = std::string_view(formulation) == "index-1" ? 1e-7 : 5e-5;
      EXPECT_NEAR(end["hinge.force.x"], -along * s + across * c, tolerance) << formulation;
      EXPECT_NEAR(end["hinge.force.y"], along * c + across * s, tolerance) << formulation;
      EXPECT_NEAR(end["energy.total"], -gravity * std::cos(theta0), 1e-8);
      EXPECT_NEAR(end["hinge.torque.z"], 0, 1e-12);
    }
}

/// Brüls & Cardona's top, as in the catalogue: a body on a spherical joint.
TEST(KnownMotions, HeavyTopFollowsTheCatalogue) {
  const double omega[] = {0, 150, -4.61538};
  const Mechanism top{.bodies = {{.name = "top",
                                  .mass = 15,
                                  .inertia = {0.234375, 0.46875, 0.234375},
                                  .pose = {.position = {0, 1, 0}},
                                  .velocity = {4.61538, 0, 0},
                                  .angular_velocity = {omega[0], omega[1], omega[2]}}},
                      .joints = {{.name = "foot",
                                  .type = JointType::spherical,
                                  .b = {.body = "top", .pose = {.position = {0, -1, 0}}}}},
                      .gravity = {0, 0, -gravity}};
  const auto end = run(built(top), {.t_end = 1});
  const auto reference = catalogue::make_problem("heavy-top")->reference;
  ASSERT_TRUE(reference);
  const char* names[] = {"top.x", "top.y", "top.z", "top.vx", "top.vy", "top.vz"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(end[names[i]], reference->values[i], 2e-7) << names[i];
}

/// Four bars in space on revolute joints, the cranks at θ from the downward vertical.
Mechanism parallelogram(double theta0) {
  const double length = 1, distance = 1.5;
  const double s = std::sin(theta0), c = std::cos(theta0), crank = 2 * length * length / 12,
               coupler = 3 * distance * distance / 12;
  const Quaternion turn = from_axis_angle({0, 0, 1}, theta0);
  const auto hinge = [](const char* name, const char* a, const char* b, double x, double y) {
    return Joint{.name = name, .type = JointType::revolute, .a = marker_at(a, {x, y, 0}), .b = marker_at(b, {x, y, 0})};
  };
  return {.bodies = {{.name = "left",
                      .mass = 2,
                      .inertia = {crank, 0.01, crank},
                      .pose = {.position = {s / 2, -c / 2, 0}, .rotation = turn}},
                     {.name = "coupler",
                      .mass = 3,
                      .inertia = {0.01, coupler, coupler},
                      .pose = {.position = {distance / 2 + s, -c, 0}}},
                     {.name = "right",
                      .mass = 2,
                      .inertia = {crank, 0.01, crank},
                      .pose = {.position = {distance + s / 2, -c / 2, 0}, .rotation = turn}}},
          .joints = {hinge("a", "ground", "left", 0, 0), hinge("b", "left", "coupler", s, -c),
                     hinge("c", "coupler", "right", distance + s, -c), hinge("d", "right", "ground", distance, 0)},
          .gravity = {0, -gravity, 0}};
}

/// The parallelogram of the catalogue: four revolute joints in space, three of 20 rows too many, and said so by name.
TEST(KnownMotions, ParallelogramFindsItsRepeatedRows) {
  const auto system = built(parallelogram(1));
  const auto reference = catalogue::make_problem("overconstrained-loop")->reference;
  ASSERT_TRUE(reference);
  const auto end = run(system, {.t_end = reference->t});
  EXPECT_EQ(end.diagnosis.rank, 17);
  ASSERT_EQ(end.diagnosis.dependent.size(), 3U);
  const std::string words = describe(*system, end.diagnosis);
  EXPECT_NE(words.find("3 of 20 constraints follow from the others"), std::string::npos) << words;
  EXPECT_NE(words.find(system->names("lambda")[static_cast<std::size_t>(end.diagnosis.dependent[0])]),
            std::string::npos);
  const char* names[] = {"coupler.x", "coupler.y", "coupler.vx", "coupler.vy"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(end[names[i]], reference->values[i], 1e-8) << names[i];
}

/// With all bars in one line a fourth row depends on the others. A restart there, as after an event, would drop it for good: it
/// is refused, by name.
TEST(KnownMotions, ARestartInASingularPositionIsRefused) {
  const auto system = built(parallelogram(1)), flat = built(parallelogram(std::numbers::pi / 2));
  ConstraintDiagnosis diagnosis;
  const auto start = consistent_state(*system, system->start(), {.minimum_norm = false}, &diagnosis);
  ASSERT_TRUE(start) << start.error().message;
  const auto dae = formulate(system, *formulation_by_name("index-3"), diagnosis.dependent);
  ASSERT_TRUE(dae) << dae.error().message;
  for (const auto& [state, fine] : {std::pair{*start, true}, {flat->start(), false}}) {
    MechanicalState here = state;
    here.a = Vector::Zero(here.v.size());
    InitialValueProblem problem{.dae = *dae, .t_end = 1, .base = (*dae)->base_of(here)};
    (*dae)->pack(here, problem.x, problem.w);
    const auto made = make_consistent(problem);
    ASSERT_EQ(made.ok(), fine) << (fine ? made.error().message : "");
    if (fine) continue;
    for (const char* words : {"more constraints depend on the others", "4 instead of 3", "singular position"})
      EXPECT_NE(made.error().message.find(words), std::string::npos) << made.error().message;
  }
}

/// A disc on a torsion spring, wound up by nearly two turns each way: φ = (Ω/ω) sin ωt, in the plane, about a slanted axis in
/// space, and with the ends of the spring exchanged.
TEST(KnownMotions, ATorsionSpringCountsTurns) {
  const double k = 2, inertia = 0.5, speed = 25, omega = std::sqrt(k / inertia);
  const double angle = speed / omega, quarter = std::numbers::pi / 2 / omega;
  ASSERT_GT(angle, 4 * std::numbers::pi * 0.9);
  for (const bool spatial : {false, true})
    for (const bool swapped : {false, true})
      for (const char* method : {"radau", "bdf", "generalized-alpha"}) {
        const Vector3 axis = spatial ? Vector3{2 / 3.0, 1 / 3.0, 2 / 3.0} : Vector3{0, 0, 1};
        Mechanism m{.bodies = {{.name = "disc", .mass = 1, .inertia = {inertia, inertia, inertia}}}};
        if (!spatial) m.bodies[0].kind = BodyKind::planar;
        for (std::size_t i = 0; i < 3; ++i) m.bodies[0].angular_velocity[i] = speed * axis[i];
        const Marker ground = marker("ground", {}, axis), disc = marker("disc", {}, axis);
        m.joints = {{.name = "hinge", .type = JointType::revolute, .a = ground, .b = disc}};
        m.forces = {TorsionSpring{
            .name = "spring", .a = swapped ? disc : ground, .b = swapped ? ground : disc, .stiffness = k}};
        const auto system = built(m);
        const bool coarse = std::string_view(method) == "generalized-alpha";
        const auto at = [&](double t) {
          return run(system, {.t_end = t, .rtol = coarse ? 1e-6 : 1e-8, .formulation = "index-3", .method = method});
        };
        const double error = coarse ? 2e-2 : 1e-4;
        const Ending wound = at(quarter), back = at(2 * quarter);
        EXPECT_NEAR(wound["energy.potential"], k * angle * angle / 2, error) << method;
        EXPECT_NEAR(wound["energy.kinetic"], 0, error) << method;
        EXPECT_NEAR(back["energy.potential"], 0, error) << method;
        EXPECT_NEAR(back[spatial ? "disc.wx" : "disc.wz"], -speed * (spatial ? axis[0] : 1), error) << method;
      }
}

/// A weak spring asks for no small steps, but its turns do: φ = (ω₀/ω) sin ωt goes through ten turns and back.
TEST(KnownMotions, ATorsionSpringCountsTurnsAtAnyTolerance) {
  const double k = 0.01, inertia = 0.1, speed = 20, omega = std::sqrt(k / inertia), t = 10;
  Mechanism m{
      .bodies = {{.name = "disc", .kind = BodyKind::planar, .mass = 1, .inertia = {inertia, inertia, inertia}}}};
  m.bodies[0].angular_velocity = {0, 0, speed};
  m.forces = {TorsionSpring{.name = "spring", .a = marker("ground"), .b = marker("disc"), .stiffness = k}};
  for (const char* method : {"radau", "bdf", "rodas4"})
    for (const double rtol : {1e-3, 1e-4, 1e-6}) {
      const Ending end = run(built(m), {.t_end = t, .rtol = rtol, .method = method});
      EXPECT_NEAR(end["disc.rz"], speed / omega * std::sin(omega * t), std::max(1e-3, 500 * rtol))
          << method << " " << rtol;
    }
}

}  // namespace
}  // namespace rubato::multibody
