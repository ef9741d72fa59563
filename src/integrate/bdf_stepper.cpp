#include "bdf_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "combine.hpp"
#include "newton_norm.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "runge_kutta_stepper.hpp"

namespace rubato {

namespace {

constexpr int start_order = 3;      // of the first step with a polynomial of three Radau stages behind it
constexpr int max_start_steps = 6;  // by the starter
constexpr int failures_to_restart = 3;
constexpr int starter_order = 5;         // of Radau IIA with three stages
constexpr double refactor_ratio = 1.25;  // of c and ĉ
// Θ beyond which J is renewed, and iterations in which a step must converge. At index 3 the iteration has to go further: an old J
// costs more iterations than a new one.
constexpr double slow_contraction = 0.3, slow_contraction_of_motion = 0.05;
constexpr int most_iterations = 4, most_iterations_of_motion = 5;
// Changes of h cost a factorisation and leave traces in the history: only such as are worth it, and no growth right after one.
constexpr double largest_bdf_growth = 2, least_growth = 1.2, least_shrinking = 0.9, most_shrinking = 0.5;
constexpr int steps_before_growth = 2;
// Of Newton's iteration, as a fraction of the tolerance: its errors enter high differences, and with them the choice of
// the order. At index 3 they are c times larger in the velocities.
constexpr double own_kappa = 0.003, own_kappa_of_motion = 0.0004;
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
// that is of the motion, is this small: it would permit steps several times as large. At rtol below 1e-5 vibrations are part of what is asked for.
constexpr double loud = 5.3, calm = 3;
constexpr double small_for_order_2 = 3e-4, coarse = 0.99e-5;
constexpr double pace_kept = 0.99;              // per step
constexpr double gain = 0.1, long_gain = 0.01;  // of the means

constexpr double harmonic(int k) noexcept {
  double sum = 0;
  for (int i = 1; i <= k; ++i) sum += 1.0 / i;
  return sum;
}
static_assert(harmonic(2) == 1.5);  // α₀ of (3/2, −2, 1/2)

/// Weights of the polynomial through values of these ages and, where asked for, of its derivative, `after` the age 0.
void lagrange(const double* age, int n, double after, double* value, double* slope) noexcept {
  for (int j = 0; j < n; ++j) {
    double product = 1, derivative = 0;
    for (int i = 0; i < n; ++i) {
      if (i == j) continue;
      const double d = age[i] - age[j];
      if (slope != nullptr) derivative = (derivative * (after + age[i]) + product) / d;
      product *= (after + age[i]) / d;
    }
    value[j] = product;
    if (slope != nullptr) slope[j] = derivative;
  }
}

/// Enough stages for multipliers at index 3 to start with the order of the formula: s ≥ k + 1.
int starter_stages(int order, bool fixed) noexcept { return !fixed || order <= 2 ? 3 : order <= 4 ? 5 : 7; }

IntegrateOptions starter_options(IntegrateOptions options) {
  options.runge_kutta = {};
  options.stiffness = {};
  return options;
}

double kappa(const IntegrateOptions& options, bool of_motion) {
  const bool given = options.newton.tolerance > 0 || options.step.fixed_step > 0;
  return given ? newton_kappa(options, step_tolerances(options).rtol) : of_motion ? own_kappa_of_motion : own_kappa;
}

}  // namespace

Result<std::unique_ptr<Stepper>> BdfStepper::create(Orders orders, const InitialValueProblem& problem,
                                                    const IntegrateOptions& options) {
  if (Vector x = problem.x; !problem.dae->transport(view(problem.base), view(problem.base), view(x)))
    return Error{
        "method bdf remembers earlier states, and the model has charts in which it cannot express them; take a "
        "one-step "
        "method, e.g. radau"};
  auto system = SteppedSystem::create(problem, options, {.real = 1, .complex = 0});
  if (!system) return Error{fmt::format("method bdf: {}", system.error().message)};
  const RungeKuttaTable radau =
      runge_kutta_table(RungeKuttaFamily::radau_iia, starter_stages(orders.highest, options.step.fixed_step > 0));
  auto starter = RungeKuttaStepper::create(std::span(&radau, 1), 0, problem, starter_options(options));
  if (!starter) return starter.error();
  // Order 1 at index 3: a change of h leaves an error O(1) in the multipliers.
  if (problem.dae->layout().index() >= 3 && orders.highest > 1) orders.lowest = std::max(orders.lowest, 2);
  return std::unique_ptr<Stepper>(new BdfStepper(orders, problem, options, std::move(*system), std::move(*starter)));
}

BdfStepper::BdfStepper(Orders orders, const InitialValueProblem& problem, const IntegrateOptions& options,
                       std::unique_ptr<SteppedSystem> system, std::unique_ptr<Stepper> starter)
    : system_(std::move(system)),
      starter_(std::move(starter)),
      options_(options),
      orders_(orders),
      norm_(problem.dae->layout(), step_tolerances(options), options.step),
      newton_norm_(problem.dae->layout(), step_tolerances(options),
                   newton_norm_options(options.step, options.newton.norm, problem.dae->layout())),
      motion_(problem.dae->layout(), options),
      kappa_(kappa(options, motion_.applies())),
      constant_mass_(problem.dae->constant_mass()),
      damps_(problem.dae->layout().index() >= 3 && options.tolerances.rtol > coarse),
      t_(problem.t_start) {
  const int n = system_->size();
  for (Vector* v : {&w_, &predicted_, &slope_, &correction_, &trial_, &rate_, &rho_, &residual_, &step_, &weights_,
                    &difference_, &zero_, &order_weights_, &motion_weights_})
    v->setZero(n);
  motion_.set_powers(norm_);
  history_.setZero(n, orders.highest + 2);
  old_base_.setZero(problem.dae->base_size());
  for (int i = 0; i < max_points; ++i) column_[static_cast<std::size_t>(i)] = i;
  map(state(0)) = problem.x;
  points_ = 1;
}

// --- the history ----------------------------------------------------------------------------------------------------

In BdfStepper::state(int i) const noexcept {
  return {history_.col(column_[static_cast<std::size_t>(i)]).data(), static_cast<std::size_t>(history_.rows())};
}
Out BdfStepper::state(int i) noexcept {
  return {history_.col(column_[static_cast<std::size_t>(i)]).data(), static_cast<std::size_t>(history_.rows())};
}

/// The state at the end of a step becomes the newest, in place of the oldest.
void BdfStepper::remember(In x, double h) noexcept {
  const int capacity = static_cast<int>(history_.cols());
  const auto last = static_cast<std::size_t>(capacity - 1);
  std::rotate(column_.begin(), column_.begin() + static_cast<std::ptrdiff_t>(last), column_.begin() + capacity);
  for (std::size_t i = last; i > 0; --i) age_[i] = age_[i - 1] + h;
  age_[0] = 0;
  std::ranges::copy(x, state(0).begin());
  points_ = std::min(points_ + 1, capacity);
}

/// All but the newest.
void BdfStepper::forget() noexcept { points_ = 1; }

/// P_degree and its derivative at the time `after` the newest state.
void BdfStepper::evaluate(int degree, double after, Out x, Out slope) const noexcept {
  Weights value, derivative, a{}, b{};
  lagrange(age_.data(), degree + 1, after, value.data(), derivative.data());
  for (std::size_t i = 0; i <= static_cast<std::size_t>(degree); ++i) {
    a[static_cast<std::size_t>(column_[i])] = value[i];
    b[static_cast<std::size_t>(column_[i])] = derivative[i];
  }
  detail::combine(view(zero_), static_cast<int>(history_.cols()), history_.data(), a.data(), x, b.data(), slope);
}

// --- start ----------------------------------------------------------------------------------------------------------

StepStatus BdfStepper::restart(double t, In x, In w, In base, int mode) {
  const bool same_mode = mode == system_->mode();
  forget();
  std::ranges::copy(x, state(0).begin());
  w_.setZero();
  if (w.size() == x.size()) w_ = map(w);
  t_ = t;
  memory_ = {};
  has_trial_ = false;
  jacobian_current_ = false;
  jacobian_usable_ = jacobian_usable_ && same_mode;
  if (!jacobian_usable_) factored_c_ = 0;
  if (!system_->restart(t, this->x(), base, mode)) return StepStatus::fatal;
  return starter_->restart(t, this->x(), view(std::as_const(w_)), base, mode);
}

Attempt BdfStepper::attempt_start(double t, double h) noexcept {
  Attempt result = starter_->attempt(t, h);
  if (fixed() || result.status != StepStatus::ok || !(result.error <= 1)) return result;
  // What one step of Radau covers takes (1) about three steps.
  const double factor = options_.step.safety * std::pow(std::max(result.error, 1e-10), -1.0 / result.error_order);
  ready_ = factor < 4 || memory_.start_steps + 1 >= max_start_steps;
  const int pieces = std::min(start_order, orders_.highest);
  if (ready_) result.largest_factor = std::min(result.largest_factor, std::clamp(factor, 1.0, 2.0) / pieces);
  return result;
}

void BdfStepper::commit_start() noexcept {
  starter_->commit();
  ++memory_.start_steps;
  memory_.by_starter = true;
  if (fixed()) {
    remember(starter_->x(), h_);
    memory_.order = orders_.highest;
    memory_.starting = points_ < orders_.highest;
  } else {
    const int pieces = std::min(start_order, orders_.highest);
    forget();
    for (int i = 1; i <= pieces; ++i) {
      starter_->interpolate(static_cast<double>(i) / pieces, view(trial_), {});
      remember(view(std::as_const(trial_)), h_ / pieces);
    }
    std::ranges::copy(starter_->x(), state(0).begin());
    memory_.order = pieces;
    memory_.starting = !ready_;
  }
  starter_->interpolate(1, view(trial_), view(w_));
  memory_.steps_at_order = 0;
}

/// Order 1 from x_n and x', in place of x_{n−1}: P_1(t₁) = x_n + h x_n'. For methods below the order of Radau's: restarts by those,
/// again and again, would give results that are not the method's.
void BdfStepper::start_low(double h) noexcept {
  forget();
  map(state(1)) = map(state(0)) - h * w_;
  age_[1] = h;
  points_ = 2;
  memory_.order = 1;
  memory_.steps_at_order = 0;
  memory_.vibration = {};
  memory_.excursion = {};
  jacobian_usable_ = false;
}

// --- one step -------------------------------------------------------------------------------------------------------

Attempt BdfStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  has_trial_ = too_large_ = failed_ = diverged_ = false;
  ready_ = false;
  const bool begins_again = !memory_.starting && memory_.failures >= failures_to_restart && !fixed();
  if (begins_again && !motion_.applies() && orders_.highest < starter_order) {
    start_low(h);
  } else if (begins_again) {
    memory_.starting = true;
    memory_.start_steps = 0;
    result.status = starter_->restart(t, x(), view(std::as_const(w_)), base(), mode());
    if (result.status != StepStatus::ok) return result;
  }
  if (memory_.starting) {
    result = attempt_start(t, h);
  } else {
    result.status = solve(t, h, result);
    diverged_ = result.status == StepStatus::newton_diverged;
    if (result.status == StepStatus::ok) {
      has_trial_ = true;
      if (trial_.allFinite())
        judge(h, result);
      else
        result.status = StepStatus::not_finite;
    }
  }
  failed_ = result.status != StepStatus::ok;
  too_large_ = !(result.error <= 1);
  return result;
}

