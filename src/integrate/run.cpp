#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace rubato::detail {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int max_singular_in_a_row = 10;
constexpr int some_failures = 4, many_failures = 8;

/// Steps of size h that fill a length: N = ⌈length/h − 10⁻⁹⌉, at least 1.
long steps_to_fill(double length, double h) noexcept {
  constexpr double most = 1e18;  // fits a long; smaller steps vanish beside t anyway
  return std::max(1L, static_cast<long>(std::min(most, std::ceil(length / h - 1e-9))));
}

RunStatus run_status(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::ok: return RunStatus::step_too_small;
    case StepStatus::out_of_domain:
    case StepStatus::fatal: return RunStatus::model_refused;
    case StepStatus::newton_diverged: return RunStatus::newton_diverged;
    case StepStatus::singular_matrix: return RunStatus::singular_matrix;
    case StepStatus::krylov_failed: return RunStatus::krylov_failed;
    case StepStatus::not_finite: return RunStatus::not_finite;
    case StepStatus::out_of_memory: return RunStatus::out_of_memory;
  }
  return RunStatus::model_refused;
}

/// With the method's own limits where the run does not choose.
StepOptions limited(StepOptions step, const MethodInfo& method) {
  if (step.shrink_limit == 0) step.shrink_limit = method.shrink_limit;
  if (step.growth_limit == 0) step.growth_limit = method.growth_limit;
  return step;
}

}  // namespace

Run::Run(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
         const RunControl& control, std::unique_ptr<Stepper> stepper)
    : problem_(problem),
      dae_(*problem.dae),
      mechanics_(dynamic_cast<const FormulatedDae*>(problem.dae.get())),
      method_(method),
      options_(options),
      control_(control),
      stepper_(std::move(stepper)),
      controller_(limited(options.step, method.info)),
      norm_(dae_.layout(), options.tolerances, options.step),
      events_(problem),
      growth_(problem, options.tolerances),
      motion_(mechanics_),
      scratch_(dae_.scratch_bytes()),
      interval_(problem.t_end - problem.t_start),
      t_(problem.t_start),
      x_(problem.x),
      w_(problem.w.size() == 0 ? Vector(Vector::Zero(dae_.size())) : problem.w),
      base_(problem.base),
      u_(dae_.n_inputs()),
      u_before_(dae_.n_inputs()),
      rate_(dae_.n_inputs()),
      f_(dae_.size()),
      row_sums_(dae_.size()),
      ones_(Vector::Ones(dae_.size())),
      mode_(problem.mode) {
  stepping_ = stepper_.get();
  if (mechanics_ == nullptr || !RankWatch::applies(*mechanics_)) return;
  moving_ = dae_.layout().find("v");
  if (moving_ == nullptr) moving_ = dae_.layout().find("p");
  if (moving_ != nullptr) rank_watch_.emplace(*mechanics_);
}

Result<RunSummary> Run::execute() {
  const bool resumed = !control_.resume.empty();
  if (resumed) {
    if (auto result = resume(); !result) return result.error();
  } else {
    begin();
  }
  try {
    if (running_) tell_restart();
    while (running_) advance();
  } catch (const std::bad_alloc&) {  // of observers, searches for events, consistent states behind them
    running_ = true;
    end(RunStatus::out_of_memory, fmt::format("at t = {} there was no memory left", t_));
  }
  look();
  if (completed(status_)) (void)keeps_motion();
  return summary();
}

void Run::begin() {
  mode_ = dae_.starting_mode(here());
  solve_start();
  if (!restart_stepper() || !looked(events_.restart(t_, x(), base(), mode_))) return;
  motion_.begin(here(), norm_);
  begin_segment();
  if (!fixed()) h_ = options_.step.initial_step > 0 ? options_.step.initial_step : initial_step(problem_.w.size() > 0);
}

