#include "rubato/realtime/static_qr.hpp"

#include "rubato/realtime/qr_structure.hpp"

namespace rubato::realtime {

QrTables::QrTables(const SparsePattern& a, const Ordering& ordering) : rows(a, ordering) {
  r_starts = {0};
  rotation_starts = {0};
  for (int b = 0; b < ordering.n_blocks(); ++b) {
    const int first = ordering.starts[b], size = ordering.starts[b + 1] - first;
    const GivensStructure structure = givens_structure(diagonal_block(a, ordering, b));
    for (int i = 0; i < size; ++i) {
      for (const int col : structure.r.column(i)) r_cols.push_back(first + col);
      r_starts.push_back(static_cast<int>(r_cols.size()));
      for (const int j : structure.rotations[i]) rotations.push_back(first + j);
      rotation_starts.push_back(static_cast<int>(rotations.size()));
      stored.push_back(first + structure.stored[i]);
    }
  }
}

OperationCount QrTables::operations_again() const noexcept {
  OperationCount count;
  const auto n = static_cast<long>(stored.size()), above = static_cast<long>(r_cols.size()) - n;
  const auto outer = static_cast<long>(rows.outer.size()), turns = static_cast<long>(rotations.size());
  count.additions = outer + 2 * turns + above;
  count.multiplications = outer + 4 * turns + above;
  count.divisions = n;
  return count;
}

OperationCount QrTables::operations() const noexcept {
  OperationCount count = operations_again();
  for (const int j : rotations) {
    const long beside = r_starts[j + 1] - r_starts[j] - 1;  // entries beside the diagonal
    count += {.additions = 1 + 2 * beside, .multiplications = 2 + 4 * beside, .divisions = 2, .square_roots = 1};
  }
  return count;
}

}  // namespace rubato::realtime
