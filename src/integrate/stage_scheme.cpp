#include "stage_scheme.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

constexpr double worst_condition = 1e8;  // of T: the transformation would cost half the digits

/// ℓ_k of (3) in powers θ¹ … θ^m: the inverse of the Vandermonde matrix c_k^p, in extended precision.
Matrix dense_powers(const std::vector<double>& nodes) {
  const auto m = static_cast<Eigen::Index>(nodes.size());
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> vandermonde(m, m);
  for (Eigen::Index k = 0; k < m; ++k) {
    long double power = 1;
    for (Eigen::Index p = 0; p < m; ++p) vandermonde(p, k) = power *= nodes[static_cast<std::size_t>(k)];
  }
  // Σ_k ℓ_k(θ) c_k^p = θ^p for p = 1 … m:  V · (ℓ_k coefficients) = I.
  return vandermonde.fullPivLu().inverse().cast<double>();
}

}  // namespace

Result<StageScheme> StageScheme::create(const RungeKuttaTable& table) {
  if (!table.invertible()) return Error{fmt::format("{} has a singular coefficient matrix", table.name())};
  StageScheme scheme;
  scheme.table = table;
  scheme.s = table.s;
  scheme.A_inverse = table.W * table.X.fullPivLu().inverse() * table.W_inverse;
  scheme.d = scheme.A_inverse.transpose() * table.b;
  scheme.ends_in_last_stage = table.stiffly_accurate();
  if (scheme.ends_in_last_stage) scheme.d = Vector::Unit(table.s, table.s - 1);

  const Eigen::EigenSolver<Matrix> eigen(scheme.A_inverse);
  const Eigen::MatrixXcd T = eigen.eigenvectors();
  const Eigen::FullPivLU<Eigen::MatrixXcd> lu(T);
  if (!(lu.rcond() > 1 / worst_condition))
    return Error{fmt::format("the coefficient matrix of {} has (nearly) no basis of eigenvectors", table.name())};
  const Eigen::MatrixXcd T_inverse = lu.inverse();
  for (int k = 0; k < table.s; ++k) {
    const std::complex<double> lambda = eigen.eigenvalues()[k];
    if (lambda.imag() == 0)
      scheme.real.push_back({lambda.real(), T_inverse.row(k).real().transpose(), T.col(k).real()});
    else if (lambda.imag() > 0)
      scheme.pairs.push_back({lambda, T_inverse.row(k).transpose(), 2.0 * T.col(k)});
  }
  scheme.gamma0 = default_gamma0(table);
  for (const auto& mode : scheme.real)  // exactly that of the factor they share
    if (std::abs(scheme.gamma0 * mode.lambda - 1) < 1e-12) scheme.gamma0 = 1 / mode.lambda;

  std::vector<double> at;
  for (int i = 0; i < table.s; ++i)
    if (table.c[i] > 0 && table.c[i] < 1) {
      scheme.nodes.push_back(i);
      at.push_back(table.c[i]);
    }
  scheme.nodes.push_back(table.s);
  at.push_back(1);
  scheme.powers = dense_powers(at);
  return scheme;
}

void StageScheme::dense_weights(double theta, double* weights, double* slopes) const noexcept {
  const int m = degree();
  for (int k = 0; k < m; ++k) {
    double value = 0, slope = 0;
    for (int p = m - 1; p >= 0; --p) {  // Horner, for Σ a_p θ^p first
      slope = slope * theta + value;
      value = value * theta + powers(k, p);
    }
    weights[k] = value * theta;
    if (slopes != nullptr) slopes[k] = value + slope * theta;
  }
}

}  // namespace rubato
