#pragma once
/// Which entries of a matrix may differ from zero: compressed columns, rows ascending within each column.
/// The values live elsewhere, in a flat array of nnz() numbers in the order of the pattern.
#include <span>
#include <vector>

namespace rubato {

/// A place in a matrix.
struct Entry {
  int row, col;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// An immutable value; two patterns are equal when they have the same shape and the same places.
class SparsePattern {
 public:
  SparsePattern() = default;  ///< 0 × 0

  /// Any order; a place named twice counts once.
  [[nodiscard]] static SparsePattern from_entries(int rows, int cols, std::vector<Entry> entries);
  /// Compressed columns as they are; rows must ascend within each column.
  [[nodiscard]] static SparsePattern from_columns(int rows, int cols, std::vector<int> column_starts,
                                                  std::vector<int> row_indices);
  [[nodiscard]] static SparsePattern dense(int rows, int cols);
  [[nodiscard]] static SparsePattern identity(int n);

  [[nodiscard]] int rows() const noexcept { return rows_; }
  [[nodiscard]] int cols() const noexcept { return cols_; }
  [[nodiscard]] int nnz() const noexcept { return static_cast<int>(row_indices_.size()); }
  /// Column j occupies the positions column_starts()[j] … column_starts()[j+1] − 1.
  [[nodiscard]] std::span<const int> column_starts() const noexcept { return column_starts_; }
  [[nodiscard]] std::span<const int> row_indices() const noexcept { return row_indices_; }
  [[nodiscard]] std::span<const int> column(int col) const noexcept {
    return row_indices().subspan(static_cast<std::size_t>(column_starts_[col]),
                                 static_cast<std::size_t>(column_starts_[col + 1] - column_starts_[col]));
  }
  /// The position of (row, col) in the array of values, −1 if it is not in the pattern. Logarithmic in the column.
  [[nodiscard]] int index_of(int row, int col) const noexcept;
  /// nnz / (rows · cols); 0 for an empty matrix.
  [[nodiscard]] double density() const noexcept;

  friend bool operator==(const SparsePattern&, const SparsePattern&) = default;

 private:
  int rows_ = 0, cols_ = 0;
  std::vector<int> column_starts_ = {0};
  std::vector<int> row_indices_;
};

/// The places of a or b; same shape.
[[nodiscard]] SparsePattern united(const SparsePattern& a, const SparsePattern& b);

struct TransposedPattern {
  SparsePattern pattern;
  std::vector<int> source;  ///< value p of the transpose is value source[p] of the original
};
[[nodiscard]] TransposedPattern transposed(const SparsePattern& a);

/// For each position of `part`, its position in `whole`; −1 where `whole` lacks the place.
[[nodiscard]] std::vector<int> positions_in(const SparsePattern& part, const SparsePattern& whole);

}  // namespace rubato
