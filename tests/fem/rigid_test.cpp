// Rigid regions: derivatives in every combination of what is free, rotations as large as they come, stiffness against forces and
// moments, reactions, mistakes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rigid_support.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/derivative_check.hpp"
#include "rubato/problem/state_point.hpp"
#include "support/numbers.hpp"

namespace rubato::fem {
namespace {

using namespace test;

struct Built {
  std::shared_ptr<const SolidSystem> system;
  MechanicalState state;
  std::map<std::string, double> channels = {};
};
/// Equilibrium at time 1, along a path.
Built equilibrium(SolidModel model, std::vector<double> times = {0.25, 0.5, 0.75, 1}) {
  model.quasi_static = true;
  const auto system = build(std::move(model));
  EXPECT_TRUE(system.ok()) << system.error().message;
  const auto end = static_path(**system, at_rest(**system), {.times = std::move(times)});
  EXPECT_TRUE(end.ok()) << end.error().message;
  Built out{*system, *end};
  ScratchMemory memory((*system)->scratch_bytes());
  const auto names = (*system)->output_names();
  std::vector<double> y(names.size());
  EXPECT_EQ((*system)->outputs(point_at(*end, memory.scratch()), view(end->a), y), EvalStatus::ok);
  for (std::size_t k = 0; k < names.size(); ++k) out.channels[names[k]] = y[k];
  return out;
}

TEST(Rigid, DerivativesAgreeWithDifferences) {
  struct Motion {
    const char* name;
    RigidRegion region;
  };
  std::vector<Motion> motions(4);
  motions[0] = {"free",
                {.reference = {{0.1, 0.05, 0.3}},
                 .force = {of_time("t"), of_time("2"), Function()},
                 .moment = {Function(), Function(), of_time("3+t")}}};
  motions[1] = {"turning", {.rotation = hold({"", "", "0.5*t"})}};
  motions[2] = {"partly moved",
                {.reference = {{0.3, 0.2, 0}},
                 .moment = {Function(), Function(), of_time("2")},
                 .displacement = hold({"0.1*t^2"})}};
  motions[3] = {"all",
                {.displacement = hold({"0.1*t", "0.1*t^2", ""}),
                 .rotation = hold({"", "", "0.3*t^2"}),
                 .mass = 1,
                 .inertia = {0, 0, 0.3}}};
  struct Body {
    Shape shape;
    PressureSpace pressure;
    double bulk;
  };
  for (const Body& b : {Body{Shape::quad4, PressureSpace::none, 5},
                        {Shape::quad9, PressureSpace::continuous, 50},
                        {Shape::quad9, PressureSpace::discontinuous, infinity},
                        {Shape::hex8, PressureSpace::none, 5},
                        {Shape::hex8, PressureSpace::discontinuous, infinity}})
    for (Motion motion : motions) {
      const bool space = info(b.shape).dimension == 3;
      if (space) {
        motion.region.moment[0] = of_time("1-t");
        motion.region.inertia = {0.2, 0.25, 0.3};
        if (motion.region.rotation[2]) {
          motion.region.rotation = hold({"0.2*t", "0.3*t^2", "0.5*t"});
          motion.region.moment = {};
        }
      }
      for (const bool hinge : {false, true}) {
        if (hinge && (!space || motion.region.rotation[2])) continue;
        RigidRegion sleeve = motion.region;
        if (hinge) {
          sleeve.rotation = hold({"0", "0"});
          sleeve.moment[0] = Function();
        }
        SolidModel model = bushing(b.shape, b.pressure, b.bulk, std::move(sleeve));
        model.mass_damping = 0.2;
        model.stiffness_damping = 0.01;
        model.gravity[1] = of_time("-9.81*t");
        const std::string what = fmt::format("{} {} {}", info(b.shape).name, motion.name, hinge ? "about z" : "");
        const auto system = build(std::move(model));
        ASSERT_TRUE(system.ok()) << what << ": " << system.error().message;
        MechanicalState state = at_rest(**system);
        state.t = 0.7;
        std::mt19937 engine(1);
        std::uniform_real_distribution<double> random(-0.05, 0.05);
        for (Vector* x : {&state.q, &state.v, &state.lambda})
          for (double& value : *x) value = random(engine);
        const auto report = check_derivatives(**system, state, {.points = 1, .tolerance = 1e-5, .max_columns = 60});
        ASSERT_TRUE(report.ok()) << what << ": " << report.error().message;
        EXPECT_TRUE(report->ok) << what << ": " << describe(*report);
        EXPECT_GT(report->compared, 100) << what;
      }
    }
}

/// The top of a block turned by 180° and lifted, as a rigid motion and node by node: the same forces everywhere.
TEST(Rigid, LargeRotationsAreThoseOfTheNodes) {
  for (const auto shape : {Shape::quad9, Shape::hex8}) {
    const bool space = info(shape).dimension == 3;
    RigidRegion plate{.reference = {{0.5, 1, space ? 0.5 : 0}},
                      .displacement = hold({"0.2*t", "0.5*t", "0"}),
                      .rotation = space ? hold({"0", "pi*t", "0"}) : hold({"", "", "0.5*pi*t"})};
    if (!space) plate.displacement[2].reset();
    SolidModel direct = column(shape, {}, 2);
    direct.rigid.clear();
    Prescribed top{.group = "top"};
    for (int i = 0; i < direct.mesh.dimension; ++i)
      top.displacement[static_cast<std::size_t>(i)].emplace([=](std::span<const double> x) {
        const double r = x[0] - 0.5, s = space ? x[2] - 0.5 : 0;
        if (space)
          return of_time(i == 1   ? "0.5*t"
                         : i == 0 ? fmt::format("0.2*t + {}*(cos(pi*t)-1) + {}*sin(pi*t)", r, s)
                                  : fmt::format("{}*(cos(pi*t)-1) - {}*sin(pi*t)", s, r));
        return of_time(i == 0 ? fmt::format("0.2*t + {}*(cos(0.5*pi*t)-1)", r)
                              : fmt::format("0.5*t + {}*sin(0.5*pi*t)", r));
      });
    direct.prescribed.push_back(std::move(top));
    std::vector<double> times;
    for (int k = 1; k <= 8; ++k) times.push_back(k / 8.0);
    const Built by_node = equilibrium(direct, times), rigid = equilibrium(column(shape, plate, 2), times);
    const double size = std::abs(by_node.channels.at("reaction.top.y"));
    EXPECT_GT(size, 0.1);
    for (const char* axis : {"x", "y", "z"})
      if (space || *axis != 'z') {
        EXPECT_NEAR(rigid.channels.at(fmt::format("reaction.top.{}", axis)),
                    by_node.channels.at(fmt::format("reaction.top.{}", axis)), 1e-9 * size);
      }
    EXPECT_NEAR(rigid.channels.at("energy.strain"), by_node.channels.at("energy.strain"), 1e-9 * size);
    EXPECT_NEAR(rigid.channels.at(space ? "rotation.top.y" : "rotation.top.z"), space ? M_PI : M_PI / 2, 1e-9);
    // The moment is the derivative of the energy in the angle.
    auto energy = [&](double angle) {
      RigidRegion turned = plate;
      turned.rotation[space ? 1 : 2].emplace(of_time(fmt::format("{:.17g}*t", angle)));
      return equilibrium(column(shape, turned, 2), times).channels.at("energy.strain");
    };
    const double angle = space ? M_PI : M_PI / 2, step = 1e-3;
    EXPECT_NEAR(rigid.channels.at(space ? "reaction_moment.top.y" : "reaction_moment.top.z"),
                (energy(angle + step) - energy(angle - step)) / (2 * step), 1e-5 * size);
  }
}

/// What a prescribed motion takes gives that motion back: force and moment as loads, displacement and rotation as result.
TEST(Rigid, ForcesAndMotionsAreInverse) {
  for (const auto& [pressure, bulk] : {std::pair{PressureSpace::none, 5.0}, {PressureSpace::discontinuous, infinity}})
    for (const auto shape : {Shape::quad9, std::isinf(bulk) ? Shape::hex27 : Shape::hex8}) {
      const bool space = info(shape).dimension == 3;
      RigidRegion moved{.displacement = hold({"0.1*t", "-0.05*t", "0.08*t"}),
                        .rotation = hold({"0.3*t", "0.2*t", "0.25*t"})};
      if (!space) {
        moved.displacement[2].reset();
        moved.rotation = hold({"", "", "0.5*t"});
      }
      const Built first = equilibrium(bushing(shape, pressure, bulk, moved));
      RigidRegion loaded;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto put = [&](const char* what, Function& f) {
          const auto found = first.channels.find(fmt::format("{}.sleeve.{}", what, "xyz"[i]));
          if (found != first.channels.end()) f = of_time(fmt::format("{:.17g}*t", found->second));
        };
        put("reaction", loaded.force[i]);
        put("reaction_moment", loaded.moment[i]);
      }
      const Built second = equilibrium(bushing(shape, pressure, bulk, loaded));
      // Rigid up to the modulus of 10⁵ shear moduli; exactly where the body is incompressible.
      const double tolerance = std::isinf(bulk) ? 1e-8 : 2e-5;
      for (const char* what : {"displacement", "rotation"})
        for (const char axis : {'x', 'y', 'z'})
          if (const auto found = first.channels.find(fmt::format("{}.sleeve.{}", what, axis));
              found != first.channels.end()) {
            EXPECT_NEAR(second.channels.at(found->first), found->second, tolerance) << found->first << ' ' << bulk;
          }
      Vector g(second.system->sizes().lambda);
      ScratchMemory memory(second.system->scratch_bytes());
      ASSERT_EQ(second.system->constraint(point_at(second.state, memory.scratch()), view(g)), EvalStatus::ok);
      EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-9);
    }
}

