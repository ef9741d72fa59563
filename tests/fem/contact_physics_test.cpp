// Contact in statics and dynamics: Hertz, bouncing with every kind of method, friction on an incline, a hairpin that closes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contact_support.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::both;
using test::contact_force;
using test::end_of;
using test::fixed;
using test::held;
using test::of_time;
using test::output;
using test::problem_of;

/// Two equal elastic bodies in line contact, one with the radius R, half width a ≪ R:
///   a² = 4 P R/(π E*),   p₀ = √(P E*/(π R)),   E* = E/(2 (1 − ν²)),   p = p₀ √(1 − x²/a²), whose second moment is P a²/4
/// Johnson, Contact Mechanics (1985), section 4.2. Bodies of 20 a with elements of a/8 at the contact.
TEST(ContactPhysics, HertzLineContact) {
  constexpr double radius = 1, young = 1e6, poisson = 0.3;
  const auto graded = [](double s) { return 0.1 * s + 0.9 * s * s * s; };
  const Block lower{.shape = Shape::quad9,
                    .divisions = {24, 8, 1},
                    .low = {-1, -1, 0},
                    .high = {1, 0, 0},
                    .map =
                        [&](const Place& s) {
                          return Place{graded(s[0]), graded(s[1]), 0};
                        },
                    .straight = true};
  Block upper = lower;
  upper.divisions = {36, 9, 1};
  upper.low = {-1, 0, 0};
  upper.high = {1, 1, 0};
  upper.straight = false;
  upper.map = [&](const Place& s) {
    const double x = graded(s[0]), y = graded(s[1]);
    return Place{x, y + x * x / (2 * radius) * (1 - y), 0};
  };
  SolidModel model;
  model.mesh = both(*block(lower), *block(upper), "u_");
  model.analysis = Analysis::plane_strain;
  model.materials = {{.name = "m", .density = 1, .law = LinearElastic{.young = young, .poisson = poisson}}};
  model.regions = {{.group = "body", .material = "m"}, {.group = "u_body", .material = "m"}};
  model.prescribed = {fixed("bottom", 2), held("u_top", 0, "0"), held("u_top", 1, "-0.005*t")};
  model.contacts = {{.name = "pair", .slave = "u_bottom", .master = "top"}};
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  const auto end = static_path(**system, at_rest(**system), {.times = {0.25, 0.5, 1}});
  ASSERT_TRUE(end.ok()) << end.error().message;
  const double load = output(**system, *end, "contact.pair.force.y");
  const double modulus = young / (2 * (1 - poisson * poisson));
  const double a = std::sqrt(4 * load * radius / (std::numbers::pi * modulus));
  const double peak = std::sqrt(load * modulus / (std::numbers::pi * radius));
  EXPECT_NEAR(a, 0.05, 0.02) << "the mesh is made for this width";
  EXPECT_NEAR(output(**system, *end, "contact.pair.pressure"), peak, 0.03 * peak);
  const Vector f = contact_force(model, *end);
  double moment = 0;
  for (const int node : model.mesh.nodes_of(*model.mesh.find_group("u_bottom"))) {
    const double x = model.mesh.point(node)[0] + end->q[(*system)->coordinate(node, 0)];
    moment += f[(*system)->coordinate(node, 1)] * x * x;
  }
  EXPECT_NEAR(std::sqrt(4 * moment / load), a, 0.03 * a);
  EXPECT_NEAR(output(**system, *end, "reaction.bottom.y"), load, 1e-6 * load);
  EXPECT_EQ(output(**system, *end, "contact.pair.beyond"), 0);
}

SolidModel soft_block(Shape shape) {
  SolidModel model;
  model.mesh = *block({.shape = shape, .divisions = {2, 2, 2}, .high = {0.2, 0.05, 0.2}});
  model.analysis = model.mesh.dimension == 3 ? Analysis::space : Analysis::plane_strain;
  model.materials = {{.name = "rubber", .density = 1000, .law = neo_hooke(1e6), .bulk = 5e6}};
  model.regions = {{.group = "body", .material = "rubber"}};
  return model;
}

