#include "rosenbrock_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine.hpp"
#include "rubato/base/aperiodic.hpp"

namespace rubato {

namespace {
// Step control aims at an estimate of 1 and at steps that change little. The defect of the dense output is normally below 1 or so.
constexpr double much_shorter = 0.5;  // than the step that f_t was made for, by differences
constexpr double look_at = 0.3, rather_small = 0.2, grown = 1.2, largest_defect = 100;
// Models with root functions: a step this much longer than the last that was looked at is looked at again. Where the linearisation changes by more
// than Θ within it while the error claims to be small, steps grow by no more than `careful_growth` each, until it does not. Over 9 methods and 25
// pairs of tolerances `lugre-oscillator` then ends without its event, or far off, in 9 runs of 225 (before: 69).
// J by differences is looked at in every 16th attempt: its errors are felt where what they make of the step holds this part of the tolerance.
constexpr int attempts_between_looks = 16;
constexpr double felt_part = 0.1;
constexpr double much_longer = 2, largest_change = 0.3, careful_growth = 1.2, believable = 0.3, too_large = 2;
}  // namespace

Result<std::unique_ptr<Stepper>> RosenbrockStepper::create(const RosenbrockTable& table,
                                                           const InitialValueProblem& problem,
                                                           const IntegrateOptions& options) {
  const Dae& dae = *problem.dae;
  if (!dae.constant_mass())
    return Error{fmt::format(
        "method {}: Rosenbrock methods need a constant mass matrix, but B depends on the state; use a formulation with "
        "accelerations as unknowns (semi-explicit, index-3+a, …), or with_derivative_unknowns() for a plain Dae",
        table.name())};
  if (!table.has_embedded() && !(options.step.fixed_step > 0))
    return Error{fmt::format("method {} has no error estimate: set solver.fixed_step", table.name())};
  auto system = SteppedSystem::create(problem, options, {.real = 1, .complex = 0}, Differences::central);
  if (!system) return Error{fmt::format("method {}: {}", table.name(), system.error().message)};
  if (!(*system)->linearisation().exact())
    return Error{fmt::format(
        "method {}: the order of Rosenbrock methods rests on an exact Jacobian, the model's own is approximate; "
        "set solver.jacobian to \"dual\" or \"differences\", or take a method that accepts it",
        table.name())};
  return std::unique_ptr<Stepper>(new RosenbrockStepper(table, problem, options, std::move(*system)));
}

RosenbrockStepper::RosenbrockStepper(const RosenbrockTable& table, const InitialValueProblem& problem,
                                     const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system)
    : table_(table),
      system_(std::move(system)),
      norm_(problem.dae->layout(), options.tolerances, options.step),
      x_(problem.x),
      switches_(!problem.dae->roots().empty()),
      t_(problem.t_start) {
  const int n = system_->size();
  for (Vector* v : {&trial_, &start_, &zero_, &f_time_, &stage_, &sum_, &error_, &defect_, &weights_}) v->setZero(n);
  table.dense_slopes(1, end_slopes_);
  f_.setZero(n, table.s);
  stages_.setZero(n, table.s);
}

StepStatus RosenbrockStepper::restart(double t, In x, In, In base, int mode) {
  x_ = map(x);
  t_ = t;
  estimate_ = trial_estimate_ = first_estimate;
  linearised_ = false;
  factored_c_ = 0;
  h_before_ = safe_h_ = 0;
  cautious_ = looked_ = false;
  since_look_ = 0;
  return system_->restart(t, view(x_), base, mode) ? StepStatus::ok : StepStatus::fatal;
}

/// f, J and f_t at the committed state: kept when the step is tried again with another h.
StepStatus RosenbrockStepper::linearise(double t, double h) noexcept {
  const auto f0 = Out(f_.col(0).data(), static_cast<std::size_t>(f_.rows()));
  if (linearised_ && t == t_) {
    const bool again =
        system_->time_dependent() && h < much_shorter * time_h_ && !system_->linearisation().time_derivative_is_exact();
    return again ? differentiate_in_time(t, h, f0) : StepStatus::ok;
  }
  if (const EvalStatus status = system_->f(t, view(x_), f0); status != EvalStatus::ok) return step_status(status);
  StepStatus status = system_->linearise(t, view(x_), view(zero_), f0);
  if (status == StepStatus::ok && system_->time_dependent()) status = differentiate_in_time(t, h, f0);
  if (status != StepStatus::ok) return status;
  linearised_ = true;
  factored_c_ = 0;
  t_ = t;
  return StepStatus::ok;
}

StepStatus RosenbrockStepper::differentiate_in_time(double t, double h, In f0) noexcept {
  time_h_ = h;
  return system_->time_derivative(t, view(x_), view(zero_), f0, h, view(f_time_));
}

StepStatus RosenbrockStepper::factorise(double h) noexcept {
  const double c = 1 / (h * table_.diagonal);
  if (c == factored_c_) return StepStatus::ok;
  const StepStatus status = system_->factor(c);
  factored_c_ = status == StepStatus::ok ? c : 0;
  return status;
}

/// Weights without powers of h: these forgive multipliers what the method itself errs by, and iterations would use it up.
/// An error δ of every u_j changes x₁ of (2) by Σ |m_j| δ at most: a tenth of what the last step erred by, so that the estimate of this one sees
/// the method and not the iteration.
void RosenbrockStepper::weigh_residuals() noexcept {
  norm_.weights(view(x_), std::numeric_limits<double>::infinity(), view(weights_));
  double sum = 0;
  for (int j = 0; j < table_.s; ++j) sum += std::abs(table_.u.m[j]);
  system_->weigh_residuals(view(std::as_const(weights_)), 0.1 * std::clamp(estimate_, 0.01, 1.0) / sum);
}

Attempt RosenbrockStepper::attempt(double t, double h) noexcept {
  const int s = table_.s;
  Attempt result{.status = StepStatus::ok, .error = 0, .error_order = table_.embedded_order() + 1};
  const auto fail = [&](StepStatus status) {
    result.status = status;
    return result;
  };
  h_ = h;
  has_trial_ = false;
  if (const StepStatus status = linearise(t, h); status != StepStatus::ok) return fail(status);
  if (const StepStatus status = factorise(h); status != StepStatus::ok) return fail(status);
  if (system_->weighs_residuals()) weigh_residuals();
  const auto n = static_cast<std::size_t>(x_.size());
  const double inverse_h = 1 / h;
  for (int i = 0; i < s; ++i) {  // (1)
    if (i > 0) detail::combine(view(x_), i, stages_.data(), table_.u.a[i], view(stage_), table_.u.c[i], view(sum_));
    if (i > 0 && table_.evaluates_at_stage(i)) {
      const EvalStatus status = system_->f(t + table_.alpha_sum[i] * h, view(stage_), Out(f_.col(i).data(), n));
      if (status != EvalStatus::ok) return fail(step_status(status));
    }
    const Out u_i(stages_.col(i).data(), n);
    const In f_i(f_.col(table_.f_source[i]).data(), n);
    if (i > 0)
      system_->matrix().add_B_times(f_i, inverse_h, view(sum_), u_i);
    else
      std::copy(f_i.begin(), f_i.end(), u_i.begin());
    if (system_->time_dependent()) map(u_i) += (h * table_.gamma_sum[i]) * f_time_;
    if (const StepStatus status = system_->solve_stage(u_i, u_i, h); status != StepStatus::ok) return fail(status);
  }
  detail::combine(view(x_), s, stages_.data(), table_.u.m, view(trial_), table_.m_error, view(error_));  // (2)
  has_trial_ = true;
  if (table_.has_embedded()) {
    result.error = norm_(view(error_), view(x_), view(trial_), h);
    if (result.error < rather_small || h > grown * h_before_) {
      const double defect = defect_inside(t, h) / largest_defect;
      if (!(defect <= std::max(result.error, 1.0))) error_.swap(defect_);  // what worst_component() names
      result.error = std::isfinite(defect) ? std::max(result.error, defect) : defect;
    }
    look_at_growth(t, h, result);
    if (system_->linearisation().source() == JacobianSource::differences) check_jacobian(t, h);
    trial_estimate_ = result.error;
    if (std::isfinite(result.error)) return result;  // the trial is finite as well
  }
  return trial_.allFinite() ? result : fail(StepStatus::not_finite);
}

/// Estimates that are differences of two formulas may be small by accident, for models that are linear over a whole step for instance, and steps
/// would grow without bounds (`lugre-oscillator`, ros3p: 2 s where 0.005 s are right). Where they are small, or the step has grown, a second
/// look is cheap: what the dense output leaves of the equations inside the step, filtered,
///   (B/(hγ) − J) e = f(x(θ)) − B x'(θ),   θ = 0.3: at the middle methods like the midpoint rule leave nothing
/// It is no estimate of the error, the dense output having a lower order than the method: only a hundredth of it counts.
double RosenbrockStepper::defect_inside(double t, double h) noexcept {
  if (system_->options().linear.krylov.use || system_->options().step.fixed_step > 0) return 0;
  double m[max_rosenbrock_stages], slopes[max_rosenbrock_stages];
  table_.dense_weights(look_at, m);
  table_.dense_slopes(look_at, slopes);
  for (int j = 0; j < table_.s; ++j) slopes[j] /= h;
  detail::combine(view(x_), table_.s, stages_.data(), m, view(stage_), slopes, view(sum_));
  if (system_->f(t + look_at * h, view(stage_), view(defect_)) != EvalStatus::ok) return 0;
  system_->matrix().add_B_times(view(std::as_const(defect_)), -1, view(std::as_const(sum_)), view(stage_));
  system_->solve(view(std::as_const(stage_)), view(defect_));
  return norm_(view(defect_), view(x_), view(trial_), h);
}

/// Implicit methods damp what grows: a model that leaves an unstable rest within the step (stick-slip) is carried along on it, with an error estimate
/// and a defect of nearly zero (`lugre-oscillator` at rtol 1e-2: steps of 3 s). What shows it is that J has changed:
///   Θ = ‖(B/(hγ) − J)⁻¹ [f(x₁ + δ) − f(x₁) − f(x₀ + δ) + f(x₀)]‖ / ‖δ‖,   δ: every unknown moved by about its tolerance,
/// by which simplified Newton iterations would contract at the end of the step.
void RosenbrockStepper::look_at_growth(double t, double h, Attempt& result) noexcept {
  looked_ = false;
  const bool watches = switches_ && !(system_->options().step.fixed_step > 0) && !system_->options().linear.krylov.use;
  if (watches && safe_h_ > 0 && h > much_longer * safe_h_ && result.error < believable) {
    const double change = change_of_linearisation(t, h);
    looked_ = !std::isnan(change);
    const bool was_cautious = cautious_;
    if (looked_) cautious_ = change > largest_change;
    if (cautious_ && !was_cautious && h > careful_growth * h_before_) {
      result.error = too_large;
      result.retry_factor = careful_growth * h_before_ / h;
    }
  }
  if (cautious_) result.largest_factor = std::min(result.largest_factor, careful_growth);
}

/// Stages solve (B/(hγ) − J) u = …: an error δJ of J moves the end of the step by about
///   e = (B/(hγ) − J)⁻¹ δJ (x₁ − x₀)
void RosenbrockStepper::check_jacobian(double t, double h) noexcept {
  const IntegrateOptions& options = system_->options();
  if (options.step.fixed_step > 0 || options.linear.krylov.use || ++since_look_ < attempts_between_looks) return;
  since_look_ = 0;
  sum_ = trial_ - x_;
  if (system_->jacobian_error(t, view(x_), view(zero_), view(std::as_const(sum_)), view(stage_)) != EvalStatus::ok)
    return;
  system_->solve(view(std::as_const(stage_)), view(sum_));
  const double e = norm_(view(std::as_const(sum_)), view(x_), view(trial_), h);
  ++system_->counters.jacobian_checks;
  if (e > felt_part) ++system_->counters.jacobian_errors_seen;
}

double RosenbrockStepper::change_of_linearisation(double t, double h) noexcept {
  const Eigen::Index n = x_.size();
  norm_.weights(view(x_), view(trial_), std::numeric_limits<double>::infinity(), view(weights_));
  const auto moved = [&](const Vector& x) -> const Vector& {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double phase = aperiodic(i + 1);
      stage_[i] = x[i] + (weights_[i] > 0 ? (phase < 0.5 ? -0.5 - phase : 0.5 + phase) / weights_[i] : 0);
    }
    return stage_;
  };
  const auto f = [&](double at, const Vector& x, Vector& out) {
    return system_->f(at, view(x), view(out)) == EvalStatus::ok;
  };
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  // out of the domain
  if (!f(t + h, moved(trial_), defect_) || !f(t + h, trial_, sum_)) return unknown;
  defect_ -= sum_;
  if (!f(t, moved(x_), sum_)) return unknown;
  defect_ -= sum_;
  defect_ += f_.col(0);
  sum_ = stage_ - x_;
  system_->solve(view(std::as_const(defect_)), view(stage_));
  return norm_.weighted(view(std::as_const(stage_)), view(weights_)) /
         norm_.weighted(view(std::as_const(sum_)), view(weights_));
}

