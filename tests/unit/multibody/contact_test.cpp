// Contacts and end stops: forces by hand, exact bounces, friction that slides and sticks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "rubato/problem/rotation.hpp"
#include "support/mechanism_checks.hpp"
#include "support/numbers.hpp"

namespace rubato::multibody {
namespace {

Surface sphere(const char* body, double radius, const Vector3& at = {}) {
  return {.marker = {.body = body, .pose = {.position = at}}, .shape = Shape::sphere, .radius = radius};
}
Surface cylinder(const char* body, double radius, const Vector3& axis = {0, 0, 1}) {
  return {.marker = marker(body, {}, axis), .shape = Shape::cylinder, .radius = radius};
}
Surface plane(const Vector3& normal = {0, 0, 1}, const char* body = "ground") {
  return {.marker = marker(body, {}, normal), .shape = Shape::plane};
}

Body ball(const char* name, const Vector3& at, double mass = 1) {
  return {.name = name,
          .mass = mass,
          .inertia = {0.02, 0.02, 0.02},
          .pose = {.position = at, .rotation = from_axis_angle({1, 2, -1}, 0.8)}};
}

/// The force of the only element at the start.
Vector start_force(const Mechanism& m) {
  const auto system = built(m);
  return system == nullptr ? Vector::Zero(12) : element_force(*system, system->start());
}

/// Penetration a = 0.02, approaching with a' = 0.3: every law of the normal force, by hand.
TEST(ContactForces, NormalLaws) {
  const double a = 0.02, k = 1e4, c = 0.7, rate = 0.3;
  struct Law {
    double exponent, damping;
    bool by_penetration;
    double force;
  };
  const Law laws[] = {{1, 0, true, k * a},
                      {1.5, 0, true, k * std::pow(a, 1.5)},
                      {2.2, 0, true, k * std::pow(a, 2.2)},
                      {1.5, c, true, k * std::pow(a, 1.5) * (1 + c * rate)},
                      {1, 50, false, k * a + 50 * rate}};
  for (const Law& law : laws)
    for (const bool swapped : {false, true}) {
      Mechanism m{.bodies = {ball("ball", {0.4, -0.2, 0.1 - a})}};
      m.bodies[0].velocity = {0, 0, -rate};
      Contact contact{.name = "contact",
                      .a = plane(),
                      .b = sphere("ball", 0.1),
                      .stiffness = k,
                      .exponent = law.exponent,
                      .damping = law.damping,
                      .damping_by_penetration = law.by_penetration};
      if (swapped) std::swap(contact.a, contact.b);
      m.forces = {contact};
      const Vector f = start_force(m);
      EXPECT_NEAR(f[2], law.force, 1e-11 * law.force);
      EXPECT_NEAR(f.norm(), law.force, 1e-11 * law.force) << "no other component";
    }
}

TEST(ContactForces, NeverPull) {
  for (const bool by_penetration : {false, true}) {
    Mechanism m{.bodies = {ball("ball", {0, 0, 0.099})}};
    m.bodies[0].velocity = {0, 0, 100};
    m.forces = {Contact{.name = "contact",
                        .a = plane(),
                        .b = sphere("ball", 0.1),
                        .stiffness = 10,
                        .damping = 5,
                        .damping_by_penetration = by_penetration}};
    EXPECT_EQ(start_force(m).norm(), 0);
    m.bodies[0].pose.position[2] = 0.1001;
    m.bodies[0].velocity = {0, 0, -100};
    EXPECT_EQ(start_force(m).norm(), 0) << "not before they touch";
  }
}

/// Each pair of shapes with a known penetration: size and direction of the force on the second body.
TEST(ContactForces, Pairs) {
  const double k = 1000;
  const auto force_on = [&](Body body, Surface a, Surface b) {
    Mechanism m{.bodies = {std::move(body)}};
    m.forces = {Contact{.name = "contact", .a = std::move(a), .b = std::move(b), .stiffness = k}};
    const Vector f = start_force(m);
    return Vector3{f[0], f[1], f[2]};
  };
  const auto expect = [](const Vector3& f, const Vector3& expected) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(f[i], expected[i], 1e-9);
  };
  Body body = ball("body", {0.3, 0.4, 0});
  body.pose.rotation = no_rotation;
  // Distance 0.5, radii 0.2 and 0.35: a = 0.05 along (3, 4, 0)/5.
  expect(force_on(body, sphere("ground", 0.2), sphere("body", 0.35)), {30, 40, 0});
  expect(force_on(body, cylinder("ground", 0.2), cylinder("body", 0.35)), {30, 40, 0});
  body.pose.position[2] = 7;  // along the axis it does not matter
  expect(force_on(body, cylinder("ground", 0.2), cylinder("body", 0.35)), {30, 40, 0});
  expect(force_on(body, cylinder("ground", 0.2), sphere("body", 0.35)), {30, 40, 0});
  expect(force_on(body, sphere("body", 0.35), cylinder("ground", 0.2)), {30, 40, 0});
  // A cylinder lying on the plane z = 0, and the same leaning by 30 degrees: its rim is r cos 30° below the centre.
  body.pose.position[2] = 0.3;
  expect(force_on(body, plane(), cylinder("body", 0.35, {1, 0, 0})), {0, 0, 50});
  expect(force_on(body, plane(), cylinder("body", 0.35, {std::cos(pi / 6), 0, 0.5})),
         {0, 0, k * (0.35 * std::cos(pi / 6) - 0.3)});
}

Mechanism overlapping(const Surface& a, const Surface& b, double damping, bool friction) {
  Mechanism m{.bodies = {ball("first", {0, 0, 0}, 2), ball("second", {0.3, 0.1, 0.9})}};
  m.bodies[1].pose.rotation = m.bodies[0].pose.rotation;
  Contact contact{.name = "contact", .a = a, .b = b, .stiffness = 100, .exponent = 1.5, .damping = damping};
  if (friction)
    contact.friction = LuGre{.sigma_0 = 3, .sigma_1 = 0.2, .sigma_2 = 0.1, .v_s = 0.2, .mu_k = 0.3, .mu_s = 0.5};
  m.forces = {contact};
  return m;
}
std::vector<std::pair<Surface, Surface>> pairs() {
  return {{plane({0, 0, 1}, "first"), sphere("second", 2, {0.1, -0.2, 0.3})},
          {plane({0, 0.1, 1}, "first"), cylinder("second", 2, {1, 0.2, 0.4})},
          {sphere("first", 1.2, {0.1, 0.1, 0}), sphere("second", 1.1)},
          {cylinder("first", 1.2), cylinder("second", 1.1)},
          {cylinder("first", 1.2, {1, 0.3, 0.2}), sphere("second", 1.1, {0.1, 0, 0.2})}};
}

/// f·v = −dV/dt at any state, so a' and the point of application fit the penetration; also where axes have left the position
/// in which they are parallel.
TEST(ContactForces, FollowFromTheirPotential) {
  for (const auto& [a, b] : pairs())
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto system = built(overlapping(a, b, 0, false));
      ASSERT_NE(system, nullptr);
      EXPECT_EQ(system->invariant_names().size(), 1U);
      const MechanicalState s = shaken(*system, seed);
      const Vector f = element_force(*system, s);
      EXPECT_GT(f.norm(), 1);
      StatePoint at(*system, s);
      Vector rate(s.q.size());
      ASSERT_EQ(system->kinematics(at(), view(s.v), view(rate)), EvalStatus::ok);
      std::vector<Dual8> q(static_cast<std::size_t>(s.q.size())), v(q.size());
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = Dual8(s.q[static_cast<Eigen::Index>(i)]);
        q[i].d[0] = rate[static_cast<Eigen::Index>(i)];
      }
      ScratchMemory memory(system->scratch_bytes());
      MechanicalPoint<Dual8> p;
      p.q = q;
      p.v = v;
      p.base = view(s.base);
      p.scratch = memory.scratch();
      Dual8 energy;
      ASSERT_EQ(system->dual()->part_energy(2, p, energy), EvalStatus::ok);
      EXPECT_GT(energy.value, 0);
      EXPECT_NEAR(f.dot(s.v), -energy.d[0], 1e-11 * (1 + std::abs(energy.d[0])));
    }
}