StepStatus BdfStepper::solve(double t, double h, Attempt& attempt) noexcept {
  const int k = memory_.order, degree = std::min(k, points_ - 1);
  evaluate(degree, h, view(predicted_), view(slope_));
  c_ = harmonic(k) / h;  // (1)
  if (degree < k) {
    c_ = 0;
    for (int i = 0; i < k; ++i) c_ += 1 / (h + age_[static_cast<std::size_t>(i)]);  // (3)
  }
  jacobian_current_ = false;
  for (;;) {
    StepStatus status = prepare(t + h);
    if (status == StepStatus::ok) status = iterate(t + h, h);
    if (status == StepStatus::ok) break;
    attempt.retry_factor = status == StepStatus::newton_diverged ? 0.25 : 0.5;
    if (status != StepStatus::newton_diverged || jacobian_current_) return status;
    jacobian_usable_ = false;
  }
  return StepStatus::ok;
}

/// f at the prediction and, where the old ones no longer serve, J and the factor.
StepStatus BdfStepper::prepare(double t) noexcept {
  trial_ = predicted_;
  correction_.setZero();
  if (const EvalStatus status = system_->f(t, view(trial_), view(rho_)); status != EvalStatus::ok)
    return step_status(status);
  if (!jacobian_usable_) {
    factored_c_ = 0;
    if (const StepStatus status = system_->linearise(t, view(trial_), view(slope_), view(rho_));
        status != StepStatus::ok)
      return status;
    jacobian_usable_ = jacobian_current_ = true;
  }
  const double ratio = c_ / factored_c_;
  if (factored_c_ > 0 && ratio < refactor_ratio && ratio * refactor_ratio > 1 && !(fixed() && ratio != 1)) {
    if (motion_.applies() && scaled_c_ != c_ && system_->rescale(c_)) scaled_c_ = c_;
    return StepStatus::ok;
  }
  factored_c_ = 0;
  if (const StepStatus status = system_->factor(c_); status != StepStatus::ok) return status;
  factored_c_ = scaled_c_ = c_;
  return StepStatus::ok;
}

