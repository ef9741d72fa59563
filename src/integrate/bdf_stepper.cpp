#include "bdf_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "combine.hpp"
#include "newton_norm.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "runge_kutta_stepper.hpp"

namespace rubato {

namespace {

constexpr int start_order = 3;      // of the first step with a polynomial of three Radau stages behind it
constexpr int max_start_steps = 6;  // by the starter
constexpr int failures_to_restart = 3;
constexpr double refactor_ratio = 1.25;  // of c and ĉ
constexpr double slow_contraction = 0.3;
constexpr double worth_growing = 1.2;  // a smaller step than the error permits, rather than another factorisation
// Of Newton's iteration, as a fraction of the tolerance: its errors enter high differences, and with them the choice of
// the order. Over seven problems 0.1 takes 32 000 steps, 0.03 24 300.
constexpr double largest_kappa = 0.01;

constexpr double harmonic(int k) noexcept {
  double sum = 0;
  for (int i = 1; i <= k; ++i) sum += 1.0 / i;
  return sum;
}
static_assert(harmonic(2) == 1.5);  // α₀ of (3/2, −2, 1/2)

/// Weights of the polynomial through values at `nodes` and of its derivative, at `at`.
void lagrange(const double* nodes, int n, double at, double* value, double* slope) noexcept {
  for (int j = 0; j < n; ++j) {
    double product = 1, derivative = 0;
    for (int i = 0; i < n; ++i) {
      if (i == j) continue;
      const double d = nodes[j] - nodes[i];
      derivative = (derivative * (at - nodes[i]) + product) / d;
      product *= (at - nodes[i]) / d;
    }
    value[j] = product;
    slope[j] = derivative;
  }
}

/// Enough stages for multipliers at index 3 to start with the order of the formula: s ≥ k + 1.
int starter_stages(int order, bool fixed) noexcept { return !fixed || order <= 2 ? 3 : order <= 4 ? 5 : 7; }

IntegrateOptions starter_options(IntegrateOptions options) {
  options.runge_kutta = {};
  options.stiffness = {};
  return options;
}

Tolerances for_steps(const IntegrateOptions& options) {
  if (options.step.fixed_step > 0) return {.rtol = fixed_step_tolerance, .atol = fixed_step_tolerance};
  return options.tolerances;
}

double kappa(const IntegrateOptions& options) {
  const bool own = options.newton.tolerance > 0 || options.step.fixed_step > 0;
  return own ? newton_kappa(options, for_steps(options).rtol) : largest_kappa;
}

}  // namespace

double bdf_stability_angle(int k) {
  constexpr int points = 20000;
  double angle = std::numbers::pi / 2;
  for (int i = 1; i < points; ++i) {
    const double phi = std::numbers::pi * i / points;
    const std::complex<double> d = 1.0 - std::polar(1.0, -phi);
    std::complex<double> z = 0, power = 1;
    for (int j = 1; j <= k; ++j) z += (power *= d) / static_cast<double>(j);
    if (z.real() < -1e-12 * std::abs(z)) angle = std::min(angle, std::atan2(std::abs(z.imag()), -z.real()));
  }
  return angle;
}

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
      norm_(problem.dae->layout(), for_steps(options), options.step),
      newton_norm_(problem.dae->layout(), for_steps(options),
                   newton_norm_options(options.step, options.newton.norm, problem.dae->layout())),
      kappa_(kappa(options)),
      constant_mass_(problem.dae->constant_mass()),
      t_(problem.t_start) {
  const int n = system_->size();
  for (Vector* v : {&w_, &predicted_, &slope_, &correction_, &trial_, &rate_, &rho_, &residual_, &step_, &weights_,
                    &difference_, &zero_})
    v->setZero(n);
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
  Weights nodes, value, derivative, a{}, b{};
  for (int i = 0; i <= degree; ++i) nodes[static_cast<std::size_t>(i)] = -age_[static_cast<std::size_t>(i)];
  lagrange(nodes.data(), degree + 1, after, value.data(), derivative.data());
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

// --- one step -------------------------------------------------------------------------------------------------------

Attempt BdfStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  has_trial_ = too_large_ = failed_ = false;
  ready_ = false;
  if (!memory_.starting && memory_.failures >= failures_to_restart && !fixed()) {
    memory_.starting = true;
    memory_.start_steps = 0;
    result.status = starter_->restart(t, x(), view(std::as_const(w_)), base(), mode());
    if (result.status != StepStatus::ok) return result;
  }
  if (memory_.starting) {
    result = attempt_start(t, h);
  } else {
    result.status = solve(t, h, result);
    if (result.status == StepStatus::ok) {
      has_trial_ = true;
      judge(h, result);
      if (!trial_.allFinite()) result.status = StepStatus::not_finite;
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
  if (factored_c_ > 0 && ratio < refactor_ratio && ratio * refactor_ratio > 1 && !(fixed() && ratio != 1))
    return StepStatus::ok;
  factored_c_ = 0;
  if (const StepStatus status = system_->factor(c_); status != StepStatus::ok) return status;
  factored_c_ = c_;
  return StepStatus::ok;
}

/// (4), f at the prediction in rho_.
StepStatus BdfStepper::iterate(double t, double h) noexcept {
  const bool patient = fixed();
  const int own = patient ? 50 : 4;
  const int k_max = options_.newton.max_iterations > 0 ? options_.newton.max_iterations : own;
  newton_weights(*system_, newton_norm_, x(), h, view(weights_));
  newton_.start(k_max, kappa_, jacobian_current_ || patient, patient);
  const double relaxation = 2 / (1 + c_ / factored_c_);
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

/// T_j of (6).
double BdfStepper::difference(int j, double h) noexcept {
  double factor = 1;
  for (int i = 0; i <= j; ++i) factor *= (i + 1) * h / (h + age_[static_cast<std::size_t>(i)]);
  if (j == memory_.order) {
    difference_ = correction_;
  } else {
    evaluate(j, h, view(difference_), {});
    difference_ = trial_ - difference_;
  }
  return factor * norm_(view(difference_), x(), view(std::as_const(trial_)), h);
}

/// Error, and the order of the next step.
void BdfStepper::judge(double h, Attempt& attempt) noexcept {
  const int k = memory_.order;
  next_order_ = k;
  attempt.error_order = k + 1;
  attempt.keeps_factor = true;
  if (fixed()) return;
  const double t_k = difference(k, h);
  double spread = -harmonic(k), alpha_k = 1;
  for (int i = 0; i <= k; ++i) {
    alpha_k = h / (h + age_[static_cast<std::size_t>(i)]);
    spread += alpha_k;
  }
  const double size = norm_(view(correction_), x(), view(std::as_const(trial_)), h);
  const double error = std::max(alpha_k, std::abs(spread)) * size;  // (5)

  // The order: by (6).
  double t_next = t_k, t_lower = 0;
  if (k > orders_.lowest) {
    t_lower = difference(k - 1, h);
    const bool lower = k > 2 ? std::max(t_lower, difference(k - 2, h)) <= t_k : t_lower <= 0.5 * t_k;
    if (lower) {
      next_order_ = k - 1;
      t_next = t_lower;
    }
  }
  if (next_order_ == k && k < orders_.highest && points_ > k + 1 && error <= 1 &&
      (k < orders_.lowest || memory_.steps_at_order > k)) {
    const double t_higher = difference(k + 1, h);
    const bool falls = k > orders_.lowest && t_lower <= std::min(t_k, t_higher);
    const bool rises = k < orders_.lowest || (k == 1 ? t_higher < 0.5 * t_k : t_higher < t_k);
    if (falls) {
      next_order_ = k - 1;
      t_next = t_lower;
    } else if (rises) {
      next_order_ = k + 1;
      t_next = t_higher;
    }
  }
  const double estimate = t_next / (next_order_ + 1);
  const double factor = std::pow(2 * estimate + 1e-4, -1.0 / (next_order_ + 1));
  attempt.error = error;
  attempt.error_order = next_order_ + 1;
  if (error > 1) {
    attempt.retry_factor = memory_.failures == 0 ? std::clamp(0.9 * factor, 0.25, 0.9) : 0.25;
    return;
  }
  attempt.error = std::clamp(estimate, 1e-10, 1.0);
  attempt.caution = std::pow(2, -1.0 / (next_order_ + 1)) / 0.9;  // DASSL's safety: half the tolerance
  attempt.largest_factor = factor < worth_growing ? 1 : 2;
  if (options_.newton.limit_growth)
    attempt.largest_factor = std::min(attempt.largest_factor, newton_limit_.largest_factor(h, 0));
}

void BdfStepper::commit() noexcept {
  memory_.failures = 0;
  if (memory_.starting) {
    commit_start();
  } else {
    remember(view(std::as_const(trial_)), h_);
    w_.swap(rate_);
    memory_.by_starter = false;
    memory_.old_order = memory_.order;
    memory_.steps_at_order = next_order_ == memory_.order ? memory_.steps_at_order + 1 : 0;
    memory_.order = next_order_;
    newton_.commit();
    newton_limit_.accepted(newton_.contraction());
    jacobian_usable_ = newton_.contraction() <= slow_contraction;
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
  return has_trial_ && !fixed() ? norm_.worst(view(correction_), x(), view(trial_), h_) : -1;
}

// --- the list -------------------------------------------------------------------------------------------------------

namespace {

Result<std::unique_ptr<Stepper>> make_bdf(const MethodInfo& info, const InitialValueProblem& problem,
                                          const IntegrateOptions& options) {
  const bool variable = info.name == "bdf" && !(options.step.fixed_step > 0);
  return BdfStepper::create({.lowest = variable ? 1 : info.order, .highest = info.order}, problem, options);
}

Method bdf_method(int k) {
  const double angle = bdf_stability_angle(k);
  const bool a_stable = angle >= std::numbers::pi / 2;
  return {
      .info = {.name = fmt::format("bdf{}", k),
               .kind = "multistep",
               .help = fmt::format(
                   "backward differentiation of order {}{}", k,
                   a_stable ? std::string{} : fmt::format(": A({:.0f}°)-stable", angle * 180 / std::numbers::pi)),
               .reference = "Brenan, Campbell & Petzold, Numerical Solution of Initial-Value Problems in DAEs, SIAM "
                            "1996, doi:10.1137/1.9781611971224",
               .order = k,
               .embedded_order = k,
               .dense_order = k,
               .stages = 1,
               .f_calls = 0,
               .stiffly_accurate = true,
               .a_stable = a_stable,
               .r_infinity = 0,
               .max_index = 3,
               .needs_constant_mass = false,
               .needs_exact_jacobian = false,
               .shrink_limit = 1.0 / 4,
               .growth_limit = 8},
      .make = make_bdf};
}

}  // namespace

std::vector<Method> bdf_methods() {
  std::vector<Method> all;
  Method variable = bdf_method(5);
  variable.info.name = "bdf";
  variable.info.help = "backward differentiation of variable order 1 to 5; with fixed steps bdf5";
  all.push_back(std::move(variable));
  for (int k = 1; k <= max_bdf_order; ++k) all.push_back(bdf_method(k));
  return all;
}

}  // namespace rubato
