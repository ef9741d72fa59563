#pragma once
/// When a simplified Newton iteration has converged, and when it will not.
///
/// d_k: norm of the k-th correction, Θ_k = d_k/d_{k−1} (from the third on the geometric mean of the last two). What is left
/// after d_k is estimated by η d_k, η = Θ/(1 − Θ), so that
///   converged   η d_k ≤ κ                                                                                          (1)
///   diverged    Θ ≥ 0.99                                                                                            (2)
///   too slow    η Θ^(k_max−1−k) d_k > κ, what would be left after k_max iterations                                   (3)
/// `hopeful` asks for 20 times as much in (3) where k = 2: the first ratio is often the worst. Over 18 problems that spares a
/// fifth of the failures and a twentieth of the steps. Where the last accepted step contracted well, Θ ≤ 0.3, the first ratio is not
/// believed at all unless it is above 5: with a very good start d₁ is small by chance, and d₂/d₁ ≈ 1 says nothing about d₃/d₂ (Andrews'
/// mechanism at index 3, 1e-8: 521 attempts with 134 failures, 259 with 29 so).
/// Corrections below `noise` that no longer shrink, Θ ≥ 0.6, are rounding errors of the model: converged. Where constraints nearly depend on
/// each other rounding errors are larger: below 100 times that (and 0.03) the iteration has converged where it would fail otherwise and
/// two corrections in a row did not shrink, or no more are allowed. Smaller steps would only make these errors larger.
/// Before the second correction η is that of the last step, to the power 0.8. Tiny ones are not believed: the last step may
/// have been a much smaller one, and a first correction that repairs a poor prediction makes the first ratio look good.
/// With fixed steps there is nothing to gain from giving up early: `patient` leaves (3) out and takes corrections that no
/// longer shrink, but are below `rounding`, for what they are. It also takes no η below 0.1: the first ratio is often better
/// than those to come.
/// Hairer & Wanner, Solving ODEs II, IV.8.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "rubato/base/archive.hpp"

namespace rubato {

class NewtonControl {
 public:
  enum class Verdict : std::uint8_t { more, converged, diverged, slow };

  /// Begins an iteration. A new Jacobian, or a first step, says nothing about η: `fresh`.
  void start(int max_iterations, double kappa, bool fresh, bool patient = false, bool hopeful = false,
             double noise = 0) noexcept {
    max_ = max_iterations;
    patient_ = patient;
    hopeful_ = hopeful;
    trusts_ = hopeful && !fresh && committed_theta_ <= good_contraction;
    kappa_ = kappa;
    noise_ = noise;
    k_ = stalls_ = 0;
    fresh_ = fresh;
    eta_ = fresh ? 1.0 : std::max(committed_eta_, smallest_eta);
    theta_ = previous_ratio_ = 0;
  }

  /// After the k-th correction of this norm.
  [[nodiscard]] Verdict after(double d) noexcept {
    ++k_;
    if (!std::isfinite(d)) return Verdict::diverged;
    if (k_ > 1) {
      const double ratio = d / d_before_;
      if (!patient_ && ratio >= still_shrinking && d <= noise_) return Verdict::converged;
      const double theta_before = theta_, eta_before = eta_;
      const bool first_misled = k_ == 3 && trusts_ && ratio < previous_ratio_;
      theta_ = k_ == 2 || first_misled ? ratio : std::sqrt(ratio * previous_ratio_);
      previous_ratio_ = ratio;
      const bool stalled = theta_ >= (d <= 0.01 * rounding ? 0.3 : 0.99);
      if (patient_ && stalled && d <= rounding) return Verdict::converged;
      const double diverging = patient_ ? 2 : k_ == 2 && trusts_ ? 5 : 0.99;
      const bool at_noise = !patient_ && ratio >= still_shrinking && d <= std::min(100 * noise_, largest_noise);
      stalls_ = at_noise ? stalls_ + 1 : 0;
      const auto ended = [&](Verdict verdict) {
        if (!at_noise) return verdict;
        theta_ = theta_before;  // rounding errors say nothing of Θ and η
        eta_ = eta_before;
        d_before_ = d;
        if (stalls_ < 2 && k_ < max_) return Verdict::more;
        if (theta_ == 0) theta_ = good_contraction;  // nor is the iteration known to be fast
        return Verdict::converged;
      };
      if (theta_ >= diverging && d > 0) return ended(Verdict::diverged);  // (2)
      eta_ = theta_ < 1 ? theta_ / (1 - theta_) : 1e3;
      if (patient_) eta_ = std::max(eta_, 0.1);
      if (k_ == 2) eta_ = std::max(eta_, smallest_first_eta);
      if (eta_ * d > kappa_ && k_ < max_ && !patient_) {
        left_ = eta_ * d / kappa_;
        for (int j = k_; j < max_ - 1; ++j) left_ *= theta_;
        const bool too_early = k_ == 2 && (trusts_ || (hopeful_ && left_ < 20));
        if (left_ >= 1 && !too_early) return ended(Verdict::slow);  // (3)
      }
    }
    // The power is at least min(η, 1): where that fails in (1) already, as in most steps, it need not be computed.
    if (k_ == 1 && !fresh_ && std::min(eta_, 1.0) * d <= kappa_) eta_ = std::pow(eta_, 0.8);
    d_before_ = std::max(d, std::numeric_limits<double>::min());
    if (eta_ * d <= kappa_) return Verdict::converged;  // (1)
    if (k_ < max_) return Verdict::more;
    return patient_ && d <= rounding ? Verdict::converged : Verdict::diverged;
  }

