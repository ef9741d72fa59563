#pragma once
/// Which eigenvalues share a block: only multiple and very close ones. Close eigenvalues in different blocks make the terms of second
/// order large; distant ones in one block cancel each other in its sum.
#include <complex>
#include <span>
#include <vector>

namespace rubato::realtime {

/// Single linkage: two eigenvalues closer than the tolerance are in one cluster, and so are those linked by a chain. A Jordan block
/// that rounding has split (√ε for a double eigenvalue) comes together again. Clusters are ordered by their first members.
[[nodiscard]] std::vector<std::vector<int>> clusters(std::span<const std::complex<double>> eigenvalues,
                                                     double tolerance);

}  // namespace rubato::realtime