/// With damping and friction as well: forces and moments on both bodies cancel.
TEST(ContactForces, ActAndReact) {
  for (const auto& [a, b] : pairs())
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto system = built(overlapping(a, b, 0.3, true));
      ASSERT_NE(system, nullptr);
      EXPECT_EQ(system->names("z"), (std::vector<std::string>{"contact.state1", "contact.state2"}));
      const MechanicalState s = shaken(*system, seed);
      const Vector f = element_force(*system, s);
      EXPECT_GT(f.norm(), 1);
      expect_balance(*system, s, f, 1e-11, 1e-10);
    }
}

/// Friction takes energy: with settled bristles ζ = g v_t/(σ₀ |v_t|) the force is −μ_k N against v_t, turning the ball by r − a/2.
TEST(ContactForces, FrictionActsAgainstSlip) {
  const double k = 1e4, a = 0.01, r = 0.1, mu = 0.3, sigma = 1e5;
  Mechanism m{.bodies = {ball("ball", {0, 0, r - a})}};
  m.bodies[0].pose.rotation = no_rotation;
  m.bodies[0].velocity = {3, 4, 0};
  m.forces = {Contact{.name = "contact",
                      .a = plane(),
                      .b = sphere("ball", r),
                      .stiffness = k,
                      .friction = LuGre{.sigma_0 = sigma, .mu_k = mu, .mu_s = 0.5}}};
  const auto system = built(m);
  ASSERT_NE(system, nullptr);
  MechanicalState s = system->start();
  // Whatever the axes x and y of the plane are, bristles bent like v settle: z' = 0 there.
  s.z << mu / sigma * 0.6, mu / sigma * 0.8;
  StatePoint at(*system, s);
  Vector rate(2);
  ASSERT_EQ(system->auxiliary(at(), view(rate)), EvalStatus::ok);
  EXPECT_LT(rate.norm(), 1e-12);
  const Vector f = element_force(*system, s);
  const double n = k * a, arm = r - a / 2;
  const double expected[] = {-0.6 * mu * n, -0.8 * mu * n, n, -0.8 * mu * n * arm, 0.6 * mu * n * arm, 0};
  for (Eigen::Index i = 0; i < 6; ++i) EXPECT_NEAR(f[i], expected[i], 1e-10) << i;
}

