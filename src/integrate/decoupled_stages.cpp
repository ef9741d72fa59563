#include "decoupled_stages.hpp"

namespace rubato {

StepStatus DecoupledStages::factor(const StageScheme& scheme, SteppedSystem& system, double h) noexcept {
  for (std::size_t k = 0; k < scheme.real.size(); ++k)
    if (const StepStatus status = system.factor(scheme.real[k].lambda / h, static_cast<int>(k));
        status != StepStatus::ok)
      return status;
  for (std::size_t k = 0; k < scheme.pairs.size(); ++k)
    if (const StepStatus status = system.factor(scheme.pairs[k].lambda / h, static_cast<int>(k));
        status != StepStatus::ok)
      return status;
  return StepStatus::ok;
}

void DecoupledStages::solve(const StageScheme& scheme, SteppedSystem& system, const Matrix& r, Matrix& dz) noexcept {
  const int s = scheme.s;
  dz.leftCols(s).setZero();
  for (std::size_t m = 0; m < scheme.real.size(); ++m) {
    const auto& mode = scheme.real[m];
    rho_ = mode.from[0] * r.col(0);
    for (int i = 1; i < s; ++i) rho_ += mode.from[i] * r.col(i);
    system.solve(view(std::as_const(rho_)), view(rho_), static_cast<int>(m));
    for (int i = 0; i < s; ++i) dz.col(i) += mode.to[i] * rho_;
  }
  const auto n = static_cast<std::size_t>(complex_.size());
  for (std::size_t m = 0; m < scheme.pairs.size(); ++m) {
    const auto& mode = scheme.pairs[m];
    complex_ = mode.from[0] * r.col(0);
    for (int i = 1; i < s; ++i) complex_ += mode.from[i] * r.col(i);
    system.solve(ComplexIn(complex_.data(), n), ComplexOut(complex_.data(), n), static_cast<int>(m));
    for (int i = 0; i < s; ++i) dz.col(i) += mode.to[i].real() * complex_.real() - mode.to[i].imag() * complex_.imag();
  }
}

}  // namespace rubato
