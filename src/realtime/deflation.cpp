#include "rubato/realtime/deflation.hpp"

#include <Eigen/QR>

#include "realtime/bipartite.hpp"
#include "realtime/dense_lu.hpp"

namespace rubato::realtime {

namespace {

ReducedPair reduced(const StepPair& pair, Matrix left, Matrix right) {
  ReducedPair made;
  made.a = left * pair.a * right;
  made.b = left * pair.b * right;
  made.difference = left * pair.difference * right;
  made.left = std::move(left);
  made.right = std::move(right);
  return made;
}

/// Orthonormal columns that span the null space of `rows`; empty where the rows depend on each other. Rows are scaled first.
std::optional<Matrix> null_space(Matrix rows) {
  const Vector norms = rows.rowwise().norm();
  if (norms.size() > 0 && !(norms.minCoeff() > 0)) return std::nullopt;
  rows = norms.cwiseInverse().asDiagonal() * rows;
  const Eigen::ColPivHouseholderQR<Matrix> qr(rows.transpose());
  if (qr.rank() < rows.rows()) return std::nullopt;
  const Eigen::Index d = rows.cols() - rows.rows();
  Matrix basis = Matrix::Zero(rows.cols(), d);
  basis.bottomRows(d).setIdentity();
  return Matrix(qr.householderQ() * basis);
}

/// A = U V.
struct Factors {
  Matrix u, v;
};
Factors cover_factors(const Matrix& a) {
  Bipartite graph{static_cast<int>(a.cols()), std::vector<std::vector<int>>(static_cast<std::size_t>(a.rows()))};
  for (int j = 0; j < a.cols(); ++j)
    for (int i = 0; i < a.rows(); ++i)
      if (a(i, j) != 0) graph.neighbours[static_cast<std::size_t>(i)].push_back(j);
  const VertexCover cover = minimum_cover(graph);
  const auto rows = static_cast<Eigen::Index>(cover.left.size()), cols = static_cast<Eigen::Index>(cover.right.size());
  Factors f{Matrix::Zero(a.rows(), rows + cols), Matrix::Zero(rows + cols, a.cols())};
  for (Eigen::Index k = 0; k < cols; ++k) {
    const int col = cover.right[static_cast<std::size_t>(k)];
    f.u.col(rows + k) = a.col(col);
    f.v(rows + k, col) = 1;
  }
  for (Eigen::Index k = 0; k < rows; ++k) {
    const int row = cover.left[static_cast<std::size_t>(k)];
    f.u.row(row).tail(cols).setZero();  // these entries come with the row
    f.u(row, k) = 1;
    f.v.row(k) = a.row(row);
  }
  return f;
}

/// V X by the entries of V, which are few.
Matrix sparse_times(const Matrix& v, const Matrix& x) {
  Matrix y = Matrix::Zero(v.rows(), x.cols());
  for (Eigen::Index j = 0; j < v.cols(); ++j)
    for (Eigen::Index i = 0; i < v.rows(); ++i)
      if (v(i, j) != 0) y.row(i) += v(i, j) * x.row(j);
  return y;
}

}  // namespace

std::optional<ReducedPair> deflate_orthonormal(const StepPair& pair, const MassSplit& split) {
  const auto right = null_space(pair.b(split.algebraic_rows, Eigen::all));
  const auto left = null_space(pair.b(Eigen::all, split.algebraic_cols).transpose());
  if (!right || !left) return std::nullopt;
  return reduced(pair, left->transpose(), *right);
}

std::optional<ReducedPair> deflate_complement(const StepPair& pair, const MassSplit& split) {
  const Matrix b22 = pair.b(split.algebraic_rows, split.algebraic_cols);
  const auto lu = DenseLu::create(b22);
  if (!lu) return std::nullopt;
  const Eigen::Index n = pair.b.rows(), d = static_cast<Eigen::Index>(split.differential_cols.size());
  Matrix from_right = pair.b(split.algebraic_rows, split.differential_cols);
  lu->solve(from_right);
  Matrix from_left = pair.b(split.differential_rows, split.algebraic_cols).transpose();
  lu->solve_transposed(from_left);
  Matrix right = Matrix::Zero(n, d), left = Matrix::Zero(d, n);
  for (Eigen::Index k = 0; k < d; ++k) {
    right(split.differential_cols[static_cast<std::size_t>(k)], k) = 1;
    left(k, split.differential_rows[static_cast<std::size_t>(k)]) = 1;
  }
  right(split.algebraic_cols, Eigen::all) = -from_right;
  left(Eigen::all, split.algebraic_rows) = -from_left.transpose();
  return reduced(pair, std::move(left), std::move(right));
}

std::optional<ReducedPair> deflate_cover(const StepPair& pair) {
  const auto lu = DenseLu::create(pair.b);
  if (!lu) return std::nullopt;
  Factors f = cover_factors(pair.a);
  lu->solve(f.u);
  Matrix left = f.v.transpose();
  lu->solve_transposed(left);
  return reduced(pair, left.transpose(), std::move(f.u));
}

std::optional<Matrix> evolution(const StepPair& pair) {
  const auto lu = DenseLu::create(pair.b);
  if (!lu) return std::nullopt;
  Factors f = cover_factors(pair.a);
  lu->solve(f.u);
  return sparse_times(f.v, f.u);
}

}  // namespace rubato::realtime