/// A disc of an axisymmetric model is pushed along the axis: force and displacement are those of nodes moved together.
TEST(Rigid, DiscsOfAxisymmetricModelsMoveAlongTheAxis) {
  SolidModel model = column(Shape::quad9, {.force = {Function(), of_time("-3*t"), Function()}});
  model.mesh = *block({.shape = Shape::quad9, .divisions = {2, 2}, .low = {0.5, 0}, .high = {1.5, 1}});
  model.analysis = Analysis::axisymmetric;
  const Built pushed = equilibrium(model);
  EXPECT_EQ(pushed.system->sizes().lambda, 0) << "it cannot turn";
  SolidModel direct = model;
  direct.rigid.clear();
  direct.prescribed.push_back(
      {.group = "top",
       .displacement = {of_time("0"), of_time(fmt::format("{:.17g}*t", pushed.channels.at("displacement.top.y"))),
                        std::nullopt}});
  EXPECT_NEAR(equilibrium(direct).channels.at("reaction.top.y"), -3, 1e-9);
}

/// Elements of a rigid group weigh what their material or the region says, and what is added; they carry no stress.
TEST(Rigid, MassesAreThoseOfTheElements) {
  SolidModel model = bushing(Shape::quad9, PressureSpace::none, 5, {.mass = 3});
  model.gravity[1] = of_time("-1");
  const auto weight = [](const SolidModel& m) {
    const Built held = equilibrium(m);
    return -held.channels.at("reaction.sleeve.y") - held.channels.at("reaction.outer.y");
  };
  const double rubber_mass = 2 * M_PI * (4 - 1), sleeve = 8 * M_PI * (1 - 0.25);
  model.rigid[0].displacement = hold({"0", "0"});
  model.rigid[0].rotation = hold({"", "", "0"});
  EXPECT_NEAR(-weight(model), rubber_mass + sleeve + 3, 0.05 * sleeve) << "up to the polygons of eight elements around";
  const double by_density = weight(model);
  model.materials.push_back({.name = "steel", .density = 8, .law = SaintVenantKirchhoff{.young = 1, .poisson = 0.3}});
  model.regions.push_back({.group = "sleeve", .material = "steel"});
  model.rigid[0].density = 0;
  EXPECT_NEAR(weight(model), by_density, 1e-12 * std::abs(by_density));
}

