// What a model weighs, how good its elements are, and outputs that watch nodes.
#include "rubato/fem/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "rubato/fem/generate.hpp"
#include "support/numbers.hpp"

namespace rubato::fem {
namespace {

SolidModel block_model(Analysis analysis) {
  SolidModel model;
  model.mesh = *block({.shape = Shape::quad9, .divisions = {3, 2}, .low = {1, 0, 0}, .high = {3, 1, 0}});
  model.analysis = analysis;
  model.thickness = 0.1;
  model.materials = {{.name = "m", .density = 5, .law = LinearElastic{.young = 1e3, .poisson = 0.2}}};
  model.regions = {{.group = "body", .material = "m"}};
  return model;
}

TEST(Measure, VolumeAndMassOfPlaneAndTurnedBlocks) {
  const auto plane = measure_regions(block_model(Analysis::plane_stress));
  ASSERT_EQ(plane.size(), 1u);
  EXPECT_NEAR(plane[0].volume, 2 * 0.1, 1e-15);
  EXPECT_NEAR(plane[0].mass, 5 * 0.2, 1e-14);
  const auto turned = measure_regions(block_model(Analysis::axisymmetric));
  EXPECT_NEAR(turned[0].volume, pi * (9 - 1), 1e-12);
}

TEST(Measure, QualityOfRectanglesAndOfDistortedCells) {
  const MeshQuality fine = quality(*block({.divisions = {4, 1}, .high = {4, 3, 0}}));
  EXPECT_NEAR(fine.least_ratio, 1, 1e-14) << "parallelograms";
  EXPECT_NEAR(fine.largest_aspect, 3, 1e-14);
  const MeshQuality worse = quality(*block({.divisions = {4, 4}, .distortion = 0.25}));
  EXPECT_LT(worse.least_ratio, 0.9);
  EXPECT_GT(worse.least_ratio, 0);
  EXPECT_GE(worse.worst, 0);
}

TEST(Probes, AreAveragesOfDisplacements) {
  SolidModel model = block_model(Analysis::plane_strain);
  const auto nodes = model.mesh.nodes_of(*model.mesh.find_group("right"));
  model.probes = {{.name = "end", .nodes = nodes}, {.name = "one", .nodes = {nodes[0]}}};
  const auto system = build(model);
  ASSERT_TRUE(system.ok()) << system.error().message;
  const auto names = (*system)->output_names();
  const auto end = std::find(names.begin(), names.end(), "displacement.end.x") - names.begin();
  const auto one = std::find(names.begin(), names.end(), "displacement.one.y") - names.begin();
  ASSERT_LT(one, static_cast<long>(names.size()));
  const MechanicalSizes& n = (*system)->sizes();
  Vector q = Vector::Zero(n.q);
  const Vector v = Vector::Zero(n.q);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    q[(*system)->coordinate(nodes[k], 0)] = 1e-3 * static_cast<double>(k);
    q[(*system)->coordinate(nodes[k], 1)] = 2e-3;
  }
  std::vector<double> y(names.size());
  ScratchMemory memory((*system)->scratch_bytes());
  ASSERT_EQ((*system)->outputs({.t = 0,
                                .q = view(q),
                                .v = view(v),
                                .z = {},
                                .lambda = {},
                                .nu = {},
                                .u = {},
                                .base = {},
                                .mode = 0,
                                .scratch = memory.scratch()},
                               view(v), y),
            EvalStatus::ok);
  EXPECT_NEAR(y[static_cast<std::size_t>(end)], 1e-3 * static_cast<double>(nodes.size() - 1) / 2, 1e-15);
  EXPECT_NEAR(y[static_cast<std::size_t>(one)], 2e-3, 1e-15);
  model.probes[0].nodes.clear();
  const auto refused = build(model);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("probe \"end\""), std::string::npos);
}

}  // namespace
}  // namespace rubato::fem
