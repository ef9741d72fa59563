#include "decoupled_stages.hpp"

#include "combine.hpp"

namespace rubato {

StepStatus DecoupledStages::factor(const StageScheme& scheme, SteppedSystem& system, double h) noexcept {
  for (std::size_t k = 0; k < scheme.real.size(); ++k)
    if (const StepStatus status = system.factor(scheme.real[k] / h, static_cast<int>(k)); status != StepStatus::ok)
      return status;
  for (std::size_t k = 0; k < scheme.pairs.size(); ++k)
    if (const StepStatus status = system.factor(scheme.pairs[k] / h, static_cast<int>(k)); status != StepStatus::ok)
      return status;
  return StepStatus::ok;
}

void DecoupledStages::solve(const StageScheme& scheme, SteppedSystem& system, const Matrix& r, Matrix& dz) noexcept {
  const std::ptrdiff_t n = r.rows();
  detail::combine_columns(scheme.s, scheme.to_modes.data(), r.data(), modes_.data(), n);
  double* mode = modes_.data();
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t m = 0; m < scheme.real.size(); ++m, mode += n)
    system.solve(In(mode, size), Out(mode, size), static_cast<int>(m));
  for (std::size_t m = 0; m < scheme.pairs.size(); ++m, mode += 2 * n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) complex_[i] = {mode[i], mode[n + i]};
    system.solve(ComplexIn(complex_.data(), size), ComplexOut(complex_.data(), size), static_cast<int>(m));
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      mode[i] = complex_[i].real();
      mode[n + i] = complex_[i].imag();
    }
  }
  detail::combine_columns(scheme.s, scheme.from_modes.data(), modes_.data(), dz.data(), n);
}

}  // namespace rubato
