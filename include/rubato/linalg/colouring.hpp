#pragma once
/// Column grouping for compressed Jacobians: no two columns of a group share a row, so one difference quotient or one
/// dual sweep per group yields all entries (Curtis, Powell, Reid, IMA J. Appl. Math. 13 (1974) 117,
/// doi:10.1093/imamat/13.1.117; as graph colouring: Coleman & Moré, SIAM J. Numer. Anal. 20 (1983) 187,
/// doi:10.1137/0720013).
#include <vector>

#include "rubato/linalg/pattern.hpp"

namespace rubato {

struct ColumnGroups {
  int n_groups = 0;
  std::vector<int> group_of;              ///< per column; −1 for a column without entries (nothing to compute)
  std::vector<std::vector<int>> members;  ///< the columns of each group, ascending
};

/// Greedy colouring in two orders, natural (optimal for bands) and largest column first; the one with fewer groups
/// wins, ties go to the natural order. Deterministic. Time: entries times groups/64 at most. Never fewer groups than the
/// longest row has entries.
[[nodiscard]] ColumnGroups group_columns(const SparsePattern& pattern);

}  // namespace rubato
