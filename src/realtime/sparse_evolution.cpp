#include "realtime/sparse_evolution.hpp"

#include <algorithm>
#include <cmath>

#include "realtime/bipartite.hpp"
#include "rubato/linalg/linear_solver.hpp"

namespace rubato::realtime {

namespace {

struct Term {
  int index;
  double value;
};
/// By rows or by columns; terms of one place stand beside each other.
using Lines = std::vector<std::vector<Term>>;

/// L and the entries of τ Df that are left out (A), or kept (B).
struct Terms {
  SparsePattern pattern;
  std::vector<double> values;
};
Terms terms(const StepPencil& pencil, In jacobian_values, const Keep& keep, bool kept) {
  std::vector<Entry> entries;
  const auto each = [&](auto&& visit) {
    for (std::size_t at = 0; at < keep.size(); ++at)
      if ((keep[at] != 0) == kept && jacobian_values[at] != 0)
        visit(pencil.places()[at], (kept ? -pencil.step() : pencil.step()) * jacobian_values[at]);
    std::size_t at = 0;
    for (int col = 0; col < pencil.size(); ++col)
      for (const int row : pencil.mass_pattern().column(col)) visit(Entry{row, col}, pencil.mass_values()[at++]);
  };
  each([&](const Entry& place, double) { entries.push_back(place); });
  Terms made{SparsePattern::from_entries(pencil.size(), pencil.size(), std::move(entries)), {}};
  made.values.assign(static_cast<std::size_t>(made.pattern.nnz()), 0.0);
  each([&](const Entry& place, double value) {
    made.values[static_cast<std::size_t>(made.pattern.index_of(place.row, place.col))] += value;
  });
  return made;
}

/// R B C with rows, then columns, whose largest entries are one: R and C. Empty where a row or a column is zero.
struct Scaling {
  std::vector<double> rows, cols;
};
std::optional<Scaling> equilibrate(Terms& b) {
  const auto n = static_cast<std::size_t>(b.pattern.cols());
  Scaling s{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  const auto each = [&](auto&& visit) {
    std::size_t at = 0;
    for (int col = 0; col < b.pattern.cols(); ++col)
      for (const int row : b.pattern.column(col))
        visit(static_cast<std::size_t>(row), static_cast<std::size_t>(col), b.values[at++]);
  };
  const auto inverted = [](std::vector<double>& sizes) {
    for (double& size : sizes) size = 1 / size;
    return std::all_of(sizes.begin(), sizes.end(), [](double size) { return std::isfinite(size); });
  };
  each([&](std::size_t row, std::size_t, double& value) { s.rows[row] = std::max(s.rows[row], std::abs(value)); });
  if (!inverted(s.rows)) return std::nullopt;
  each([&](std::size_t row, std::size_t col, double& value) {
    value *= s.rows[row];
    s.cols[col] = std::max(s.cols[col], std::abs(value));
  });
  if (!inverted(s.cols)) return std::nullopt;
  each([&](std::size_t, std::size_t col, double& value) { value *= s.cols[col]; });
  return s;
}

}  // namespace

std::optional<Matrix> sparse_evolution(const StepPencil& pencil, In jacobian_values, const Keep& keep) {
  const auto n = static_cast<std::size_t>(pencil.size());
  Terms b = terms(pencil, jacobian_values, keep, true);
  const auto scaling = equilibrate(b);
  if (!scaling) return std::nullopt;
  const auto solver = make_linear_solver<double>(b.pattern, BackEnd::klu);
  if (solver->factor(b.values) != FactorStatus::ok) return std::nullopt;
  std::vector<double> x(n), y(n);
  const double norm = one_norm<double>(b.pattern, b.values);
  if (!(reciprocal_condition<double>(*solver, norm, x, y) > 1e-14)) return std::nullopt;

  const Terms a = terms(pencil, jacobian_values, keep, false);
  Lines rows(n), cols(n);
  Bipartite graph{pencil.size(), std::vector<std::vector<int>>(n)};
  std::size_t at = 0;
  for (int col = 0; col < pencil.size(); ++col)
    for (const int row : a.pattern.column(col)) {
      const double value = a.values[at++];
      if (value == 0) continue;
      rows[static_cast<std::size_t>(row)].push_back({col, value});
      cols[static_cast<std::size_t>(col)].push_back({row, value});
      graph.neighbours[static_cast<std::size_t>(row)].push_back(col);
    }
  const VertexCover cover = minimum_cover(graph);
  const auto n_rows = static_cast<Eigen::Index>(cover.left.size()),
             size = n_rows + static_cast<Eigen::Index>(cover.right.size());
  std::vector<unsigned char> covered(n, 0);
  for (const int row : cover.left) covered[static_cast<std::size_t>(row)] = 1;

  Matrix u = Matrix::Zero(pencil.size(), size);  // R U, then B⁻¹ U
  for (Eigen::Index k = 0; k < n_rows; ++k) {
    const int row = cover.left[static_cast<std::size_t>(k)];
    u(row, k) = scaling->rows[static_cast<std::size_t>(row)];
  }
  for (std::size_t k = 0; k < cover.right.size(); ++k)
    for (const Term& term : cols[static_cast<std::size_t>(cover.right[k])])
      if (covered[static_cast<std::size_t>(term.index)] == 0)  // else it comes with the row
        u(term.index, n_rows + static_cast<Eigen::Index>(k)) =
            term.value * scaling->rows[static_cast<std::size_t>(term.index)];
  solver->solve({u.data(), static_cast<std::size_t>(u.size())});
  for (Eigen::Index i = 0; i < u.rows(); ++i) u.row(i) *= scaling->cols[static_cast<std::size_t>(i)];

  Matrix m = Matrix::Zero(size, size);
  for (Eigen::Index k = 0; k < n_rows; ++k)
    for (const Term& term : rows[static_cast<std::size_t>(cover.left[static_cast<std::size_t>(k)])])
      m.row(k) += term.value * u.row(term.index);
  for (std::size_t k = 0; k < cover.right.size(); ++k)
    m.row(n_rows + static_cast<Eigen::Index>(k)) = u.row(cover.right[k]);
  return m;
}

}  // namespace rubato::realtime
