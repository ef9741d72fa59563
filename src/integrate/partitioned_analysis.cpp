#include "rubato/integrate/partitioned_analysis.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "rubato/base/assert.hpp"

namespace rubato {

Matrix one_step_matrix(std::span<const RungeKuttaTable* const> rows, double h, const Matrix& B, const Matrix& J) {
  const auto n = B.rows();
  RUBATO_ASSERT(static_cast<Eigen::Index>(rows.size()) == n && J.rows() == n, "one table per row");
  const int s = rows.front()->s;
  Matrix stages(s * n, s * n), right(s * n, n);
  for (int i = 0; i < s; ++i) {
    right.middleRows(i * n, n) = B;
    for (int j = 0; j < s; ++j) {
      auto block = stages.block(i * n, j * n, n, n);
      block = (i == j ? 1.0 : 0.0) * B;
      for (Eigen::Index k = 0; k < n; ++k) block.row(k) -= h * rows[static_cast<std::size_t>(k)]->A(i, j) * J.row(k);
    }
  }
  const Matrix X = stages.fullPivLu().solve(right);
  Matrix sum = Matrix::Zero(n, n);
  for (int i = 0; i < s; ++i) sum += rows.front()->b[i] * X.middleRows(i * n, n);
  return Matrix::Identity(n, n) + h * B.fullPivLu().solve(J * sum);  // (1)
}

double kept_energy(const Matrix& one_step) { return one_step.eigenvalues().cwiseAbs2().maxCoeff(); }

}  // namespace rubato
