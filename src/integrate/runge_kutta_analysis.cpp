#include "rubato/integrate/runge_kutta_analysis.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "rubato/integrate/rooted_trees.hpp"

namespace rubato {

namespace {

using F = RungeKuttaFamily;

constexpr double zero = 1e-13;

Vector power(const Vector& c, int k) { return c.array().pow(k).matrix(); }

template <class Residual>
int highest(int limit, const Residual& residual) {
  int k = 0;
  while (k < limit && residual(k + 1) < zero) ++k;
  return k;
}

/// min(ξ, …) over the parts of a blend.
int order_by_theorem(const RungeKuttaTable& table) {
  std::vector<SimplifyingOrders> parts;
  for (const auto& part : blend_parts(table))
    parts.push_back(simplifying_orders(runge_kutta_table(part.family, table.s)));
  int order = parts.front().B;
  for (const auto& x : parts) {
    order = std::min({order, x.B, 2 * x.C + 2, x.C + x.D + 1});
    for (const auto& y : parts)
      if (&x != &y) order = std::min(order, x.C + y.D + 2);
  }
  return order;
}

}  // namespace

double b_residual(const RungeKuttaTable& table, int k) {
  return std::abs(table.b.dot(power(table.c, k - 1)) - 1.0 / k);
}

double c_residual(const RungeKuttaTable& table, int k) {
  return (table.A * power(table.c, k - 1) - power(table.c, k) / k).cwiseAbs().maxCoeff();
}

double d_residual(const RungeKuttaTable& table, int k) {
  const Vector left = table.A.transpose() * table.b.cwiseProduct(power(table.c, k - 1));
  const Vector right = table.b.array() * (1 - power(table.c, k).array()) / k;
  return (left - right).cwiseAbs().maxCoeff();
}

SimplifyingOrders simplifying_orders(const RungeKuttaTable& table) {
  const int s = table.s;
  return {highest(2 * s + 1, [&](int k) { return b_residual(table, k); }),
          highest(s + 1, [&](int k) { return c_residual(table, k); }),
          highest(s + 1, [&](int k) { return d_residual(table, k); })};
}

std::vector<BlendPart> blend_parts(const RungeKuttaTable& table) {
  const double theta = table.theta;
  std::vector<BlendPart> parts;
  const auto add = [&](F family, double weight) {
    if (weight > 0) parts.push_back({family, weight});
  };
  switch (table.family) {
    case F::lobatto_iiiab:
      add(F::lobatto_iiia, theta);
      add(F::lobatto_iiib, 1 - theta);
      break;
    case F::lobatto_iiiac:
      add(F::lobatto_iiia, theta);
      add(F::lobatto_iiic, 1 - theta);
      break;
    case F::lobatto_iiiabc:
    case F::lobatto_iiiabd:
      add(F::lobatto_iiia, theta / 2);
      add(F::lobatto_iiib, theta / 2);
      add(table.family == F::lobatto_iiiabc ? F::lobatto_iiic : F::lobatto_iiid, 1 - theta);
      break;
    case F::lobatto_iiidc:
      add(F::lobatto_iiid, theta);
      add(F::lobatto_iiic, 1 - theta);
      break;
    default: add(table.family, 1);
  }
  return parts;
}

OrderFound classical_order(const RungeKuttaTable& table) {
  const int order = order_by_trees(table.A, table.b);
  if (order < RootedTrees::max_order) return {order, true};
  return {std::max(order, order_by_theorem(table)), false};
}

SymplecticOrder symplectic_order(const RungeKuttaTable& table) {
  if (symplecticity_matrix(table).cwiseAbs().maxCoeff() < zero) return {0, false};
  const Vector a = b_series(table.A, table.b, RootedTrees::max_order);
  int order = 1;
  while (order < RootedTrees::max_order && symplectic_defect(a, order + 1) < tree_tolerance) ++order;
  if (order < RootedTrees::max_order) return {order, false};
  return {std::max(order, classical_order(table).order), true};  // σ ≥ p always
}

Matrix symplecticity_matrix(const RungeKuttaTable& table) {
  const Matrix BA = table.b.asDiagonal() * table.A;
  return BA + BA.transpose() - table.b * table.b.transpose();
}

RungeKuttaProperties runge_kutta_properties(const RungeKuttaTable& table) {
  const StabilityFunction R = stability_function(table);
  const Matrix m = symplecticity_matrix(table);
  RungeKuttaProperties p{};
  p.order = classical_order(table);
  p.simplifying = simplifying_orders(table);
  p.stage_order = std::min(p.simplifying.B, p.simplifying.C);
  p.stiffly_accurate = table.stiffly_accurate();
  p.invertible = table.invertible();
  p.r_infinity = R.at_infinity();
  p.a_stable = R.a_stable();
  p.l_stable = R.l_stable();
  p.smallest_m = Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues().minCoeff();
  p.algebraically_stable = table.b.minCoeff() >= 0 && p.smallest_m > -1e-14;
  p.symplectic = m.cwiseAbs().maxCoeff() < zero;
  p.symplectic_order = symplectic_order(table);
  p.coercivity = coercivity(table);
  p.dissipation = R.dissipation();
  p.dispersion = R.dispersion();
  for (const auto& z : table.X.eigenvalues()) p.eigenvalues.push_back(z);
  std::sort(p.eigenvalues.begin(), p.eigenvalues.end(), [](const auto& x, const auto& y) {
    return std::abs(x.real() - y.real()) > 1e-9 ? x.real() > y.real() : x.imag() > y.imag();
  });
  return p;
}

double maximum_damping_theta(double chi) noexcept {
  const double x = chi * chi, down = x * x * x + 12 * x * x + 144 * x;
  return down > 0 ? std::max(0.0, 1 - std::sqrt((x * x * x - 12 * x * x + 2304) / down)) : 0;
}

double maximum_damping_theta(RungeKuttaFamily family, int s, double chi) {
  const auto damping = [&](double theta) {
    return stability_function(runge_kutta_table(family, s, theta)).spectral_radius(chi);
  };
  constexpr int n = 50;  // |R|² is a quotient of quadratic polynomials of θ: few minima
  int best = 0;
  double smallest = damping(0);
  for (int i = 1; i <= n; ++i)
    if (const double value = damping(static_cast<double>(i) / n); value < smallest) {
      smallest = value;
      best = i;
    }
  double low = std::max(0.0, (best - 1.0) / n), high = std::min(1.0, (best + 1.0) / n);
  const double golden = (std::sqrt(5.0) - 1) / 2;
  while (high - low > 1e-9) {
    const double x = high - golden * (high - low), y = low + golden * (high - low);
    (damping(x) <= damping(y) ? high : low) = damping(x) <= damping(y) ? y : x;
  }
  return best == 0 && damping(0) <= damping(high) ? 0 : (low + high) / 2;
}

}  // namespace rubato
