#include "realtime/acceptance.hpp"

#include <algorithm>
#include <cmath>

#include "rubato/realtime/matching.hpp"

namespace rubato::realtime {

namespace {

std::span<const std::complex<double>> spectrum_view(const StepSpectrum& s) {
  return {s.lambda.data(), static_cast<std::size_t>(s.lambda.size())};
}

}  // namespace

std::optional<StepSpectrum> Acceptance::spectrum(const SampleCase& sample, const Keep& keep) {
  ++evaluations_;
  return step_spectrum(pencil_, *sample.values, keep);
}

std::optional<std::vector<double>> Acceptance::ratios(const SampleCase& sample, const Keep& keep) {
  const auto moved = spectrum(sample, keep);
  if (!moved) return std::nullopt;
  const auto lambda = spectrum_view(sample.spectrum), there = spectrum_view(*moved);
  const SpectrumMatch match = match_spectra(lambda, there, sample.allowed);
  std::vector<double> ratio(lambda.size());
  for (std::size_t i = 0; i < ratio.size(); ++i) {
    const std::complex<double> l = there[static_cast<std::size_t>(match.partner[i])];
    ratio[i] = std::abs(lambda[i] - l) / sample.allowed[i];
    if (std::abs(l) > 1 + growth_) ratio[i] = std::max(ratio[i], 2.0);
  }
  return ratio;
}

bool Acceptance::accepts(const SampleCase& sample, const Keep& keep) {
  const auto moved = spectrum(sample, keep);
  return moved && moved->radius() <= 1 + growth_ &&
         within_allowed(spectrum_view(sample.spectrum), spectrum_view(*moved), sample.allowed);
}

bool Acceptance::accepts_everywhere(const Keep& keep) {
  const std::size_t first = failed_last_;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t at = (first + k) % samples.size();
    if (accepts(samples[at], keep)) continue;
    failed_last_ = at;
    return false;
  }
  if (!also_) return true;
  ++evaluations_;
  return also_(keep);
}

std::optional<SampleMargin> Acceptance::margin(const SampleCase& sample, const Keep& keep) {
  const auto moved = spectrum(sample, keep);
  if (!moved) return std::nullopt;
  return SampleMargin{match_spectra(spectrum_view(sample.spectrum), spectrum_view(*moved), sample.allowed).ratio,
                      moved->radius()};
}

}  // namespace rubato::realtime
