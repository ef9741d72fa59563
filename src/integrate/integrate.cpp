/// The driver: one loop for every method.
///
/// Times the run must hit exactly (t_end, breaks of the input, time events) divide it into segments; root events cut a
/// segment short. Within a segment: attempt, accept or reject, look for events, tell the observers. At its end: `on_event`,
/// a consistent state, a restart of the method.
///
/// At a break the input and the model hold their values from the right. A step that ends there must not see them: it ends
/// a few ulp before, and the run continues at the break itself.
#include "rubato/integrate/integrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "event_finder.hpp"
#include "krylov_check.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/step_controller.hpp"
#include "rubato/problem/consistent.hpp"

namespace rubato {

std::string_view to_string(RunStatus status) noexcept {
  switch (status) {
    case RunStatus::finished: return "finished";
    case RunStatus::event: return "ended by an event";
    case RunStatus::interrupted: return "interrupted";
    case RunStatus::step_too_small: return "step too small";
    case RunStatus::too_many_steps: return "too many steps";
    case RunStatus::singular_matrix: return "singular matrix";
    case RunStatus::krylov_failed: return "Krylov iteration failed";
    case RunStatus::not_finite: return "non-finite values";
    case RunStatus::newton_diverged: return "Newton iteration diverged";
    case RunStatus::model_refused: return "model refused";
    case RunStatus::out_of_memory: return "out of memory";
    case RunStatus::inconsistent: return "no consistent state";
  }
  return "?";
}

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int max_singular_in_a_row = 10;
constexpr int max_events_in_a_row = 100;
constexpr int many_failures = 8;
constexpr std::array<char, 8> checkpoint_mark{'r', 'u', 'b', 'a', 't', 'o', ' ', '3'};

/// nextafter(|t|, ∞) − |t| of a finite t.
double ulp(double t) noexcept {
  const double size = std::abs(t);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) + 1) - size;
}

/// Steps of size h that fill a length: N = ⌈length/h − 10⁻⁹⌉, at least 1.
long steps_to_fill(double length, double h) noexcept {
  constexpr double most = 1e18;  // fits a long; smaller steps vanish beside t anyway
  return std::max(1L, static_cast<long>(std::min(most, std::ceil(length / h - 1e-9))));
}

RunStatus run_status(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::ok: return RunStatus::step_too_small;
    case StepStatus::out_of_domain: return RunStatus::model_refused;
    case StepStatus::fatal: return RunStatus::model_refused;
    case StepStatus::newton_diverged: return RunStatus::newton_diverged;
    case StepStatus::singular_matrix: return RunStatus::singular_matrix;
    case StepStatus::krylov_failed: return RunStatus::krylov_failed;
    case StepStatus::not_finite: return RunStatus::not_finite;
    case StepStatus::out_of_memory: return RunStatus::out_of_memory;
  }
  return RunStatus::model_refused;
}

/// Counters alone: seconds differ from run to run and stay out of checkpoints.
constexpr std::array counters{&Statistics::steps,
                              &Statistics::accepted,
                              &Statistics::rejected,
                              &Statistics::failed,
                              &Statistics::f_calls,
                              &Statistics::f_calls_jacobian,
                              &Statistics::jacobians,
                              &Statistics::factorisations,
                              &Statistics::full_factorisations,
                              &Statistics::solves,
                              &Statistics::newton_iterations,
                              &Statistics::krylov_products,
                              &Statistics::events,
                              &Statistics::root_calls,
                              &Statistics::library_allocations,
                              &Statistics::pattern_extensions};

/// With the method's own limits where the run does not choose.
StepOptions limited(StepOptions step, const MethodInfo& method) {
  if (step.shrink_limit == 0) step.shrink_limit = method.shrink_limit;
  if (step.growth_limit == 0) step.growth_limit = method.growth_limit;
  return step;
}

