#include "rubato/realtime/runner.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "rubato/base/assert.hpp"

namespace rubato::realtime {

namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

constexpr std::int64_t longest_sleep = second / 10;  // after which somebody may want to stop

bool asked_to_stop(const std::atomic<bool>* stop) noexcept {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

/// False: asked to stop before.
bool sleep_until(std::int64_t when, const std::atomic<bool>* stop) noexcept {
  std::int64_t until = 0;
  do {
    if (asked_to_stop(stop)) return false;
    until = std::min(when, now() + longest_sleep);
    const timespec time{.tv_sec = until / second, .tv_nsec = until % second};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
    }
  } while (until < when);
  return true;
}

/// Flush-to-zero and denormals-are-zero, until the end of the scope.
class NoDenormals {
 public:
#if defined(__SSE__)
  NoDenormals() noexcept : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~NoDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  NoDenormals() noexcept {}
#endif
};

/// What the operating system is asked for, given back at the end.
class Privileges {
 public:
  Privileges(const RunnerOptions& options, std::vector<std::string>& not_got) {
    const auto missing = [&](const std::string& what) {
      not_got.push_back(fmt::format("{}: {}", what, std::strerror(errno)));
    };
    if (options.lock_memory) {
      locked_ = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
      if (!locked_) missing("memory is not locked");
    }
    if (options.cpu >= 0) {
      cpu_set_t only;
      CPU_ZERO(&only);
      if (options.cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(options.cpu), &only);
      pinned_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && sched_setaffinity(0, sizeof only, &only) == 0;
      if (!pinned_) missing(fmt::format("not pinned to processor {}", options.cpu));
    }
    if (options.fifo_priority > 0) {
      const sched_param priority{.sched_priority = options.fifo_priority};
      fifo_ = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
      if (!fifo_) missing(fmt::format("no real-time scheduling (SCHED_FIFO {})", options.fifo_priority));
    }
  }
  ~Privileges() {
    const sched_param ordinary{};
    if (fifo_) sched_setscheduler(0, SCHED_OTHER, &ordinary);
    if (pinned_) sched_setaffinity(0, sizeof before_, &before_);
    if (locked_) munlockall();
  }
  Privileges(const Privileges&) = delete;
  Privileges& operator=(const Privileges&) = delete;

 private:
  bool locked_ = false, pinned_ = false, fifo_ = false;
  cpu_set_t before_{};
};

/// Pages of the stack that steps will use are there before the first one.
void touch_stack() noexcept {
  volatile char stack[256 * 1024];
  for (std::size_t i = 0; i < sizeof stack; i += 1024) stack[i] = 0;
}

void note(RunnerReport& report, long n, const StepReport& step) noexcept {
  report.largest_error = std::max(report.largest_error, step.error);
  report.largest_algebraic_residual = std::max(report.largest_algebraic_residual, step.algebraic_residual);
  report.largest_backward_error = std::max(report.largest_backward_error, step.backward_error);
  report.smallest_damping = std::min(report.smallest_damping, step.damping);
  if (step.error > 1) ++report.warnings;
  if (step.status == RealtimeStatus::ok) return;
  if (report.failures++ == 0) {
    report.first_failure = step;
    report.first_failed_step = n;
  }
}

}  // namespace

void SignalLink::read(long /*n*/, double t, Out u) noexcept {
  if (signal_ != nullptr) signal_->at(t + later_, u, rate_);
}

RunnerReport run_realtime(RealtimeStepper& stepper, Link& link, const RunnerOptions& options,
                          const std::atomic<bool>* stop, StepObserver* observer) {
  RunnerReport report;
  report.misses.reserve(RunnerReport::most_misses);
  // Steps need not be whole nanoseconds: rounded one by one they would drift.
  const auto after = [ns = stepper.plan().step * 1e9](long n) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(n) * ns));
  };
  std::vector<double> u(static_cast<std::size_t>(stepper.plan().structure.n_inputs)),
      y(static_cast<std::size_t>(stepper.n_outputs()));
  RUBATO_ASSERT(options.first_inputs.empty() || options.first_inputs.size() == u.size(), "one number for every input");
  std::copy(options.first_inputs.begin(), options.first_inputs.end(), u.begin());
  const Privileges privileges(options, report.not_got);
  const NoDenormals fast;
  touch_stack();
  const RealtimeStepper::Mark start = stepper.mark();
  link.read(0, stepper.time(), u);
  for (long n = 0; n < options.warm_up; ++n) {
    (void)stepper.step(u);
    (void)stepper.outputs(y);
  }
  stepper.go_back(start);

  const std::int64_t first = now() + after(2);
  for (long n = 0; n < options.n_steps; ++n) {
    const std::int64_t may_begin = first + after(n), due = first + after(n + 1);
    report.interrupted = options.free_run ? asked_to_stop(stop) : !sleep_until(may_begin, stop);
    if (report.interrupted) break;
    if (!options.free_run) report.wake_up.record(now() - may_begin);
    link.read(n, stepper.time(), u);
    if (const char* const why = link.ended(); why != nullptr) {
      report.link_ended = why;
      break;
    }
    const std::int64_t begin = now();
    StepReport step = stepper.step(u);
    if (stepper.outputs(y) != EvalStatus::ok && step.status == RealtimeStatus::ok)
      step.status = RealtimeStatus::refused;  // the state is there, what is sent is not
    const std::int64_t end = now();
    link.write(n, stepper.time(), step.status, y);
    report.times.record(end - begin);
    const std::int64_t late = options.free_run ? end - begin - after(1) : end - due;
    if (late > 0) {
      ++report.missed;
      if (report.misses.size() < RunnerReport::most_misses) report.misses.push_back({n, late});
    }
    ++report.steps;
    note(report, n, step);
    if (observer != nullptr) observer->after_step(stepper, step, y);
    if (step.status != RealtimeStatus::ok && options.stop_at_failure) break;
  }
  report.link = link.report();
  return report;
}

}  // namespace rubato::realtime
