#pragma once
/// Block triangular form: permutations of rows and columns that make a square matrix block upper triangular with blocks as small
/// as can be. Only the diagonal blocks are factorised.
/// Pothen & Fan, ACM TOMS 16 (1990) 303, doi:10.1145/98267.98287; by SuiteSparse's BTF.
#include <vector>

#include "rubato/linalg/pattern.hpp"

namespace rubato::realtime {

/// Orders of rows and columns with the blocks they make: at position (i, j) stands entry (rows[i], cols[j]). All entries of block b have
/// positions ≥ starts[b]; those at positions ≥ starts[b+1] couple it to later blocks.
struct Ordering {
  std::vector<int> rows, cols;
  std::vector<int> starts;  ///< of the blocks, and the size at the end

  [[nodiscard]] int n_blocks() const noexcept { return static_cast<int>(starts.size()) - 1; }
  [[nodiscard]] int largest_block() const noexcept;
  friend bool operator==(const Ordering&, const Ordering&) = default;
};

struct BlockTriangular {
  Ordering ordering;
  int structural_rank = 0;  ///< less than the size: singular for any values; the ordering does not serve then

  [[nodiscard]] bool nonsingular() const noexcept { return structural_rank == static_cast<int>(ordering.rows.size()); }
};

[[nodiscard]] BlockTriangular block_triangular(const SparsePattern& a);

/// The diagonal block b of the pattern, in its positions: rows and columns from 0.
[[nodiscard]] SparsePattern diagonal_block(const SparsePattern& a, const Ordering& ordering, int b);

/// Permutations of 0 … n − 1, blocks that ascend and cover, no entry below the blocks: what a file may get wrong.
[[nodiscard]] bool fits(const Ordering& ordering, const SparsePattern& a);

}  // namespace rubato::realtime
