#include "stage_scheme.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

constexpr double worst_condition = 1e8;  // of T: the transformation would cost half the digits

}  // namespace

Result<StageScheme> StageScheme::create(const RungeKuttaTable& table) {
  if (!table.invertible()) return Error{fmt::format("{} has a singular coefficient matrix", table.name())};
  StageScheme scheme;
  static_cast<DenseStages&>(scheme) = DenseStages(table.c);
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

  return scheme;
}

}  // namespace rubato
