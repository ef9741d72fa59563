#pragma once
/// The test that decides: do all eigenvalues stay where they may, at every sample? Counts its spectra.
#include <optional>
#include <vector>

#include "rubato/realtime/sparsing.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::realtime {

struct SampleCase {
  const std::vector<double>* values = nullptr;  ///< of Df
  StepSpectrum spectrum;                        ///< of the whole Jacobian
  std::vector<double> allowed;                  ///< r_i
};

class Acceptance {
 public:
  Acceptance(const StepPencil& pencil, const SparsingOptions& options)
      : pencil_(pencil), growth_(options.growth), budget_(options.budget), also_(options.also) {}

  std::vector<SampleCase> samples;

  /// How far each eigenvalue went, as part of what it may; growth beyond the limit counts as a ratio above 1. Empty: singular.
  [[nodiscard]] std::optional<std::vector<double>> ratios(const SampleCase& sample, const Keep& keep);
  [[nodiscard]] bool accepts(const SampleCase& sample, const Keep& keep);
  /// Begins with the sample that failed last; where all pass, the user's test decides.
  [[nodiscard]] bool accepts_everywhere(const Keep& keep);
  [[nodiscard]] std::optional<SampleMargin> margin(const SampleCase& sample, const Keep& keep);

  [[nodiscard]] const StepPencil& pencil() const noexcept { return pencil_; }
  [[nodiscard]] long evaluations() const noexcept { return evaluations_; }
  [[nodiscard]] long left() const noexcept { return budget_ - evaluations_; }

 private:
  [[nodiscard]] std::optional<StepSpectrum> spectrum(const SampleCase& sample, const Keep& keep);

  const StepPencil& pencil_;
  double growth_;
  long budget_, evaluations_ = 0;
  std::function<bool(const Keep&)> also_;
  std::size_t failed_last_ = 0;
};

}  // namespace rubato::realtime
