// Contact between bodies: rigid ones, ones that overlap from the start, ones that fly.
#include <gtest/gtest.h>

#include <cmath>

#include "contact_support.hpp"
#include "rubato/problem/derivative_check.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::blocks;
using test::both;
using test::Case;
using test::end_of;
using test::of_time;
using test::output;
using test::problem_of;
using test::shaken;

const Case plane{Shape::quad4, Analysis::plane_strain};
constexpr double young = 9e6 / (3 + 1e6 / 5e6);  // of the blocks: 9 μ/(3 + μ/κ)

/// The upper block is rigid, with or without a material of its own.
SolidModel with_rigid_block(const Case& c, double overlap, bool material, int below = 2, int above = 3) {
  SolidModel model = blocks(c, overlap, below, above);
  if (!material) model.regions.pop_back();
  model.rigid = {{.group = "u_body", .density = 1000}};
  return model;
}

std::string said(const SolidModel& model) {
  const auto system = build(model);
  return system.ok() ? "accepted" : system.error().message;
}

/// The automatic stiffness is that of the side that deforms: k = 10 E/height with the lower block's height of 0.5.
TEST(ContactBodies, RigidPartsAddNoSoftness) {
  constexpr double overlap = 0.01;
  for (const bool material : {false, true})
    for (const bool swap : {false, true}) {
      SolidModel model = with_rigid_block(plane, overlap, material);
      if (swap) std::swap(model.contacts[0].slave, model.contacts[0].master);
      const auto system = build(model);
      ASSERT_TRUE(system.ok()) << system.error().message;
      const double onset = 0.01 * (swap ? 0.5 : 0.5 + overlap);
      const double expected = 10 * young / 0.5 * (overlap - onset / 2);
      EXPECT_NEAR(output(**system, at_rest(**system), "contact.pair.pressure"), expected, 1e-9 * expected)
          << material << swap;
    }
}

TEST(ContactBodies, RigidOnRigidNeedsAStiffness) {
  SolidModel model = with_rigid_block(plane, 0.01, false);
  model.mesh = both(model.mesh, *block({.shape = Shape::quad4, .low = {5, 0, 0}, .high = {6, 1, 0}}), "t_");
  model.regions = {{.group = "t_body", .material = "rubber"}};
  model.rigid.push_back({.group = "body", .density = 1000});
  model.prescribed = {test::fixed("t_bottom", 2)};
  EXPECT_NE(said(model).find("contact \"pair\": all that touches is rigid; give its stiffness"), std::string::npos)
      << said(model);
  model = with_rigid_block(plane, 0.01, false);
  model.contacts.clear();
  model.obstacles = {{.name = "lid", .slave = "u_top", .point = {0, 0.99, 0}, .axis = {0, -1, 0}}};
  EXPECT_NE(said(model).find("obstacle \"lid\": all that touches is rigid; give its stiffness"), std::string::npos)
      << said(model);
  model.obstacles[0].law.stiffness = 1e8;
  EXPECT_EQ(said(model), "accepted");
}

/// Rigid elements are not assembled: the blocks of their faces have places of their own, as slave, as master and at obstacles.
TEST(ContactBodies, RigidPartsHaveTheTangentsOfTheirForces) {
  for (const Case& c : {plane, Case{Shape::quad8, Analysis::plane_strain}, Case{Shape::hex8, Analysis::space}})
    for (const char* role : {"slave", "master", "obstacle"}) {
      SolidModel model = with_rigid_block(c, 0.03, false, 1, 1);
      const ContactLaw law{.stiffness = 1e8, .onset = 0.02, .friction = 0.4, .slip_speed = 0.3};
      model.contacts[0].law = law;
      model.contacts[0].reach = 2;
      if (role == std::string("master")) std::swap(model.contacts[0].slave, model.contacts[0].master);
      if (role == std::string("obstacle")) {
        model.contacts.clear();
        model.obstacles = {
            {.name = "pair", .slave = "u_bottom", .point = {1.5, 0.5, 0}, .axis = {0.1, 1, 0}, .law = law}};
      }
      const auto system = build(model);
      ASSERT_TRUE(system.ok()) << system.error().message;
      const MechanicalState state = shaken(**system, 0.01, 3);
      ASSERT_GT(output(**system, state, "contact.pair.pressure"), 1e5) << role;
      // Sums over a body cancel; what lacks a place is missing altogether.
      const auto report =
          check_derivatives(**system, state, {.points = 2, .spread = 1e-4, .tolerance = 2e-3, .max_columns = 60});
      ASSERT_TRUE(report.ok()) << report.error().message;
      EXPECT_TRUE(report->ok) << info(c.shape).name << ' ' << role << '\n' << describe(*report);
    }
}

