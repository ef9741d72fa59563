#pragma once
/// An order of elimination with little fill for large, structurally symmetric matrices.
#include <vector>

#include "rubato/linalg/pattern.hpp"

namespace rubato::detail {

/// The place of each unknown in the order, by nested dissection of the graph of A + Aᵀ (METIS). A function of the pattern
/// alone; empty where METIS found no memory. Karypis & Kumar, SIAM J. Sci. Comput. 20 (1998) 359,
/// doi:10.1137/S1064827595287997.
[[nodiscard]] std::vector<int> nested_dissection(const SparsePattern& pattern);

}  // namespace rubato::detail
