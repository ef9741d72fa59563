#pragma once
/// Step size control: the size of the next step from the errors of the last ones.
///
/// ẽ: scaled error (accepted at or below 1) of a step h, ẽ ~ h^p, p the error order; s the safety factor. Every controller
/// settles where ẽ = s^p. The previous accepted step (h₋, ẽ₋) enters with ẽ₋ ≥ 10⁻²: an error that was tiny by luck must
/// not promise a steep rise.
///
///   elementary      h₊ = h s ẽ^(−1/p)                                                                        (1)
///   pi              h₊ = h (s^p/ẽ)^(0.3/p) (ẽ₋/ẽ)^(0.4/p)                                                    (2)
///       Gustafsson, Lundh, Söderlind, BIT 28 (1988) 270, doi:10.1007/BF01934091: calm where stability limits the step.
///   predictive      h₊ = h s min(ẽ^(−1/p), (h/h₋) (ẽ₋/ẽ²)^(1/p))                                             (3)
///       Gustafsson, ACM TOMS 20 (1994) 496, doi:10.1145/198429.198437: continues the trend of log h; for stiff methods.
///   steady          (3) where C = ẽ/h^p rose in both of the last two steps or fell in all of the last three, else
///                   h₊ = s max(C, C₋, C₌)^(−1/p)                                                              (9)
///       Ours, the default. Where a vibration is followed, the estimate shows its phase: at a quarter period per step ẽ is
///       large and small in turns. (3) takes that for a trend and h for the cause; beyond ẽ ~ h^(4p/3) it is unstable.
///       A step below h/2, whose C may be rounding, and one of another order do not count.
///       Slider crank, index 2, radau5 at 1e-7: 720 attempts, none rejected, 8.3 digits; by (3) 899, 214 rejected, 8.2.
///   digital_filter  h₊ = h [(s^p/ẽ) (s^p/ẽ₋)]^(1/(4p)) (h/h₋)^(−1/4)                                         (4)
///       H211b with b = 4: Söderlind, ACM TOMS 29 (2003) 1, doi:10.1145/641876.641877: smooth step size sequences.
///
/// The first step after a start has no previous one: (1). All are clipped to shrink_limit ≤ h₊/h ≤ growth_limit (5).
/// Rejected: h₊ = h · clip(min(s ẽ^(−1/p), 1/1.05)) (6), and the step accepted next does not grow (7).
/// An attempt that could not be completed says nothing about the error: h₊ = h/5 (8), unless the method has better advice.
#include <array>

#include "rubato/base/archive.hpp"
#include "rubato/integrate/options.hpp"

namespace rubato {

/// Only accepted steps enter the memory: rejected and failed attempts leave nothing but the ban on growth.
class StepController {
 public:
  explicit StepController(const StepOptions& options) noexcept;

  /// Forgets the previous step: at the start and after events.
  void restart() noexcept;
  /// Each returns the size to try next after an attempt of size h.
  /// `caution` multiplies s in (1) and (9), `advice` replaces the factor of (6) or (8) where it is above 0.
  [[nodiscard]] double accepted(double h, double error, int error_order, double caution = 1) noexcept;
  [[nodiscard]] double rejected(double h, double error, int error_order, double caution = 1,
                                double advice = 0) noexcept;
  [[nodiscard]] double failed(double h, double advice = 0) noexcept;

  void save(ArchiveWriter& out) const;
  [[nodiscard]] bool load(ArchiveReader& in) noexcept;

 private:
  [[nodiscard]] double predictive_factor(double h, double root, int error_order, double caution) const noexcept;
  [[nodiscard]] bool swings(double constant, int error_order) const noexcept;
  [[nodiscard]] double steady_factor(double h, double constant, double caution, int error_order) const noexcept;
  Controller kind_;
  double safety_, shrink_limit_, growth_limit_;
  struct Memory {
    double h = 0, error = 0;
    bool has_previous = false, after_rejection = false;
    struct Constant {
      double h = 0, root = 0;  ///< C^(1/p)
      int order = 0;           ///< p; 0: no such step
    };
    std::array<Constant, 3> constants = {};  ///< of the steps before, the last one first
  } memory_;
};

}  // namespace rubato