void Run::advance() {
  if (t_ >= problem_.t_end) return end(RunStatus::finished, fmt::format("reached t = {}", t_));
  if (stop_requested())
    return end(RunStatus::interrupted, fmt::format("interrupted at t = {} of {}", t_, problem_.t_end));
  write_checkpoint_if_due();
  if (count_.steps >= options_.step.max_steps)
    return end(RunStatus::too_many_steps,
               fmt::format("step.max_steps = {} attempts were used up at t = {} of {}; the smallest step was {:.3g}{}",
                           options_.step.max_steps, t_, problem_.t_end, smallest_step_,
                           10 * (count_.rejected + count_.failed) > count_.steps ? inexact_jacobian() : ""));
  const double left = t_stop_ - t_;
  if (left <= 16 * ulp(t_)) return arrive();  // a stop right behind an event
  if (!fixed() && h_ < min_step()) {          // accepted steps may shrink as well
    if (start_anew()) return;
    return end(RunStatus::step_too_small,
               fmt::format("at t = {} the step control asks for a step of {:.3g}; the smallest allowed is {:.3g}{}", t_,
                           h_, min_step(), inexact_jacobian()));
  }
  if (rank_look_due() && (stepped_over() || !running_)) return;
  const Plan plan = planned(left);
  ++count_.steps;
  const Attempt attempt = stepper_->attempt(t_, plan.h);
  if (attempt.status != StepStatus::ok) return failed(attempt.status, plan.h, attempt.retry_factor);
  if (!std::isfinite(attempt.error)) return failed(StepStatus::not_finite, plan.h, 0);
  if (!fixed() && attempt.error > 1) return rejected(attempt, plan.h);
  accepted(attempt, plan);
}

Run::Plan Run::planned(double left) const noexcept {
  // Not to see what holds from the right of a jump: see the head of run.hpp.
  const double to_stop = may_jump_at_stop_ ? left - 4 * ulp(t_stop_) : left;
  if (fixed()) {
    const bool last = step_of_segment_ + 1 >= steps_to_fill(t_stop_ - t_anchor_, options_.step.fixed_step);
    return last ? Plan{to_stop, true} : Plan{options_.step.fixed_step, false};
  }
  const double h = std::min(h_, options_.step.max_step);
  if (h * (1 + 1e-4) >= left) return {to_stop, true};
  return {2 * h > left ? left / 2 : h, false};
}

void Run::failed(StepStatus status, double h, double advice) {
  ++count_.failed;
  const bool diverged = status == StepStatus::newton_diverged;
  const int worst = status == StepStatus::not_finite || diverged ? stepper_->worst_component() : -1;
  dominating_ = worst;
  stepper_->discard();
  const bool stalls = status == StepStatus::singular_matrix || status == StepStatus::newton_diverged;
  const auto give_up = [&](const std::string& why) {
    end(run_status(status),
        fmt::format("at t = {} a step of {:.3g} failed: {}{}{}{}", t_, h, to_string(status),
                    name_of(diverged ? ", corrections largest in " : ", first in ", worst), why, culprit_behind(h)) +
            (status == StepStatus::singular_matrix ? inexact_factors() : "") + (stalls ? inexact_jacobian() : ""));
  };
  if (status == StepStatus::fatal || status == StepStatus::out_of_memory) return give_up("");
  if (fixed()) return give_up("; step.fixed_step allows no smaller one");
  singular_in_a_row_ = status == StepStatus::singular_matrix ? singular_in_a_row_ + 1 : 0;
  if (singular_in_a_row_ == 1 && exchange_rows()) return;
  if (singular_in_a_row_ > max_singular_in_a_row)
    return give_up(fmt::format(", as {} larger ones did", max_singular_in_a_row));
  h_ = controller_.failed(h, advice);
  if (!goes_on()) give_up(fmt::format("; the smallest allowed is {:.3g}", min_step()));
}

void Run::rejected(const Attempt& attempt, double h) {
  ++count_.rejected;
  const int worst = dominating_ = stepper_->worst_component();
  stepper_->discard();
  h_ = controller_.rejected(h, attempt.error, attempt.error_order, attempt.caution, attempt.retry_factor);
  if (!goes_on())
    end(RunStatus::step_too_small,
        fmt::format("at t = {} a step of {:.3g} has an error {:.3g} times the tolerance{}; the next would fall below "
                    "the smallest allowed, {:.3g}{}{}",
                    t_, h, attempt.error, name_of(", dominated by ", worst), min_step(), culprit_behind(h),
                    inexact_jacobian()));
}

