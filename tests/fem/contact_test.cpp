// Contact: derivatives, balance of forces and moments, continuity, patch test, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "contact_support.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/derivative_check.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::blocks;
using test::Case;
using test::contact_force;
using test::held;
using test::of_time;
using test::output;
using test::shaken;

const std::vector<Case> cases = {{Shape::tri3, Analysis::plane_strain},  {Shape::tri6, Analysis::plane_stress},
                                 {Shape::quad4, Analysis::axisymmetric}, {Shape::quad8, Analysis::plane_strain},
                                 {Shape::quad9, Analysis::axisymmetric}, {Shape::tet4, Analysis::space},
                                 {Shape::tet10, Analysis::space},        {Shape::hex8, Analysis::space},
                                 {Shape::hex20, Analysis::space},        {Shape::hex27, Analysis::space}};
std::string name(const Case& c) {
  return std::string(info(c.shape).name) + " analysis " + std::to_string(static_cast<int>(c.analysis));
}

/// K = ∂r/∂q and D = ∂r/∂v by differences, with and without friction, at states in which every kind of face is tilted and warped.
TEST(Contact, HasTheTangentsOfItsForces) {
  for (const Case& c : cases)
    for (const double friction : {0.0, 0.4}) {
      SolidModel model = blocks(c, 0.03, 1, 1);
      if (c.analysis != Analysis::space) model = blocks(c, 0.03);
      model.contacts[0].law = {.stiffness = 1e8, .onset = 0.02, .friction = friction, .slip_speed = 0.3};
      model.contacts[0].reach = 2;
      const auto system = build(model);
      ASSERT_TRUE(system.ok()) << name(c) << ": " << system.error().message;
      const MechanicalState state = shaken(**system, 0.01, 3);
      ASSERT_GT(output(**system, state, "contact.pair.pressure"), 1e5) << name(c);
      // Where a point passes from one piece of the law to the next, differences see the mean of two slopes.
      const auto report =
          check_derivatives(**system, state, {.points = 2, .spread = 1e-4, .tolerance = 1e-4, .max_columns = 60});
      ASSERT_TRUE(report.ok()) << name(c) << ": " << report.error().message;
      EXPECT_TRUE(report->ok) << name(c) << " friction " << friction << '\n' << describe(*report);
    }
}

TEST(Contact, WithObstaclesHasTheTangentsOfItsForces) {
  for (const Case& c : {Case{Shape::quad9, Analysis::plane_strain}, Case{Shape::hex8, Analysis::space}})
    for (const auto shape : {ObstacleShape::plane, ObstacleShape::cylinder, ObstacleShape::sphere})
      for (const bool hollow : {false, true}) {
        SolidModel model = blocks(c, 0.03, 1, 1);
        model.contacts.clear();
        Obstacle obstacle{.name = "o", .slave = "u_top", .shape = shape, .point = {1.5, 0.98, 0.4}, .hollow = hollow};
        obstacle.axis = shape == ObstacleShape::plane ? std::array{0.1, -1.0, 0.2} : std::array{0.1, 0.2, 1.0};
        if (shape != ObstacleShape::plane) {
          obstacle.radius = 3;
          obstacle.point[1] = hollow ? -2.02 : 3.98;
        }
        obstacle.displacement[0] = of_time("0.1*t");
        obstacle.law = {.stiffness = 1e8, .onset = 0.02, .friction = 0.4, .slip_speed = 0.3};
        model.obstacles = {obstacle};
        const auto system = build(model);
        ASSERT_TRUE(system.ok()) << system.error().message;
        MechanicalState state = shaken(**system, 0.01, 3);
        state.t = 0.2;
        ASSERT_GT(output(**system, state, "contact.o.pressure"), 1e5);
        const auto report = check_derivatives(**system, state, {.spread = 1e-4, .tolerance = 1e-5});
        ASSERT_TRUE(report.ok()) << report.error().message;
        EXPECT_TRUE(report->ok) << name(c) << ' ' << static_cast<int>(shape) << ' ' << hollow << '\n'
                                << describe(*report);
      }
}

