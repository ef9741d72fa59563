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
// Of Newton's iteration, as a fraction of the tolerance: its errors enter high differences, and with them the choice of
// the order. At index 3 they are c times larger in the velocities.
constexpr double own_kappa = 0.003, own_kappa_of_motion = 0.0004;
// At index 3, below it, vibrations are part of what is asked for; above, order 2 damps those that only velocities show.
constexpr double coarse = 0.99e-5;  // rtol

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

/// Weights of the polynomial through values of these ages and, where asked for, of its derivative, `after` the age 0.
void BdfStepper::lagrange(const double* age, int n, double after, double* value, double* slope) noexcept {
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
    memory_.excursion.begin = t_ + h_;
    memory_.excursion.steps = 0;
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
  c_ = detail::harmonic(k) / h;  // (1)
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
    memory_.vibration.held = trial_vibration_.held;  // what ended the higher order is not forgotten with the step
    memory_.excursion.vibrated = trial_excursion_.vibrated;
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

void BdfStepper::Memory::save(ArchiveWriter& out) const {
  for (const int value : {order, old_order, steps_at_order, failures, start_steps, steps_at_size}) out.put(value);
  for (const double value :
       {h_old, weight.of_differences, weight.of_newton, vibration.log_ratio, vibration.long_log_ratio,
        vibration.log_weight, excursion.begin, excursion.pace, excursion.pace_then})
    out.put(value);
  for (const std::int64_t value : {excursion.steps, excursion.wait, excursion.left}) out.put(value);
  for (const bool value : {starting, by_starter, vibration.held, excursion.vibrated}) out.put(value);
}

void BdfStepper::Memory::load(ArchiveReader& in, int highest_order) noexcept {
  for (int* value : {&order, &old_order}) in.get(*value, 1, highest_order);
  for (int* value : {&steps_at_order, &failures, &start_steps, &steps_at_size}) in.get(*value, 0, 1 << 30);
  for (double* value :
       {&h_old, &weight.of_differences, &weight.of_newton, &vibration.log_ratio, &vibration.long_log_ratio,
        &vibration.log_weight, &excursion.begin, &excursion.pace, &excursion.pace_then})
    in.get(*value);
  for (std::int64_t* value : {&excursion.steps, &excursion.wait, &excursion.left}) in.get(*value, 0, 1L << 40);
  for (bool* value : {&starting, &by_starter, &vibration.held, &excursion.vibrated}) in.get(*value);
}

void BdfStepper::save(ArchiveWriter& out) const {
  out.put(In(history_.data(), static_cast<std::size_t>(history_.size())));
  out.put(column_);
  out.put(age_);
  out.put(points_);
  out.put(view(w_));
  out.put(t_);
  memory_.save(out);
  system_->save(out);
  starter_->save(out);
  newton_.save(out);
  newton_limit_.save(out);
}

bool BdfStepper::load(ArchiveReader& in) {
  in.get(Out(history_.data(), static_cast<std::size_t>(history_.size())));
  const int capacity = static_cast<int>(history_.cols());
  auto column = column_;
  in.get(column);
  in.get(age_);
  in.get(points_, 1, capacity);
  in.get(view(w_));
  in.get(t_);
  memory_.load(in, orders_.highest);
  if (!in.ok() || !std::is_permutation(column.begin(), column.begin() + capacity, column_.begin()) ||
      !std::equal(column.begin() + capacity, column.end(), column_.begin() + capacity))
    return false;
  column_ = column;
  system_->load(in);
  if (!in.ok() || !starter_->load(in)) return false;
  newton_.load(in);
  newton_limit_.load(in);
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
