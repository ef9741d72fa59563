// Every joint leaves the freedom it is made for, and its rates and forces are those of its constraints.
#include <gtest/gtest.h>

#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

struct Case {
  JointType type;
  int bound;         ///< constraints between bodies in space
  int bound_planar;  ///< between planar bodies, axis z; −1: refused
  const char* name;
};
constexpr Case cases[] = {
    {JointType::fixed, 6, 3, "fixed"},
    {JointType::revolute, 5, 2, "revolute"},
    {JointType::prismatic, 5, 3, "prismatic"},
    {JointType::cylindrical, 4, 2, "cylindrical"},
    {JointType::spherical, 3, 2, "spherical"},
    {JointType::universal, 4, 2, "universal"},
    {JointType::planar, 3, -1, "planar"},
    {JointType::distance, 1, 1, "distance"},
    {JointType::point_on_line, 2, 2, "point_on_line"},
    {JointType::point_on_plane, 1, -1, "point_on_plane"},
    {JointType::parallel, 2, -1, "parallel"},
};

/// Two bodies tied by one joint, turned and placed at odd angles; the first one free.
Mechanism pair(JointType type) {
  const Quaternion turn = from_axis_angle({1, 2, -1}, 0.8), other = from_axis_angle({-1, 0.3, 2}, 1.9);
  Marker a = marker_at("first", {0.2, 0.1, -0.3}, {0.3, -0.5, 1});
  Marker b = a;
  b.body = "second";
  if (type == JointType::distance) b.pose.position = {0.6, -0.2, 0.4};
  if (type == JointType::universal) b.pose.rotation = product(b.pose.rotation, from_axis_angle({0, 1, 0}, 0));
  return {.bodies = {{.name = "first",
                      .mass = 2,
                      .inertia = {0.3, 0.4, 0.5},
                      .products = {0.02, -0.03, 0.01},
                      .pose = {.position = {1, 0.5, 0.2}, .rotation = turn}},
                     {.name = "second",
                      .mass = 1.5,
                      .inertia = {0.2, 0.2, 0.3},
                      .pose = {.position = {-0.3, 0.4, 0.7}, .rotation = other}}},
          .joints = {{.name = "joint", .type = type, .a = a, .b = b}}};
}

TEST(Joints, LeaveTheFreedomTheyAreMadeFor) {
  for (const Case& c : cases) {
    const auto system = built(pair(c.type));
    ASSERT_NE(system, nullptr) << c.name;
    EXPECT_EQ(system->sizes().lambda, c.bound) << c.name;
    EXPECT_TRUE(system->notes().empty()) << c.name;
    ConstraintDiagnosis diagnosis;
    const auto state = consistent_state(*system, system->start(), {}, &diagnosis);
    ASSERT_TRUE(state.ok()) << c.name << ": " << state.error().message;
    EXPECT_EQ(diagnosis.rank, c.bound) << c.name;
    EXPECT_LT(diagnosis.position_residual, 1e-14) << c.name;
  }
}

TEST(Joints, RatesAndForcesFollowFromTheConstraints) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto system = built(pair(c.type));
    ASSERT_NE(system, nullptr);
    for (unsigned seed = 1; seed <= 3; ++seed) expect_exact_rates(*system, seed);
    Mechanism grounded = pair(c.type);
    grounded.joints[0].a.body = "ground";
    expect_exact_rates(*built(grounded), 4);
    std::swap(grounded.joints[0].a, grounded.joints[0].b);
    expect_exact_rates(*built(grounded), 5);
  }
}

/// What bodies in the plane cannot do anyway is not forbidden once more.
TEST(Joints, OfPlanarBodiesHaveOnlyRowsOfThePlane) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Mechanism m{.bodies = {{.name = "first",
                            .kind = BodyKind::planar,
                            .mass = 2,
                            .inertia = {0, 0, 0.3},
                            .pose = {.position = {1, 0.5, 0}, .rotation = from_axis_angle({0, 0, 1}, 0.7)}},
                           {.name = "second",
                            .kind = BodyKind::planar,
                            .mass = 1,
                            .inertia = {0, 0, 0.2},
                            .pose = {.position = {-1, 0.2, 0}, .rotation = from_axis_angle({0, 0, 1}, -1.1)}}},
                .joints = {{.name = "joint", .type = c.type, .a = marker_at("first", {0.1, 0.2, 0})}}};
    // Sliding happens along x, turning about z.
    if (c.type == JointType::prismatic) m.joints[0].a = marker_at("first", {0.1, 0.2, 0}, {1, 0, 0});
    m.joints[0].b = m.joints[0].a;
    m.joints[0].b.body = "second";
    if (c.type == JointType::distance) m.joints[0].b.pose.position = {0.5, 0.9, 0};
    const auto system = build(m);
    EXPECT_EQ(system.ok(), c.bound_planar >= 0);
    if (!system) continue;
    expect_exact_rates(**system, 6);
    ConstraintDiagnosis diagnosis;
    ASSERT_TRUE(consistent_state(**system, (*system)->start(), {}, &diagnosis).ok());
    EXPECT_EQ(diagnosis.rank, c.type == JointType::prismatic ? 2 : c.bound_planar);
  }
}

}  // namespace
}  // namespace rubato::multibody
