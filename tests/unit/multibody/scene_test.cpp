// What a mechanism looks like: closed solids, points that move with their bodies, curves between them.
#include "rubato/multibody/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "rubato/multibody/geometry.hpp"
#include "support/numbers.hpp"

namespace rubato::multibody {
namespace {

Scene scene_of(const Mechanism& m) {
  auto scene = make_scene(m);
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().message);
  return scene.ok() ? *scene : Scene{};
}
std::vector<Vector3> placed(const Scene& scene, const std::vector<Pose>& poses) {
  std::vector<Vector3> points(scene.n_points());
  scene.place(poses, points);
  return points;
}
/// Numbers of the pieces of a part.
std::vector<std::size_t> pieces_of(const Scene& scene, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scene.pieces().size(); ++i)
    if (scene.parts()[scene.pieces()[i].part].name == name) found.push_back(i);
  return found;
}
void expect_at(const Vector3& x, const Vector3& y, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[k], y[k], tolerance) << "component " << k;
}

/// The volume of the only solid of a body that looks like this, ∮ x·n dA/3, if its faces are turned outwards. Every edge
/// belongs to two faces that run along it in opposite directions: the surface is closed.
double volume_of(const Look& look) {
  const Mechanism m{.bodies = {{.name = "body", .kind = BodyKind::point, .mass = 1}}, .looks = {look}};
  const Scene scene = scene_of(m);
  const auto corners = placed(scene, {{}});
  const ScenePiece& solid = scene.pieces().at(0);
  std::map<std::pair<int, int>, int> edges;
  double volume = 0;
  for (const auto& face : solid.faces)
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int from = face[i], to = face[(i + 1) % face.size()];
      edges[std::minmax(from, to)] += from < to ? 1 : -1;
      if (i == 0 || i + 1 == face.size()) continue;
      const auto corner = [&](std::size_t k) { return corners[static_cast<std::size_t>(face[k])]; };
      const Vector3 a = corner(0), b = corner(i), c = corner(i + 1);
      volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
    }
  for (const auto& [edge, balance] : edges) EXPECT_EQ(balance, 0) << edge.first << "-" << edge.second;
  EXPECT_EQ(solid.count + solid.faces.size(), edges.size() + 2) << "Euler";
  return volume;
}

TEST(Scene, SolidsAreClosedAndTurnedOutwards) {
  const Marker on = marker("body", {}, {1, 2, 3});
  EXPECT_NEAR(volume_of({.type = LookType::box, .at = on, .size = {2, 3, 4}}), 24, 1e-13);
  const double polygon = 20 * std::sin(2 * pi / 20) / 2;  // the area of an inscribed 20-gon
  EXPECT_NEAR(volume_of({.type = LookType::cylinder, .at = on, .radius = 0.5, .length = 3}), 3 * 0.25 * polygon, 1e-13);
  const double ball = volume_of({.type = LookType::sphere, .at = on, .radius = 1});
  EXPECT_GT(ball, 0.93 * 4 * pi / 3);
  EXPECT_LT(ball, 4 * pi / 3);
  // A body without looks is an octahedron.
  const Mechanism bare{.bodies = {{.name = "body", .kind = BodyKind::point, .mass = 1}}};
  EXPECT_EQ(scene_of(bare).pieces().at(0).faces.size(), 8U);
}

Mechanism crank() {
  return {.bodies = {{.name = "crank",
                      .kind = BodyKind::planar,
                      .mass = 1,
                      .inertia = {0, 0, 1},
                      .pose = {.position = {1, 0, 0}}},
                     {.name = "ball", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {3, 0, 0}}}},
          .joints = {{.name = "hinge", .type = JointType::revolute, .a = {}, .b = marker_at("crank")}},
          .forces = {SpringDamper{
              .name = "spring", .a = marker("crank", {0.5, 0, 0}), .b = {.body = "ball"}, .stiffness = 1}}};
}

