// Impacts against closed solutions: a step sees one smooth branch of a one-sided force, events change the branch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/mechanism_checks.hpp"
#include "support/numbers.hpp"

namespace rubato::multibody {
namespace {

constexpr double g = 9.81, radius = 0.05;

/// A ball of 1 kg at a height above the plane z = 0 (its centre `radius` higher), and its contact.
Mechanism above_floor(double height, const Contact& law) {
  Mechanism m{.bodies = {{.name = "ball", .kind = BodyKind::point, .mass = 1}}};
  m.bodies[0].pose.position = {0, 0, radius + height};
  Contact contact = law;
  contact.a = {.marker = marker("ground"), .shape = Shape::plane};
  contact.b = {.marker = {.body = "ball"}, .shape = Shape::sphere, .radius = radius};
  m.forces = {contact};
  return m;
}

/// Three bounces back to the starting height. The time of contact follows from z = −(g/ω²)(1 − cos ωt) − (v/ω) sin ωt. No
/// attempt may fail at an impact, and few be rejected: the kink is none within a step. (Where the sign of the gap chose the
/// branch in every stage, radau at 1e-6 failed in 33 attempts, rejected 33 and was wrong by 80 tolerances in v.)
TEST(Impacts, BouncesCostAsMuchAsSmoothForces) {
  const double height = 0.3, fall = std::sqrt(2 * height / g), v = g * fall;
  for (const double k : {1e5, 1e7})
    for (const auto& [method, rtol] :
         {std::pair{"radau", 1e-4}, {"radau", 1e-6}, {"lobatto-iiic", 1e-6}, {"rodas4", 1e-6}}) {
      Mechanism m = above_floor(height, {.name = "floor", .stiffness = k});
      m.gravity = {0, 0, -g};
      const double omega = std::sqrt(k), contact = 2 / omega * (pi - std::atan(v * omega / g));
      const Ending end = run(built(m), {.t_end = 3 * (2 * fall + contact), .rtol = rtol, .method = method});
      EXPECT_EQ(end.summary.statistics.events, 6);
      EXPECT_EQ(end.summary.statistics.failed, 0) << method;
      EXPECT_LE(end.summary.statistics.rejected, 9) << method;
      EXPECT_NEAR(end["ball.z"], radius + height, 10 * rtol) << method << " " << k;
      EXPECT_NEAR(end["ball.vz"], 0, 100 * rtol) << method << " " << k;
    }
}

/// N = k a + c a' with c < 2 √(k m): x = (v/ω_d) exp(−δt) sin ω_d t until N, that is x'', vanishes; from there the ball flies on,
/// though it still overlaps the plane for a while. Ends there, in the middle of that, and long after.
TEST(Impacts, ALinearDamperLetsGoBeforeTheGapOpens) {
  const double k = 1e4, c = 60, v = 1, delta = c / 2, omega = std::sqrt(k - delta * delta);
  const double until = std::atan2(2 * delta * omega, delta * delta - omega * omega) / omega,
               decay = std::exp(-delta * until);
  const double depth = v / omega * decay * std::sin(omega * until);
  const double speed = -v * decay * (std::cos(omega * until) - delta / omega * std::sin(omega * until));
  ASSERT_GT(depth, 1e-3);
  for (const double after : {0.3 * depth / speed, 2 * depth / speed, 0.1}) {
    Mechanism m = above_floor(0.02, {.name = "floor", .stiffness = k, .damping = c, .damping_by_penetration = false});
    m.bodies[0].velocity = {0, 0, -v};
    const Ending end = run(built(m), {.t_end = 0.02 / v + until + after, .rtol = 1e-9});
    EXPECT_NEAR(end["ball.vz"], speed, 1e-7);
    EXPECT_NEAR(end["ball.z"], radius - depth + speed * after, 1e-8);
    EXPECT_EQ(end.summary.statistics.failed, 0);
    EXPECT_EQ(end.summary.statistics.events, after < depth / speed ? 2 : 3);
  }
}

/// Where the damper is weak N = 0 and a = 0 lie so close together that a step passes both at once: three events per bounce all
/// the same, touch, release and gap, and no pull in between.
TEST(Impacts, NoStepPassesTheReleaseUnseen) {
  Mechanism m = above_floor(0.3, {.name = "floor", .stiffness = 1e5, .damping = 20, .damping_by_penetration = false});
  m.gravity = {0, 0, -9.81};
  const auto system = built(m);
  const Ending exact = run(system, {.t_end = 1.5, .rtol = 1e-12});
  const long events = exact.summary.statistics.events;
  for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    const Ending end = run(system, {.t_end = 1.5, .rtol = rtol});
    EXPECT_EQ(end.summary.statistics.events, events) << rtol;
    EXPECT_NEAR(end["ball.z"], exact["ball.z"], std::max(20 * rtol, 5e-7)) << rtol;
  }
}

/// A ball laid down without penetration sinks to 2 g/ω² and comes back to gap 0 with speed 0, over and over: whatever an event
/// there decides, the motion stays z = −(g/ω²)(1 − cos ωt).
TEST(Impacts, TouchingWithoutSpeedDecidesNothing) {
  const double k = 1e4, omega = std::sqrt(k);
  for (const char* method : {"radau", "bdf", "rodas4"})
    for (const double periods : {0.5, 5.5, 10.25}) {
      Mechanism m = above_floor(0, {.name = "floor", .stiffness = k});
      m.gravity = {0, 0, -g};
      const double t = 2 * pi / omega * periods;
      const Ending end = run(built(m), {.t_end = t, .rtol = 1e-9, .method = method});
      EXPECT_NEAR(end["ball.z"] - radius, -g / k * (1 - std::cos(omega * t)), 1e-6) << method;
    }
}

/// A ball on a spring whose lowest point grazes the plane, by a little less or more: both must leave the swing as it is.
TEST(Impacts, GrazingChangesNothing) {
  for (const double depth : {-1e-9, 0.0, 1e-14, 1e-11, 1e-8}) {
    Mechanism m = above_floor(0.2 - depth, {.name = "floor", .stiffness = 1e6});
    m.forces.push_back(SpringDamper{.name = "spring",
                                    .a = {.body = "ground", .pose = {.position = {0, 0, 2}}},
                                    .b = {.body = "ball"},
                                    .stiffness = 400,
                                    .length = 2 - radius - 0.1 + depth});
    const Ending end = run(built(m), {.t_end = 2 * pi / 20 * 10, .rtol = 1e-9});
    EXPECT_NEAR(end["ball.z"], radius + 0.2 - depth, 1e-6) << depth;
    EXPECT_NEAR(end["ball.vz"], 0, 2e-5) << depth;
  }
}

/// Balls that touch at the same instant do so each for itself; with more of them than the mode has bits the rest takes its
/// branch from the state, with a note.
TEST(Impacts, ManyAtOnce) {
  for (const int n : {2, 30, 40}) {
    Mechanism m{};
    for (int i = 0; i < n; ++i) {
      Mechanism one = above_floor(0.03, {.name = "floor", .stiffness = 1e4});
      one.bodies[0].name = "ball" + std::to_string(i);
      one.bodies[0].velocity = {0, 0, -1};
      one.bodies[0].pose.position[0] = i;
      auto contact = std::get<Contact>(one.forces[0]);
      contact.name += std::to_string(i);
      contact.b.marker.body = one.bodies[0].name;
      m.bodies.push_back(one.bodies[0]);
      m.forces.emplace_back(contact);
    }
    const auto system = built(m);
    ASSERT_EQ(system->notes().size(), n > 30 ? 1U : 0U);
    if (n > 30) {
      EXPECT_EQ(system->notes()[0].rfind("10 contacts and end stops have no place", 0), 0U) << system->notes()[0];
    }
    const Ending end = run(system, {.t_end = 0.03 + pi / 100 + 0.05, .rtol = 1e-8});
    for (int i = 0; i < n; ++i) EXPECT_NEAR(end["ball" + std::to_string(i) + ".vz"], 1, i < 30 ? 1e-6 : 1e-5) << i;
    if (n <= 30) {
      EXPECT_EQ(end.summary.statistics.events, 2);
      EXPECT_EQ(end.summary.statistics.failed, 0);
    }
  }
}

/// A fixed step ends at the impact as well; the bounce is as exact as the method: order 5 here.
TEST(Impacts, FixedSteps) {
  Mechanism m = above_floor(0.03, {.name = "floor", .stiffness = 1e4});
  m.bodies[0].velocity = {0, 0, -1};
  const auto system = built(m);
  const auto start = consistent_state(*system, system->start());
  ASSERT_TRUE(start.ok());
  const auto dae = formulate(system, *formulation_by_name("index-2")).value();
  InitialValueProblem problem{.dae = dae, .t_end = 0.03 + pi / 100 + 0.05};
  dae->pack(*start, problem.x, problem.w);
  const auto end = integrate(problem, "radau", {.step = {.fixed_step = 2e-3}});
  ASSERT_TRUE(end.ok() && end->status == RunStatus::finished);
  EXPECT_NEAR(end->x[5], 1, 1e-5);
  EXPECT_EQ(end->statistics.events, 2);
}

}  // namespace
}  // namespace rubato::multibody
