#include "least_squares.hpp"

#include <Eigen/QR>
#include <vector>

namespace rubato::fem::detail {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The minimiser over the chosen columns; the others zero.
VectorXd restricted(const MatrixXd& a, const VectorXd& b, const std::vector<bool>& chosen) {
  std::vector<Eigen::Index> columns;
  for (std::size_t j = 0; j < chosen.size(); ++j)
    if (chosen[j]) columns.push_back(static_cast<Eigen::Index>(j));
  VectorXd x = VectorXd::Zero(a.cols());
  if (columns.empty()) return x;
  const VectorXd y = MatrixXd(a(Eigen::all, columns)).colPivHouseholderQr().solve(b);
  for (std::size_t k = 0; k < columns.size(); ++k) x[columns[k]] = y[static_cast<Eigen::Index>(k)];
  return x;
}

}  // namespace

VectorXd non_negative_least_squares(const MatrixXd& a, const VectorXd& b) {
  const Eigen::Index n = a.cols();
  const double tiny = 1e-13 * b.norm();
  std::vector<bool> positive(static_cast<std::size_t>(n), false);
  VectorXd x = VectorXd::Zero(n);
  for (Eigen::Index round = 0; round < 3 * n + 10; ++round) {
    // The column along which the residual falls fastest joins.
    const VectorXd slope = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    double steepest = tiny;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double relative = slope[j] / a.col(j).norm();
      if (positive[static_cast<std::size_t>(j)] || !(relative > steepest)) continue;
      steepest = relative;
      best = j;
    }
    if (best < 0) break;
    positive[static_cast<std::size_t>(best)] = true;
    // Columns whose coefficient would become negative leave again.
    while (true) {
      const VectorXd wanted = restricted(a, b, positive);
      double way = 1;
      for (Eigen::Index j = 0; j < n; ++j)
        if (positive[static_cast<std::size_t>(j)] && wanted[j] <= 0) way = std::min(way, x[j] / (x[j] - wanted[j]));
      x += way * (wanted - x);
      if (way == 1) break;
      bool left = false;
      for (Eigen::Index j = 0; j < n; ++j)
        if (positive[static_cast<std::size_t>(j)] && wanted[j] <= 0 && x[j] <= 1e-14 * x.lpNorm<Eigen::Infinity>()) {
          positive[static_cast<std::size_t>(j)] = false;
          x[j] = 0;
          left = true;
        }
      if (!left) break;
    }
  }
  return x;
}

VectorXd constrained_least_squares(const MatrixXd& a, const VectorXd& b, const MatrixXd& g, const VectorXd& h) {
  const Eigen::HouseholderQR<MatrixXd> qr(a);
  const Eigen::Index n = a.cols();
  const MatrixXd r = qr.matrixQR().topRows(n);
  const auto upper = r.triangularView<Eigen::Upper>();
  const VectorXd q = (qr.householderQ().transpose() * b).head(n);
  // x = R⁻¹ (q + z), |z| as small as E z ≥ f allows, E = G R⁻¹, f = h − E q.
  const MatrixXd e = upper.transpose().solve(g.transpose()).transpose();
  const VectorXd f = h - e * q;
  MatrixXd dual(n + 1, g.rows());
  dual << e.transpose(), f.transpose();
  const VectorXd last = VectorXd::Unit(n + 1, n);
  const VectorXd residual = dual * non_negative_least_squares(dual, last) - last;
  return upper.solve(q - residual.head(n) / residual[n]);
}

}  // namespace rubato::fem::detail