/// Without looks: octahedra, lines to the hinge and to the spring, the hinge's axis, a zigzag. All follow the bodies.
TEST(Scene, FollowsTheBodies) {
  const Scene scene = scene_of(crank());
  ASSERT_EQ(scene.parts().size(), 5U);
  const double phi = 0.7;
  const Pose turned{.position = {std::cos(phi), std::sin(phi), 0}, .rotation = from_axis_angle({0, 0, 1}, phi)};
  const auto points = placed(scene, {turned, {.position = {3, 1, 2}}});
  const auto of_crank = pieces_of(scene, "crank");
  ASSERT_EQ(of_crank.size(), 3U);
  EXPECT_EQ(scene.pieces()[of_crank[0]].faces.size(), 8U);
  const auto point = [&](std::size_t piece, std::size_t i) { return points[scene.pieces()[piece].first + i]; };
  expect_at(point(of_crank[1], 0), turned.position, 1e-15);
  expect_at(point(of_crank[1], 1), {0, 0, 0}, 1e-15);
  expect_at(point(of_crank[2], 1), {1.5 * std::cos(phi), 1.5 * std::sin(phi), 0}, 1e-15);
  const std::size_t spring = pieces_of(scene, "spring").at(0);
  expect_at(point(spring, 0), {1.5 * std::cos(phi), 1.5 * std::sin(phi), 0}, 1e-15);
  expect_at(point(spring, scene.pieces()[spring].count - 1), {3, 1, 2}, 1e-15);
  EXPECT_EQ(pieces_of(scene, "ground").size(), 0U);
}

/// Systems hold angular velocities in body axes; asked for, they are in space, as they were given.
TEST(Scene, BodiesTellTheirVelocityInSpace) {
  const Body turned{.name = "a",
                    .mass = 1,
                    .inertia = {1, 2, 2.5},
                    .pose = {.rotation = from_axis_angle({1, -2, 0.5}, 1.3)},
                    .velocity = {4, 5, 6},
                    .angular_velocity = {1, 2, 3}};
  const Body flat{.name = "b",
                  .kind = BodyKind::planar,
                  .mass = 1,
                  .inertia = {0, 0, 1},
                  .pose = {.position = {0, 0, 7}, .rotation = from_axis_angle({0, 0, 1}, 0.4)},
                  .velocity = {4, 5, 0},
                  .angular_velocity = {0, 0, 3}};
  const auto system = build({.bodies = {turned, flat}});
  ASSERT_TRUE(system);
  const MechanicalState s = (*system)->start();
  for (const auto& [i, body] : {std::pair{std::size_t{0}, &turned}, {std::size_t{1}, &flat}}) {
    const BodyVelocity got = (*system)->velocity(i, view(s.q), view(s.v), view(s.base));
    expect_at(got.linear, body->velocity, 1e-14);
    expect_at(got.angular, body->angular_velocity, 1e-14);
    expect_at((*system)->pose(i, view(s.q), view(s.base)).position, body->pose.position, 0);
  }
}

/// Velocities are the derivatives of positions, of points on bodies and of beams.
TEST(Scene, VelocitiesAreDerivatives) {
  Mechanism m{.bodies = {{.name = "a", .mass = 1, .inertia = {1, 1, 1}},
                         {.name = "b", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {1, 0, 0}}}},
              .joints = {{.name = "ball", .type = JointType::spherical, .b = marker("a", {0, 1, 2})}},
              .forces = {Beam{.name = "beam",
                              .a = {.body = "a"},
                              .b = {.body = "b"},
                              .axial_shear = {1, 1, 1},
                              .torsion_bending = {1, 1, 1}}}};
  const Scene scene = scene_of(m);
  const BodyVelocity rates[] = {{.linear = {1, 2, 3}, .angular = {0.3, -0.2, 0.5}},
                                {.linear = {-1, 0, 1}, .angular = {-0.1, 0.4, 0.2}}};
  const auto moved = [&](double t) {
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector3 &v = rates[i].linear, &w = rates[i].angular;
      poses.push_back({.position = {static_cast<double>(i) + t * v[0], t * v[1], t * v[2]},
                       .rotation = product(from_axis_angle(w, t * std::hypot(w[0], w[1], w[2])),
                                           from_axis_angle({1, 1, 0}, 0.4 * static_cast<double>(i)))});
    }
    return poses;
  };
  std::vector<Vector3> velocity(scene.n_points());
  scene.velocities(moved(0), rates, velocity);
  const double h = 1e-4;
  const auto before = placed(scene, moved(-h)), after = placed(scene, moved(h));
  for (std::size_t i = 0; i < velocity.size(); ++i)
    expect_at(velocity[i],
              {(after[i][0] - before[i][0]) / (2 * h), (after[i][1] - before[i][1]) / (2 * h),
               (after[i][2] - before[i][2]) / (2 * h)},
              1e-7);
}

