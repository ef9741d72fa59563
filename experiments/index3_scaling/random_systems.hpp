#pragma once
/// Random blocks for the analysis of Newton matrices: the same numbers everywhere, from a generator of our own.
#include "experiments/index3_scaling/newton_matrices.hpp"

namespace rubato::experiments::scaling {

/// Entries in (−1, 1); G is kept away from rank deficiency by a unit block.
[[nodiscard]] Blocks random_blocks(int n, int m, unsigned seed);

/// 12 coordinates, 4 constraints, symmetric X about 1.1e6 and M about 5, Y = 0.
[[nodiscard]] Blocks stiff_blocks();
struct StiffConditions {
  double none, simple, both;
};
/// Two fields, BDF2: without scaling, with s = 1/h², with s = k_ave + m_ave/h².
[[nodiscard]] StiffConditions stiff_conditions(double h);

/// Largest deviation of the published inverse from the inverse, block by block relative to the block's largest entry.
[[nodiscard]] double inverse_deviation(const Variant& variant, const Blocks& blocks, double alpha0, double h,
                                       bool exact_first_column);

}  // namespace rubato::experiments::scaling
