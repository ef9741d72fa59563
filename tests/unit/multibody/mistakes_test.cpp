// What is wrong with a mechanism is said by name, with the value and what is allowed.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numbers>

#include "rubato/base/function.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

Mechanism plain_pair() {
  return {.bodies = {{.name = "crank", .mass = 1, .inertia = {0.1, 0.1, 0.1}},
                     {.name = "rod", .mass = 1, .inertia = {0.1, 0.1, 0.1}, .pose = {.position = {1, 0, 0}}}},
          .joints = {{.name = "pin",
                      .type = JointType::revolute,
                      .a = {.body = "crank", .pose = {.position = {0.5, 0, 0}}},
                      .b = {.body = "rod", .pose = {.position = {-0.5, 0, 0}}}},
                     {.name = "slide", .type = JointType::cylindrical, .b = {.body = "crank"}}}};
}

struct Mistake {
  std::function<void(Mechanism&)> make;
  std::vector<std::string> words;
};

TEST(Mistakes, AreNamed) {
  ASSERT_TRUE(build(plain_pair()).ok());
  const auto motion = std::make_shared<const Function>();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Mistake> mistakes{
      {[](Mechanism& m) { m.bodies.clear(); }, {"no bodies"}},
      {[](Mechanism& m) { m.joints[0].b.body = "rood"; }, {"joint 'pin', frame b", "'rood'", "did you mean 'rod'"}},
      {[](Mechanism& m) { m.bodies[1].name = "crank"; }, {"body 'crank'", "already"}},
      {[](Mechanism& m) { m.joints[1].name = "rod"; }, {"joint 'rod'", "a body has this name already"}},
      {[](Mechanism& m) { m.bodies[0].name = ""; }, {"body", "no name"}},
      {[](Mechanism& m) { m.bodies[0].name = "ground"; }, {"'ground'", "already"}},
      {[](Mechanism& m) { m.bodies[1].mass = 0; }, {"body 'rod'", "mass = 0", "positive"}},
      {[=](Mechanism& m) { m.bodies[1].mass = nan; }, {"body 'rod'", "mass = nan"}},
      {[](Mechanism& m) {
         m.bodies[0].inertia = {0.1, 0, 0.1};
       },
       {"body 'crank'", "not positive definite"}},
      {[](Mechanism& m) {
         m.bodies[0].inertia = {0.1, 0.1, 0.3};
       },
       {"body 'crank'", "sum of the other two"}},
      {[](Mechanism& m) {
         m.bodies[0].pose.rotation = {1, 1, 0, 0};
       },
       {"body 'crank'", "quaternion", "1.41421"}},
      {[](Mechanism& m) {
         m.joints[0].a.pose.rotation = {0, 0, 0, 0};
       },
       {"joint 'pin', frame a", "length 0"}},
      {[=](Mechanism& m) {
         m.bodies[0].velocity = {nan, 0, 0};
       },
       {"body 'crank'", "velocity", "not finite"}},
      {[](Mechanism& m) { m.joints[0].a = m.joints[0].b; }, {"joint 'pin'", "both frames belong to 'rod'"}},
      {[](Mechanism& m) { m.joints[1].b.body = "ground"; }, {"joint 'slide'", "both frames belong to 'ground'"}},
      {[](Mechanism& m) {
         m.joints[0].b.pose.position = {0, 0, 0};
       },
       {"joint 'pin'", "0.5 m apart", "'rod'"}},
      {[](Mechanism& m) {
         m.joints[0].b.pose.rotation = from_axis_angle({1, 0, 0}, 0.5);
       },
       {"joint 'pin'", "turned by 0.5 rad"}},
      {[](Mechanism& m) { m.joints[0].length = 1; }, {"joint 'pin'", "length = 1", "distance"}},
      {[](Mechanism& m) { m.joints[0].drive = Drive::angle; }, {"joint 'pin'", "motion", "missing"}},
      {[=](Mechanism& m) { m.joints[0].motion = motion; }, {"joint 'pin'", "drive is none"}},
      {[=](Mechanism& m) {
         m.joints[0].drive = Drive::position;
         m.joints[0].motion = motion;
       },
       {"joint 'pin' (revolute)", "position", "prismatic, cylindrical or distance"}},
      {[](Mechanism& m) { m.couplings = {{.name = "gear", .joint_1 = "pin", .joint_2 = "slide"}}; },
       {"coupling 'gear'", "'slide' is cylindrical"}},
      {[](Mechanism& m) { m.couplings = {{.name = "gear", .joint_1 = "pin", .joint_2 = "pni"}}; },
       {"coupling 'gear'", "'pni'", "'pin'"}},
      {[](Mechanism& m) { m.couplings = {{.name = "screw", .type = CouplingType::screw, .joint_1 = "pin"}}; },
       {"coupling 'screw'", "cylindrical"}},
      {[](Mechanism& m) {
         m.couplings = {{.name = "roll", .type = CouplingType::rolling, .b = {.body = "rod"}, .radius = 0.5}};
       },
       {"coupling 'roll'", "does not touch", "0.5 m"}},
      {[](Mechanism& m) { m.forces = {SpringDamper{.name = "s", .b = {.body = "crank"}, .stiffness = 1}}; },
       {"spring 's'", "meet at the start"}},
      {[](Mechanism& m) { m.forces = {SpringDamper{.name = "s", .b = {.body = "rod"}, .stiffness = -1}}; },
       {"spring 's'", "stiffness = -1"}},
      {[](Mechanism& m) { m.forces = {AppliedForce{.name = "f"}}; }, {"force 'f'", "ground"}},
      {[](Mechanism& m) { m.bodies[0].kind = BodyKind::point; }, {"body 'crank'", "does not turn"}},
      {[](Mechanism& m) {
         m.bodies[1].kind = BodyKind::point;
         m.bodies[1].inertia = {};
       },
       {"joint 'pin'", "'rod' is a point"}},
      {[](Mechanism& m) {
         for (auto& body : m.bodies) body.kind = BodyKind::planar;
         for (auto* marker : {&m.joints[0].a, &m.joints[0].b}) marker->pose.rotation = from_z_axis({1, 0, 0});
       },
       {"joint 'pin'", "planar bodies turn about z"}},
      {[](Mechanism& m) {
         m.bodies[0].kind = BodyKind::planar;
         m.bodies[0].pose.rotation = from_axis_angle({1, 0, 0}, 0.1);
       },
       {"body 'crank'", "turns about z only"}},
      // Half a turn away the rows of directions vanish as well.
      {[](Mechanism& m) {
         m.joints[1].type = JointType::fixed;
         Quaternion& turn = m.joints[1].b.pose.rotation;
         turn = product(turn, from_axis_angle({0, 0, 1}, std::numbers::pi));
       },
       {"joint 'slide'", "turned by 3.14 rad"}},
      {[](Mechanism& m) {
         m.joints[0].drive = Drive::angle;
         m.joints[0].motion =
             std::make_shared<Function>(*Expression::parse("pi + t", std::vector<std::string>{"t"}, {}));
       },
       {"joint 'pin'", "turned by 3.14 rad"}},
  };
  for (const Mistake& mistake : mistakes) {
    Mechanism m = plain_pair();
    mistake.make(m);
    const auto system = build(m);
    ASSERT_FALSE(system.ok()) << mistake.words[0];
    for (const std::string& word : mistake.words)
      EXPECT_NE(system.error().message.find(word), std::string::npos) << word << " in: " << system.error().message;
  }
}