/// (4), f at the prediction in rho_.
StepStatus BdfStepper::iterate(double t, double h) noexcept {
  const bool patient = fixed();
  const int own = patient ? 50 : motion_.applies() ? most_iterations_of_motion : most_iterations;
  const int k_max = options_.newton.max_iterations > 0 ? options_.newton.max_iterations : own;
  newton_weights(*system_, newton_norm_, x(), h, view(weights_));
  newton_.start(k_max, kappa_ / memory_.weight.of_newton, jacobian_current_ || patient, patient);
  const double relaxation = 2 / (1 + c_ / scaled_c_);
  for (bool first = true;; first = false) {
    if (!first)
      if (const EvalStatus status = system_->f(t, view(trial_), view(rho_)); status != EvalStatus::ok)
        return step_status(status);
    rate_ = slope_ + c_ * correction_;
    if (constant_mass_) {
      system_->matrix().add_B_times(view(rho_), -1, view(rate_), view(residual_));  // (2)
    } else {
      if (const EvalStatus status =
              system_->mass_times(t, view(std::as_const(trial_)), view(std::as_const(rate_)), view(residual_));
          status != EvalStatus::ok)
        return step_status(status);
      residual_ = rho_ - residual_;
    }
    system_->solve(view(std::as_const(residual_)), view(step_));
    if (relaxation != 1) step_ *= relaxation;
    ++system_->counters.newton_iterations;
    const double size = newton_norm_.weighted(view(step_), view(weights_));
    const auto verdict = newton_.after(size);
    if (!std::isfinite(size) && !residual_.allFinite()) return StepStatus::not_finite;
    if (verdict == NewtonControl::Verdict::diverged || verdict == NewtonControl::Verdict::slow)
      return StepStatus::newton_diverged;
    correction_ += step_;
    trial_ = predicted_ + correction_;
    if (verdict == NewtonControl::Verdict::converged) break;
  }
  rate_ = slope_ + c_ * correction_;
  return StepStatus::ok;
}

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
  if (last.vibrated != 0) {
    const double mean = (now - last.begin) / static_cast<double>(last.steps);
    last.wait = mean < std::min(last.pace, last.pace_then) ? std::max(2 * last.wait, last.steps) : 0;
    last.left = last.wait;
    last.vibrated = 0;
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
      if (held) trial_vibration_.held = 1;
      if (held || trial_vibration_.log_ratio > vibrating_log_ratio) {
        trial_excursion_.vibrated = 1;
        return fall(2, k == 3 ? t_lower : difference(2, h));
      }
    }
    const bool lower = k > 2 ? t_lower <= t_k && difference(k - 2, h) <= t_k : t_lower <= 0.5 * t_k;
    if (lower) return fall(k - 1, t_lower);
  }
  if (k >= orders_.highest || points_ <= k + 1 || !accepted) return t_k;
  const bool held = k == 2 && memory_.vibration.held != 0, due = k < orders_.lowest || memory_.steps_at_order > k;
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
  double spread = -harmonic(k), alpha_k = 1, product = 1;
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

