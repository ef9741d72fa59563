#pragma once
/// The entries of B(t, x) from products with it: one for every group of columns that share no row.
#include "rubato/linalg/colouring.hpp"
#include "rubato/linalg/pattern.hpp"
#include "rubato/problem/dae.hpp"

namespace rubato {

/// `unit` and `product` are memory of n numbers, `unit` zero before and after. Neither allocates nor throws.
[[nodiscard]] inline EvalStatus mass_values(const Dae& dae, const At& at, const SparsePattern& pattern,
                                            const ColumnGroups& groups, Out unit, Out product, Out values) noexcept {
  const auto starts = pattern.column_starts(), rows = pattern.row_indices();
  for (const auto& group : groups.members) {
    for (const int j : group) unit[j] = 1;
    const EvalStatus status = dae.mass_times(at, unit, product);
    for (const int j : group) {
      unit[j] = 0;
      for (int p = starts[j]; p < starts[j + 1]; ++p) values[p] = product[rows[p]];
    }
    if (status != EvalStatus::ok) return status;
  }
  return EvalStatus::ok;
}

}  // namespace rubato
