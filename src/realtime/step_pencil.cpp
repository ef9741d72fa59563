#include "rubato/realtime/step_pencil.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "realtime/places.hpp"
#include "rubato/base/assert.hpp"

namespace rubato::realtime {

namespace {

Matrix dense(const SparsePattern& pattern, In values) {
  Matrix m = Matrix::Zero(pattern.rows(), pattern.cols());
  std::size_t at = 0;
  for (const Entry& place : places_of(pattern)) m(place.row, place.col) = values[at++];
  return m;
}

}  // namespace

Result<MassSplit> split_mass(const SparsePattern& mass, In values) {
  const Matrix l = dense(mass, values);
  MassSplit split;
  for (int i = 0; i < l.rows(); ++i)
    ((l.row(i).array() != 0).any() ? split.differential_rows : split.algebraic_rows).push_back(i);
  for (int j = 0; j < l.cols(); ++j)
    ((l.col(j).array() != 0).any() ? split.differential_cols : split.algebraic_cols).push_back(j);
  const std::size_t rows = split.differential_rows.size(), cols = split.differential_cols.size();
  if (rows != cols)
    return Error{fmt::format(
        "sparsing: {} equations hold derivatives of {} unknowns; the mass matrix must be diag(L1, 0) with a regular "
        "L1, up to the order of equations and unknowns",
        rows, cols)};
  if (rows == 0) return split;
  const Matrix l1 = l(split.differential_rows, split.differential_cols);
  const Eigen::FullPivLU<Matrix> lu(l1);
  if (!lu.isInvertible())
    return Error{fmt::format(
        "sparsing: the derivatives in {} equations depend on each other (rank {}): the mass matrix must be diag(L1, 0) "
        "with a regular L1",
        rows, lu.rank())};
  return split;
}

StepPencil::StepPencil(SparsePattern jacobian, SparsePattern mass, In mass_values, double step)
    : jacobian_(std::move(jacobian)),
      places_(places_of(jacobian_)),
      mass_pattern_(std::move(mass)),
      mass_values_(mass_values.begin(), mass_values.end()),
      mass_(dense(mass_pattern_, mass_values_)),
      step_(step) {
  RUBATO_ASSERT(jacobian_.rows() == mass_.rows() && jacobian_.cols() == mass_.cols() && mass_.rows() == mass_.cols(),
                "two square matrices of one size");
}

StepPair StepPencil::pair(In jacobian_values, const Keep& keep) const {
  RUBATO_ASSERT(jacobian_values.size() == places_.size() && keep.size() == places_.size(),
                "one value and one choice for every place of the Jacobian");
  StepPair pair{mass_, mass_, Matrix::Zero(size(), size())};
  for (std::size_t at = 0; at < places_.size(); ++at) {
    const Entry place = places_[at];
    const double value = step_ * jacobian_values[at];
    if (keep[at] != 0)
      pair.b(place.row, place.col) -= value;
    else
      pair.a(place.row, place.col) += value;
    pair.difference(place.row, place.col) = -value;
  }
  return pair;
}

}  // namespace rubato::realtime
