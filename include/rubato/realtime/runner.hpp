#pragma once
/// Steps against the clock. Step n may begin at S_n = S_0 + n τ, when its inputs are there, and is due at S_{n+1}.
///
/// Asked for and not got (a container, no privileges) is no failure: the report says what is missing.
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "rubato/problem/signal.hpp"
#include "rubato/realtime/realtime_stepper.hpp"
#include "rubato/realtime/step_times.hpp"

namespace rubato::realtime {

/// Messages with inputs: those taken, and those left aside, by the reason.
struct LinkReport {
  long messages = 0;
  long not_finite = 0;  ///< a number in it was not usable()
  long malformed = 0;   ///< another size or beginning
  long foreign = 0;     ///< from another sender
  long late = 0;        ///< older than one before
};

/// Where inputs come from and outputs go to. Called between steps; never blocks.
class Link {
 public:
  virtual ~Link() = default;
  /// Inputs of step n, which begins at t. What is not there, or not usable(), stays as it was.
  virtual void read(long n, double t, Out u) noexcept = 0;
  /// The state after step n.
  virtual void write(long n, double t, RealtimeStatus status, In y) noexcept = 0;
  /// Why nothing can come any more; nullptr: it can. The run ends before its next step.
  [[nodiscard]] virtual const char* ended() const noexcept { return nullptr; }
  [[nodiscard]] virtual LinkReport report() const noexcept { return {}; }
};

/// Inputs from a signal, as in off-line runs, held over each step; outputs go nowhere.
class SignalLink final : public Link {
 public:
  /// `signal` may be null: no inputs. A break that stands at the start of a step, up to rounding, counts as passed.
  SignalLink(const InputSignal* signal, double step) : signal_(signal), later_(1e-6 * step) {
    if (signal != nullptr) rate_.resize(static_cast<std::size_t>(signal->size()));
  }
  void read(long n, double t, Out u) noexcept override;
  void write(long, double, RealtimeStatus, In) noexcept override {}

 private:
  const InputSignal* signal_;
  double later_;
  std::vector<double> rate_;
};

struct RunnerOptions {
  long n_steps = 0;
  bool free_run = false;     ///< one step after the other, without a clock: for measuring
  bool lock_memory = false;  ///< no page is given back while steps run
  int cpu = -1;              ///< the only processor to run on; −1: any
  int fifo_priority = 0;     ///< real-time scheduling, 1 … 99; 0: as it is
  bool stop_at_failure = true;
  long warm_up = 100;                     ///< steps before the first, taken back
  std::vector<double> first_inputs = {};  ///< until the link has others; empty: zeros
};

struct MissedDeadline {
  long step = 0;
  std::int64_t late_ns = 0;
};

struct RunnerReport {
  static constexpr std::size_t most_misses = 1000;  ///< kept one by one
  long steps = 0;
  long failures = 0;  ///< steps whose status is not ok
  StepReport first_failure = {};
  long first_failed_step = -1;
  long warnings = 0;  ///< steps whose error estimate is above 1
  double largest_error = 0, largest_algebraic_residual = 0, largest_backward_error = 0, smallest_damping = 1;
  StepTimes times;    ///< of the step with its outputs
  StepTimes wake_up;  ///< how late the clock woke us
  long missed = 0;
  std::vector<MissedDeadline> misses;
  bool interrupted = false;
  std::string link_ended;  ///< why the link ended the run; empty: it did not
  LinkReport link;
  std::vector<std::string> not_got;  ///< one sentence each
};

/// Called after each step, outside of what is timed; may be null.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void after_step(const RealtimeStepper& stepper, const StepReport& report, In y) = 0;
};

/// Denormal numbers are zero while it runs: they would take a hundred times longer.
[[nodiscard]] RunnerReport run_realtime(RealtimeStepper& stepper, Link& link, const RunnerOptions& options,
                                        const std::atomic<bool>* stop = nullptr, StepObserver* observer = nullptr);

}  // namespace rubato::realtime