/// Without gravity a ball leaves a linear penalty after half a period, π √(m/k), with the speed it came with.
TEST(ContactMotion, LastsHalfAPeriod) {
  const double mass = 2, k = 800, v = 1.5, gap = 0.03;
  Mechanism m{.bodies = {ball("ball", {0, 0, 0.1 + gap}, mass)}};
  m.bodies[0].velocity = {0, 0, -v};
  m.forces = {Contact{.name = "contact", .a = plane(), .b = sphere("ball", 0.1), .stiffness = k}};
  const double duration = pi * std::sqrt(mass / k), after = 0.07;
  const Ending end = run(built(m), {.t_end = gap / v + duration + after, .rtol = 1e-10});
  EXPECT_NEAR(end["ball.vz"], v, 1e-7);
  EXPECT_NEAR(end["ball.z"], 0.1 + v * after, 1e-7);
}

/// Hertz: the deepest point of a head-on impact is (5 m v²/(4 k))^(2/5), reached when the ball stands.
TEST(ContactMotion, HertzStoresTheEnergy) {
  const double mass = 2, k = 1e5, v = 1.5;
  Mechanism m{.bodies = {ball("ball", {0, 0, 0.1}, mass)}};
  m.bodies[0].velocity = {0, 0, -v};
  m.forces = {Contact{.name = "contact", .a = plane(), .b = sphere("ball", 0.1), .stiffness = k, .exponent = 1.5}};
  const double deepest = std::pow(1.25 * mass * v * v / k, 0.4);
  // Time to the deepest point: ∫ dx/(v √(1 − (x/d)^(5/2))) = (d/v) (2/5) B(2/5, 1/2).
  const double time = deepest / v * 0.4 * std::tgamma(0.4) * std::tgamma(0.5) / std::tgamma(0.9);
  const Ending end = run(built(m), {.t_end = time, .rtol = 1e-10});
  EXPECT_NEAR(end["ball.vz"], 0, 1e-7);
  EXPECT_NEAR(0.1 - end["ball.z"], deepest, 1e-8);
}