/// What one side gets the other loses: forces to rounding, moments of the pressure to rounding, too; those of friction up to depth times
/// friction.
TEST(Contact, BalancesForcesAndMoments) {
  for (const Case& c : cases)
    for (const double friction : {0.0, 0.5}) {
      SolidModel model = blocks(c, 0.02);
      model.prescribed.clear();
      model.contacts[0].law.friction = friction;
      const auto system = build(model);
      ASSERT_TRUE(system.ok()) << system.error().message;
      const MechanicalState state = shaken(**system, 0.01, 5);
      const Vector f = contact_force(model, state);
      const auto u = (*system)->displacements(0, view(state.q));
      const int d = model.mesh.dimension;
      Eigen::Vector3d sum = Eigen::Vector3d::Zero(), moment = sum;
      double size = 0;
      for (int node = 0; node < model.mesh.n_nodes(); ++node) {
        Eigen::Vector3d x = sum, own = Eigen::Vector3d::Zero();
        x.setZero();
        for (int i = 0; i < d; ++i) {
          x[i] = model.mesh.point(node)[static_cast<std::size_t>(i)] + u[static_cast<std::size_t>(node * d + i)];
          own[i] = f[(*system)->coordinate(node, i)];
        }
        sum += own;
        moment += x.cross(own);
        size += own.norm();
      }
      ASSERT_GT(size, 1e4);
      EXPECT_LT(sum.norm(), 1e-9 * size) << name(c);  // differences of forces of the size of the elements'
      EXPECT_LT(moment.norm(), (friction > 0 ? friction * 0.05 : 1e-9) * size) << name(c);
    }
}

/// A block dragged over an arch or a trough of straight faces, and off its end: the force has no jumps. Where it changes most between
/// two places, halving the interval 13 times leaves next to nothing of the change; a jump would stay.
TEST(Contact, ForcesAreContinuousOverEdgesAndEnds) {
  for (const Case& c : {Case{Shape::quad4, Analysis::plane_strain}, Case{Shape::quad9, Analysis::plane_strain},
                        Case{Shape::hex8, Analysis::space}, Case{Shape::tet4, Analysis::space}})
    for (const double bulge : {-0.05, 0.05}) {
      SolidModel model = blocks(c, 0.0, 4, 2);
      const int lower = block({.shape = c.shape, .divisions = {4, 1, 4}})->n_nodes();
      for (int node = 0; node < lower; ++node) {
        double* x = model.mesh.points.data() + node * model.mesh.dimension;
        x[1] *= 1 + bulge * std::sin(3.14159 * (x[0] - 1));
      }
      const auto system = build(model);
      ASSERT_TRUE(system.ok()) << system.error().message;
      MechanicalState state = at_rest(**system);
      const auto force = [&](double x) {
        for (int node = lower; node < model.mesh.n_nodes(); ++node) {
          state.q[(*system)->coordinate(node, 0)] = x;
          state.q[(*system)->coordinate(node, 1)] = bulge > 0 ? -0.01 : -0.03;
        }
        return Eigen::Vector2d(output(**system, state, "contact.pair.force.x"),
                               output(**system, state, "contact.pair.force.y"));
      };
      constexpr int n = 60;
      constexpr double slide = 1.1, step = slide / n;
      std::vector<Eigen::Vector2d> at_place;
      double largest = 0, jump = 0;
      for (int k = 0; k <= n; ++k) {
        at_place.push_back(force(k * step));
        largest = std::max(largest, at_place.back().norm());
      }
      EXPECT_GT(largest, 1e3) << name(c);
      EXPECT_EQ(at_place.back().norm(), 0) << "slid off";
      for (std::size_t k = 0; k < n; ++k) {
        double low = step * static_cast<double>(k), high = low + step;
        Eigen::Vector2d a = at_place[k], b = at_place[k + 1];
        if ((b - a).norm() < 0.05 * largest) continue;
        for (int halved = 0; halved < 13; ++halved) {
          const double middle = (low + high) / 2;
          const Eigen::Vector2d m = force(middle);
          const bool first = (m - a).norm() > (b - m).norm();
          (first ? high : low) = middle;
          (first ? b : a) = m;
        }
        jump = std::max(jump, (b - a).norm());
      }
      EXPECT_LT(jump, 1e-3 * largest) << name(c) << ' ' << bulge;
    }
}

