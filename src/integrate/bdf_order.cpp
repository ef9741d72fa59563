// Error, order and size of the next step of backward differentiation formulas, by (5) and (6) of bdf_stepper.hpp.
#include <algorithm>
#include <cmath>

#include "bdf_stepper.hpp"
#include "combine.hpp"

namespace rubato {

namespace {

// Changes of h cost a factorisation and leave traces in the history: only such as are worth it, and no growth right after one.
constexpr double largest_bdf_growth = 2, least_growth = 1.2, least_shrinking = 0.9, most_shrinking = 0.5;
constexpr int steps_before_growth = 2;
// What the next step should have as its error, as a fraction of the tolerance: errors of a multistep method add up over many short steps. With
// a half, as in DASSL, and κ = 0.01 the table of tolerances (docs/reproduction/tolerances.md) had a geometric mean of 5 times the errors of
// RADAU5, and 39 of 821 runs without a digit. With these it is 0.9 times, 5 runs are left, and equal digits take 8 % less work.
constexpr double aim = 1.0 / 32, aim_of_motion = 1.0 / 16;
// At index 3: how fast the weight of velocities may fall from step to step. After a change of h their differences vanish in passing.
constexpr double weight_decay = 0.8;
// Of T_k/T_{k−1}, mean over about ten steps, and over a hundred: above, a vibration holds h; a motion that is followed has about 0.1
// to 0.4, at loose tolerances more for a while. A vibration that held h for long is over when T_3/T_2, mean over ten steps, says so.
constexpr double vibrating_log_ratio = -0.36, long_vibrating_log_ratio = -0.69;  // log 0.7, log 1/2
constexpr double quiet_log_ratio = -1.39, unknown_log_ratio = -1;                // log 1/4
// At index 3 differences of positions hardly show a vibration of high frequency, errors of velocities are ruled by it. Of log(error of the motion/that
// of positions), mean over ten steps: above log 200 such a vibration rules, below log 20 it is over. Order 2 is taken where T_2 of positions,
// that is of the motion, is this small: it would permit steps several times as large.
constexpr double loud = 5.3, calm = 3;
constexpr double small_for_order_2 = 3e-4;
constexpr double pace_kept = 0.99;              // per step
constexpr double gain = 0.1, long_gain = 0.01;  // of the means

}  // namespace

/// What the differences of this step are measured with.
void BdfStepper::weigh(double h) noexcept {
  norm_.weights(x(), view(std::as_const(trial_)), h, view(motion_weights_));
  if (motion_.applies()) motion_.mask(view(motion_weights_));
  order_weights_ = motion_weights_;
  if (motion_.applies()) motion_.mask_velocities(view(order_weights_));
}

/// T_j of (6).
double BdfStepper::difference(int j, double h) noexcept {
  double factor = 1;
  for (int i = 0; i <= j; ++i) factor *= (i + 1) * h / (h + age_[static_cast<std::size_t>(i)]);
  Weights weights{};
  lagrange(age_.data(), j + 1, h, weights.data(), nullptr);
  for (double& weight : weights) weight = -weight;
  const auto columns = std::span(column_).first(static_cast<std::size_t>(j) + 1);
  detail::add_combined_columns(view(std::as_const(trial_)), columns, weights.data(), history_.data(),
                               view(difference_));
  return factor * norm_.weighted(view(difference_), view(order_weights_));
}

/// ‖D_k‖ as far as it is an error.
double BdfStepper::motion_size() noexcept {
  if (!motion_.applies()) return norm_.weighted(view(correction_), view(motion_weights_));
  motion_.filter(*system_, scaled_c_, correction_, residual_, difference_);
  return norm_.weighted(view(difference_), view(motion_weights_));
}

/// Up to rounding of t.
bool BdfStepper::same_size() const noexcept { return std::abs(h_ - memory_.h_old) < 1e-6 * h_; }

/// The size of the next step, as a multiple of h, where the error permits `factor`; much as in IDA.
double BdfStepper::next_factor(double factor, double h) const noexcept {
  if (factor < 1) return std::clamp(factor, most_shrinking, least_shrinking);
  const bool settled = same_size() && memory_.steps_at_size + 1 >= steps_before_growth;
  if (factor < least_growth || memory_.failures > 0 || !settled) return 1;
  const double by_newton = options_.newton.limit_growth ? newton_limit_.largest_factor(h, 0) : largest_bdf_growth;
  return std::min({factor, largest_bdf_growth, by_newton});
}

/// Order 2, from which the order could rise: judges the last time above it, and begins the next or lets it wait.
bool BdfStepper::waits_at_order_2(double h) noexcept {
  Excursion& last = trial_excursion_;
  const double now = t_ + h;
  if (last.vibrated) {
    const double mean = (now - last.begin) / static_cast<double>(last.steps);
    last.wait = mean < std::min(last.pace, last.pace_then) ? std::max(2 * last.wait, last.steps) : 0;
    last.left = last.wait;
    last.vibrated = false;
  }
  if (last.left > 0) return true;
  last.begin = now;
  last.pace_then = last.pace;
  last.steps = 0;
  return false;
}

/// By (6), T of the order chosen. Orders above 2 are unstable near the imaginary axis: there an undamped vibration grows until the
/// error holds h at hω ≈ 1/2, and differences, T_k/T_{k−1} ≈ hω, hardly fall with their order. Order 2 damps it: by (hω)⁴/4 a step,
/// so that an amplitude of A tolerances takes about 3 A^{4/3} steps to die away, and h is free again. Meanwhile a single small ratio
/// (of several vibrations that cancel) is no reason to leave order 2.
double BdfStepper::choose_order(double h, double t_k, bool accepted) noexcept {
  const int k = memory_.order;
  const bool watches = orders_.lowest <= 2 && orders_.highest > 2;
  const double t_lower = k > orders_.lowest ? difference(k - 1, h) : 0;
  const auto watch = [&](double higher, double lower, double step, double& mean) {
    const double log_ratio = std::clamp(std::log(higher / lower), -2.0, 2.0);
    mean += step * ((std::isfinite(log_ratio) ? log_ratio : 0) - mean);
  };
  ++trial_excursion_.steps;
  if (k == 2) {
    trial_excursion_.pace = std::max(h, pace_kept * trial_excursion_.pace);
    if (trial_excursion_.left > 0) --trial_excursion_.left;
  }
  trial_vibration_.log_weight += gain * (std::log(trial_weight_.of_differences) - trial_vibration_.log_weight);
  const auto fall = [&](int order, double t) {
    next_order_ = order;
    trial_vibration_.log_ratio = unknown_log_ratio;
    return t;
  };
  if (k > orders_.lowest) {
    if (watches && k > 2) {
      watch(t_k, t_lower, gain, trial_vibration_.log_ratio);
      watch(t_k, t_lower, long_gain, trial_vibration_.long_log_ratio);
      const bool is_loud = damps_ && trial_vibration_.log_weight > loud && difference(2, h) < small_for_order_2;
      const bool held = trial_vibration_.long_log_ratio > long_vibrating_log_ratio || is_loud;
      if (held) trial_vibration_.held = true;
      if (held || trial_vibration_.log_ratio > vibrating_log_ratio) {
        trial_excursion_.vibrated = true;
        return fall(2, k == 3 ? t_lower : difference(2, h));
      }
    }
    const bool lower = k > 2 ? t_lower <= t_k && difference(k - 2, h) <= t_k : t_lower <= 0.5 * t_k;
    if (lower) return fall(k - 1, t_lower);
  }
  if (k >= orders_.highest || points_ <= k + 1 || !accepted) return t_k;
  const bool held = k == 2 && memory_.vibration.held, due = k < orders_.lowest || memory_.steps_at_order > k;
  if (!due && !held) return t_k;
  const double t_higher = difference(k + 1, h);
  if (held) {
    watch(t_higher, t_k, gain, trial_vibration_.log_ratio);
    const bool over = !damps_ || trial_vibration_.log_weight < calm;
    if (over && trial_vibration_.log_ratio < quiet_log_ratio) trial_vibration_ = {};
  }
  if (!due || (k == 2 && trial_vibration_.held)) return t_k;
  if (k > orders_.lowest && t_lower <= std::min(t_k, t_higher)) return fall(k - 1, t_lower);
  const double worth = k == 1 ? 0.5 : k == 2 && watches ? 0.25 : 1;
  if (k >= orders_.lowest && !(t_higher < worth * t_k)) return t_k;
  if (k == 2 && watches && damps_ && waits_at_order_2(h)) return t_k;
  next_order_ = k + 1;
  return t_higher;
}

/// Error, and the order of the next step.
void BdfStepper::judge(double h, Attempt& attempt) noexcept {
  const int k = memory_.order;
  next_order_ = k;
  trial_vibration_ = memory_.vibration;
  trial_excursion_ = memory_.excursion;
  attempt.error_order = k + 1;
  attempt.keeps_factor = true;
  if (fixed()) return;
  weigh(h);
  double spread = -detail::harmonic(k), alpha_k = 1, product = 1;
  for (int i = 0; i <= k; ++i) {
    alpha_k = h / (h + age_[static_cast<std::size_t>(i)]);
    spread += alpha_k;
    product *= (i + 1) * alpha_k;
  }
  const double size = norm_.weighted(view(correction_), view(order_weights_)), whole = motion_size();
  const double error = std::max(alpha_k, std::abs(spread)) * whole;  // (5)
  if (motion_.applies()) {
    const double by_newton = newton_norm_.weighted(view(correction_), view(weights_));
    trial_weight_ = {
        .of_differences = std::max(size > 0 ? whole / size : 1, weight_decay * memory_.weight.of_differences),
        .of_newton = by_newton > 0 ? std::max(1.0, whole / by_newton) : 1};
  }

  const double t_k = product * size;
  const double t_next = choose_order(h, t_k, error <= 1);
  const double estimate = trial_weight_.of_differences * t_next / (next_order_ + 1);
  const double aimed_at = motion_.applies() ? aim_of_motion : aim;
  const double factor = std::pow(estimate / aimed_at + 1e-4, -1.0 / (next_order_ + 1));
  attempt.error = error;
  attempt.error_order = next_order_ + 1;
  if (error > 1) {
    // The first step after Radau's, where the order is low: theirs may be larger by powers of ten (at index 3 it must not shrink so).
    const double least = memory_.by_starter && !motion_.applies() ? 1e-4 : 0.25;
    attempt.retry_factor = memory_.failures == 0 ? std::clamp(0.9 * factor, least, 0.9) : 0.25;
    return;
  }
  attempt.next_factor = next_factor(factor, h);
}

}  // namespace rubato
