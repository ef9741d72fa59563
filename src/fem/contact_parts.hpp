#pragma once
/// What contacts read and write.
#include <array>

#include "element_set.hpp"
#include "rubato/base/status.hpp"
#include "rubato/base/views.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato::fem::detail {

/// A state: vectors over all nodes, `dimension` numbers per node, prescribed ones included.
struct ContactState {
  double t = 0;
  In x = {};                ///< positions
  In v = {};                ///< velocities
  bool refuse_deep = true;  ///< deeper than contacts may be; outputs are told what they can be
};

/// Sums over a contact; forces are those on the slave surface.
struct ContactSummary {
  std::array<double, 3> force = {};
  double gap = 0, pressure = 0, energy = 0;
  int beyond = 0;  ///< points in contact whose faces have no place in the matrices
};

/// Where the matrices have the entries of pairs of nodes. In a column of K the rows of a node stand one after the other, and all columns
/// of a node have the same rows.
struct NodePlaces {
  std::span<const int> coordinate = {};  ///< [node · dimension + axis]; negative: no unknown
  const SparsePattern* pattern = nullptr;

  /// values −= the d × d block of nodes (row, col); blocks without a place are left out, and all of them where nobody asks for values.
  template <int d, class Block>
  void subtract(int row, int col, const Block& block, Out values) const noexcept {
    if (values.empty()) return;
    const auto free_axis = [&](int node) {
      for (int i = 0; i < d; ++i)
        if (coordinate[at(node * d + i)] >= 0) return i;
      return -1;
    };
    const int first_row = free_axis(row), first_col = free_axis(col);
    if (first_row < 0 || first_col < 0) return;
    const auto starts = pattern->column_starts();
    const int column = coordinate[at(col * d + first_col)];
    const int place = pattern->index_of(coordinate[at(row * d + first_row)], column);
    if (place < 0) return;
    const int offset = place - starts[at(column)];
    for (int k = first_col; k < d; ++k) {
      const int c = coordinate[at(col * d + k)];
      if (c < 0) continue;
      double* to = values.data() + starts[at(c)] + offset;
      for (int i = first_row; i < d; ++i)
        if (coordinate[at(row * d + i)] >= 0) *to++ -= block(i, k);
    }
  }
};

}  // namespace rubato::fem::detail
