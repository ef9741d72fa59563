#include "rubato/linalg/factor_work.hpp"

#include <amd.h>

#include <limits>
#include <vector>

#include "rubato/base/assert.hpp"

namespace rubato {

FactorWork predicted_work(const SparsePattern& pattern) {
  RUBATO_ASSERT(pattern.rows() == pattern.cols(), "a square matrix");
  const int n = pattern.rows();
  if (n == 0) return {};
  std::vector<int> order(static_cast<std::size_t>(n));
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  const int status =
      amd_order(n, pattern.column_starts().data(), pattern.row_indices().data(), order.data(), control, info);
  if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) {  // no memory for the analysis, let alone for the factor
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return {.entries = infinite, .flops = infinite};
  }
  return {.entries = 2 * info[AMD_LNZ] + n, .flops = info[AMD_NDIV] + 2 * info[AMD_NMULTSUBS_LU]};
}

}  // namespace rubato