/// A ball bounces back to its height, three times, with radau at 1e-8; events tell when it touches.
TEST(ContactMotion, BouncingKeepsTheHeight) {
  const double g = 9.81, h = 0.3, r = 0.05, mass = 1, k = 1e5;
  Mechanism m{.bodies = {ball("ball", {0, 0, r + h}, mass)}, .gravity = {0, 0, -g}};
  m.forces = {Contact{.name = "bounce", .a = plane(), .b = sphere("ball", r), .stiffness = k}};
  const double fall = std::sqrt(2 * h / g), omega = std::sqrt(k / mass), v = g * fall;
  // In contact x = −(g/ω²)(1 − cos ωt) … : leaves when tan(ωt/2) = −vω/g, seen from the touch.
  const double contact = 2 / omega * (pi - std::atan(v * omega / g));
  const auto system = built(m);
  ASSERT_EQ(system->roots().size(), 2U);
  EXPECT_EQ(system->roots()[0].name, "bounce.gap");
  const Ending end = run(system, {.t_end = 3 * (2 * fall + contact), .rtol = 1e-8});
  EXPECT_NEAR(end["ball.z"], r + h, 1e-6 * h);
  EXPECT_EQ(end.summary.statistics.events, 6);
  EXPECT_NEAR(end["energy.total"], mass * g * (r + h), 1e-6 * mass * g * h);
}

/// The damping of both laws takes energy in a bounce.
TEST(ContactMotion, DampedBouncesAreLower) {
  for (const bool by_penetration : {false, true}) {
    Mechanism m{.bodies = {ball("ball", {0, 0, 0.11})}};
    m.bodies[0].velocity = {0, 0, -1};
    m.forces = {Contact{.name = "bounce",
                        .a = plane(),
                        .b = sphere("ball", 0.1),
                        .stiffness = 1e4,
                        .damping = by_penetration ? 0.3 : 20.0,
                        .damping_by_penetration = by_penetration}};
    const Ending end = run(built(m), {.t_end = 0.2, .rtol = 1e-8});
    EXPECT_GT(end["ball.vz"], 0.4);
    EXPECT_LT(end["ball.vz"], 0.9);
  }
}

Mechanism block_on_incline(double angle) {
  // A point with a ball around it does not turn: a block.
  Mechanism m{.bodies = {{.name = "block", .kind = BodyKind::point, .mass = 1}},
              .gravity = {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)}};
  m.bodies[0].pose.position = {0, 0, 0.1 - 9.81 * std::cos(angle) / 1e5};
  m.forces = {Contact{.name = "contact",
                      .a = plane(),
                      .b = sphere("block", 0.1),
                      .stiffness = 1e5,
                      .friction = LuGre{.sigma_0 = 1e4, .sigma_1 = 100, .v_s = 1e-2, .mu_k = 0.3, .mu_s = 0.3}}};
  return m;
}

/// Below the friction angle a block sticks, its bristles carry it: ζ = tan(α)/σ₀; above it slides with g (sin α − μ_k cos α).
TEST(ContactMotion, SticksBelowTheFrictionAngle) {
  const double below = std::atan(0.2), above = std::atan(0.5);
  const Ending stuck = run(built(block_on_incline(below)), {.t_end = 2, .rtol = 1e-8});
  EXPECT_LT(std::abs(stuck["block.vx"]), 1e-6);
  EXPECT_LT(stuck["block.x"], 1e-4);
  EXPECT_GT(stuck["block.x"], 0);
  EXPECT_NEAR(std::hypot(stuck["contact.state1"], stuck["contact.state2"]), 0.2 / 1e4, 1e-9);
  // The difference of two times leaves out how the bristles bend at first.
  const auto slid = [&](double t) {
    return run(built(block_on_incline(above)), {.t_end = t, .rtol = 1e-8})["block.vx"];
  };
  EXPECT_NEAR(slid(2) - slid(1), 9.81 * (std::sin(above) - 0.3 * std::cos(above)), 1e-5);
}

