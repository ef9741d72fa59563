#include "realtime/dense_lu.hpp"

#include "realtime/lapack.hpp"

namespace rubato::realtime {

std::optional<DenseLu> DenseLu::create(Matrix m) {
  const int n = static_cast<int>(m.rows());
  DenseLu made;
  if (n == 0) return made;
  made.rows_ = m.cwiseAbs().rowwise().maxCoeff();
  if (!m.allFinite() || !(made.rows_.minCoeff() > 0)) return std::nullopt;
  made.rows_ = made.rows_.cwiseInverse();
  m = made.rows_.asDiagonal() * m;
  made.cols_ = m.cwiseAbs().colwise().maxCoeff().transpose();
  if (!(made.cols_.minCoeff() > 0)) return std::nullopt;
  made.cols_ = made.cols_.cwiseInverse();
  m = m * made.cols_.asDiagonal();
  const double norm = m.cwiseAbs().colwise().sum().maxCoeff();
  made.lu_ = std::move(m);
  made.pivots_.resize(static_cast<std::size_t>(n));
  int info = 0;
  dgetrf_(&n, &n, made.lu_.data(), &n, made.pivots_.data(), &info);
  if (info != 0) return std::nullopt;
  double rcond = 0;
  std::vector<double> work(4 * static_cast<std::size_t>(n));
  std::vector<int> integers(static_cast<std::size_t>(n));
  dgecon_("1", &n, made.lu_.data(), &n, &norm, &rcond, work.data(), integers.data(), &info, 1);
  if (!(rcond > 1e-14)) return std::nullopt;  // nothing of a solution would be right
  return made;
}

void DenseLu::solve(Matrix& x, const char* trans, const Vector& before, const Vector& after) const {
  const int n = static_cast<int>(lu_.rows()), count = static_cast<int>(x.cols());
  if (n == 0 || count == 0) return;
  x = before.asDiagonal() * x;
  int info = 0;
  dgetrs_(trans, &n, &count, lu_.data(), &n, pivots_.data(), x.data(), &n, &info, 1);
  x = after.asDiagonal() * x;
}

void DenseLu::solve(Matrix& x) const { solve(x, "N", rows_, cols_); }
void DenseLu::solve_transposed(Matrix& x) const { solve(x, "T", cols_, rows_); }

}  // namespace rubato::realtime
