#include "quadrature_guard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rubato {

QuadratureGuard::QuadratureGuard(const RungeKuttaTable& table, double leading, const Layout& layout)
    : c_(table.c), leading_(std::abs(leading)) {
  const int n = layout.size();
  for (int i = 0; i < n; ++i) differential_.push_back(layout.kind(i) == Kind::differential);
  blind_.resize(static_cast<std::size_t>(n));
  rows_.reserve(static_cast<std::size_t>(n));
  old_.resize(n);
  trial_.resize(n);
  forget();
}

void QuadratureGuard::forget() noexcept {
  old_.setConstant(std::numeric_limits<double>::quiet_NaN());
  trial_.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void QuadratureGuard::commit() noexcept {
  old_.swap(trial_);
  trial_.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void QuadratureGuard::find(const SparsePattern& jacobian, In j_values, const SparsePattern& mass,
                           In b_values) noexcept {
  if (c_.size() == 0) return;
  blind_ = differential_;
  std::size_t e = 0;
  for (int col = 0; col < jacobian.cols(); ++col)
    for (const int row : jacobian.column(col))
      if (j_values[e++] != 0) blind_[static_cast<std::size_t>(row)] = 0;
  e = 0;
  for (int col = 0; col < mass.cols(); ++col)
    for (const int row : mass.column(col))
      if (b_values[e++] != 0 && row != col) blind_[static_cast<std::size_t>(row)] = 0;
  rows_.clear();
  for (std::size_t k = 0; k < blind_.size(); ++k)
    if (blind_[k] != 0) rows_.push_back(static_cast<int>(k));
}

double QuadratureGuard::error(int row, const double* slopes, double h, double h_old) noexcept {
  const auto s = static_cast<int>(c_.size());
  trial_[row] = slopes[s - 2];
  const auto product = [&](double at, int without) {
    double p = 1;
    for (int j = 0; j < s; ++j)
      if (j != without) p *= at - c_[j];
    return p;
  };
  double difference = 0;  // over the s stages: h^{s−1} x^{(s)}/(s−1)!
  for (int j = 0; j < s; ++j) difference += slopes[j] / product(c_[j], j);
  if (!(h_old > 0) || std::isnan(old_[row])) return leading_ * h * std::tgamma(s) * std::abs(difference);
  const double before = -(1 - c_[s - 2]) * h_old / h;
  double extrapolated = 0;  // the stages' polynomial at the old node
  for (int j = 0; j < s; ++j) extrapolated += slopes[j] * product(before, j) / product(c_[j], j);
  return leading_ * h * std::tgamma(s + 1) * std::abs((old_[row] - extrapolated) / product(before, -1));  // (1)
}

}  // namespace rubato