/// Frames that nearly meet are projected, with a note that says by how much.
TEST(Mistakes, SmallGapsAreNoted) {
  Mechanism m = plain_pair();
  m.joints[0].b.pose.position[1] = 0.003;
  const auto system = built(m);
  ASSERT_EQ(system->notes().size(), 1U);
  EXPECT_NE(system->notes()[0].find("joint 'pin'"), std::string::npos);
  EXPECT_NE(system->notes()[0].find("0.003 m apart"), std::string::npos) << system->notes()[0];
  EXPECT_LT(run(system, {.t_end = 0})["constraint.residual"], 1e-12);
}

/// A triangle of rods that cannot close: the message names the rows that contradict each other.
TEST(Mistakes, ContradictingJointsAreNamed) {
  Mechanism m;
  m.bodies = {{.name = "ball", .kind = BodyKind::point, .mass = 1, .pose = {.position = {0.5, 0, 0}}}};
  m.joints = {{.name = "left", .type = JointType::distance, .b = {.body = "ball"}, .length = 0.5},
              {.name = "right",
               .type = JointType::distance,
               .a = {.pose = {.position = {1.05, 0, 0}}},
               .b = {.body = "ball"},
               .length = 0.5}};
  const auto state = consistent_state(*built(m), built(m)->start());
  ASSERT_FALSE(state.ok());
  EXPECT_NE(state.error().message.find("left.length"), std::string::npos) << state.error().message;
}