class Run {
 public:
  Run(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
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
        mode_(problem.mode) {}

  [[nodiscard]] Result<RunSummary> execute() {
    const bool resumed = !control_.resume.empty();
    if (resumed) {
      if (auto result = resume(); !result) return result.error();
    } else {
      begin();
    }
    if (running_) tell_restart();
    while (running_) advance();
    look();
    return summary();
  }

 private:
  void begin() {
    mode_ = dae_.starting_mode(here());
    if (!restart_stepper() || !looked(events_.restart(t_, x(), base(), mode_))) return;
    begin_segment();
    if (!fixed())
      h_ = options_.step.initial_step > 0 ? options_.step.initial_step : initial_step(problem_.w.size() > 0);
  }

  // --- one pass of the loop -----------------------------------------------------------------------------------------

  void advance() {
    if (t_ >= problem_.t_end) return end(RunStatus::finished, fmt::format("reached t = {}", t_));
    if (control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed))
      return end(RunStatus::interrupted, fmt::format("interrupted at t = {} of {}", t_, problem_.t_end));
    write_checkpoint_if_due();
    if (count_.steps >= options_.step.max_steps)
      return end(RunStatus::too_many_steps,
                 fmt::format("step.max_steps = {} attempts were used up at t = {} of {}; the smallest step was {:.3g}",
                             options_.step.max_steps, t_, problem_.t_end, smallest_step_));
    const double left = t_stop_ - t_;
    if (left <= 16 * ulp(t_)) return arrive();  // a stop right behind an event
    if (!fixed() && h_ < min_step()) {          // accepted steps may shrink as well
      if (start_anew()) return;
      return end(RunStatus::step_too_small,
                 fmt::format("at t = {} the step control asks for a step of {:.3g}; the smallest allowed is {:.3g}", t_,
                             h_, min_step()));
    }
    const Plan plan = planned(left);
    ++count_.steps;
    const Attempt attempt = stepper_->attempt(t_, plan.h);
    if (attempt.status != StepStatus::ok) return failed(attempt.status, plan.h, attempt.retry_factor);
    if (!std::isfinite(attempt.error)) return failed(StepStatus::not_finite, plan.h, 0);
    if (!fixed() && attempt.error > 1) return rejected(attempt, plan.h);
    accepted(attempt, plan);
  }

  struct Plan {
    double h = 0;
    bool reaches_stop = false;
  };

  /// The last step before a stop is stretched by 10⁻⁴ at most; before that two equal ones replace a full and a tiny one.
  [[nodiscard]] Plan planned(double left) const noexcept {
    // Not to see what holds from the right of a jump: see the head of this file.
    const double to_stop = may_jump_at_stop_ ? left - 4 * ulp(t_stop_) : left;
    if (fixed()) {
      const bool last = step_of_segment_ + 1 >= steps_to_fill(t_stop_ - t_anchor_, options_.step.fixed_step);
      return last ? Plan{to_stop, true} : Plan{options_.step.fixed_step, false};
    }
    const double h = std::min(h_, options_.step.max_step);
    if (h * (1 + 1e-4) >= left) return {to_stop, true};
    return {2 * h > left ? left / 2 : h, false};
  }

