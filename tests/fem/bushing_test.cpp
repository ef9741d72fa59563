// The rubber bushing of Becker (2012) between steel rings: static curve and counters of the published run.
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato::fem {
namespace {

/// Reactions at 2, 4, … 10 mm in N per mm of thickness, from an independent program (specification, T5).
TEST(Bushing, HasTheForcesOfTheIndependentProgram) {
  for (const auto& [bulk, expected] : {std::pair{30e6, std::array{87.8, 179.1, 278.8, 395.8, 547.9}},
                                       std::pair{3e11, std::array{131.0, 264.7, 406.9, 564.5, 768.7}}}) {
    const auto instance = catalogue::make_problem("bushing", {{"bulk", bulk}, {"signal", 2}});
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    const auto& system = dynamic_cast<const SolidSystem&>(*instance->system);
    const auto& n = system.sizes();
    MechanicalState rest{
        .q = Vector::Zero(n.q), .v = Vector::Zero(n.q), .lambda = Vector::Zero(n.lambda), .a = Vector::Zero(n.q)};
    std::vector<double> forces;
    ScratchMemory memory(system.scratch_bytes());
    const auto names = system.output_names();
    const auto place = std::find(names.begin(), names.end(), "reaction.inner.y") - names.begin();
    const auto path = static_path(
        system, rest, {.times = {0.2, 0.4, 0.6, 0.8, 1.0}, .found = [&](const MechanicalState& s) {
                         std::vector<double> y(names.size());
                         EXPECT_EQ(system.outputs(point_at(s, memory.scratch()), view(s.a), y), EvalStatus::ok);
                         forces.push_back(y[static_cast<std::size_t>(place)]);
                         return true;
                       }});
    ASSERT_TRUE(path.ok()) << path.error().message;
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(forces[k], expected[k], 0.06) << bulk << ' ' << k;
  }
}

/// The bushing on a coarse mesh, nearly incompressible.
std::shared_ptr<const SolidSystem> coarse_bushing() {
  SolidModel model;
  model.analysis = Analysis::plane_strain;
  model.thickness = 1e-3;
  model.materials = {{.name = "rubber", .density = 1100, .law = mooney_rivlin(0.4e6, 0.1e6), .bulk = 2e9},
                     {.name = "steel", .density = 7850, .law = LinearElastic{.young = 200e9, .poisson = 0.33}}};
  auto mesh = ring({.shape = Shape::quad9,
                    .inner_radius = 0.008,
                    .layers = {{0.010, 1, "inner ring"}, {0.025, 2, "rubber"}, {0.027, 1, "outer ring"}},
                    .around = 16});
  if (!mesh) return nullptr;
  model.mesh = *std::move(mesh);
  model.regions = {{"rubber", "rubber", PressureSpace::continuous},
                   {.group = "inner ring", .material = "steel"},
                   {.group = "outer ring", .material = "steel"}};
  const char* motion = "0.010*(1/(1+exp(8-10*t)) - 1/(1+exp(8)))*sin(6*pi*t)";
  for (const bool inner : {true, false}) {
    Prescribed rim{.group = inner ? "inner" : "outer"};
    rim.displacement[0].emplace(*function_of_time("0"));
    rim.displacement[1].emplace(*function_of_time(inner ? motion : "0"));
    model.prescribed.push_back(std::move(rim));
  }
  auto system = build(std::move(model));
  return system ? *system : nullptr;
}

/// Steps of the α methods do not follow vibrations of the steel: with an estimate filtered once HHT-α at 1e-4 and 1e-5 and generalized-α at
/// 1e-5 went from steps of 5 ms to steps of 1e-7 s (5000 of them in 0.01 s), whatever rejected them.
TEST(Bushing, AlphaMethodsDoNotFollowVibrationsOfTheSteel) {
  const auto system = coarse_bushing();
  ASSERT_NE(system, nullptr);
  const auto& n = system->sizes();
  MechanicalState rest{
      .q = Vector::Zero(n.q), .v = Vector::Zero(n.q), .lambda = Vector::Zero(n.lambda), .a = Vector::Zero(n.q)};
  const auto dae = formulate(system, *formulation_by_name("eps-lambda"));
  ASSERT_TRUE(dae) << dae.error().message;
  InitialValueProblem problem{.dae = *dae, .t_end = 1.3, .base = (*dae)->base_of(rest)};
  (*dae)->pack(rest, problem.x, problem.w);
  for (const auto& [method, rtol] :
       {std::pair{"generalized-alpha", 1e-5}, std::pair{"hht-alpha", 1e-4}, std::pair{"hht-alpha", 1e-5}}) {
    const auto end = integrate(
        problem, method,
        {.tolerances = {.rtol = rtol, .atol = 5.4e-5 * rtol, .atol_of = {{"v", 3e-2 * rtol}, {"lambda", 1e6 * rtol}}},
         .step = {.initial_step = 2e-4, .max_steps = 600}});
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_TRUE(completed(end->status)) << method << ", " << rtol << ": " << end->reason;
  }
}

}  // namespace
}  // namespace rubato::fem