/// A function that is no number where it is needed: the element and the expression are named; on the way the element is.
TEST(NotFinite, TheCulpritIsNamed) {
  const auto of_time = [](const char* text) {
    return std::make_shared<const Function>(*Expression::parse(text, std::array{std::string("t")}));
  };
  const auto pushed = [&](const char* text) {
    return Mechanism{
        .bodies = {{.name = "mass", .kind = BodyKind::point, .mass = 1}},
        .forces = {AppliedForce{.name = "push", .at = {.body = "mass"}, .force = {nullptr, of_time(text), nullptr}}}};
  };
  const auto driven = [&](const char* text) {
    Mechanism m{.bodies = {{.name = "mass", .mass = 1, .inertia = {1, 1, 1}}}};
    m.joints = {{.name = "slide",
                 .type = JointType::prismatic,
                 .a = {.body = "ground"},
                 .b = {.body = "mass"},
                 .drive = Drive::position,
                 .motion = of_time(text)}};
    return m;
  };
  EXPECT_EQ(build(pushed("log(t)")).error().message, "force 'push': force along y: 'log(t)' is -inf at t = 0");
  EXPECT_EQ(build(driven("log(t - 1)")).error().message,
            "joint 'slide' (prismatic): motion: 'log(t - 1)' is nan at t = 0");
  EXPECT_EQ(build(driven("sqrt(t)")).error().message,
            "joint 'slide' (prismatic): motion: the rate of 'sqrt(t)' is inf at t = 0");
  for (const Mechanism& m : {pushed("sqrt(0.3 - t)"), driven("0.01*sqrt(0.3 - t) - 0.01*sqrt(0.3)")}) {
    const auto system = built(m);
    MechanicalState late = system->start();
    late.t = 0.5;
    const auto start = consistent_state(*system, late);
    ASSERT_FALSE(start.ok());
    const char* const name =
        m.joints.empty() ? "at t = 0.5 the force 'push' is " : "at t = 0.5 constraint 'slide.position' is ";
    EXPECT_NE(start.error().message.find(name), std::string::npos) << start.error().message;

    const auto begin = consistent_state(*system, system->start());
    ASSERT_TRUE(begin.ok());
    const auto dae = formulate(system, *formulation_by_name("index-2")).value();
    InitialValueProblem problem{.dae = dae, .base = dae->base_of(*begin)};
    dae->pack(*begin, problem.x, problem.w);
    const auto end = integrate(problem, "radau");
    ASSERT_TRUE(end.ok());
    EXPECT_FALSE(completed(end->status));
    EXPECT_NE(end->reason.find(m.joints.empty() ? "the force 'push' is " : "constraint 'slide."), std::string::npos)
        << end->reason;
  }
}

}  // namespace
}  // namespace rubato::multibody