/// A disc thrown along a line (planar) slides, then rolls: v = 2/3 v₀ for ½ m r², and one bristle suffices.
TEST(ContactMotion, DiscSlidesThenRolls) {
  const double r = 0.2, mass = 1, k = 1e6;
  Mechanism m{.bodies = {{.name = "disc",
                          .kind = BodyKind::planar,
                          .mass = mass,
                          .inertia = {0, 0, mass * r * r / 2},
                          .pose = {.position = {0, r - mass * 9.81 / k, 0}},
                          .velocity = {3, 0, 0}}},
              .gravity = {0, -9.81, 0}};
  m.forces = {Contact{.name = "floor",
                      .a = plane({0, 1, 0}),
                      .b = cylinder("disc", r),
                      .stiffness = k,
                      .friction = LuGre{.sigma_0 = 1e4, .sigma_1 = 100, .v_s = 1e-2, .mu_k = 0.4, .mu_s = 0.5}}};
  const auto system = built(m);
  ASSERT_EQ(system->names("z").size(), 1U);
  const Ending end = run(system, {.t_end = 2, .rtol = 1e-8});
  EXPECT_NEAR(end["disc.vx"], 2, 1e-3);
  EXPECT_NEAR(end["disc.wz"], -2 / r, 1e-2);
}

/// While the contact is open the bristles straighten, exp(−t/τ) with τ = μ_k/(σ₀ v_s).
TEST(ContactMotion, BristlesForget) {
  Mechanism m{.bodies = {ball("ball", {0, 0, 1})}};
  m.bodies[0].velocity = {5, 0, 0};
  m.forces = {Contact{.name = "contact",
                      .a = plane(),
                      .b = sphere("ball", 0.1),
                      .stiffness = 1e4,
                      .friction = LuGre{.sigma_0 = 1e3, .v_s = 1e-2, .mu_k = 0.3, .mu_s = 0.5}}};
  const auto system = built(m);
  MechanicalState s = system->start();
  s.z << 1e-4, -2e-4;
  StatePoint at(*system, s);
  Vector rate(2);
  ASSERT_EQ(system->auxiliary(at(), view(rate)), EvalStatus::ok);
  EXPECT_NEAR(rate[0], -1e-4 / 0.03, 1e-15);
  EXPECT_NEAR(rate[1], 2e-4 / 0.03, 1e-15);
}

/// One-sided springs along z of a body that is turned: nothing inside, k u + d u' beyond, never pulling back.
TEST(EndStops, AreOneSided) {
  const auto force_at = [](double x, double v, double min, double max) {
    Mechanism m{.bodies = {{.name = "slider", .kind = BodyKind::point, .mass = 1}}};
    m.bodies[0].pose.position = {x, 0.7, 0.3};
    m.bodies[0].velocity = {v, 0, 0};
    m.forces = {EndStop{.name = "stop",
                        .a = marker("ground", {}, {1, 0, 0}),
                        .b = {.body = "slider"},
                        .min = min,
                        .max = max,
                        .stiffness = 1000,
                        .damping = 10}};
    const Vector f = start_force(m);
    EXPECT_NEAR(f[1], 0, 1e-12);
    EXPECT_NEAR(f[2], 0, 1e-12);
    return f[0];
  };
  EXPECT_EQ(force_at(0.1, 5, -0.2, 0.3), 0);
  EXPECT_NEAR(force_at(0.35, 2, -0.2, 0.3), -(50 + 20), 1e-10);
  EXPECT_NEAR(force_at(-0.25, -2, -0.2, 0.3), 50 + 20, 1e-10);
  EXPECT_EQ(force_at(0.35, -8, -0.2, 0.3), 0);
  EXPECT_EQ(force_at(-0.25, 8, -0.2, 0.3), 0);
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(force_at(1e6, 8, -0.2, none), 0) << "an end may be missing";
}

