// Bodies whose finite deformations are known: a thick tube blown up, a shaft twisted, a beam under its weight.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"
#include "solid_support.hpp"
#include "support/numbers.hpp"

namespace rubato::fem {
namespace {

/// Outputs by name of the equilibrium at t = 1.
std::map<std::string, double> carried(SolidModel model, const std::vector<double>& times) {
  const auto system = build(std::move(model));
  EXPECT_TRUE(system.ok()) << system.error().message;
  if (!system) return {};
  const auto end = static_path(**system, test::at_rest(**system), {.times = times});
  EXPECT_TRUE(end.ok()) << end.error().message;
  if (!end) return {};
  const auto names = (*system)->output_names();
  std::vector<double> y(names.size());
  ScratchMemory memory((*system)->scratch_bytes());
  EXPECT_EQ((*system)->outputs(point_at(*end, memory.scratch()), view(end->a), y), EvalStatus::ok);
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < names.size(); ++i) out[names[i]] = y[i];
  return out;
}

void prescribe(SolidModel& model, const std::string& group, std::array<const char*, 3> motion) {
  Prescribed p{.group = group};
  for (std::size_t i = 0; i < 3; ++i)
    if (motion[i] != nullptr) p.displacement[i].emplace(test::of_time(motion[i]));
  model.prescribed.push_back(std::move(p));
}

/// Incompressible neo-Hooke tube A ≤ R ≤ B in plane strain, inner radius A → a: b² − a² = B² − A², and with λ = a/A, Λ = b/B the pressure
///   p = μ/2 (2 ln(λ/Λ) + Λ⁻² − λ⁻²),
/// which pushes the inner wall outwards with 2π a H p.
TEST(Bodies, AThickTubeResistsInflationAsTheoryHasIt) {
  constexpr double inner = 0.01, outer = 0.02, height = 0.005, mu = 6e5, grown = 0.005;
  const double a = inner + grown, b = std::sqrt(outer * outer + a * a - inner * inner);
  const double at_a = a / inner, at_b = b / outer;
  const double p = mu / 2 * (2 * std::log(at_a / at_b) + 1 / (at_b * at_b) - 1 / (at_a * at_a));
  const double theory = 2 * pi * a * height * p;
  std::vector<double> errors;
  for (const int n : {2, 4}) {
    SolidModel model;
    model.analysis = Analysis::axisymmetric;
    model.mesh =
        *block({.shape = Shape::quad9, .divisions = {n, 1, 1}, .low = {inner, 0, 0}, .high = {outer, height, 0}});
    model.materials = {{.name = "m", .density = 1, .law = neo_hooke(mu), .bulk = INFINITY}};
    model.regions = {{.group = "body", .material = "m", .pressure = PressureSpace::discontinuous}};
    for (const char* end : {"bottom", "top"}) prescribe(model, end, {nullptr, "0", nullptr});
    prescribe(model, "left", {"0.005*t", nullptr, nullptr});
    const auto y = carried(std::move(model), {0.25, 0.5, 0.75, 1});
    ASSERT_TRUE(y.contains("reaction.left.x"));
    errors.push_back(std::abs(y.at("reaction.left.x") / theory - 1));
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_GT(errors[0] / errors[1], 8) << errors[0] << ' ' << errors[1];  // force: twice the order of the stresses
}

/// Twist ψ per length of an incompressible neo-Hooke tube r ≤ R ≤ S that keeps its radii (inner wall led along): nothing moves along z,
///   W = π μ ψ² L (S⁴ − r⁴)/4,   N = −π μ ψ² (S² − r²)²/4
/// (the ends want to move apart: Poynting). Rivlin, Phil. Trans. A 242 (1949) 173.
TEST(Bodies, ATwistedShaftStoresRivlinsEnergyAndPushesItsEndsApart) {
  constexpr double inner = 0.004, outer = 0.01, length = 0.02, mu = 6e5, twist = 60;  // rad/m
  const double energy = pi * mu * twist * twist * length * (std::pow(outer, 4) - std::pow(inner, 4)) / 4;
  const double push = pi * mu * twist * twist * std::pow(outer * outer - inner * inner, 2) / 4;
  SolidModel model;
  model.mesh = *hollow_cylinder({.shape = Shape::hex27,
                                 .inner_radius = inner,
                                 .layers = {{outer, 2, "body"}},
                                 .around = 12,
                                 .length = length,
                                 .along = 3});
  model.materials = {{.name = "m", .density = 1, .law = neo_hooke(mu), .bulk = INFINITY}};
  model.regions = {{.group = "body", .material = "m", .pressure = PressureSpace::discontinuous}};
  for (const char* group : {"inner", "back", "front"}) {
    Prescribed turned{.group = group};
    for (int axis = 0; axis < 3; ++axis)
      turned.displacement[static_cast<std::size_t>(axis)].emplace([axis](std::span<const double> x) {
        const std::string angle = "(" + std::to_string(twist * (x[2] + length / 2)) + "*t)";
        const auto term = [](double c, const std::string& f) { return "(" + std::to_string(1e6 * c) + "e-6)*" + f; };
        if (axis == 0) return test::of_time(term(x[0], "(cos" + angle + "-1)") + "-" + term(x[1], "sin" + angle));
        if (axis == 1) return test::of_time(term(x[1], "(cos" + angle + "-1)") + "+" + term(x[0], "sin" + angle));
        return test::of_time("0");
      });
    model.prescribed.push_back(std::move(turned));
  }
  const auto y = carried(std::move(model), {0.25, 0.5, 0.75, 1});
  ASSERT_TRUE(y.contains("reaction.front.z"));
  EXPECT_NEAR(y.at("energy.strain") / energy, 1, 5e-3);
  EXPECT_NEAR(-y.at("reaction.front.z") / push, 1, 0.02);
  EXPECT_NEAR(y.at("reaction.front.z") + y.at("reaction.back.z"), 0, 1e-3 * push);
}

/// Euler-Bernoulli: a clamped beam under its weight sinks by ρ g A L⁴/(8 E I), its shear by another (h/L)² of that.
TEST(Bodies, AClampedBeamSinksUnderItsWeight) {
  constexpr double length = 1, high = 0.02, young = 210e9, density = 7850;
  const double theory = -density * 9.81 * 12 * std::pow(length, 4) / (8 * young * high * high);
  for (const Shape shape : {Shape::quad8, Shape::quad9, Shape::tri6}) {
    SolidModel model;
    model.analysis = Analysis::plane_stress;
    model.mesh = *block({.shape = shape, .divisions = {20, 2, 1}, .low = {0, 0, 0}, .high = {length, high, 0}});
    model.materials = {{.name = "steel", .density = density, .law = LinearElastic{.young = young, .poisson = 0.3}}};
    model.regions = {{.group = "body", .material = "steel"}};
    prescribe(model, "left", {"0", "0", nullptr});
    model.gravity[1] = test::of_time("-9.81");
    model.probes = {{.name = "tip", .nodes = {*node_at(model.mesh, {length, high / 2, 0})}}};
    const auto y = carried(std::move(model), {1});
    ASSERT_TRUE(y.contains("displacement.tip.y"));
    EXPECT_NEAR(y.at("displacement.tip.y") / theory, 1, 5e-3) << info(shape).name;  // the clamp also holds the height
    EXPECT_NEAR(y.at("reaction.left.y"), density * 9.81 * length * high, 1e-6);
  }
}

}  // namespace
}  // namespace rubato::fem
