#include "stage_scheme.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <map>
#include <mutex>

#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

constexpr double worst_condition = 1e8;  // of T: the transformation would cost half the digits

Result<StageScheme> computed(const RungeKuttaTable& table) {
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
  scheme.inverse = scheme.A_inverse;
  scheme.to_modes.resize(table.s, table.s);
  scheme.from_modes.resize(table.s, table.s);
  int column = 0;
  for (int k = 0; k < table.s; ++k) {
    const std::complex<double> lambda = eigen.eigenvalues()[k];
    if (lambda.imag() != 0) continue;
    scheme.real.push_back(lambda.real());
    scheme.to_modes.row(column) = T_inverse.row(k).real();
    scheme.from_modes.col(column++) = T.col(k).real();
  }
  for (int k = 0; k < table.s; ++k) {
    const std::complex<double> lambda = eigen.eigenvalues()[k];
    if (!(lambda.imag() > 0)) continue;
    scheme.pairs.push_back(lambda);
    scheme.to_modes.row(column) = T_inverse.row(k).real();
    scheme.from_modes.col(column++) = 2 * T.col(k).real();
    scheme.to_modes.row(column) = T_inverse.row(k).imag();
    scheme.from_modes.col(column++) = -2 * T.col(k).imag();
  }
  scheme.modes = static_cast<long>(scheme.real.size() + scheme.pairs.size());
  scheme.kernels = stage_kernels(scheme.s, static_cast<int>(scheme.real.size()));
  scheme.gamma0 = default_gamma0(table);
  for (const double lambda : scheme.real)  // exactly that of the factor they share
    if (std::abs(scheme.gamma0 * lambda - 1) < 1e-12) scheme.gamma0 = 1 / lambda;

  return scheme;
}

}  // namespace

Result<StageScheme> StageScheme::create(const RungeKuttaTable& table) {
  if (table.info().blended) return computed(table);
  static std::mutex guard;
  static std::map<std::pair<RungeKuttaFamily, int>, Result<StageScheme>> known;
  const std::lock_guard lock(guard);
  const std::pair key{table.family, table.s};
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, computed(table)).first;
  return found->second;
}

}  // namespace rubato