/// A beam bent to a quarter of a circle: the cubic with its ends and tangents passes √2 (1/2 + π/16) = 0.985 radii from the
/// centre in its middle, nowhere nearer.
TEST(Scene, BeamsAreSmooth) {
  const double radius = 1, length = pi / 2;
  const Mechanism m{
      .bodies = {{.name = "tip", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {length, 0, 0}}}},
      .forces = {Beam{.name = "beam", .b = {.body = "tip"}, .axial_shear = {1, 1, 1}, .torsion_bending = {1, 1, 1}}}};
  const Scene scene = scene_of(m);
  const auto points =
      placed(scene, {{.position = {radius, radius, 0}, .rotation = from_axis_angle({0, 0, 1}, pi / 2)}});
  const auto& beam = scene.pieces()[pieces_of(scene, "beam").at(0)];
  for (std::size_t i = 0; i < beam.count; ++i) {
    const Vector3& x = points[beam.first + i];
    EXPECT_GT(std::hypot(x[0], x[1] - radius), std::sqrt(2) * (0.5 + pi / 16) - 1e-12);
    EXPECT_LT(std::hypot(x[0], x[1] - radius), radius + 1e-12);
  }
}

TEST(Scene, LooksAndRoundSurfacesReplaceOctahedra) {
  Mechanism m = crank();
  m.looks = {{.type = LookType::box, .at = {.body = "crank"}, .size = {2, 0.1, 0.1}},
             {.type = LookType::line, .at = {.pose = {.position = {0, 5, 0}}}, .to = {.body = "ball"}}};
  m.forces.emplace_back(Contact{.name = "touch",
                                .a = {.shape = Shape::plane},
                                .b = {.marker = {.body = "ball"}, .radius = 0.25},
                                .stiffness = 1});
  const Scene scene = scene_of(m);
  EXPECT_EQ(scene.pieces()[pieces_of(scene, "crank").at(0)].faces.size(), 6U);
  const auto ball = pieces_of(scene, "ball");
  const auto points = placed(scene, {{.position = {1, 0, 0}}, {.position = {3, 1, 0}}});
  const auto& sphere = scene.pieces()[ball.at(0)];
  EXPECT_GT(sphere.faces.size(), 100U);
  for (std::size_t i = 0; i < sphere.count; ++i) {
    const Vector3& x = points[sphere.first + i];
    EXPECT_NEAR(std::hypot(x[0] - 3, x[1] - 1, x[2]), 0.25, 1e-15);
  }
  const auto ground = pieces_of(scene, "ground");
  ASSERT_EQ(ground.size(), 2U);  // the line begins there; the plane
  expect_at(points[scene.pieces()[ground[0]].first + 1], {3, 1, 0}, 0);
  m.looks[0].at.body = "crnk";
  EXPECT_EQ(make_scene(m).error().message,
            "look 1: unknown body 'crnk'; did you mean 'crank'?; known: ball, crank, ground");
  m.looks[0] = {.type = LookType::sphere, .at = {.body = "crank"}, .radius = NAN};
  EXPECT_NE(make_scene(m).error().message.find("must be positive"), std::string::npos);
}

}  // namespace
}  // namespace rubato::multibody
