#pragma once
/// Fields at the nodes from values at the quadrature points.
#include "solid_parts.hpp"

namespace rubato::fem::detail {

/// Everything but displacement and velocity, which `out` already holds. A node's value is the mean over the quadrature points of its
/// elements, weighted by volume and shape function: ∫ N_a s / ∫ N_a with N_a² in place of N_a for quadratic elements, whose corner
/// functions are negative in places.
void fill_fields(const SolidParts& parts, In lambda, In z, SolidFields& out);

}  // namespace rubato::fem::detail
