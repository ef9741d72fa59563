#pragma once
/// A cube of compressible neo-Hookean rubber, held on the left and sheared by a dead load on the right that comes and goes smoothly: the
/// same for us and, written as an input deck, for CalculiX.
#include <string>
#include <vector>

#include "rubato/fem/solid.hpp"

namespace rubato::bench {

struct RubberBlock {
  int divisions = 16;  ///< hex8 elements along each edge
  int steps = 20;
  double step = 5e-3;                            ///< s
  double edge = 0.1;                             ///< m
  double shear = 1e6;                            ///< Pa
  double bulk = 5e6;                             ///< Pa
  double density = 1100;                         ///< kg/m³
  double alpha = -0.05;                          ///< of Hilber, Hughes and Taylor: CalculiX' default
  std::string traction = "-2e5*sin(10*pi*t)^2";  ///< along y, Pa of the undeformed face

  [[nodiscard]] double end() const { return steps * step; }
};

/// A place and its displacement at the end of each step: the corner (edge, edge, edge).
struct Motion {
  std::vector<double> y = {};  ///< along the load
  long iterations = 0;
};

[[nodiscard]] fem::SolidModel model_of(const RubberBlock& block, int threads);
[[nodiscard]] int corner_of(const RubberBlock& block, const fem::Mesh& mesh);

/// The same as a deck: C3D8, *HYPERELASTIC, NEO HOOKE, *DYNAMIC, DIRECT. The load stands at the nodes (*DLOAD would follow the
/// face) and in a table of the times of the steps, where the method evaluates it.
[[nodiscard]] std::string calculix_deck(const RubberBlock& block);
/// From the files CalculiX leaves for a job (`job`.dat, `job`.sta); shorter than the steps where it gave up.
[[nodiscard]] Motion read_calculix(const std::string& job);

}  // namespace rubato::bench