/// A block falls onto the floor and comes back: contact closes and opens without events. Energy is conserved up to what the method
/// damps of the waves in the block.
TEST(ContactPhysics, EveryKindOfMethodBouncesAndKeepsTheEnergy) {
  SolidModel model = soft_block(Shape::quad4);
  model.obstacles = {{.name = "floor", .slave = "bottom", .point = {0, -0.002, 0}, .axis = {0, 1, 0}}};
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  ASSERT_EQ((*system)->invariant_names(), std::vector<std::string>{"energy"});
  MechanicalState start = at_rest(**system);
  for (int node = 0; node < model.mesh.n_nodes(); ++node) start.v[(*system)->coordinate(node, 1)] = -1;
  const double energy = 0.5 * 1000 * 0.2 * 0.05;
  struct Bounce {
    const char* method;
    double rtol, allowed;  // about three times what was measured; ros3p damps waves most
  };
  for (const auto& [method, rtol, allowed] : {Bounce{"rodas4p", 1e-5, 1e-5},
                                              {"ros3p", 1e-6, 0.03},
                                              {"radau", 1e-5, 3e-5},
                                              {"generalized-alpha:0.9", 1e-4, 6e-4},
                                              {"bdf", 1e-5, 3e-3}}) {
    IntegrateOptions options;
    options.tolerances = {.rtol = rtol, .atol = 1e-2 * rtol};
    const auto run = integrate(problem_of(*system, start, 0.02), method, options);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_EQ(run->status, RunStatus::finished) << method;
    const MechanicalState end = end_of(**system, *run);
    double momentum = 0;
    for (int node = 0; node < model.mesh.n_nodes(); ++node)
      momentum += end.v[(*system)->coordinate(node, 1)] / model.mesh.n_nodes();
    EXPECT_GT(momentum, 0.5) << method << ": it came back";
    EXPECT_EQ(output(**system, end, "contact.floor.pressure"), 0) << method;
    const double kept = output(**system, end, "energy.kinetic") + output(**system, end, "energy.strain") +
                        output(**system, end, "energy.contact");
    EXPECT_NEAR(kept, energy, allowed * energy) << method << " steps " << run->statistics.accepted;
  }
}

/// On an incline of slope 0.6: with μ = 0.3 the block slides with g (sin α − μ cos α); with μ = 0.8 it creeps with the speed at which the
/// regularised friction carries it, v_s s/√(1 − s²) with s = 0.6/0.8.
TEST(ContactPhysics, BlocksSlideAndStickOnAnIncline) {
  const double alpha = std::atan(0.6);
  for (const auto shape : {Shape::quad4, Shape::hex8})
    for (const double friction : {0.3, 0.8}) {
      SolidModel model = soft_block(shape);
      model.obstacles = {{.name = "slope", .slave = "bottom", .point = {0, 2e-5, 0}, .axis = {0, 1, 0}}};
      model.obstacles[0].law = {.friction = friction, .slip_speed = 1e-3};
      model.gravity = {of_time(fmt::format("{}", 9.81 * std::sin(alpha))),
                       of_time(fmt::format("{}", -9.81 * std::cos(alpha))), Function()};
      model.stiffness_damping = 1e-3;
      const auto system = build(model);
      ASSERT_TRUE(system.ok()) << system.error().message;
      IntegrateOptions options;
      options.tolerances = {.rtol = 1e-4, .atol = 1e-7};
      const double time = 0.3;
      const auto run = integrate(problem_of(*system, at_rest(**system), time), "rodas4p", options);
      ASSERT_TRUE(run.ok() && run->status == RunStatus::finished);
      const MechanicalState end = end_of(**system, *run);
      double speed = 0;
      for (int node = 0; node < model.mesh.n_nodes(); ++node)
        speed += end.v[(*system)->coordinate(node, 0)] / model.mesh.n_nodes();
      const double s = 0.6 / friction;
      const double expected = friction < 0.6 ? 9.81 * (std::sin(alpha) - friction * std::cos(alpha)) * time
                                             : 1e-3 * s / std::sqrt(1 - s * s);
      EXPECT_NEAR(speed, expected, 0.02 * expected) << info(shape).name << ' ' << friction;
      const double normal = output(**system, end, "contact.slope.force.y");
      const double tangential = output(**system, end, "contact.slope.force.x");
      EXPECT_NEAR(-tangential / normal, std::min(friction, 0.6), 0.01) << info(shape).name << ' ' << friction;
    }
}

