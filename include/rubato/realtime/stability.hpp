#pragma once
/// Is a fixed point of a linear problem stable under the linearly implicit Euler method with entries left out?
#include <complex>
#include <optional>
#include <vector>

#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime {

/// R(z) = 1/(1 − z), z = τμ: |R| < 1 exactly outside the disc |z − 1| ≤ 1. Modes that grow with |z − 1| > 1 are damped too
/// (superstability), so that a large step hides instabilities of the model itself.
[[nodiscard]] inline std::complex<double> amplification(std::complex<double> z) { return 1.0 / (1.0 - z); }

struct StepSpectrum {
  Eigen::VectorXcd lambda;  ///< all n eigenvalues of the pair
  int zeros = 0;            ///< so many of them, the last ones, are zero by structure
  [[nodiscard]] double radius() const { return lambda.size() == 0 ? 0 : lambda.cwiseAbs().maxCoeff(); }
};

/// Empty where B is singular or eigenvalues are not found.
[[nodiscard]] std::optional<StepSpectrum> step_spectrum(const StepPair& pair);
/// The same from a sparse factor of B: a search asks for thousands, and hundreds of algebraic unknowns have few entries each.
[[nodiscard]] std::optional<StepSpectrum> step_spectrum(const StepPencil& pencil, In jacobian_values, const Keep& keep);

/// One for each sample, a Jacobian's values on its pattern. Refuses a sample whose step matrix is singular.
[[nodiscard]] Result<std::vector<StepSpectrum>> sample_spectra(const StepPencil& pencil, const Keep& keep,
                                                               const std::vector<std::vector<double>>& samples);

}  // namespace rubato::realtime
