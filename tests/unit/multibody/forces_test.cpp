// Force elements: what they exert follows from their potential, dampers take energy, parts add up.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/base/function.hpp"
#include "rubato/problem/rotation.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

std::shared_ptr<const Function> function(const char* text, const char* variable = "t") {
  const std::string variables[] = {variable};
  auto expression = Expression::parse(text, variables);
  EXPECT_TRUE(expression.ok()) << text;
  return std::make_shared<const Function>(*expression);
}

Mechanism pair(ForceElement force) {
  return {.bodies = {{.name = "first",
                      .mass = 2,
                      .inertia = {0.3, 0.4, 0.5},
                      .products = {0.02, -0.03, 0.01},
                      .pose = {.position = {1, 0.5, 0.2}, .rotation = from_axis_angle({1, 2, -1}, 0.8)}},
                     {.name = "second",
                      .mass = 1.5,
                      .inertia = {0.2, 0.2, 0.3},
                      .pose = {.position = {-0.3, 0.4, 0.7}, .rotation = from_axis_angle({-1, 0.3, 2}, 0.9)}}},
          .forces = {std::move(force)},
          .gravity = {0.5, -3, 1}};
}

const Marker at_first = marker("first", {0.2, 0.1, -0.3}, {0.3, -0.5, 1});
const Marker at_second = marker("second", {-0.1, 0.3, 0.2}, {0.2, 0.1, 1});

/// The work of all forces but gyroscopic ones is what the potentials lose, at any state: f·v = −dV/dt.
TEST(Forces, FollowFromTheirPotential) {
  const ForceElement forces[] = {
      SpringDamper{.name = "spring", .a = at_first, .b = at_second, .stiffness = 50, .length = 0.4},
      SpringDamper{
          .name = "spring", .a = at_first, .b = at_second, .length = 0.4, .curve = function("20*x + 300*x^3", "x")},
      SpringDamper{.name = "spring", .a = at_first, .stiffness = 50, .length = 0.4},
      Bushing{.name = "bushing",
              .a = at_first,
              .b = at_second,
              .stiffness = {10, 200, 3000},
              .torsional_stiffness = {5, 60, 700}},
      Bushing{.name = "bushing", .b = at_second, .stiffness = {10, 200, 3000}, .torsional_stiffness = {5, 60, 700}}};
  for (const ForceElement& force : forces)
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto system = built(pair(force));
      ASSERT_NE(system, nullptr);
      const MechanicalState s = shaken(*system, seed);
      StatePoint at(*system, s);
      Vector f(s.v.size()), gyration(s.v.size()), rate(s.q.size());
      ASSERT_EQ(system->force(at(), view(f)), EvalStatus::ok);
      ASSERT_EQ(system->part_force(1, at(), view(gyration)), EvalStatus::ok);
      ASSERT_EQ(system->kinematics(at(), view(s.v), view(rate)), EvalStatus::ok);
      // dV/dt from dual numbers along the motion.
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
      double lost = 0;
      for (int part = 0; part < 3; ++part) {
        Dual8 energy;
        ASSERT_EQ(system->dual()->part_energy(part, p, energy), EvalStatus::ok);
        lost -= energy.d[0];
      }
      EXPECT_NEAR((f - gyration).dot(s.v), lost, 1e-11 * (1 + std::abs(lost)));
      EXPECT_NEAR(gyration.dot(s.v), 0, 1e-14);
    }
}

TEST(Forces, DampersOnlyTakeEnergy) {
  const ForceElement forces[] = {
      SpringDamper{.name = "damper", .a = at_first, .b = at_second, .damping = 3},
      TorsionSpring{.name = "damper", .a = at_first, .b = at_second, .damping = 2},
      Bushing{
          .name = "damper", .a = at_first, .b = at_second, .damping = {1, 2, 3}, .torsional_damping = {0.1, 0.2, 0.3}}};
  for (const ForceElement& force : forces)
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const auto system = built(pair(force));
      ASSERT_NE(system, nullptr);
      EXPECT_TRUE(system->invariant_names().empty());
      const MechanicalState s = shaken(*system, seed);
      EXPECT_LT(element_force(*system, s).dot(s.v), 0);
    }
}

/// Forces between bodies neither push nor turn both together: sum of forces and of moments about the origin vanish.
TEST(Forces, ActAndReact) {
  const ForceElement forces[] = {
      SpringDamper{.name = "force", .a = at_first, .b = at_second, .stiffness = 40, .damping = 3, .length = 0.3},
      TorsionSpring{.name = "force", .a = at_first, .b = at_second, .stiffness = 7, .damping = 2, .angle = 0.3},
      Bushing{.name = "force",
              .a = at_first,
              .b = at_second,
              .stiffness = {10, 200, 3000},
              .damping = {1, 2, 3},
              .torsional_stiffness = {5, 60, 700},
              .torsional_damping = {0.1, 0.2, 0.3}}};
  for (const ForceElement& force : forces) {
    const auto system = built(pair(force));
    ASSERT_NE(system, nullptr);
    const MechanicalState s = shaken(*system, 3);
    expect_balance(*system, s, element_force(*system, s), 1e-12, 1e-11);
  }
}

/// Parts by name add up to the whole force.
TEST(Forces, PartsAddUp) {
  Mechanism m = pair(SpringDamper{.name = "spring", .a = at_first, .b = at_second, .stiffness = 40});
  m.forces.push_back(Bushing{.name = "bushing", .b = at_first, .stiffness = {1, 2, 3}});
  m.forces.push_back(AppliedForce{.name = "push",
                                  .at = at_second,
                                  .force = {function("sin(t)"), nullptr, function("2")},
                                  .torque = {nullptr, function("t^2"), nullptr},
                                  .in_body_axes = true});
  const auto system = built(m);
  ASSERT_NE(system, nullptr);
  const auto names = system->part_names();
  EXPECT_EQ(names, (std::vector<std::string>{"gravity", "gyroscopic", "spring", "bushing", "push"}));
  const MechanicalState s = shaken(*system, 3);
  StatePoint at(*system, s);
  Vector f(s.v.size()), sum = Vector::Zero(s.v.size()), one(s.v.size());
  ASSERT_EQ(system->force(at(), view(f)), EvalStatus::ok);
  for (int part = 0; part < 5; ++part) {
    ASSERT_EQ(system->part_force(part, at(), view(one)), EvalStatus::ok);
    EXPECT_GT(one.norm(), 0) << names[static_cast<std::size_t>(part)];
    sum += one;
  }
  EXPECT_LT((f - sum).norm(), 1e-13 * f.norm());
}

/// A force given by a table makes the integrator step on the table's kinks.
TEST(Forces, TablesAnnounceTheirKinks) {
  const std::array<double, 2> points[] = {{0, 0}, {0.25, 1}, {0.7, 1}, {1, 0}};
  const auto table = std::make_shared<const Function>(*Curve::make(points));
  const Mechanism m{
      .bodies = {{.name = "mass", .kind = BodyKind::point, .mass = 2}},
      .forces = {AppliedForce{.name = "push", .at = {.body = "mass"}, .force = {table, nullptr, nullptr}}}};
  const auto system = built(m);
  EXPECT_EQ(system->next_time_event(0.1, 0), 0.25);
  EXPECT_EQ(system->next_time_event(0.25, 0), 0.7);
  EXPECT_NEAR(run(system, {.t_end = 1})["mass.vx"], (0.125 + 0.45 + 0.15) / 2, 1e-12);
}

}  // namespace
}  // namespace rubato::multibody