void RosenbrockStepper::commit() noexcept {
  safe_h_ = looked_ || safe_h_ == 0 ? h_ : std::min(safe_h_, h_);
  start_.swap(x_);  // where the step began
  x_.swap(trial_);
  t_ += h_;
  h_before_ = h_;
  estimate_ = trial_estimate_;
  linearised_ = false;
}

void RosenbrockStepper::interpolate(double theta, Out x, Out w) const noexcept {
  double m[max_rosenbrock_stages], slopes[max_rosenbrock_stages];
  const bool at_end = theta == 1;  // the driver looks there after every step
  if (!at_end) {
    table_.dense_weights(theta, m);
    table_.dense_slopes(theta, slopes);
  }
  const double inverse_h = 1 / h_;
  for (int j = 0; j < table_.s; ++j) slopes[j] = inverse_h * (at_end ? end_slopes_[j] : slopes[j]);  // d/dt of (2)
  detail::combine(view(start_), table_.s, stages_.data(), at_end ? table_.u.m : m, x, slopes, w);
}

void RosenbrockStepper::rebase() noexcept {
  if (system_->base().empty()) return;
  system_->rebase(view(x_));
  linearised_ = false;
}

void RosenbrockStepper::renew() {
  since_look_ = 0;
  system_->renew(t_, view(x_));
  linearised_ = false;
  factored_c_ = 0;
}

void RosenbrockStepper::save(ArchiveWriter& out) const {
  out.put(view(x_));
  system_->save(out);
  for (const double value : {t_, h_before_, safe_h_, estimate_}) out.put(value);
  out.put(cautious_);
}

bool RosenbrockStepper::load(ArchiveReader& in) {
  in.get(view(x_));
  system_->load(in);
  for (double* value : {&t_, &h_before_, &safe_h_, &estimate_}) in.get(*value);
  in.get(cautious_);
  if (in.ok()) renew();
  return in.ok();
}

int RosenbrockStepper::worst_component() const noexcept {
  return has_trial_ ? norm_.worst(view(error_), view(x_), view(trial_), h_) : -1;
}

}  // namespace rubato