bool Run::goes_on() {
  if (h_ < min_step()) return start_anew();
  if (++failures_here_ == many_failures) (void)start_anew();
  if (rank_watch_ &&
      failures_here_ == some_failures) {  // a singular position ahead may be why: it is looked for at any distance
    look_step_ = -1;
    steep_ = -1;
    sigma_mark_ = infinity;
  }
  return true;
}

bool Run::start_anew() {
  if (t_ - t_anew_ > 1e-6 * interval_) starts_anew_ = 0;
  if (dae_.layout().index() != 1 || mechanics_ != nullptr || starts_anew_ == 2) return false;
  t_anew_ = t_;
  ++starts_anew_;
  look();
  if (!solve_algebraic()) return false;
  if (restarts_++ == 0) first_restart_ = t_;
  if (looked(events_.restart(t_, x(), base(), mode_)) && restart_stepper()) {
    h_ = initial_step(false);
    tell_restart();
  }
  return true;
}

void Run::accepted(const Attempt& attempt, const Plan& plan) {
  stepping_->commit();
  if (rank_watch_ && stepping_ == stepper_.get() && crossed(plan.h)) return;
  fresh_ = false;
  ++count_.accepted;
  singular_in_a_row_ = failures_here_ = 0;
  last_step_ = plan.h;
  wide_step_ = std::max(plan.h, 0.9 * wide_step_);
  smallest_step_ = count_.accepted == 1 ? plan.h : std::min(smallest_step_, plan.h);
  largest_step_ = std::max(largest_step_, plan.h);
  if (!fixed()) {
    double next = controller_.accepted(plan.h, attempt.error, attempt.error_order, attempt.caution);
    if (attempt.next_factor > 0) next = attempt.next_factor * plan.h;
    next = std::min(next, attempt.largest_factor * plan.h);
    if (attempt.keeps_factor && next >= plan.h && next <= 1.2 * plan.h) next = plan.h;  // a factorisation saved
    h_ = plan.h < h_ ? std::max(next, h_) : next;  // what cut this step short is no reason to go on with small ones
    h_ = std::min(h_, options_.step.max_step);
  }
  ++step_of_segment_;
  if (const int far = growth_.beyond(stepping_->x()); far >= 0) {
    t_ += plan.h;
    looked_ = false;
    return end(RunStatus::unbounded,
               fmt::format("at t = {} the solution has grown beyond every scale of the model{}: {:.3g}; the method is "
                           "unstable with steps of this size",
                           t_, name_of(", first in ", far), stepping_->x()[static_cast<std::size_t>(far)]));
  }

  const double t_begin = t_;
  const auto outcome = events_.search(*stepping_, t_begin, plan.h, event_tolerance());
  count_.root_calls = events_.calls();
  if (outcome != EventFinder::Outcome::found && !looked(outcome)) return;
  const bool found = outcome == EventFinder::Outcome::found;
  bool reaches_stop = plan.reaches_stop;
  if (found) reaches_stop = reaches_stop && t_stop_ - events_.t() <= event_tolerance();
  t_ = reaches_stop ? t_stop_
       : found      ? events_.t()
       : fixed()    ? t_anchor_ + static_cast<double>(step_of_segment_) * options_.step.fixed_step
                    : t_begin + plan.h;
  looked_ = false;
  const bool event = found || (reaches_stop && stop_ != Stop::end);
  if (event || !control_.observers.empty() || base_.size() > 0) {
    look(found ? events_.theta() : 1.0);
    inputs(found ? events_.t() : t_begin + plan.h, u_);
  }
  tell_step(t_begin, plan.h, attempt.error, event);
  if (!event && MotionWatch::due(count_.accepted) && !keeps_motion()) return;
  if (event)
    arrive(found);
  else if (stepping_ != stepper_.get())
    continue_beyond();
  else if (!((rows_due() || left_out_off()) && exchange_rows()))
    stepper_->rebase();
}

bool Run::keeps_motion() {
  if (!motion_.watches()) return true;
  const std::string lost = motion_.look(here(), norm_);
  if (lost.empty()) return true;
  running_ = true;  // also where the end was reached: such an answer is none
  end(RunStatus::unbounded, fmt::format("at t = {} {}; the method is unstable with steps of this size", t_, lost));
  return false;
}