/// Between two stops a body swings with T = 2 π √(m/k) + 2·(way/v), angles and lengths alike; also across ±π.
TEST(EndStops, ReturnAfterHalfAPeriod) {
  const double k = 500, v = 2;
  for (const bool angular : {false, true})
    for (const double middle : {0.0, 3.0}) {
      if (!angular && middle != 0) continue;
      Mechanism m{.bodies = {{.name = "body", .kind = BodyKind::planar, .mass = 3, .inertia = {0, 0, 3}}}};
      Body& body = m.bodies[0];
      EndStop stop{.name = "stop",
                   .a = angular ? marker("ground") : marker("ground", {}, {1, 0, 0}),
                   .b = {.body = "body"},
                   .angular = angular,
                   .min = middle - 0.4,
                   .max = middle + 0.4,
                   .stiffness = k};
      (angular ? body.angular_velocity[2] : body.velocity[0]) = v;
      if (angular) body.pose.rotation = from_axis_angle({0, 0, 1}, middle);
      m.forces = {stop};
      const double period = 2 * pi * std::sqrt(3 / k) + 2 * 0.8 / v;
      const auto system = built(m);
      EXPECT_EQ(system->roots().size(), 4U);
      const Ending end = run(system, {.t_end = period, .rtol = 1e-10});
      EXPECT_NEAR(end[angular ? "body.wz" : "body.vx"], v, 1e-7);
      EXPECT_NEAR(end[angular ? "body.rz" : "body.x"], middle, 1e-7);
      EXPECT_NEAR(end["energy.total"], 6, 2e-6);
    }
}

TEST(EndStops, ActAndReact) {
  Mechanism m{.bodies = {ball("first", {1, 0, 0}, 2), ball("second", {0.3, 0.1, 0.9})}};
  m.forces = {EndStop{.name = "stop",
                      .a = marker("first", {0.1, 0, 0.2}, {1, 0.4, 0.3}),
                      .b = {.body = "second"},
                      .min = 3,
                      .max = 4,
                      .stiffness = 100,
                      .damping = 2}};
  const auto system = built(m);
  ASSERT_NE(system, nullptr);
  const MechanicalState s = shaken(*system, 2);
  const Vector f = element_force(*system, s);
  EXPECT_GT(f.norm(), 1);
  Three<double> turn{};
  for (std::size_t body = 0; body < 2; ++body) {
    const auto i = static_cast<Eigen::Index>(6 * body);
    const Pose pose = system->pose(body, view(s.q), view(s.base));
    const Three<double> couple = rotated(pose.rotation, {f[i + 3], f[i + 4], f[i + 5]});
    const Three<double> moment = cross(pose.position, Three<double>{f[i], f[i + 1], f[i + 2]});
    for (std::size_t k = 0; k < 3; ++k) turn[k] += moment[k] + couple[k];
  }
  for (Eigen::Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(f[k] + f[k + 6], 0, 1e-12);
    EXPECT_NEAR(turn[static_cast<std::size_t>(k)], 0, 1e-11);
  }
}

/// What cannot be is refused with the name of the element and what is allowed.
/// The discrete state has thirty places. Contacts with a damper that may let go take two: of sixteen the last two have one only,
/// and the note counts them.
TEST(ContactMotion, ContactsWithoutAPlaceAreCounted) {
  for (const int n : {15, 16}) {
    Mechanism m;
    for (int i = 0; i < n; ++i) {
      const std::string name = "b" + std::to_string(i);
      m.bodies.push_back({.name = name, .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {0, 0, 1.0 + i}}});
      m.forces.push_back(Contact{.name = "c" + std::to_string(i),
                                 .a = {.shape = Shape::plane},
                                 .b = {.marker = {.body = name}, .radius = 0.1},
                                 .stiffness = 1,
                                 .damping = 1,
                                 .damping_by_penetration = false});
    }
    const auto system = built(m);
    ASSERT_NE(system, nullptr);
    ASSERT_EQ(system->notes().size(), n == 15 ? 0U : 1U);
    if (n == 16) {
      EXPECT_EQ(system->notes()[0].rfind("2 contacts and end stops have no place", 0), 0U) << system->notes()[0];
      EXPECT_NE(system->notes()[0].find("('c14', 'c15')"), std::string::npos) << system->notes()[0];
    }
  }
}

