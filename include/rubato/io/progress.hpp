#pragma once
/// How far a run is: a bar on a terminal, nothing in a pipe.
#include <chrono>
#include <cstdio>
#include <string>

#include "rubato/integrate/integrate.hpp"

namespace rubato::io {

struct ProgressState {
  double t_start = 0, t_end = 1, t = 0;  ///< s, of the model
  double t_from = 0;                     ///< s, where this process began: later than t_start after a resume
  double h = 0;
  long accepted = 0, rejected = 0;
  double elapsed = 0;  ///< s, of the clock on the wall
};

/// One line of at most `width` characters: bar, percentage, t, h, steps, time left; less where there is little room.
[[nodiscard]] std::string progress_line(const ProgressState& state, int width);
/// "3 s", "2 min 05 s", "1 h 20 min".
[[nodiscard]] std::string duration_words(double seconds);

/// Redraws at most ten times a second, begins after 0.3 s (short runs stay quiet), wipes itself when it goes.
class Progress final : public Observer {
 public:
  /// Shows only if `stream` is a terminal.
  Progress(double t_start, double t_end, std::FILE* stream = stderr);
  ~Progress() override { wipe(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void on_restart(double t, In x, In w, In base, int mode) override;
  void on_step(const StepView& step) override;
  /// Removes the line, before something else is printed.
  void wipe() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool terminal_;
  bool visible_ = false;
  bool started_ = false;
  ProgressState state_;
  Clock::time_point start_, next_;
};

}  // namespace rubato::io
