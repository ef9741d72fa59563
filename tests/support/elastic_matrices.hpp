#pragma once
/// Stiffness of linear elasticity (or, with one component, of heat conduction) on a box of equal cells with linear shape functions in every
/// direction, the face x = 0 held: what multigrid is made for.
#include <Eigen/Core>
#include <array>
#include <cmath>
#include <vector>

#include "rubato/linalg/pattern.hpp"
#include "support/structured_matrices.hpp"

namespace rubato::test {

template <int d>
struct ElasticBox {
  std::array<int, d> cells;
  std::array<double, d> size;  ///< of a cell
  double lambda = 1, mu = 1;   ///< Lamé's
  bool heat = false;           ///< one unknown for each node
  bool keep_held = false;      ///< held unknowns stay, with rows x = …, instead of being left out
};

template <int d>
StructuredMatrix elastic_matrix(const ElasticBox<d>& box) {
  constexpr int corners = 1 << d;
  const int components = box.heat ? 1 : d, size = corners * components;
  // K_(ai)(bj) = ∫ μ (∇a·∇b δ_ij + ∂_j a ∂_i b) + λ ∂_i a ∂_j b, two points in every direction
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(size, size);
  for (int point = 0; point < corners; ++point) {
    Eigen::Matrix<double, corners, d> gradient;
    double volume = 1;
    for (int axis = 0; axis < d; ++axis) volume *= box.size[axis] / 2;
    for (int a = 0; a < corners; ++a)
      for (int axis = 0; axis < d; ++axis) {
        double value = 1;
        for (int other = 0; other < d; ++other) {
          const double side = (a >> other & 1) != 0 ? 1 : -1;
          const double place = ((point >> other & 1) != 0 ? 1 : -1) / std::sqrt(3.0);
          value *= other == axis ? side / box.size[other] : (1 + side * place) / 2;
        }
        gradient(a, axis) = value;
      }
    for (int a = 0; a < corners; ++a)
      for (int b = 0; b < corners; ++b)
        for (int i = 0; i < components; ++i)
          for (int j = 0; j < components; ++j) {
            double value = i == j ? box.mu * gradient.row(a).dot(gradient.row(b)) : 0;
            if (!box.heat)
              value += box.mu * gradient(a, j) * gradient(b, i) + box.lambda * gradient(a, i) * gradient(b, j);
            k(a * components + i, b * components + j) += volume * value;
          }
  }
  std::array<int, d> stride{};  // nodes with the last axis fastest: held nodes come first
  int n_nodes = 1;
  for (int axis = d - 1; axis >= 0; --axis) {
    stride[axis] = n_nodes;
    n_nodes *= box.cells[axis] + 1;
  }
  const int held = stride[0] * components, first = box.keep_held ? 0 : held, n = n_nodes * components - first;
  const auto each = [&](auto&& add) {
    int n_cells = 1;
    for (const int count : box.cells) n_cells *= count;
    for (int cell = 0; cell < n_cells; ++cell) {
      int node = 0;
      for (int axis = d - 1, rest = cell; axis >= 0; --axis) {
        node += rest % box.cells[axis] * stride[axis];
        rest /= box.cells[axis];
      }
      const auto unknown = [&](int local) {
        int place = node;
        for (int axis = 0; axis < d; ++axis) place += (local / components >> axis & 1) * stride[axis];
        return place * components + local % components;
      };
      for (int a = 0; a < size; ++a)
        for (int b = 0; b < size; ++b)
          if (unknown(a) >= held && unknown(b) >= first) add(unknown(a) - first, unknown(b) - first, k(a, b));
    }
    for (int i = first; i < held; ++i) add(i, i, 1.0);
  };
  std::vector<Entry> entries;
  each([&](int row, int col, double) { entries.push_back({row, col}); });
  StructuredMatrix result{SparsePattern::from_entries(n, n, std::move(entries)), {}};
  result.values.assign(static_cast<std::size_t>(result.pattern.nnz()), 0.0);
  each([&](int row, int col, double value) { result.values[result.pattern.index_of(row, col)] += value; });
  return result;
}

}  // namespace rubato::test
