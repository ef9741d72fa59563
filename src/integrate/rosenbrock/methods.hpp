#pragma once
/// The Rosenbrock methods, one file each; rosenbrock_tables.cpp makes the public list of them and adds dense outputs.
#include "rubato/integrate/rosenbrock_conditions.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"

/// The list, in the order users see it: a new method adds its name here and nowhere else.
#define RUBATO_ROSENBROCK_METHODS \
  lie, ro2a, ro2b, ro2_source, ro2p, ros3p, ros3pl, rowda3, rowdaind2, rodas3, rodas4, rodas4p, rodas5p, grk4t

namespace rubato::rosenbrock {

extern const RosenbrockTable RUBATO_ROSENBROCK_METHODS;

/// γ* = 0.4358…, the root of γ³ − 3γ² + (3/2)γ − 1/6: with it three stages of order 3 can be L-stable.
inline constexpr double gamma_star = 0.43586652150845899942;
static_assert(magnitude(((gamma_star - 3) * gamma_star + 1.5) * gamma_star - 1 / 6.0) < 1e-16);

/// |x − y| in units that suit coefficients of order one to ten.
constexpr bool close(double x, double y) { return magnitude(x - y) < 2e-15 * (1 + magnitude(y)); }

/// Order 3 in the algebraic components of index 1: z2, z3a, z3b, z3c of rosenbrock_conditions.hpp.
constexpr bool index1_order3(const RosenbrockCoefficients<double>& method) {
  const auto d = index1_defects(method, method.b);
  return magnitude(d.z2) < 1e-13 && magnitude(d.z3a) < 1e-13 && magnitude(d.z3b) < 1e-13 && magnitude(d.z3c) < 1e-13;
}

}  // namespace rubato::rosenbrock