void BdfStepper::commit() noexcept {
  memory_.failures = 0;
  if (memory_.starting) {
    commit_start();
  } else {
    remember(view(std::as_const(trial_)), h_);
    w_.swap(rate_);
    memory_.weight = trial_weight_;
    memory_.vibration = trial_vibration_;
    memory_.excursion = trial_excursion_;
    memory_.steps_at_size = same_size() ? memory_.steps_at_size + 1 : 0;
    memory_.by_starter = false;
    memory_.old_order = memory_.order;
    memory_.steps_at_order = next_order_ == memory_.order ? memory_.steps_at_order + 1 : 0;
    memory_.order = next_order_;
    newton_.commit();
    newton_limit_.accepted(h_, newton_.contraction());
    jacobian_usable_ = newton_.contraction() <= (motion_.applies() ? slow_contraction_of_motion : slow_contraction);
  }
  memory_.h_old = h_;
  t_ += h_;
}

void BdfStepper::discard() noexcept {
  if (failed_ || too_large_) ++memory_.failures;
  if (memory_.starting) {
    starter_->discard();
    return;
  }
  if (failed_ && !has_trial_) newton_limit_.failed(h_);
  if (too_large_ && next_order_ < memory_.order) {
    memory_.order = next_order_;
    memory_.steps_at_order = 0;
  }
}

