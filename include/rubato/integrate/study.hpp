#pragma once
/// Errors by block and observed orders: what convergence and work-precision studies count.
#include <span>
#include <string>
#include <vector>

#include "rubato/problem/dae.hpp"

namespace rubato {

/// The largest deviation of a block's unknowns, in its unit.
struct BlockError {
  std::string block;
  std::string unit;
  double error = 0;
};

/// Two states of a Dae at the same time. Unknowns in charts are compared by the points they describe ("base"), not by
/// their increments, which depend on where the base happens to be.
[[nodiscard]] std::vector<BlockError> block_errors(const Dae& dae, In x, In base, In x_reference, In base_reference);

/// max_i |x_i − r_i| / (1 + |r_i|) over the unknowns with h-power 0 (positions; all of a plain Dae).
[[nodiscard]] double mixed_error(const Dae& dae, In x, In base, In x_reference, In base_reference);

/// log(e_i / e_{i−1}) / log(h_i / h_{i−1}) for i ≥ 1; NaN for i = 0 and where an error is zero or not finite.
[[nodiscard]] std::vector<double> observed_orders(std::span<const double> h, std::span<const double> errors);

}  // namespace rubato
