#pragma once
/// Two spectra paired so that the largest movement is as small as possible, each measured by what its eigenvalue may move.
#include <complex>
#include <span>
#include <vector>

namespace rubato::realtime {

/// r_i = max(ρ (1 − |λ_i|), ρ_m): stable eigenvalues stay stable for ρ < 1, those near 1 may move by ρ_m.                          (1)
[[nodiscard]] std::vector<double> allowed_movements(std::span<const std::complex<double>> lambda, double rho,
                                                    double rho_m);

struct SpectrumMatch {
  std::vector<int> partner;  ///< of each λ, among the moved ones
  double ratio = 0;          ///< the largest |λ_i − λ̃_partner| / r_i
};

/// The bottleneck assignment: binary search over thresholds, each a question for a perfect matching. A greedy choice of nearest
/// partners would not do. Both spectra have one size.
[[nodiscard]] SpectrumMatch match_spectra(std::span<const std::complex<double>> lambda,
                                          std::span<const std::complex<double>> moved, std::span<const double> allowed);

/// Whether the ratio is at most 1: one matching instead of many.
[[nodiscard]] bool within_allowed(std::span<const std::complex<double>> lambda,
                                  std::span<const std::complex<double>> moved, std::span<const double> allowed);

}  // namespace rubato::realtime
