#pragma once
/// Bodies with rigid parts that tests share.
#include "solid_support.hpp"

namespace rubato::fem::test {

[[nodiscard]] inline Material rubber(double bulk = 20) {
  return {.name = "rubber", .density = 2, .law = neo_hooke(1), .bulk = bulk};
}

/// Functions of time axis by axis; "": free.
[[nodiscard]] inline std::array<std::optional<Function>, 3> hold(std::initializer_list<const char*> axes) {
  std::array<std::optional<Function>, 3> out;
  std::size_t i = 0;
  for (const char* text : axes) {
    if (*text != 0) out[i].emplace(of_time(text));
    ++i;
  }
  return out;
}

/// A sleeve (rigid) in rubber, whose outer side is held: in the plane or drawn out along z.
[[nodiscard]] inline SolidModel bushing(Shape shape, PressureSpace pressure, double bulk, RigidRegion sleeve) {
  SolidModel model;
  const std::vector<RingLayer> layers = {{.outer_radius = 1, .divisions = 1, .group = "sleeve"},
                                         {.outer_radius = 2, .divisions = 2, .group = "rubber"}};
  if (info(shape).dimension == 2) {
    model.mesh = *ring({.shape = shape, .inner_radius = 0.5, .layers = layers, .around = 8});
    model.analysis = Analysis::plane_strain;
  } else {
    model.mesh =
        *hollow_cylinder({.shape = shape, .inner_radius = 0.5, .layers = layers, .around = 8, .length = 1, .along = 1});
  }
  model.materials = {rubber(bulk)};
  model.regions = {{.group = "rubber", .material = "rubber", .pressure = pressure}};
  model.prescribed = {{.group = "outer", .displacement = {of_time("0"), of_time("0"), std::nullopt}}};
  if (model.mesh.dimension == 3) model.prescribed[0].displacement[2].emplace(of_time("0"));
  sleeve.group = "sleeve";
  sleeve.density = 8;
  model.rigid = {std::move(sleeve)};
  return model;
}

/// A unit column, its bottom held, its upper side one rigid plate.
[[nodiscard]] inline SolidModel column(Shape shape, RigidRegion plate, int n = 2,
                                       PressureSpace pressure = PressureSpace::none, double bulk = 20) {
  SolidModel model;
  model.mesh = *block({.shape = shape, .divisions = {n, n, n}, .high = {1, 1, 1}});
  const bool space = model.mesh.dimension == 3;
  model.analysis = space ? Analysis::space : Analysis::plane_strain;
  model.materials = {rubber(bulk)};
  model.regions = {{.group = "body", .material = "rubber", .pressure = pressure}};
  model.prescribed = {{.group = "bottom", .displacement = {of_time("0"), of_time("0"), std::nullopt}}};
  if (space) model.prescribed[0].displacement[2].emplace(of_time("0"));
  plate.group = "top";
  model.rigid = {std::move(plate)};
  return model;
}

}  // namespace rubato::fem::test