  /// The step has been accepted: η serves the next one.
  void commit() noexcept {
    committed_eta_ = eta_;
    committed_theta_ = theta_;
  }

  [[nodiscard]] int iterations() const noexcept { return k_; }
  /// Θ; 0 where one correction was enough.
  [[nodiscard]] double contraction() const noexcept { return theta_; }
  /// The step size to try after this verdict, as a multiple of the present one.
  [[nodiscard]] double retry_factor(Verdict verdict) const noexcept {
    if (verdict != Verdict::slow) return 0.5;
    return 0.8 * std::pow(std::clamp(left_, 1e-4, 20.0), -1.0 / (4 + max_ - 1 - k_));
  }

  void save(ArchiveWriter& out) const {
    out.put(committed_eta_);
    out.put(committed_theta_);
  }
  void load(ArchiveReader& in) noexcept {
    in.get(committed_eta_);
    in.get(committed_theta_);
  }

 private:
  static constexpr double rounding = 0.1, smallest_eta = 2e-4, smallest_first_eta = 0.01;
  static constexpr double good_contraction = 0.3, still_shrinking = 0.6, largest_noise = 0.03;
  bool patient_ = false, hopeful_ = false, trusts_ = false, fresh_ = true;
  int max_ = 7, k_ = 0, stalls_ = 0;
  double kappa_ = 0.03, noise_ = 0, eta_ = 1, committed_eta_ = 1, committed_theta_ = 1, theta_ = 0, previous_ratio_ = 0;
  double d_before_ = 1, left_ = 0;
};

/// The step size up to which the iteration converged lately. A step that grows beyond it is wasted, and the next one only
/// half as long: after a failure at h the limit is 0.7 h; it rises by a tenth with each step accepted, and doubles where the
/// iteration is fast. A slow one, Θ > 0.3, asks for smaller steps by itself, since Θ ~ h^p, p = 1.
/// One that `learns` takes p from slow iterations with different h, accepted or failed,
///   p = log(Θ/Θ₋)/log(h/h₋) in [1, 3], the mean of this and of the p before                                        (4)
/// (Θ ~ h where stiff forces dominate, h² where inertia does, one power more where the error of J grows with the step). A second failure before
/// a step as long as the first has been accepted lets the limit rise half as fast, and so on, down to a sixteenth. On a flexible arm that spins up,
/// Θ ~ h^2.6, steps had grown from Θ = 0.2 to 0.55, failed, and grown again: radau5 at 1e-5 failed in 2079 of 6035 attempts, in 198 of 3294 so.
class NewtonStepLimit {
 public:
  explicit NewtonStepLimit(bool learns = false) noexcept : learns_(learns) {}

  [[nodiscard]] double largest_factor(double h, double contraction) const noexcept {
    const double by_failure = std::max(1.0, h_ / h);
    if (contraction <= 0) return by_failure;
    const double ratio = wanted / contraction;
    return std::min(by_failure, power_ > 1 ? std::pow(ratio, 1 / power_) : ratio);
  }

  /// A step of the size h, by an iteration with this contraction.
  void accepted(double h, double contraction) noexcept {
    h_ *= 1 + (contraction > 0.03 ? 0.1 : 1) / caution_;
    if (!learns_) return;
    if (h > h_failed_) caution_ = 1, h_failed_ = 0;
    learn(h, contraction);
  }

  /// 0: not known, or not the iteration's failure.
  void failed(double h, double contraction = 0) noexcept {
    h_ = 0.7 * h;
    if (!learns_ || contraction <= 0) return;
    if (h_failed_ > 0) caution_ = std::min(2 * caution_, most_caution);
    h_failed_ = h;
    learn(h, contraction);
  }

  void save(ArchiveWriter& out) const {
    for (const double value : {h_, power_, caution_, h_failed_, h_before_, contraction_before_}) out.put(value);
  }
  void load(ArchiveReader& in) noexcept {
    for (double* value : {&h_, &power_, &caution_, &h_failed_, &h_before_, &contraction_before_}) in.get(*value);
  }

 private:
  static constexpr double wanted = 0.3, slow = 0.01, most_caution = 16;

  void learn(double h, double contraction) noexcept {
    if (!(contraction >= slow && contraction < 2)) return;
    const double apart = h_before_ > 0 ? std::log(h / h_before_) : 0;
    if (std::abs(apart) >= 0.05)
      power_ = (power_ + std::clamp(std::log(contraction / contraction_before_) / apart, 1.0, 3.0)) / 2;  // (4)
    h_before_ = h;
    contraction_before_ = contraction;
  }

  bool learns_;
  double h_ = 1e300, power_ = 1, caution_ = 1, h_failed_ = 0;
  double h_before_ = 0, contraction_before_ = 0;
};

}  // namespace rubato
