#include "rubato/realtime/criterion.hpp"

#include <Eigen/SVD>

#include "realtime/dense_lu.hpp"

namespace rubato::realtime {

namespace {

Matrix inverse_of(const DenseLu& lu, Eigen::Index n) {
  Matrix inverse = Matrix::Identity(n, n);
  lu.solve(inverse);
  return inverse;
}

/// Df₂₂ and where its rows and columns stand in it: −1 outside.
struct Algebraic {
  Matrix df22;
  std::vector<int> row, col;
};
Algebraic algebraic_part(const MassSplit& split, const StepPencil& pencil, In values) {
  const auto n = static_cast<std::size_t>(pencil.size());
  const auto m = static_cast<Eigen::Index>(split.algebraic_rows.size());
  Algebraic part{Matrix::Zero(m, m), std::vector<int>(n, -1), std::vector<int>(n, -1)};
  for (std::size_t k = 0; k < split.algebraic_rows.size(); ++k) {
    part.row[static_cast<std::size_t>(split.algebraic_rows[k])] = static_cast<int>(k);
    part.col[static_cast<std::size_t>(split.algebraic_cols[k])] = static_cast<int>(k);
  }
  for (std::size_t at = 0; at < values.size(); ++at) {
    const Entry place = pencil.places()[at];
    const int i = part.row[static_cast<std::size_t>(place.row)], j = part.col[static_cast<std::size_t>(place.col)];
    if (i >= 0 && j >= 0) part.df22(i, j) = values[at];
  }
  return part;
}

}  // namespace

ComplexMatrix block_changes(const ReducedPair& pair, const std::vector<SpectralBlock>& blocks, const StepPencil& pencil,
                            In jacobian_values) {
  const auto& places = pencil.places();
  ComplexMatrix changes(static_cast<Eigen::Index>(blocks.size()), static_cast<Eigen::Index>(places.size()));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const SpectralBlock& block = blocks[k];
    const auto b = block.b.triangularView<Eigen::Upper>();
    // Columns U(:, i) and V(j, :)ᵀ, so that (1) runs along columns.
    const ComplexMatrix u = b.solve(block.y.adjoint() * pair.left);
    const ComplexMatrix moved = b.solve(block.y.adjoint() * (pair.difference * block.x));  // B_k⁻¹ (B_k − A_k)
    const ComplexMatrix v = (pair.right * (block.x * moved)).transpose();
    for (std::size_t at = 0; at < places.size(); ++at) {
      const Entry place = places[at];
      changes(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(at)) =
          pencil.step() * jacobian_values[at] * u.col(place.row).cwiseProduct(v.col(place.col)).sum();  // (1)
    }
  }
  return changes;
}

std::optional<std::vector<double>> relative_gains(const MassSplit& split, const StepPencil& pencil,
                                                  In jacobian_values) {
  const Algebraic part = algebraic_part(split, pencil, jacobian_values);
  const auto lu = DenseLu::create(part.df22);
  if (!lu) return std::nullopt;
  const Matrix inverse = inverse_of(*lu, part.df22.rows());
  std::vector<double> gains(jacobian_values.size(), 0.0);
  for (std::size_t at = 0; at < gains.size(); ++at) {
    const Entry place = pencil.places()[at];
    const int i = part.row[static_cast<std::size_t>(place.row)], j = part.col[static_cast<std::size_t>(place.col)];
    if (i >= 0 && j >= 0) gains[at] = jacobian_values[at] * inverse(j, i);
  }
  return gains;
}

Matrix singular_value_changes(const MassSplit& split, const StepPencil& pencil, In jacobian_values) {
  const Algebraic part = algebraic_part(split, pencil, jacobian_values);
  const Eigen::JacobiSVD<Matrix> svd(part.df22, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Index m = part.df22.rows();
  Matrix changes = Matrix::Zero(m, static_cast<Eigen::Index>(jacobian_values.size()));
  for (std::size_t at = 0; at < jacobian_values.size(); ++at) {
    const Entry place = pencil.places()[at];
    const int i = part.row[static_cast<std::size_t>(place.row)], j = part.col[static_cast<std::size_t>(place.col)];
    if (i < 0 || j < 0) continue;
    for (Eigen::Index k = 0; k < m; ++k)
      changes(k, static_cast<Eigen::Index>(at)) =
          svd.matrixU()(i, k) * jacobian_values[at] * svd.matrixV()(j, k) / svd.singularValues()(k);
  }
  return changes;
}

std::optional<std::vector<ExactChange>> exact_changes(const StepPair& pair, const StepPencil& pencil,
                                                      In jacobian_values) {
  const auto lu = DenseLu::create(pair.b);
  if (!lu) return std::nullopt;
  const Matrix inverse = inverse_of(*lu, pair.b.rows());
  const Matrix moved = inverse * (pair.difference * inverse);  // B⁻¹ (B − A) B⁻¹ = (I − B⁻¹A) B⁻¹
  std::vector<ExactChange> changes;
  changes.reserve(jacobian_values.size());
  for (std::size_t at = 0; at < jacobian_values.size(); ++at) {
    const Entry place = pencil.places()[at];
    const double s = pencil.step() * jacobian_values[at];
    const double denominator = 1 + s * inverse(place.col, place.row);
    changes.push_back({s * moved(place.col, place.row) / denominator, denominator});  // (2)
  }
  return changes;
}

}  // namespace rubato::realtime