/// Pressed against a lid that comes down: equilibria are found to the end, and the forces balance.
TEST(ContactBodies, RigidPartsArePressedIntoEquilibrium) {
  for (const bool swap : {false, true}) {
    SolidModel model = with_rigid_block(plane, 0.004, false);
    if (swap) std::swap(model.contacts[0].slave, model.contacts[0].master);
    model.rigid[0].displacement[0].emplace(of_time("0"));
    model.rigid[0].rotation[2].emplace(of_time("0"));
    model.rigid[0].force[1] = of_time("-1e3 - 2e5*t");
    const auto system = build(model);
    ASSERT_TRUE(system.ok()) << system.error().message;
    const auto end = static_path(**system, at_rest(**system), {.times = {0.25, 0.5, 0.75, 1}});
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_NEAR(std::abs(output(**system, *end, "contact.pair.force.y")), 2.01e5, 1) << swap;
  }
}

/// Another body's surface behind a face is no opposite side of its own: a press fit of a fifth of an element holds, deeper ones are named.
TEST(ContactBodies, PressFitsAreFelt) {
  for (const Case& c : {plane, Case{Shape::tet4, Analysis::space}}) {
    SolidModel model = blocks(c, 0.1, 2, 2);
    const auto system = build(model);
    ASSERT_TRUE(system.ok()) << system.error().message;
    EXPECT_NEAR(output(**system, at_rest(**system), "contact.pair.gap"), -0.1, 1e-12);
    EXPECT_GT(output(**system, at_rest(**system), "contact.pair.force.y"), 1e5);
  }
  EXPECT_NE(
      said(blocks(plane, 0.15)).find("contact \"pair\": undeformed, the surfaces overlap by 0.15 m; at most 0.125 m"),
      std::string::npos)
      << said(blocks(plane, 0.15));
  // Bodies one above the other, each of which may touch the next: the topmost face of the stack is behind all others.
  SolidModel stack = blocks(plane, -0.1);
  for (const char* group : {"bottom", "u_bottom"})
    for (const int e : stack.mesh.find_group(group)->elements) stack.mesh.group("down", 1).elements.push_back(e);
  for (const char* group : {"top", "u_top"})
    for (const int e : stack.mesh.find_group(group)->elements) stack.mesh.group("up", 1).elements.push_back(e);
  stack.contacts = {{.name = "pair", .slave = "down", .master = "up"}};
  EXPECT_EQ(said(stack), "accepted");
}

/// Deep states are refused by forces, so that steps are repeated, but not by outputs: pictures may be taken of what lies between steps.
TEST(ContactBodies, DeepStatesHaveOutputs) {
  const SolidModel model = blocks(plane, 0);
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  MechanicalState state = at_rest(**system);
  for (const int node : model.mesh.nodes_of(*model.mesh.find_group("u_body")))
    state.q[(*system)->coordinate(node, 1)] = -0.2;
  EXPECT_NEAR(output(**system, state, "contact.pair.gap"), -0.2, 1e-12);
  ScratchMemory memory((*system)->scratch_bytes());
  Vector f(state.q.size());
  EXPECT_EQ((*system)->force(point_at(state, memory.scratch()), view(f)), EvalStatus::out_of_domain);
}

