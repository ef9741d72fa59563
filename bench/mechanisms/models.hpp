#pragma once
/// Mechanisms of the modeller that benchmarks run, as problems with constraints written as asked.
#include <string_view>

#include "rubato/base/result.hpp"
#include "rubato/multibody/mechanism.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato::bench {

/// Three planar rods in a loop: crank 0.2 m and 0.4 kg, coupler 0.5 m and 1 kg, rocker 0.4 m and 0.8 kg, feet 0.6 m apart;
/// gravity −9.81 m/s² along y, released at rest with the crank at 60 degrees.
[[nodiscard]] multibody::Mechanism four_bar();

/// Planar rods, 1 m and 1 kg together, pinned in a row, released at rest from the horizontal.
[[nodiscard]] multibody::Mechanism rod_chain(int links);

/// From a consistent start, redundant rows dropped.
[[nodiscard]] Result<InitialValueProblem> problem_of(const multibody::Mechanism& mechanism,
                                                     std::string_view formulation, double t_end);

}  // namespace rubato::bench
