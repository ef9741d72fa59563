// The list of elements with pressures is what `build` accepts.
#include "rubato/fem/mixed_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "rubato/fem/generate.hpp"

namespace rubato::fem {
namespace {

TEST(MixedPairs, AreThoseThatCanBeBuilt) {
  int accepted = 0;
  for (const auto& shape : shape_list()) {
    if (shape.dimension < 2) continue;
    const auto mesh = block({.shape = shape.id});
    if (!mesh) continue;
    for (const auto pressure : {PressureSpace::continuous, PressureSpace::discontinuous}) {
      const bool listed = std::any_of(mixed_pairs().begin(), mixed_pairs().end(), [&](const MixedPair& pair) {
        return pair.shape == shape.id && pair.pressure == pressure;
      });
      const auto solid = build({.mesh = *mesh,
                                .analysis = shape.dimension == 2 ? Analysis::plane_strain : Analysis::space,
                                .materials = {{.name = "rubber", .density = 1, .law = neo_hooke(1), .bulk = 10}},
                                .regions = {{.group = "body", .material = "rubber", .pressure = pressure}}});
      EXPECT_EQ(solid.ok(), listed) << shape.name << (solid ? "" : solid.error().message);
      accepted += solid.ok() ? 1 : 0;
    }
  }
  EXPECT_EQ(accepted, 8);
}

TEST(MixedPairs, AreNamedByTheirPressures) {
  std::vector<std::string> names;
  for (const auto& pair : mixed_pairs())
    names.push_back(std::string(info(pair.shape).name) + "/" + pressure_name(pair));
  EXPECT_EQ(names, (std::vector<std::string>{"tri6/tri3", "quad9/quad4", "tet10/tet4", "hex27/hex8", "quad9/P1",
                                             "hex27/P1", "quad4/P0", "hex8/P0"}));
}

}  // namespace
}  // namespace rubato::fem
