#pragma once
/// A x = b in set-up code: scaled, factorised, its condition known; analysed once for all matrices with the same places.
#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/linear_solver.hpp"

namespace rubato::detail {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

[[nodiscard]] SparsePattern pattern_of(const Sparse& a);
[[nodiscard]] Sparse assembled(int n, const Triplets& entries);  ///< n × n

/// Rows and columns are first scaled towards entries of size one (Ruiz, report RAL-TR-2001-034).
class SquareSystem {
 public:
  SquareSystem() = default;  ///< 0 × 0
  SquareSystem(int n, const Triplets& entries);

  /// Takes A, compressed. The analysis stays where A has the places of the matrix before. Throws std::bad_alloc where memory does not suffice.
  void factor(const Sparse& a);
  /// False where the reciprocal condition of the scaled matrix is at round-off.
  [[nodiscard]] bool regular() const noexcept { return rcond_ > 1e-15; }
  [[nodiscard]] double reciprocal_condition() const noexcept { return rcond_; }
  [[nodiscard]] long analyses() const noexcept { return analyses_; }
  [[nodiscard]] Vector solve(const Vector& b) const;
  /// The direction in which A is closest to singular, by inverse iteration, in scaled unknowns; largest entry 1.
  [[nodiscard]] Vector weakest_direction() const;

 private:
  void analyse(const Sparse& a);
  void scale();

  SparsePattern given_;      ///< places of A
  SparsePattern pattern_;    ///< and of the diagonal, so that weakest_direction() may shift
  std::vector<int> places_;  ///< of those of A in it, where it has more
  std::vector<double> values_;
  Vector row_scale_, column_scale_;
  std::unique_ptr<LinearSolver<double>> solver_;
  double rcond_ = 1;
  long analyses_ = 0;
};

}  // namespace rubato::detail
