#pragma once
/// Elapsed time of a steady clock, in seconds. Times never reach result files.
#include <chrono>

namespace rubato {

class Stopwatch {
 public:
  Stopwatch() noexcept : start_(Clock::now()) {}
  [[nodiscard]] double seconds() const noexcept { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

/// Adds the life of a scope to a total.
class ScopedTimer {
 public:
  explicit ScopedTimer(double& total) noexcept : total_(total) {}
  ~ScopedTimer() { total_ += watch_.seconds(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double& total_;
  Stopwatch watch_;
};

}  // namespace rubato
