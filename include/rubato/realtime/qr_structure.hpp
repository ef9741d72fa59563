#pragma once
/// What is known of A = Q R before its values are: where R has entries, and which order of columns makes it sparse.
///   George & Heath, Linear Algebra Appl. 34 (1980) 69, doi:10.1016/0024-3795(80)90159-7;
///   Coleman, Edenbrandt, Gilbert, J. ACM 33 (1986) 517, doi:10.1145/5925.5932.
/// The structure of the Cholesky factor of AᵀA contains that of symbolic Givens rotations, which contains R. All three agree, but for
/// cancellation, where A has the strong Hall property: every k < n columns have entries in at least k + 1 rows. Diagonal blocks of a
/// block triangular form have it.
///
/// R is given row by row: column i of the pattern holds where row i of R has entries, the diagonal first.
#include <vector>

#include "rubato/linalg/pattern.hpp"
#include "rubato/realtime/block_triangular.hpp"

namespace rubato::realtime {

/// Of the Cholesky factor of AᵀA. Does not depend on the order of the rows of A.
[[nodiscard]] SparsePattern cholesky_structure(const SparsePattern& a);

/// The rows of A are taken in their order, each is rotated with rows of R from the left to the right until it meets an empty row of R
/// and is stored there, or vanishes.
struct GivensStructure {
  SparsePattern r;
  std::vector<std::vector<int>> rotations;  ///< per row of A: the rows of R it is rotated with
  std::vector<int> stored;                  ///< per row of A: the row of R it becomes; −1: it vanishes
};
[[nodiscard]] GivensStructure givens_structure(const SparsePattern& a);

[[nodiscard]] bool strong_hall(const SparsePattern& a);

/// Rows by their first, then by their last column: few rotations.
[[nodiscard]] std::vector<int> row_order(const SparsePattern& a);

/// The order of columns with the fewest entries in R of: minimum degree on AᵀA (AMD), COLAMD, the columns as they are.
[[nodiscard]] std::vector<int> column_order(const SparsePattern& a);

/// Block triangular form, then columns and rows of each block. The pattern must be structurally nonsingular.
[[nodiscard]] Ordering qr_ordering(const SparsePattern& a);

}  // namespace rubato::realtime