  void failed(StepStatus status, double h, double advice) {
    ++count_.failed;
    const int worst = status == StepStatus::not_finite ? stepper_->worst_component() : -1;
    stepper_->discard();
    const auto give_up = [&](const std::string& why) {
      end(run_status(status), fmt::format("at t = {} a step of {:.3g} failed: {}{}{}{}", t_, h, to_string(status),
                                          name_of(", first in ", worst), why, culprit_behind(h)) +
                                  (status == StepStatus::singular_matrix ? inexact_factors() : ""));
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

  /// Approximate factors find matrices singular that are not.
  [[nodiscard]] std::string inexact_factors() const {
    const KrylovOptions& krylov = options_.linear.krylov;
    if (!krylov.use || krylov.matrix.factors == KrylovFactors::exact) return {};
    return "; incomplete factors and multigrid need rows with a diagonal, which saddle points do not have: set "
           "krylov.factors = \"exact\"";
  }

  /// Of a mechanical system, what is not finite a step or a thousandth of the run later.
  [[nodiscard]] std::string culprit_behind(double h) {
    if (mechanics_ == nullptr) return {};
    MechanicalState state;
    for (const double ahead : {h, 1e-3 * interval_}) {
      At at = here();
      at.t = t_ + ahead;
      if (mechanics_->unpack(at, {}, state) != EvalStatus::ok) continue;
      ScratchMemory memory(mechanics_->system().scratch_bytes());
      const std::string culprit = not_finite_part(mechanics_->system(), {.t = state.t,
                                                                         .q = view(std::as_const(state.q)),
                                                                         .v = view(std::as_const(state.v)),
                                                                         .z = view(std::as_const(state.z)),
                                                                         .lambda = view(std::as_const(state.lambda)),
                                                                         .nu = view(std::as_const(state.nu)),
                                                                         .u = at.u,
                                                                         .base = view(std::as_const(state.base)),
                                                                         .mode = mode_,
                                                                         .scratch = memory.scratch()});
      if (!culprit.empty()) return "; at t = " + shortest(at.t) + " " + culprit;
    }
    return {};
  }

  void rejected(const Attempt& attempt, double h) {
    ++count_.rejected;
    const int worst = stepper_->worst_component();
    stepper_->discard();
    h_ = controller_.rejected(h, attempt.error, attempt.error_order, attempt.caution, attempt.retry_factor);
    if (!goes_on())
      end(RunStatus::step_too_small,
          fmt::format("at t = {} a step of {:.3g} has an error {:.3g} times the tolerance{}; the next would fall below "
                      "the smallest allowed, {:.3g}",
                      t_, h, attempt.error, name_of(", dominated by ", worst), min_step()));
  }

  /// With a smaller step, or from a better start.
  [[nodiscard]] bool goes_on() {
    if (h_ < min_step()) return start_anew();
    if (++failures_here_ == many_failures) (void)start_anew();
    return true;
  }

  /// Index 1: where smaller steps do not help, algebraic unknowns may be off their equations by more than a step repairs: they are solved for and the
  /// method begins again with a first step, at most twice within a millionth of the run.
  [[nodiscard]] bool start_anew() {
    if (t_ - t_anew_ > 1e-6 * interval_) starts_anew_ = 0;
    if (dae_.layout().index() != 1 || mechanics_ != nullptr || starts_anew_ == 2) return false;
    t_anew_ = t_;
    ++starts_anew_;
    look();
    if (!solve_algebraic()) return false;
    if (looked(events_.restart(t_, x(), base(), mode_)) && restart_stepper()) {
      h_ = initial_step(false);
      tell_restart();
    }
    return true;
  }

  void accepted(const Attempt& attempt, const Plan& plan) {
    stepper_->commit();
    ++count_.accepted;
    singular_in_a_row_ = failures_here_ = 0;
    last_step_ = plan.h;
    smallest_step_ = count_.accepted == 1 ? plan.h : std::min(smallest_step_, plan.h);
    largest_step_ = std::max(largest_step_, plan.h);
    if (!fixed()) {
      double next = attempt.next_factor > 0
                        ? attempt.next_factor * plan.h
                        : controller_.accepted(plan.h, attempt.error, attempt.error_order, attempt.caution);
      next = std::min(next, attempt.largest_factor * plan.h);
      if (attempt.keeps_factor && next >= plan.h && next <= 1.2 * plan.h) next = plan.h;  // a factorisation saved
      h_ = plan.h < h_ ? std::max(next, h_) : next;  // what cut this step short is no reason to go on with small ones
      h_ = std::min(h_, options_.step.max_step);
    }
    ++step_of_segment_;

    const double t_begin = t_;
    const auto outcome = events_.search(*stepper_, t_begin, plan.h, event_tolerance());
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
    if (event)
      arrive(found);
    else if (!(rows_due() && exchange_rows()))
      stepper_->rebase();
  }

  // --- constraint rows left out -------------------------------------------------------------------------------------

  /// A look at the rows costs like their number cubed, many times a step: it is taken in few steps, the fewer the more they are.
  [[nodiscard]] bool rows_due() const noexcept {
    if (mechanics_ == nullptr) return false;
    const auto n = static_cast<long>(mechanics_->left_out(base()).size());
    return n > 0 && count_.accepted % (16 + n * n / 1024) == 0;
  }

  /// Where dependent rows left out have become a poor choice, others are, and the method starts again from here.
  [[nodiscard]] bool exchange_rows() {
    if (mechanics_ == nullptr || !left_out_wear_out(*mechanics_, here())) return false;
    const Vector x_before = x_, w_before = w_, base_before = base_;
    if (!make_consistent_here({})) return false;
    if (std::ranges::equal(mechanics_->left_out(base()), mechanics_->left_out(view(base_before)))) {
      x_ = x_before;
      w_ = w_before;
      base_ = base_before;
      return false;
    }
    if (exchanges_++ == 0) first_exchange_ = t_;
    if (looked(events_.restart(t_, x(), base(), mode_)) && restart_stepper()) tell_restart();
    return true;
  }

  // --- stops and events ---------------------------------------------------------------------------------------------

  enum class Stop : std::uint8_t { end, input_break, time_event };

  /// Between two stops: where the next one is, and where a grid of fixed steps begins.
  void begin_segment() {
    t_anchor_ = t_;
    step_of_segment_ = 0;
    find_stop();
  }

  void find_stop() {
    const double next_break = problem_.input ? problem_.input->next_break(t_) : infinity;
    const double next_event = dae_.next_time_event(t_, mode_);
    if (!(next_break > t_) || !(next_event > t_))
      return end(RunStatus::model_refused,
                 fmt::format("at t = {} {} returned {}, which is not later", t_,
                             next_break > t_ ? "the model's next_time_event" : "the input's next_break",
                             next_break > t_ ? next_event : next_break));
    stop_ = next_event <= problem_.t_end ? Stop::time_event : Stop::end;
    t_stop_ = std::min(next_event, problem_.t_end);
    if (next_break < t_stop_) {
      stop_ = Stop::input_break;
      t_stop_ = next_break;
    }
    may_jump_at_stop_ = std::min(next_break, next_event) <= t_stop_;
  }

  /// At a stop or a root, x_, w_, base_ and mode_ holding what the last step left.
  void arrive(bool found = false) {
    const bool at_stop = t_ == t_stop_ || !found;
    if (!found) t_ = t_stop_;
    if (t_stop_ == problem_.t_end && stop_ == Stop::end && !found) return;  // t_end missed by a few ulp only
    const bool time_event = at_stop && stop_ == Stop::time_event;
    inputs(t_, u_);
    if (found || time_event)
      meet_event(found);
    else
      meet_break();
    if (running_) begin_segment();
  }

  void meet_event(bool found) {
    const std::span<const int> fired = found ? events_.fired() : std::span<const int>{};
    ++count_.events;
    if (t_ - t_last_event_ > 10 * event_tolerance()) events_in_a_row_ = 0;
    t_last_event_ = t_;
    if (++events_in_a_row_ > max_events_in_a_row)
      return end(RunStatus::step_too_small,
                 fmt::format("events accumulate at t = {}: {} of them within {:.3g} s of each other ({})", t_,
                             max_events_in_a_row, 10 * event_tolerance(), event_names(fired)));

    const EventContext context{.t = t_, .roots = fired, .mode = mode_, .base = base(), .u = view(std::as_const(u_))};
    const EventEffect effect = dae_.on_event(context, view(x_));
    const bool jumps = effect.state_changed || effect.mode != mode_;
    const EventRecord record{t_, {fired.begin(), fired.end()}, mode_, effect.mode};
    mode_ = effect.mode;

    // Needed where algebraic unknowns may have jumped. Welcome elsewhere: the interpolant is as accurate as a step, but off
    // the constraints, and a new mode has another x'.
    const bool needed = effect.state_changed || (dae_.layout().has_algebraic() && input_jumps());
    if (needed || jumps || (found && dae_.layout().has_algebraic())) {
      const Vector x_event = x_;
      auto result = make_consistent_here({});
      if (!result && needed)
        return end(RunStatus::inconsistent, fmt::format("at t = {} no consistent state was found after {}: {}", t_,
                                                        event_names(fired), result.error().message));
      if (result && found && !looked(events_.widen_bands(t_, view(x_event), x(), base(), mode_))) return;
    }
    if (!looked(events_.restart(t_, x(), base(), mode_))) return;
    for (Observer* observer : control_.observers) observer->on_event(record);
    if (!restart_stepper()) return;
    if (jumps && !fixed()) h_ = std::min(h_, initial_step(effect.state_changed));
    tell_restart();
    if (effect.terminate || (found && events_.terminal()))
      end(RunStatus::event, fmt::format("ended at t = {} by {}", t_, event_names(fired)));
  }

  /// The input or its derivative jumps: differential unknowns go on, algebraic ones follow a jump of u.
  void meet_break() {
    const bool jumps = input_jumps();
    if (jumps && dae_.layout().has_algebraic()) {
      if (auto result = solve_algebraic(); !result)
        return end(RunStatus::inconsistent,
                   fmt::format("at t = {} no consistent state was found after a jump of the input: {}", t_,
                               result.error().message));
    }
    if (!looked(events_.restart(t_, x(), base(), mode_)) || !restart_stepper()) return;
    if (jumps && !fixed()) h_ = std::min(h_, initial_step(false));
    tell_restart();
  }

  /// u itself (not only its derivative) differs on the two sides of t_; u_ holds the right one.
  [[nodiscard]] bool input_jumps() noexcept {
    if (u_.size() == 0) return false;
    inputs(t_ - 4 * ulp(t_), u_before_);
    return (u_ - u_before_).cwiseAbs().maxCoeff() > 1e-9 * (1 + u_.cwiseAbs().maxCoeff());
  }

  /// Algebraic unknowns, and for mechanical systems positions and velocities, at (t_, x_, base_, mode_); unchanged where
  /// there is no consistent state.
  [[nodiscard]] Result<void> make_consistent_here(const ConsistentOptions& options) {
    InitialValueProblem problem = problem_;
    problem.t_start = t_;
    problem.x = x_;
    problem.w = w_;
    problem.base = base_;
    problem.mode = mode_;
    if (auto result = make_consistent(problem, options); !result) return result;
    x_ = problem.x;
    w_ = problem.w;
    base_ = problem.base;
    return {};
  }

  /// What is differential stays.
  [[nodiscard]] Result<void> solve_algebraic() {
    return make_consistent_here({.project_positions = false, .project_velocities = false});
  }

  [[nodiscard]] std::string event_names(std::span<const int> fired) const {
    std::vector<std::string> names;
    for (const int i : fired) names.push_back("'" + events_.root(i).name + "'");
    return names.empty() ? "a time event" : "event " + joined(names);
  }

  // --- step sizes ---------------------------------------------------------------------------------------------------

  [[nodiscard]] bool fixed() const noexcept { return options_.step.fixed_step > 0; }

  [[nodiscard]] double min_step() const noexcept {
    return std::max(options_.step.min_step, 16 * epsilon * std::max(std::abs(t_), 1e-10 * interval_));
  }

  [[nodiscard]] double event_tolerance() const noexcept {
    const double wanted = options_.event_tolerance > 0 ? options_.event_tolerance : 1e-12 * interval_;
    return std::max(wanted, 4 * ulp(t_));
  }

  /// The first step after a (re)start:
  ///   h = min(10⁻⁴ (t_end − t_start), 10⁻² max(1, ‖x‖)/‖x'‖)
  /// with the error norm over the differential unknowns, not h-scaled: the state changes by a hundredth of its size or of
  /// its tolerance at most. x' is taken from w where known, else B is lumped: x'_i ≈ f_i / Σ_j B_ij.
  [[nodiscard]] double initial_step(bool w_is_known) {
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

  // --- the method ---------------------------------------------------------------------------------------------------

  [[nodiscard]] bool restart_stepper() {
    controller_.restart();
    const StepStatus status = stepper_->restart(t_, x(), view(std::as_const(w_)), base(), mode_);
    if (status != StepStatus::ok)
      end(run_status(status), fmt::format("at t = {} the method could not start: {}", t_, to_string(status)));
    if (mechanics_ != nullptr && !mechanics_->left_out(base()).empty()) stepper_->renew();  // other rows, another J
    return running_;
  }

  /// False, and the run over, when root functions could not be evaluated.
  [[nodiscard]] bool looked(EventFinder::Outcome outcome) {
    count_.root_calls = events_.calls();
    if (outcome == EventFinder::Outcome::not_finite)
      end(RunStatus::not_finite, fmt::format("at t = {} root function '{}' is not a number", events_.t(),
                                             events_.root(events_.culprit()).name));
    if (outcome == EventFinder::Outcome::model_refused)
      end(RunStatus::model_refused, fmt::format("at t = {} the model's root functions failed", events_.t()));
    return running_;
  }

  [[nodiscard]] std::string name_of(std::string_view words, int component) const {
    return component < 0 ? std::string{} : fmt::format("{}{}", words, dae_.layout().component_name(component));
  }

  void inputs(double t, Vector& u) noexcept {
    if (problem_.input) problem_.input->at(t, view(u), view(rate_));
  }

  /// What the last step left, into x_, w_ and base_. Of most steps of a run without observers nobody asks for it.
  void look(double theta = 1) noexcept {
    if (looked_) return;
    looked_ = true;
    stepper_->interpolate(theta, view(x_), view(w_));
    if (theta == 1) std::ranges::copy(stepper_->x(), x_.begin());
    std::ranges::copy(stepper_->base(), base_.begin());
  }

  [[nodiscard]] At here() noexcept {
    look();
    inputs(t_, u_);
    return {
        .t = t_, .x = x(), .u = view(std::as_const(u_)), .base = base(), .mode = mode_, .scratch = scratch_.scratch()};
  }
  [[nodiscard]] In x() const noexcept { return view(x_); }
  [[nodiscard]] In base() const noexcept { return view(base_); }

  // --- observers, checkpoints, the end ------------------------------------------------------------------------------

  void tell_restart() {
    for (Observer* observer : control_.observers) observer->on_restart(t_, x(), view(std::as_const(w_)), base(), mode_);
  }

  void tell_step(double t_begin, double h, double error, bool event) {
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
    step.stepper = stepper_.get();
    step.step_begin = t_begin;
    for (Observer* observer : control_.observers) observer->on_step(step);
  }

  /// The method's counters, those of an earlier part of a resumed run, and ours.
  [[nodiscard]] Statistics all_counters() const noexcept {
    Statistics all = stepper_->statistics();
    for (const auto counter : counters) all.*counter += earlier_.*counter;
    for (const auto counter : {&Statistics::steps, &Statistics::accepted, &Statistics::rejected, &Statistics::failed,
                               &Statistics::events, &Statistics::root_calls})
      all.*counter = count_.*counter;
    all.seconds.total = watch_.seconds();
    return all;
  }

  /// A barrier in every run, whether somebody keeps the bytes or not: J and factors are renewed.
  void write_checkpoint_if_due() {
    const long every = options_.checkpoint_every;
    if (every == 0 || count_.accepted % every != 0 || count_.accepted == last_checkpoint_) return;
    last_checkpoint_ = count_.accepted;
    stepper_->renew();
    if (control_.observers.empty()) return;
    ArchiveWriter out;
    out.put(checkpoint_mark);
    out.put(std::span<const char>(method_.info.name));
    for (const Vector* v : {&x_, &w_, &base_}) out.put(view(*v));
    const Statistics all = all_counters();
    for (const auto counter : counters) out.put(all.*counter);
    for (const double value : {t_, h_, t_anchor_, last_step_, smallest_step_, largest_step_, t_last_event_, t_anew_})
      out.put(value);
    out.put(mode_);
    out.put(step_of_segment_);
    out.put(events_in_a_row_);
    out.put(starts_anew_);
    out.put(exchanges_);
    out.put(first_exchange_);
    controller_.save(out);
    events_.save(out);
    stepper_->save(out);
    for (Observer* observer : control_.observers) observer->on_checkpoint(t_, out.bytes());
  }

  [[nodiscard]] Result<void> resume() {
    const Error foreign{
        fmt::format("the checkpoint does not belong to this problem and method '{}' with {} unknowns, or "
                    "was written by another version",
                    method_.info.name, dae_.size())};
    ArchiveReader in(control_.resume);
    std::array<char, 8> mark{};
    in.get(mark);
    std::string name = method_.info.name;
    in.get(std::span<char>(name));
    if (!in.ok() || mark != checkpoint_mark || name != method_.info.name) return foreign;
    for (Vector* v : {&x_, &w_, &base_}) in.get(view(*v));
    for (const auto counter : counters) in.get(count_.*counter);
    for (double* value : {&t_, &h_, &t_anchor_, &last_step_, &smallest_step_, &largest_step_, &t_last_event_, &t_anew_})
      in.get(*value);
    in.get(mode_);
    in.get(step_of_segment_);
    in.get(events_in_a_row_);
    in.get(starts_anew_);
    in.get(exchanges_);
    in.get(first_exchange_);
    if (!in.ok() || !(t_ >= problem_.t_start)) return foreign;
    const bool restarted = restart_stepper();  // sizes its memory; the state then comes from the checkpoint
    if (!controller_.load(in) || !events_.load(in) || (restarted && !stepper_->load(in)) || (restarted && !in.at_end()))
      return foreign;
    earlier_ = count_;
    const Statistics of_restart = stepper_->statistics();
    for (const auto counter : counters) earlier_.*counter -= of_restart.*counter;
    events_.set_calls(count_.root_calls);
    last_checkpoint_ = count_.accepted;
    if (running_) find_stop();
    return {};
  }

  void end(RunStatus status, std::string reason) {
    if (!running_) return;
    running_ = false;
    status_ = status;
    reason_ = std::move(reason);
  }

  [[nodiscard]] RunSummary summary() const {
    RunSummary s;
    s.status = status_;
    s.statistics = all_counters();
    s.reason = reason_ + fmt::format(" after {} accepted steps", count_.accepted);
    if (!completed(status_) && count_.accepted > 0)
      s.reason += fmt::format(" of {:.3g} to {:.3g}", smallest_step_, largest_step_);
    s.t = t_;
    s.x = x_;
    s.w = w_;
    s.base = base_;
    s.mode = mode_;
    s.last_step = last_step_;
    s.smallest_step = smallest_step_;
    s.largest_step = largest_step_;
    if (exchanges_ > 0)
      s.notes.push_back(fmt::format(
          "dependent constraints left out were exchanged for others {} time{}, first at t = {:.6g}: those kept "
          "came close to depending on each other",
          exchanges_, exchanges_ == 1 ? "" : "s", first_exchange_));
    s.stiff = stepper_->stiff_components();
    return s;
  }

  const InitialValueProblem& problem_;
  const Dae& dae_;
  const FormulatedDae* mechanics_;  ///< the same, if it has constraint rows
  const Method& method_;
  const IntegrateOptions& options_;
  const RunControl& control_;
  std::unique_ptr<Stepper> stepper_;
  StepController controller_;
  ErrorNorm norm_;
  EventFinder events_;
  ScratchMemory scratch_;
  double interval_;

  // The state after the last accepted piece; relative to base_, which may be one rebase older than the stepper's. x_, w_ and
  // base_ are those of that state only where `looked_` says so.
  double t_;
  Vector x_, w_, base_;
  Vector u_, u_before_, rate_, f_, row_sums_, ones_;
  int mode_;
  bool looked_ = true;

  double h_ = 0;  ///< what the controller wishes; a step may be cut shorter
  double t_anchor_ = 0, t_stop_ = 0;
  long step_of_segment_ = 0;
  Stop stop_ = Stop::end;
  bool may_jump_at_stop_ = false;
  double last_step_ = 0, smallest_step_ = 0, largest_step_ = 0;
  double t_last_event_ = -infinity, t_anew_ = -infinity;
  int events_in_a_row_ = 0, singular_in_a_row_ = 0, failures_here_ = 0, starts_anew_ = 0;
  long exchanges_ = 0;
  double first_exchange_ = 0;

  Statistics count_, earlier_;
  Stopwatch watch_;
  long last_checkpoint_ = 0;
  bool running_ = true;
  RunStatus status_ = RunStatus::finished;
  std::string reason_;
};

Result<void> checked(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options) {
  if (!problem.dae) return Error{"the problem has no equations: InitialValueProblem::dae is null"};
  const Dae& dae = *problem.dae;
  if (auto result = checked(options, dae); !result) return result;
  if (!std::isfinite(problem.t_start) || !std::isfinite(problem.t_end) || !(problem.t_end > problem.t_start))
    return Error{
        fmt::format("t_end = {} must be later than t_start = {}, both finite", problem.t_end, problem.t_start)};
  if (problem.x.size() != dae.size())
    return Error{fmt::format("x has {} entries; the model has {} unknowns", problem.x.size(), dae.size())};
  if (problem.w.size() != 0 && problem.w.size() != dae.size())
    return Error{fmt::format("w has {} entries; it must be empty or have {}", problem.w.size(), dae.size())};
  if (problem.base.size() != dae.base_size())
    return Error{fmt::format("base has {} entries; the model's charts need {}", problem.base.size(), dae.base_size())};
  const int n_inputs = problem.input ? problem.input->size() : 0;
  if (n_inputs != dae.n_inputs())
    return Error{fmt::format("the input signal has {} channels; the model has {} inputs", n_inputs, dae.n_inputs())};
  for (int i = 0; i < dae.size(); ++i)
    if (!std::isfinite(problem.x[i]))
      return Error{
          fmt::format("the start value of {} is {}; it must be finite", dae.layout().component_name(i), problem.x[i])};
  if (options.step.fixed_step == 0 && method.info.embedded_order == 0)
    return Error{fmt::format("method '{}' has no error estimate: it needs step.fixed_step > 0", method.info.name)};
  if (options.linear.krylov.use) return krylov_checked(problem, method, options);
  return {};
}

}  // namespace

Result<RunSummary> integrate(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
                             const RunControl& control) {
  if (auto result = checked(problem, method, options); !result) return result.error();
  auto stepper = method.make(method.info, problem, options);
  if (!stepper) return stepper.error();
  return Run(problem, method, options, control, std::move(*stepper)).execute();
}

Result<RunSummary> integrate(const InitialValueProblem& problem, std::string_view method,
                             const IntegrateOptions& options, const RunControl& control) {
  const auto found = method_by_name(method);
  if (!found) return found.error();
  return integrate(problem, **found, options, control);
}

}  // namespace rubato
