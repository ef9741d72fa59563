#pragma once
/// The passes of a Newton iteration over decoupled stages (stage_scheme.hpp), each reading its columns once. Columns of n
/// numbers stand one after the other in memory; modes as the scheme orders them: real ones in columns, of each pair the
/// complex numbers of one of the two.
#include <complex>
#include <cstddef>

namespace rubato {

struct StageScheme;

struct StageKernels {
  /// X_i = x + Z_i,   k_i = Σ_j (A⁻¹)_ij Z_j = h K_i                                                                   (1)
  void (*stages_and_slopes)(const StageScheme& scheme, std::ptrdiff_t n, const double* x, const double* z,
                            double* stages, double* k) noexcept = nullptr;
  /// Σ_i (T⁻¹)_mi (r_i − a k_i) for every mode m; k null: without it.                                                (2)
  void (*to_modes)(const StageScheme& scheme, std::ptrdiff_t n, const double* r, const double* k, double a,
                   double* real, std::complex<double>* pairs) noexcept = nullptr;
  /// ΔZ_i of (2) in stage_scheme.hpp from its modes.                                                                  (3)
  void (*from_modes)(const StageScheme& scheme, std::ptrdiff_t n, const double* real, const std::complex<double>* pairs,
                     double* dz) noexcept = nullptr;
  /// The same, added to z as well. Returns Σ (w_k ΔZ_ik)² over all stages i and components k.                         (4)
  double (*add_from_modes)(const StageScheme& scheme, std::ptrdiff_t n, const double* real,
                           const std::complex<double>* pairs, const double* weights, double* dz,
                           double* z) noexcept = nullptr;
};

/// Those for as many stages and real modes: loops of known lengths for the numbers of Radau IIA.
[[nodiscard]] StageKernels stage_kernels(int s, int reals) noexcept;

}  // namespace rubato
