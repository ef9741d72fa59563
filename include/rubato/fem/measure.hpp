#pragma once
/// What a model weighs and how good its elements are: numbers to look at before a run.
#include <vector>

#include "rubato/fem/solid.hpp"

namespace rubato::fem {

/// Volume (m³) and mass (kg) of each region; axisymmetric: of the whole turn.
struct RegionMeasure {
  double volume = 0, mass = 0;
};
[[nodiscard]] std::vector<RegionMeasure> measure_regions(const SolidModel& model);
/// Volume and mass of each rigid region beside that: of its elements that belong to no region, and what is added.
[[nodiscard]] std::vector<RegionMeasure> measure_rigid(const SolidModel& model);

/// min det/max det of the map from the reference element over its quadrature points: 1 for parallelograms and straight simplices, 0
/// where an element degenerates; and the longest over the shortest edge between corners.
struct MeshQuality {
  double least_ratio = 1;
  int worst = -1;  ///< element with the least ratio
  double largest_aspect = 1;
  int longest = -1;  ///< element with the largest aspect
};
[[nodiscard]] MeshQuality quality(const Mesh& mesh);

}  // namespace rubato::fem
