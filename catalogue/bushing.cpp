/// Rubber bushing between two steel rings, plane strain, a slice of 1 mm: radii 8, 10, 25 and 27 mm, the outer rim held, the inner
/// rim moved. Rubber: Mooney-Rivlin c10 = 0.4 MPa, c01 = 0.1 MPa, bulk modulus κ; steel: linear.
///
/// Mixed form (quad9 displacements, continuous linear pressures): 48 elements around, 1 + 5 + 2 layers, 3264 displacements and 288
/// pressures. Displacement form: 48 × 12 quad4 in the rubber alone, 1248 displacements. Signals of the inner rim, in mm:
///   0   (0, 10 (1/(1+e^{8−10t}) − 1/(1+e⁸)) sin 6πt)
///   1   (9 sin 6πt, 9 cos 6πt (1 − (1+t)^{−6}))
///   2   (0, 10 t): a ramp, for static curves
/// Becker, Efficient time integration and nonlinear model reduction for incompressible hyperelastic materials, dissertation, TU
/// Kaiserslautern (2012), sections 5.3 and 7.2. Thicknesses of the rings and meshes are not printed there; these give its numbers of
/// unknowns.
#include <array>

#include "catalogue/problems.hpp"
#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"

namespace rubato::catalogue {
namespace {

constexpr const char* signals[3][2] = {
    {"0", "0.010*(1/(1+exp(8-10*t)) - 1/(1+exp(8)))*sin(6*pi*t)"},
    {"0.009*sin(6*pi*t)", "0.009*cos(6*pi*t)*(1-(1+t)^(-6))"},
    {"0", "0.010*t"},
};

Result<Instance> make_bushing(const Parameters& given, std::string_view formulation) {
  using namespace fem;
  const bool mixed = get(given, "mixed") > 0;
  SolidModel model;
  model.analysis = Analysis::plane_strain;
  model.thickness = 1e-3;
  model.materials = {
      {.name = "rubber", .density = 1100, .law = mooney_rivlin(0.4e6, 0.1e6), .bulk = get(given, "bulk")},
      {.name = "steel", .density = 7850, .law = LinearElastic{.young = 200e9, .poisson = 0.33}}};
  auto mesh =
      mixed ? ring({.shape = Shape::quad9,
                    .inner_radius = 0.008,
                    .layers = {{0.010, 1, "inner ring"}, {0.025, 5, "rubber"}, {0.027, 2, "outer ring"}},
                    .around = 48})
            : ring({.shape = Shape::quad4, .inner_radius = 0.010, .layers = {{0.025, 12, "rubber"}}, .around = 48});
  if (!mesh) return mesh.error();
  model.mesh = *std::move(mesh);
  model.regions = {{"rubber", "rubber", mixed ? PressureSpace::continuous : PressureSpace::none}};
  if (mixed)
    for (const char* group : {"inner ring", "outer ring"})
      model.regions.push_back({.group = group, .material = "steel"});
  const auto& signal = signals[static_cast<int>(get(given, "signal"))];
  for (const bool inner : {true, false}) {
    Prescribed rim{.group = inner ? "inner" : "outer"};
    for (std::size_t axis = 0; axis < 2; ++axis)
      rim.displacement[axis].emplace(*function_of_time(inner ? signal[axis] : "0"));
    model.prescribed.push_back(std::move(rim));
  }
  auto system = build(std::move(model));
  if (!system) return system.error();
  const MechanicalSizes& n = (*system)->sizes();
  MechanicalState start;
  start.q = start.v = start.a = Vector::Zero(n.q);
  start.lambda = Vector::Zero(n.lambda);
  if (formulation.empty()) formulation = "eps-lambda";
  return mechanical_instance(*system, start, formulation,
                             {.t_end = get(given, "t_end"),
                              .measure = {.atol = 1e-6, .rtol = 0, .definition = "displacements against 1 µm"},
                              .initial_step = 1e-3});
}

}  // namespace

Entry bushing() {
  return {
      .name = "bushing",
      .title = "rubber bushing between steel rings, plane strain, nearly incompressible",
      .source = "Becker, dissertation, TU Kaiserslautern (2012), sections 5.3 and 7.2; geometry completed",
      .parameters = {end_time(2),
                     {.name = "bulk",
                      .default_value = 30e6,
                      .unit = "Pa",
                      .help = "bulk modulus of the rubber",
                      .min = 1e6,
                      .max = 1e18},
                     flag("mixed", 1, "1: pressures as unknowns; 0: displacements alone, without rings"),
                     flag("signal", 0, "motion of the inner rim: 0 growing oscillation, 1 on an ellipse, 2 ramp", 2)},
      .formulations = {"eps-lambda", "index-3"},
      .default_formulation = "eps-lambda",
      .t_end = 2,
      .large = true,
      .make = make_bushing};
}

}  // namespace rubato::catalogue