/// A block falls half a metre in free flight, where steps are as long as they like, onto another: it comes back, with every method.
TEST(ContactBodies, NothingFallsThrough) {
  SolidModel model = blocks(plane, 0, 3, 2);
  for (const int node : model.mesh.nodes_of(*model.mesh.find_group("u_body")))
    model.mesh.points[static_cast<std::size_t>(2 * node + 1)] += 0.5;
  model.stiffness_damping = 1e-4;
  model.gravity[1] = of_time("-9.81");
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  for (const char* method : {"rodas4p", "radau", "bdf"}) {
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-3, .atol = 1e-6};
    const auto run = integrate(problem_of(*system, at_rest(**system), 1), method, options);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_EQ(run->status, RunStatus::finished) << method << ": " << run->reason;
    EXPECT_GE(run->statistics.events, 1);
    EXPECT_GT(output(**system, end_of(**system, *run), "contact.pair.gap"), -0.05) << method;
    const MechanicalState end = end_of(**system, *run);
    double height = 0;
    for (const int node : model.mesh.nodes_of(*model.mesh.find_group("u_bottom")))
      height = std::max(height, -end.q[(*system)->coordinate(node, 1)]);
    EXPECT_LT(height, 0.55) << method << ": it is above";
  }
}

/// Equilibria know no velocities but those that are given: a surface moved over an obstacle slides as it does on one that moves the other way.
TEST(ContactBodies, PrescribedSurfacesSlideInEquilibria) {
  std::array<double, 2> drag{};
  for (const bool obstacle_moves : {false, true}) {
    SolidModel model = blocks(plane, 0);
    model.contacts.clear();
    model.quasi_static = true;
    model.prescribed = {test::held("bottom", 1, "-0.01"), test::held("bottom", 0, obstacle_moves ? "0" : "0.1*t"),
                        test::fixed("u_bottom", 2)};
    model.obstacles = {{.name = "floor", .slave = "bottom", .axis = {0, 1, 0}}};
    model.obstacles[0].law = {.friction = 0.3, .slip_speed = 1e-3};
    if (obstacle_moves) model.obstacles[0].displacement[0] = of_time("-0.1*t");
    const auto system = build(model);
    ASSERT_TRUE(system.ok()) << system.error().message;
    const auto end = static_path(**system, at_rest(**system), {.times = {0.05, 0.1}});
    ASSERT_TRUE(end.ok()) << end.error().message;
    drag[obstacle_moves ? 1 : 0] = output(**system, *end, "contact.floor.force.x");
    EXPECT_NEAR(drag[obstacle_moves ? 1 : 0], -0.3 * output(**system, *end, "contact.floor.force.y"),
                1e-3 * std::abs(drag[obstacle_moves ? 1 : 0]));
  }
  EXPECT_NEAR(drag[0], drag[1], 1e-9 * std::abs(drag[1]));
}

TEST(ContactBodies, ObstaclesOfPlaneModelsStayInThePlane) {
  SolidModel model = blocks(plane, 0);
  model.obstacles = {{.name = "floor", .slave = "bottom", .axis = {0, 1, 0}}};
  model.obstacles[0].displacement[2] = of_time("0.1");
  EXPECT_NE(said(model).find("obstacle \"floor\": a plane model has no third axis"), std::string::npos) << said(model);
}

/// Nothing is assembled inside rigid parts, and nothing changes its volume there.
TEST(ContactBodies, RigidPartsKeepTheirVolumeInPictures) {
  const SolidModel model = with_rigid_block(plane, 0, false);
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  const MechanicalState state = at_rest(**system);
  ScratchMemory memory((*system)->scratch_bytes());
  for (const double j : (*system)->fields(point_at(state, memory.scratch())).volume_ratio) EXPECT_NEAR(j, 1, 1e-12);
}

}  // namespace
}  // namespace rubato::fem