// --- the rest -------------------------------------------------------------------------------------------------------

void BdfStepper::interpolate(double theta, Out x, Out w) const noexcept {
  if (memory_.by_starter) return starter_->interpolate(theta, x, w);
  evaluate(memory_.old_order, (theta - 1) * memory_.h_old, x, w);
  if (theta == 1) {  // exactly, and the x' that satisfies the equations
    std::ranges::copy(state(0), x.begin());
    if (!w.empty()) map(w) = w_;
  }
}

void BdfStepper::rebase() noexcept {
  if (old_base_.size() == 0) return;
  if (memory_.by_starter) starter_->rebase();
  std::ranges::copy(base(), old_base_.begin());
  system_->rebase(state(0));
  for (int i = 1; i < points_; ++i)
    if (!system_->dae().transport(view(std::as_const(old_base_)), base(), state(i)))
      points_ = i;  // as it was probed: never
}

void BdfStepper::renew() {
  system_->renew(t_, x());
  starter_->renew();
  jacobian_usable_ = jacobian_current_ = false;
  factored_c_ = 0;
}

void BdfStepper::save(ArchiveWriter& out) const {
  out.put(In(history_.data(), static_cast<std::size_t>(history_.size())));
  out.put(column_);
  out.put(age_);
  out.put(points_);
  out.put(view(w_));
  out.put(t_);
  out.put(memory_);
  system_->save(out);
  starter_->save(out);
  newton_.save(out);
  out.put(newton_limit_);
}

bool BdfStepper::load(ArchiveReader& in) {
  in.get(Out(history_.data(), static_cast<std::size_t>(history_.size())));
  in.get(column_);
  in.get(age_);
  in.get(points_);
  in.get(view(w_));
  in.get(t_);
  in.get(memory_);
  system_->load(in);
  if (!in.ok() || !starter_->load(in)) return false;
  newton_.load(in);
  in.get(newton_limit_);
  if (in.ok()) renew();
  return in.ok();
}

Statistics BdfStepper::statistics() const noexcept {
  Statistics sum = system_->statistics();
  const Statistics start = starter_->statistics();
  for (const auto counter :
       {&Statistics::f_calls, &Statistics::f_calls_jacobian, &Statistics::jacobians, &Statistics::factorisations,
        &Statistics::full_factorisations, &Statistics::solves, &Statistics::newton_iterations,
        &Statistics::library_allocations, &Statistics::pattern_extensions})
    sum.*counter += start.*counter;
  for (const auto seconds : {&Statistics::Seconds::f, &Statistics::Seconds::jacobian, &Statistics::Seconds::factor,
                             &Statistics::Seconds::solve})
    sum.seconds.*seconds += start.seconds.*seconds;
  return sum;
}

int BdfStepper::worst_component() const noexcept {
  if (memory_.starting) return starter_->worst_component();
  if (diverged_) return largest_share(view(step_), view(weights_));
  return has_trial_ && !fixed() ? norm_.worst(view(correction_), x(), view(trial_), h_) : -1;
}

}  // namespace rubato
