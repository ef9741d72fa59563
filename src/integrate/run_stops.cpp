// Stops, root events and breaks of the input: what happens between two segments of a run.
#include <fmt/format.h>

#include <algorithm>

#include "rubato/base/text.hpp"
#include "run.hpp"

namespace rubato::detail {

namespace {

constexpr int max_events_in_a_row = 100;

}  // namespace

void Run::begin_segment() {
  t_anchor_ = t_;
  step_of_segment_ = 0;
  find_stop();
}

void Run::find_stop() {
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

void Run::arrive(bool found) {
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

void Run::meet_event(bool found) {
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
  if (jumps) motion_.begin(here(), norm_);
  tell_restart();
  if (effect.terminate || (found && events_.terminal()))
    end(RunStatus::event, fmt::format("ended at t = {} by {}", t_, event_names(fired)));
}

void Run::meet_break() {
  const bool jumps = input_jumps();
  if (jumps && dae_.layout().has_algebraic()) {
    if (auto result = solve_algebraic(); !result)
      return end(RunStatus::inconsistent,
                 fmt::format("at t = {} no consistent state was found after a jump of the input: {}", t_,
                             result.error().message));
  }
  if (!looked(events_.restart(t_, x(), base(), mode_)) || !restart_stepper()) return;
  if (jumps && !fixed()) h_ = std::min(h_, initial_step(false));
  if (jumps) motion_.begin(here(), norm_);
  tell_restart();
}

bool Run::input_jumps() noexcept {
  if (u_.size() == 0) return false;
  inputs(t_ - 4 * ulp(t_), u_before_);
  return (u_ - u_before_).cwiseAbs().maxCoeff() > 1e-9 * (1 + u_.cwiseAbs().maxCoeff());
}

Result<void> Run::make_consistent_here(const ConsistentOptions& options) {
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

Result<void> Run::solve_algebraic() {
  return make_consistent_here({.project_positions = false, .project_velocities = false});
}

std::string Run::event_names(std::span<const int> fired) const {
  std::vector<std::string> names;
  for (const int i : fired) names.push_back("'" + events_.root(i).name + "'");
  return names.empty() ? "a time event" : "event " + joined(names);
}

}  // namespace rubato::detail
