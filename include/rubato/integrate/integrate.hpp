#pragma once
/// The driver: advances a problem in time, accepts or rejects steps, finds events, tells observers.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/integrate/method.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/integrate/statistics.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato {

enum class RunStatus : std::uint8_t {
  finished,        ///< t_end reached
  event,           ///< ended by a terminal event
  interrupted,     ///< RunControl::stop was set
  step_too_small,  ///< the step size fell below the smallest allowed
  too_many_steps,
  singular_matrix,
  krylov_failed,
  not_finite,
  newton_diverged,  ///< even with the smallest allowed (or the fixed) step
  out_of_memory,
  model_refused,  ///< the model reported a fatal evaluation, or left its domain even with the smallest step
  inconsistent,   ///< no consistent state after an event
  unbounded       ///< a mechanical system left every scale it has, gained energy or lost its constraints: unstable
};
[[nodiscard]] std::string_view to_string(RunStatus status) noexcept;
[[nodiscard]] constexpr bool completed(RunStatus s) noexcept {
  return s == RunStatus::finished || s == RunStatus::event;
}

/// What an observer sees after each accepted step (or part of it, when an event cut it short).
class StepView {
 public:
  double t_begin = 0, t_end = 0;
  double h = 0;  ///< the step the method took; t_end − t_begin is shorter where an event cut it
  double error = 0;
  In x;     ///< at t_end
  In base;  ///< valid for x and for interpolate()
  int mode = 0;
  In u;
  bool event = false;  ///< an event ended this piece; the state after it follows in on_restart
  const Statistics* statistics = nullptr;
  /// x and (where asked for: non-empty) x' at a time in [t_begin, t_end].
  void interpolate(double t, Out x_at, Out w_at) const noexcept {
    stepper->interpolate((t - step_begin) / h, x_at, w_at);
  }

  const Stepper* stepper = nullptr;
  double step_begin = 0;
};

struct EventRecord {
  double t = 0;
  std::vector<int> roots;  ///< which roots fired; empty for a time event
  int mode_before = 0, mode_after = 0;
};

/// Watches a run. Observers never change it.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Before the first step, and again after each event with the new state.
  virtual void on_restart(double /*t*/, In /*x*/, In /*w*/, In /*base*/, int /*mode*/) {}
  virtual void on_step(const StepView& /*step*/) {}
  virtual void on_event(const EventRecord& /*event*/) {}
  /// A checkpoint: bytes from which `resume` continues with the same results.
  virtual void on_checkpoint(double /*t*/, std::span<const std::byte> /*bytes*/) {}
};

/// Where and why a run ended, with all counters. The partial result is always kept.
struct RunSummary {
  RunStatus status = RunStatus::finished;
  std::string reason;  ///< one sentence
  double t = 0;
  Vector x, w, base;
  int mode = 0;
  double last_step = 0;
  double smallest_step = 0, largest_step = 0;
  std::vector<std::string> notes = {};  ///< what happened on the way that a reader should know, sentences
  std::vector<int> stiff = {};          ///< positions found stiff at the end of the run, as components of x
  Statistics statistics;
};

struct RunControl {
  std::span<Observer* const> observers = {};
  const std::atomic<bool>* stop = nullptr;  ///< set by a signal handler: ends cleanly after the current step
  std::span<const std::byte> resume = {};   ///< bytes of on_checkpoint
};

/// Everything that is refused is refused here, before anything is done: a method for this problem and these options.
[[nodiscard]] Result<std::unique_ptr<Stepper>> checked_stepper(const InitialValueProblem& problem, const Method& method,
                                                               const IntegrateOptions& options);
/// With the stepper of the same problem, method and options. An Error means a checkpoint that does not belong to them.
[[nodiscard]] Result<RunSummary> integrate(const InitialValueProblem& problem, const Method& method,
                                           const IntegrateOptions& options, std::unique_ptr<Stepper> stepper,
                                           const RunControl& control);

/// Both: integrates from t_start to t_end. An Error means wrong input; numerical trouble ends in the summary's status.
[[nodiscard]] Result<RunSummary> integrate(const InitialValueProblem& problem, const Method& method,
                                           const IntegrateOptions& options, const RunControl& control = {});
[[nodiscard]] Result<RunSummary> integrate(const InitialValueProblem& problem, std::string_view method,
                                           const IntegrateOptions& options = {}, const RunControl& control = {});

}  // namespace rubato