double Run::min_step() const noexcept {
  return std::max(options_.step.min_step, 16 * epsilon * std::max(std::abs(t_), 1e-10 * interval_));
}

double Run::event_tolerance() const noexcept {
  const double wanted = options_.event_tolerance > 0 ? options_.event_tolerance : 1e-12 * interval_;
  return std::max(wanted, 4 * ulp(t_));
}

double Run::initial_step(bool w_is_known) {
  double h = 1e-4 * interval_;
  if (!w_is_known) {
    if (dae_.f(here(), view(f_)) != EvalStatus::ok ||
        dae_.mass_times(here(), view(std::as_const(ones_)), view(row_sums_)) != EvalStatus::ok)
      return h;
    for (Eigen::Index i = 0; i < f_.size(); ++i) f_[i] = row_sums_[i] == 0 ? 0 : f_[i] / row_sums_[i];
  } else {
    f_ = w_;
  }
  for (int i = 0; i < dae_.size(); ++i) {
    const bool differential = dae_.layout().kind(i) == Kind::differential;
    f_[i] = differential ? f_[i] : 0;
    row_sums_[i] = differential ? x_[i] : 0;
  }
  const double size = norm_(view(std::as_const(row_sums_)), x(), x(), infinity);
  const double speed = norm_(view(std::as_const(f_)), x(), x(), infinity);
  if (std::isfinite(speed) && speed > 0) h = std::min(h, 1e-2 * std::max(1.0, size) / speed);
  return std::min(std::max(h, min_step()), options_.step.max_step);
}

bool Run::restart_stepper() {
  controller_.restart();
  steep_ = -1;
  look_step_ = -1;
  stepping_ = stepper_.get();
  fresh_ = true;
  const StepStatus status = stepper_->restart(t_, x(), view(std::as_const(w_)), base(), mode_);
  if (status != StepStatus::ok)
    end(run_status(status), fmt::format("at t = {} the method could not start: {}", t_, to_string(status)));
  if (mechanics_ != nullptr && !mechanics_->left_out(base()).empty()) stepper_->renew();  // other rows, another J
  return running_;
}

bool Run::looked(EventFinder::Outcome outcome) {
  count_.root_calls = events_.calls();
  if (outcome == EventFinder::Outcome::not_finite)
    end(RunStatus::not_finite,
        fmt::format("at t = {} root function '{}' is not a number", events_.t(), events_.root(events_.culprit()).name));
  if (outcome == EventFinder::Outcome::model_refused)
    end(RunStatus::model_refused, fmt::format("at t = {} the model's root functions failed", events_.t()));
  return running_;
}

void Run::inputs(double t, Vector& u) noexcept {
  if (problem_.input) problem_.input->at(t, view(u), view(rate_));
}

void Run::look(double theta) noexcept {
  if (looked_) return;
  looked_ = true;
  stepping_->interpolate(theta, view(x_), view(w_));
  if (theta == 1) std::ranges::copy(stepping_->x(), x_.begin());
  std::ranges::copy(stepping_->base(), base_.begin());
}

At Run::here() noexcept {
  look();
  inputs(t_, u_);
  return {
      .t = t_, .x = x(), .u = view(std::as_const(u_)), .base = base(), .mode = mode_, .scratch = scratch_.scratch()};
}

void Run::tell_restart() {
  for (Observer* observer : control_.observers) observer->on_restart(t_, x(), view(std::as_const(w_)), base(), mode_);
}

void Run::tell_step(double t_begin, double h, double error, bool event) {
  if (control_.observers.empty()) return;
  const Statistics statistics = all_counters();
  StepView step;
  step.t_begin = t_begin;
  step.t_end = t_;
  step.h = h;
  step.error = error;
  step.x = x();
  step.base = base();
  step.mode = mode_;
  step.u = view(std::as_const(u_));
  step.event = event;
  step.statistics = &statistics;
  step.stepper = stepping_;
  step.step_begin = t_begin;
  for (Observer* observer : control_.observers) observer->on_step(step);
}

void Run::end(RunStatus status, std::string reason) {
  if (!running_) return;
  running_ = false;
  status_ = status;
  reason_ = std::move(reason);
}

}  // namespace rubato::detail
