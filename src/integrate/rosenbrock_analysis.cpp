#include "rubato/integrate/rosenbrock_analysis.hpp"

#include <algorithm>
#include <cmath>

namespace rubato {
namespace {

constexpr int n_theta = 64;  // samples of [0, 1] for the dense output, a polynomial of degree ≤ 5

/// b(θ)
struct WeightsAt {
  double b[max_rosenbrock_stages]{};
  WeightsAt(const RosenbrockTable& table, double theta) {
    for (int j = 0; j < table.s; ++j)
      for (int k = table.dense_degree; k >= 1; --k) b[j] = (b[j] + table.b_theta[j][k]) * theta;
  }
};

RosenbrockWeightProperties weight_properties(const RosenbrockCoefficients<double>& method,
                                             const double (&weights)[max_rosenbrock_stages]) {
  RosenbrockWeightProperties p{};
  p.order = classical_order(method, weights);
  p.index1 = index1_defects(method, weights);
  p.r_infinity = stability_at_infinity(method, weights);
  constexpr int per_decade = 40, decades = 9;
  for (int i = 0; i <= per_decade * decades; ++i) {
    const double y = std::pow(10.0, -3 + static_cast<double>(i) / per_decade);
    p.max_r_imaginary = std::max(p.max_r_imaginary, std::abs(stability_function(method, weights, {0, y})));
  }
  p.a_stable = p.max_r_imaginary <= 1 + 1e-12;
  p.scholz_order = 2;
  for (int i = 2; i <= 4; ++i) {
    p.scholz[i - 2] = scholz_defect(method, weights, i);
    if (p.scholz_order == i && p.scholz[i - 2] < condition_tolerance) p.scholz_order = i + 1;
  }
  p.zeta2 = stiff_velocity_limit(method, weights, 2);
  p.zeta3 = stiff_velocity_limit(method, weights, 3);
  return p;
}

}  // namespace

std::complex<double> stability_function(const RosenbrockCoefficients<double>& method,
                                        const double (&weights)[max_rosenbrock_stages], std::complex<double> z) {
  std::complex<double> x[max_rosenbrock_stages], sum = 0;  // (I − zB) x = 𝟙
  for (int i = 0; i < method.s; ++i) {
    std::complex<double> rest = 1;
    for (int j = 0; j < i; ++j) rest += z * method.beta(i, j) * x[j];
    x[i] = rest / (1.0 - z * method.beta(i, i));
    sum += weights[i] * x[i];
  }
  return 1.0 + z * sum;
}

double dense_order_defect(const RosenbrockTable& table, int n) {
  double worst = 0;
  for (int i = 0; i <= n_theta; ++i) {
    const double theta = static_cast<double>(i) / n_theta;
    const WeightsAt weights(table, theta);
    RootedTree tree = RootedTree::first(n);
    do {
      const double exact = std::pow(theta, n) / tree.density();
      worst = std::max(worst, std::abs(dot(table.s, weights.b, stage_weights(table, tree)) - exact));
    } while (tree.next());
  }
  return worst;
}

RosenbrockProperties rosenbrock_properties(const RosenbrockTable& table) {
  RosenbrockProperties p{};
  p.main = weight_properties(table, table.b);
  p.embedded = weight_properties(table, table.b_hat);
  p.stiffly_accurate = table.stiffly_accurate;
  p.n_f_calls = table.n_f_calls;
  while (p.dense_order < max_tree_nodes && dense_order_defect(table, p.dense_order + 1) < condition_tolerance)
    ++p.dense_order;
  const auto omega_alpha2 = solve_beta(table, alpha_power(table, 2));
  p.dense_index1 = true;
  p.dense_r_min = p.dense_r_max = 1;
  for (int i = 0; i <= n_theta; ++i) {
    const double theta = static_cast<double>(i) / n_theta;
    const WeightsAt weights(table, theta);
    const double z2 = dot(table.s, weights.b, omega_alpha2) - theta * theta;
    p.dense_index1 = p.dense_index1 && std::abs(z2) < condition_tolerance;
    const double r = stability_at_infinity(table, weights.b);
    p.dense_r_min = std::min(p.dense_r_min, r);
    p.dense_r_max = std::max(p.dense_r_max, r);
  }
  return p;
}

}  // namespace rubato