/// A hairpin is squeezed between plates until its legs touch from inside: the surface touches itself, legs do not pass through each
/// other, and forces balance.
TEST(ContactPhysics, AHairpinTouchesItself) {
  constexpr double inner = 0.3, thick = 0.3, leg = 3;
  constexpr double bend = std::numbers::pi * inner;
  SolidModel model;
  model.mesh =
      *block({.shape = Shape::quad9,
              .divisions = {40, 2, 1},
              .low = {0, 0, 0},
              .high = {2 * leg + bend, thick, 0},
              .map = [](const Place& s) {  // the lower leg, the bend, the upper leg; s[1] = 0 is the inner side
                const double r = inner + s[1];
                if (s[0] < leg) return Place{leg - s[0], -r, 0};
                if (s[0] > leg + bend) return Place{s[0] - leg - bend, r, 0};
                const double angle = (s[0] - leg) / inner;
                return Place{-r * std::sin(angle), -r * std::cos(angle), 0};
              }});
  model.analysis = Analysis::plane_strain;
  model.materials = {{.name = "rubber", .density = 1000, .law = neo_hooke(1e6), .bulk = 5e6}};
  model.regions = {{.group = "body", .material = "rubber"}};
  model.prescribed = {fixed("right", 2)};
  model.obstacles = {{.name = "above", .slave = "top", .point = {0, inner + thick, 0}, .axis = {0, -1, 0}},
                     {.name = "below", .slave = "top", .point = {0, -inner - thick, 0}, .axis = {0, 1, 0}}};
  model.obstacles[1].displacement[1] = of_time("0.65*t");
  model.contacts = {{.name = "inside", .slave = "bottom"}};
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  const auto end = static_path(**system, at_rest(**system), {.times = {0.2, 0.4, 0.6, 0.8, 1}});
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_LT(output(**system, *end, "contact.inside.gap"), 0);
  EXPECT_GT(output(**system, *end, "contact.inside.gap"), -0.05 * thick);
  const double below = output(**system, *end, "contact.below.force.y");
  EXPECT_GT(below, 1e4);
  EXPECT_EQ(output(**system, *end, "contact.inside.force.y"), 0) << "a surface pushes itself nowhere";
  EXPECT_NEAR(below + output(**system, *end, "contact.above.force.y") + output(**system, *end, "reaction.right.y"), 0,
              1e-6 * below);
  EXPECT_EQ(output(**system, *end, "contact.inside.beyond"), 0);
  // The lower leg is below the upper one: node by node across the gap.
  const auto u = (*system)->displacements(end->t, view(end->q));
  for (const int a : model.mesh.nodes_of(*model.mesh.find_group("bottom")))
    for (const int b : model.mesh.nodes_of(*model.mesh.find_group("bottom"))) {
      const auto y = [&](int node) { return model.mesh.point(node)[1] + u[static_cast<std::size_t>(2 * node + 1)]; };
      const auto x = model.mesh.point(a), other = model.mesh.point(b);
      if (x[0] > 0.5 && std::abs(x[0] - other[0]) < 1e-9 && x[1] < 0 && other[1] > 0) {
        EXPECT_GT(y(b) - y(a), -0.1 * thick) << x[0];
      }
    }
}

}  // namespace
}  // namespace rubato::fem