TEST(ContactMistakes, AreNamed) {
  const Contact right{.name = "contact", .a = plane(), .b = sphere("ball", 0.1), .stiffness = 10};
  const EndStop stop{.name = "stop", .b = {.body = "ball"}, .min = -1, .max = 1, .stiffness = 10};
  struct Mistake {
    ForceElement force;
    std::vector<std::string> words;
  };
  const auto contact = [&](auto change) {
    Contact made = right;
    change(made);
    return made;
  };
  const auto end_stop = [&](auto change) {
    EndStop made = stop;
    change(made);
    return made;
  };
  const Mistake mistakes[] = {
      {contact([](Contact& c) { c.stiffness = -1; }), {"contact 'contact'", "stiffness = -1"}},
      {contact([](Contact& c) { c.damping = NAN; }), {"contact 'contact'", "damping = nan"}},
      {contact([](Contact& c) { c.exponent = 0.5; }), {"exponent = 0.5", "Hertz"}},
      {contact([](Contact& c) { c.b.radius = 0; }), {"radius = 0", "sphere on 'ball'", "positive"}},
      {contact([](Contact& c) { c.b.shape = Shape::plane; }),
       {"a plane does not touch a plane", "spheres and cylinders"}},
      {contact([](Contact& c) { c.b.marker.body = "ground"; }), {"both frames belong to 'ground'"}},
      {contact([](Contact& c) { c.b.marker.body = "bal"; }), {"contact 'contact'", "'bal'", "ball"}},
      {contact([](Contact& c) { c.b.shape = Shape::cylinder; }), {"upright"}},
      {contact([](Contact& c) {
         c.a = cylinder("ground", 1);
         c.b = cylinder("ball", 1, {1, 0, 1});
       }),
       {"differ by 45 degrees", "parallel axes"}},
      {contact([](Contact& c) {
         c.a = sphere("ground", 1);
         c.b = sphere("ball", 1, {0, 0, -1});
       }),
       {"centres meet"}},
      {contact([](Contact& c) { c.friction = LuGre{.mu_s = 0.3}; }), {"mu_k = 0", "leave it out"}},
      {contact([](Contact& c) { c.friction = LuGre{.mu_k = 0.3, .mu_s = 0.2}; }), {"mu_s = 0.2 is below mu_k = 0.3"}},
      {contact([](Contact& c) { c.friction = LuGre{.v_s = 0, .mu_k = 0.3, .mu_s = 0.3}; }), {"v_s = 0"}},
      {end_stop([](EndStop& s) { s.stiffness = -2; }), {"end stop 'stop'", "stiffness = -2"}},
      {end_stop([](EndStop& s) { s.min = 2; }), {"min = 2 is above max = 1"}},
      {end_stop([](EndStop& s) { s.angular = true, s.max = 6; }), {"full turn"}},
      {end_stop([](EndStop& s) { s.b.body = "ground"; }), {"both frames belong to 'ground'"}},
  };
  for (const Mistake& mistake : mistakes) {
    Mechanism m{.bodies = {ball("ball", {0, 0, 1})}};
    m.bodies[0].pose.rotation = no_rotation;
    m.forces = {mistake.force};
    const auto system = build(m);
    ASSERT_FALSE(system.ok()) << mistake.words[0];
    for (const std::string& word : mistake.words)
      EXPECT_NE(system.error().message.find(word), std::string::npos) << word << " in: " << system.error().message;
  }
}

}  // namespace
}  // namespace rubato::multibody
