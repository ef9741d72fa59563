#pragma once
/// What a direct factorisation costs, predicted from the pattern alone.
#include "rubato/linalg/pattern.hpp"

namespace rubato {

struct FactorWork {
  double entries = 0;  ///< of L and U together
  double flops = 0;    ///< of one factorisation
};

/// Of LU with diagonal pivots in an order of minimum degree of A + Aᵀ (AMD). What MUMPS does with nested dissection is less by a factor up
/// to about 3, and half of that where A is symmetric. Costs a symbolic analysis.
/// Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886, doi:10.1137/S0895479894278952.
[[nodiscard]] FactorWork predicted_work(const SparsePattern& pattern);

}  // namespace rubato
