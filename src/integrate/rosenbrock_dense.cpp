#include "rosenbrock_dense.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <utility>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/integrate/rosenbrock_conditions.hpp"

namespace rubato {
namespace {

/// row · b(θ) = value θ^power
struct Condition {
  StageVector<double> row;
  double value;
  int power;
};

std::vector<Condition> classical_conditions(const RosenbrockTable& table, int q) {
  std::vector<Condition> conditions;
  for (int n = 1; n <= q; ++n) {
    RootedTree tree = RootedTree::first(n);
    do conditions.push_back({stage_weights(table, tree), 1.0 / tree.density(), n});
    while (tree.next());
  }
  return conditions;
}

/// The shortest (b_1, …, b_d), stacked, that satisfies (1) and the conditions; empty if they contradict each other.
Vector shortest_solution(const RosenbrockTable& table, const std::vector<Condition>& conditions, int degree) {
  const int s = table.s, n_conditions = static_cast<int>(conditions.size());
  Matrix system = Matrix::Zero(s + n_conditions * degree, s * degree);
  Vector right = Vector::Zero(system.rows());
  for (int j = 0; j < s; ++j) {  // (1): Σ_k b_k = b
    right[j] = table.b[j];
    for (int k = 0; k < degree; ++k) system(j, k * s + j) = 1;
  }
  for (int c = 0, line = s; c < n_conditions; ++c)
    for (int k = 0; k < degree; ++k, ++line) {
      const Condition& condition = conditions[static_cast<std::size_t>(c)];
      for (int j = 0; j < s; ++j) system(line, k * s + j) = condition.row[j];
      right[line] = k + 1 == condition.power ? condition.value : 0;
    }
  // Rows of size one to ten, double precision coefficients: true dependencies leave pivots below 1e-12.
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(1e-10);
  decomposition.compute(system);
  Vector solution = decomposition.solve(right);
  if ((system * solution - right).lpNorm<Eigen::Infinity>() > condition_tolerance) return {};
  return solution;
}

struct Extension {
  int order = 0, degree = 0;
  Vector b;  ///< stacked b_1 … b_degree; empty: none found
};

/// Order q with the given extra conditions, at the lowest degree between theirs and that of the method.
Extension extension(const RosenbrockTable& table, int q, const std::vector<Condition>& extra) {
  auto conditions = classical_conditions(table, q);
  conditions.insert(conditions.end(), extra.begin(), extra.end());
  int degree = q;
  for (const Condition& condition : extra) degree = std::max(degree, condition.power);
  for (; degree <= std::max(table.order(), q); ++degree)
    if (Vector b = shortest_solution(table, conditions, degree); b.size() > 0) return {q, degree, std::move(b)};
  return {};
}

}  // namespace

void build_dense_output(RosenbrockTable& table) {
  const int p = table.order();
  const Condition index1{solve_beta(table, alpha_power(table, 2)), 1, 2};                                         // (3)
  const Condition stiff{solve_beta(table, ones<double>(table.s)), 1 - stability_at_infinity(table, table.b), 1};  // (4)

  Extension best;
  std::vector<Condition> extra{index1};
  for (int q = p; q >= std::max(p - 1, 2) && best.b.size() == 0; --q) best = extension(table, q, extra);
  if (best.b.size() == 0) extra.clear();
  for (int q = p; q >= 1 && best.b.size() == 0; --q) best = extension(table, q, extra);
  RUBATO_ASSERT(best.b.size() > 0, "every consistent method has at least the straight line");
  extra.push_back(stiff);
  if (Extension straight = extension(table, best.order, extra); straight.b.size() > 0) best = std::move(straight);

  table.dense_order = best.order;
  table.dense_degree = best.degree;
  for (int k = 1; k <= best.degree; ++k) {
    double row[max_rosenbrock_stages]{};
    for (int j = 0; j < table.s; ++j) row[j] = table.b_theta[j][k] = best.b[(k - 1) * table.s + j];
    solve_left(table.s, table.gamma, row, row);  // m(θ) = b(θ)ᵀΓ⁻¹
    for (int j = 0; j < table.s; ++j) table.m_theta[j][k] = row[j];
  }
}

}  // namespace rubato
