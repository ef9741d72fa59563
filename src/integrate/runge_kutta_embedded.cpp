#include "rubato/integrate/runge_kutta_embedded.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/rooted_trees.hpp"

namespace rubato {

namespace {

using F = RungeKuttaFamily;

/// D of (2): D_j = Π_{k≠1} (c_1 − c_k) / Π_{k≠j} (c_j − c_k), the divided difference of all nodes scaled to D_1 = 1.
Vector difference_row(const Vector& c) {
  const auto product = [&](Eigen::Index j) {
    double p = 1;
    for (Eigen::Index k = 0; k < c.size(); ++k)
      if (k != j) p *= c[j] - c[k];
    return p;
  };
  Vector d(c.size());
  for (Eigen::Index j = 0; j < c.size(); ++j) d[j] = product(0) / product(j);
  return d;
}

/// Σ_j D_j c_j^{s−1}/(s−1)!
double leading_moment(const RungeKuttaTable& table) {
  const Vector d = difference_row(table.c);
  double sum = 0;
  for (int j = 0; j < table.s; ++j) sum += d[j] * std::pow(table.c[j], table.s - 1);
  return sum / std::tgamma(table.s);
}

bool like_iiiac(F family) { return family == F::lobatto_iiia || family == F::lobatto_iiiac; }

/// κ of (2).
double kappa(const RungeKuttaTable& table, double alpha0) {
  const double half_b1 = table.b[0] / 2;
  if (like_iiiac(table.family)) {
    const double theta = table.family == F::lobatto_iiia ? 1 : table.theta;
    return half_b1 * (6 * alpha0 - 3 * alpha0 * theta + 2 * theta - 2);
  }
  const double delta = table.family == F::radau_ia ? 1 : std::max(0.0, lobatto_corner(table.family, table.theta).delta);
  return -half_b1 * (12 * alpha0 + 1) * (1 + delta);
}

}  // namespace

double default_gamma0(const RungeKuttaTable& table) {
  const Eigen::VectorXcd eigenvalues = table.X.eigenvalues();  // of A as well
  double largest = 0;
  for (const auto& z : eigenvalues)
    if (std::abs(z.imag()) < 1e-10) largest = std::max(largest, z.real());
  return largest >= 1 / (4.0 * table.s) ? largest : 1.0 / table.s;
}

EmbeddedRadau embedded_radau(const RungeKuttaTable& table, double gamma0) {
  RUBATO_ASSERT(table.c[0] > 0 && table.invertible(), "an embedded formula with the node 0 needs c_1 > 0 and 1/A");
  const int s = table.s;
  EmbeddedRadau embedded;
  embedded.gamma0 = gamma0 > 0 ? gamma0 : default_gamma0(table);
  Vector lagrange(s);  // ℓ_i(0)
  for (int i = 0; i < s; ++i) {
    lagrange[i] = 1;
    for (int k = 0; k < s; ++k)
      if (k != i) lagrange[i] *= table.c[k] / (table.c[k] - table.c[i]);
  }
  const Matrix A_transposed = table.A.transpose();
  embedded.e = -embedded.gamma0 * A_transposed.fullPivLu().solve(lagrange);  // (1)
  const Tableau tableau = augmented(table, embedded);
  embedded.order = order_by_trees(tableau.A, tableau.b, s + 1);
  return embedded;
}

double default_alpha0(const RungeKuttaTable& table) noexcept {
  if (like_iiiac(table.family)) return 0.5;
  return table.s == 3 ? 1 : 0;
}

EmbeddedLobatto embedded_lobatto(const RungeKuttaTable& table, double alpha0, double gamma0) {
  RUBATO_ASSERT(table.c[0] == 0 && table.s >= 2, "a stage at c = 0 to compare with");
  EmbeddedLobatto embedded;
  embedded.gamma0 = gamma0 > 0 ? gamma0 : default_gamma0(table);
  embedded.alpha0 = alpha0 < 0 ? default_alpha0(table) : alpha0;
  embedded.kappa = kappa(table, embedded.alpha0);
  embedded.row = table.A.row(0).transpose() + embedded.kappa * difference_row(table.c);  // (2)
  for (double& r : embedded.row)
    if (std::abs(r) < 1e-15) r = 0;                                             // α₀ = 0: X_0 = x₀ exactly
  embedded.leading = embedded.gamma0 * embedded.kappa * leading_moment(table);  // (3)
  const Tableau tableau = augmented(table, embedded);
  embedded.order = order_by_trees(tableau.A, tableau.b, std::min(table.s + 1, RootedTrees::max_order));
  return embedded;
}

bool degenerate(const RungeKuttaTable& table, const EmbeddedLobatto& embedded) {
  return std::abs(embedded.kappa) < 1e-2 * table.b[0] / 2;
}

Result<double> checked_alpha0(const RungeKuttaTable& table, double alpha0) {
  if (!(alpha0 >= 0 && alpha0 <= 1e3))
    return Error{fmt::format("embedded formula of {}: alpha0 = {} is outside [0, 1000]", table.name(), alpha0)};
  if (std::abs(kappa(table, alpha0)) < 1e-2 * table.b[0] / 2)
    return Error{fmt::format("embedded formula of {}: alpha0 = {} makes the error estimate vanish; {} does not",
                             table.name(), shortest(alpha0), shortest(default_alpha0(table)))};
  return alpha0;
}

Tableau augmented(const RungeKuttaTable& table, const EmbeddedRadau& embedded) {
  const int s = table.s;
  Tableau tableau{Matrix::Zero(s + 1, s + 1), Vector::Zero(s + 1)};
  tableau.A.bottomRightCorner(s, s) = table.A;
  tableau.b[0] = embedded.gamma0;
  tableau.b.tail(s) = table.b + table.A.transpose() * embedded.e;  // z = h A F
  return tableau;
}

Tableau augmented(const RungeKuttaTable& table, const EmbeddedLobatto& embedded) {
  const int s = table.s;
  Tableau tableau{Matrix::Zero(s + 1, s + 1), Vector::Zero(s + 1)};
  tableau.A.topRightCorner(1, s) = embedded.row.transpose();
  tableau.A.bottomRightCorner(s, s) = table.A;
  tableau.b.tail(s) = table.b;
  tableau.b[0] += embedded.gamma0;
  tableau.b[1] -= embedded.gamma0;
  return tableau;
}

Vector spark_weights() { return Eigen::Vector3d(4.0 / 5, 2.0 / 5, 4.0 / 5); }

Tableau spark_tableau(const RungeKuttaTable& table) {
  RUBATO_ASSERT(table.s == 3 && table.c[0] == 0, "Lobatto with three stages");
  return {table.A, table.A.transpose() * spark_weights()};
}

}  // namespace rubato
