#include "stage_krylov.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace rubato {

Result<std::unique_ptr<StageKrylov>> StageKrylov::create(int s, std::span<const char> algebraic) {
  auto scheme = StageScheme::create(runge_kutta_table(RungeKuttaFamily::lobatto_iiic, s));
  if (!scheme) return scheme.error();
  scheme->to_modes = scheme->to_modes * scheme->table.W;
  scheme->from_modes = scheme->table.W_inverse * scheme->from_modes;
  return std::unique_ptr<StageKrylov>(new StageKrylov(std::move(*scheme), algebraic));
}

StageKrylov::StageKrylov(StageScheme scheme, std::span<const char> algebraic)
    : scheme_(std::move(scheme)),
      X_inverse_(scheme_.table.X.fullPivLu().inverse()),
      algebraic_(algebraic.begin(), algebraic.end()),
      decoupled_(static_cast<int>(algebraic.size()), scheme_.s),
      gmres_(static_cast<int>(algebraic.size()) * scheme_.s, restart) {
  const auto n = static_cast<Eigen::Index>(algebraic.size());
  for (Matrix* m : {&right_, &scaled_, &work_, &product_, &solution_}) m->setZero(n, scheme_.s);
  weights_.setOnes(n);
}

/// (1): r in W coordinates, out = D P⁻¹ r.
void StageKrylov::precondition(SteppedSystem& system, const Matrix& r, Matrix& out) noexcept {
  const int s = scheme_.s;
  for (int p = 0; p < s; ++p) {
    auto column = scaled_.col(p);
    column = X_inverse_(p, 0) * r.col(0);
    for (int q = 1; q < s; ++q) column += X_inverse_(p, q) * r.col(q);
  }
  for (std::size_t k = 0; k < algebraic_.size(); ++k)
    if (algebraic_[k] != 0) scaled_.row(static_cast<Eigen::Index>(k)) = r.row(static_cast<Eigen::Index>(k));
  decoupled_.solve(scheme_, system, scaled_, out);
  for (int p = 0; p < s; ++p) out.col(p).array() *= weights_.array();
}

bool StageKrylov::solve(StageOperator& stages, const StageRules& rules, SteppedSystem& system, double h, In weights,
                        double tolerance, double relative, const Matrix& r, Matrix& dz) noexcept {
  const int s = scheme_.s;
  const Matrix &W = scheme_.table.W, &W_inverse = scheme_.table.W_inverse;
  for (std::size_t k = 0; k < weights.size(); ++k)  // tolerances of zero weigh infinitely
    weights_[static_cast<Eigen::Index>(k)] = std::clamp(weights[k], 1e-30, 1e30);
  for (int p = 0; p < s; ++p) {
    auto column = work_.col(p);
    column = W_inverse(p, 0) * r.col(0);
    for (int i = 1; i < s; ++i) column += W_inverse(p, i) * r.col(i);
  }
  precondition(system, work_, right_);
  const auto flat = [](Matrix& m) { return Out(m.data(), static_cast<std::size_t>(m.size())); };
  const double size = std::sqrt(static_cast<double>(right_.size()));
  const auto outcome = gmres_.solve(flat(right_), flat(solution_), std::max(tolerance * size, relative * right_.norm()),
                                    max_iterations, [&](In v, Out y) noexcept {
                                      const Eigen::Map<const Matrix> from(v.data(), right_.rows(), s);
                                      for (int p = 0; p < s; ++p) work_.col(p) = from.col(p).cwiseQuotient(weights_);
                                      stages.multiply(h, rules, flat(work_), flat(product_));
                                      precondition(system, product_, work_);
                                      std::ranges::copy(flat(work_), y.begin());
                                    });
  iterations_ += outcome.iterations;
  for (int p = 0; p < s; ++p) solution_.col(p).array() /= weights_.array();
  for (int i = 0; i < s; ++i) {
    auto column = dz.col(i);
    column = W(i, 0) * solution_.col(0);
    for (int p = 1; p < s; ++p) column += W(i, p) * solution_.col(p);
  }
  return outcome.converged;
}

}  // namespace rubato