TEST(Rigid, MistakesAreNamed) {
  const auto message = [](SolidModel model) {
    const auto system = build(std::move(model));
    return system ? std::string("accepted") : system.error().message;
  };
  const auto expect = [&](SolidModel model, std::string_view words) {
    const std::string said = message(std::move(model));
    EXPECT_NE(said.find(words), std::string::npos) << "not said: " << words << "\nbut: " << said;
  };
  const auto plate = [](RigidRegion region) { return column(Shape::quad9, std::move(region)); };
  EXPECT_EQ(message(plate({})), "accepted");
  EXPECT_EQ(message(plate({.reference = {{100, -50, 0}}})), "accepted");
  SolidModel model = plate({});
  model.rigid[0].group = "tops";
  expect(model, "unknown group 'tops'; did you mean 'top'?");
  model = plate({});
  model.prescribed.clear();
  model.rigid.push_back({.group = "left"});
  expect(model, "belongs to rigid \"top\" as well");
  model = plate({});
  model.rigid[0].group = "left";
  expect(model, "rigid \"left\": the displacement of node");
  model = plate({.name = "bottom"});
  expect(model, "the name is that of a prescribed group");
  expect(plate({.moment = {of_time("1"), Function(), Function()}}), "those about z");
  expect(plate({.force = {Function(), Function(), of_time("1")}}), "no third axis");
  expect(plate({.force = {of_time("1"), Function(), Function()}, .displacement = hold({"t"})}), "along x: one of them");
  expect(plate({.moment = {Function(), Function(), of_time("1")}, .rotation = hold({"", "", "t"})}),
         "about z: one of them");
  expect(plate({.mass = -1}), "not negative");
  expect(column(Shape::hex8, {.rotation = hold({"t"})}), "all three are given, or none, or two as 0");
  expect(column(Shape::hex8, {.inertia = {1, 0.1, 0.1}}), "exceed the sum");
  model = plate({});
  model.rigid_stiffness = -1;
  expect(model, "rigid stiffness = -1");
  model = column(Shape::quad9, {}, 2, PressureSpace::continuous);
  model.rigid_stiffness = infinity;
  expect(model, "need a finite one");
  model = column(Shape::quad9, {}, 2, PressureSpace::continuous, infinity);
  model.rigid_stiffness = 1e9;
  expect(model, "exactly rigid");
  model = bushing(Shape::quad4, PressureSpace::none, 5, {});
  model.regions.clear();
  expect(model, "belongs to no region");
}

}  // namespace
}  // namespace rubato::fem
