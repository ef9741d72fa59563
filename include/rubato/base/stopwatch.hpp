#pragma once
/// Elapsed time of a steady clock, in seconds. Times never reach result files.
#include <chrono>

namespace rubato {

class Stopwatch {
 public:
  struct Unset {};
  static constexpr Unset unset{};
  Stopwatch() noexcept : start_(Clock::now()) {}
  explicit Stopwatch(Unset) noexcept {}
  [[nodiscard]] double seconds() const noexcept { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

/// Adds the life of a scope to a total; null: reads no clock at all (two readings cost as much as a step of a tiny model).
class ScopedTimer {
 public:
  explicit ScopedTimer(double* total) noexcept : total_(total) {
    if (total_) start_ = Stopwatch();
  }
  ~ScopedTimer() {
    if (total_) *total_ += start_.seconds();
  }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double* total_;
  Stopwatch start_{Stopwatch::unset};
};

}  // namespace rubato