/// Blocks pressed together, divided differently: both keep the homogeneous state of one block, up to what the quadrature of kinks leaves,
/// the force is that of the load exactly, and the gap is that of the law.
TEST(Contact, PassesThePatchTest) {
  for (const Case& c : cases) {
    if (c.analysis == Analysis::axisymmetric) continue;  // its homogeneous states are others
    SolidModel model = blocks(c, 6e-3);                  // a block that nothing holds yet has no equilibrium
    const bool space = c.analysis == Analysis::space;
    model.prescribed = {held("bottom", 1, "0"), held("left", 0, "0"), held("u_left", 0, "0")};
    if (space)
      for (const char* back : {"back", "u_back"}) model.prescribed.push_back(held(back, 2, "0"));
    model.tractions = {{.group = "u_top", .stress = {Function(), of_time("-2e5"), Function()}}};
    const auto system = build(model);
    ASSERT_TRUE(system.ok()) << name(c) << ": " << system.error().message;
    const auto end = static_equilibrium(**system, at_rest(**system));
    ASSERT_TRUE(end.ok()) << name(c) << ": " << end.error().message;
    EXPECT_NEAR(output(**system, *end, "contact.pair.force.y"), 2e5, 1e-6) << name(c);
    EXPECT_NEAR(output(**system, *end, "reaction.bottom.y"), 2e5, 1e-6) << name(c);
    ScratchMemory memory((*system)->scratch_bytes());
    const SolidFields fields = (*system)->fields(point_at(*end, memory.scratch()));
    double least = 0, most = -1e9;
    for (std::size_t node = 0; node < fields.pressure.size(); ++node) {
      least = std::min(least, fields.stress[node * 6 + 1]);
      most = std::max(most, fields.stress[node * 6 + 1]);
    }
    EXPECT_NEAR(output(**system, *end, "contact.pair.pressure"), 2e5, 0.035 * 2e5) << name(c);
    EXPECT_LT(most - least, 0.07 * 2e5) << name(c);
  }
}

TEST(Contact, RefusesWhatCannotBe) {
  const auto said = [](const SolidModel& model) {
    const auto system = build(model);
    return system.ok() ? "accepted" : system.error().message;
  };
  const auto expect = [&](const SolidModel& model, std::string_view words) {
    EXPECT_NE(said(model).find(words), std::string::npos) << "not said: " << words << "\nbut: " << said(model);
  };
  const SolidModel fine = blocks({Shape::quad4, Analysis::plane_strain}, 0);
  EXPECT_EQ(said(fine), "accepted");
  const auto with = [&](auto change) {
    SolidModel model = fine;
    change(model.contacts[0]);
    return model;
  };
  expect(with([](Contact& c) { c.slave = "botom"; }), "contact \"pair\": unknown group of dimension 1 'botom'");
  expect(with([](Contact& c) { c.slave = "body"; }), "contact \"pair\": unknown group of dimension 1 'body'");
  expect(with([](Contact& c) { c.law.friction = -0.1; }), "contact \"pair\": friction = -0.1; it must not be negative");
  expect(with([](Contact& c) { c.law.stiffness = NAN; }), "contact \"pair\": stiffness = nan");
  expect(with([](Contact& c) { c.law.slip_speed = 0; }), "contact \"pair\": slip_speed = 0; it must be positive");
  expect(with([](Contact& c) { c.reach = -1; }), "contact \"pair\": reach = -1");
  expect(with([](Contact& c) { c.master = ""; }),
         "no faces of the undeformed surface look at each other; give its reach");
  SolidModel model = fine;
  model.contacts.push_back(model.contacts[0]);
  expect(model, "contact \"pair\": another contact or obstacle has this name");
  model = fine;
  model.obstacles = {{.name = "floor", .slave = "bottom", .axis = {0, 0, 1}}};
  expect(model, "obstacle \"floor\": normal [0, 0, 1] has no direction");
  model.obstacles = {{.name = "floor", .slave = "bottom", .shape = ObstacleShape::sphere, .radius = -1}};
  expect(model, "obstacle \"floor\": radius = -1; it must be positive");
  model.mesh.group("inside", 1)
      .elements.push_back(
          model.mesh.add_element(Shape::line2, std::array{model.mesh.element(0)[0], model.mesh.element(0)[2]}));
  model.obstacles = {{.name = "floor", .slave = "inside"}};
  expect(model, "is no side of the body's boundary");
}

}  // namespace
}  // namespace rubato::fem
