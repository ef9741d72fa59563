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
/// Likewise of work that is counted: bar, done of at most so many, words.
[[nodiscard]] std::string count_line(long done, long most, const std::string& words, int width);
/// "3 s", "2 min 05 s", "1 h 20 min".
[[nodiscard]] std::string duration_words(double seconds);

/// A line that is redrawn at most ten times a second, begins after 0.3 s (short work stays quiet) and wipes itself when it goes.
class ProgressLine {
 public:
  /// Shows only if `stream` is a terminal.
  explicit ProgressLine(std::FILE* stream);
  ~ProgressLine() { wipe(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Time to draw again.
  [[nodiscard]] bool due();
  [[nodiscard]] int width() const noexcept;       ///< characters
  [[nodiscard]] double elapsed() const noexcept;  ///< s, since the beginning
  void draw(const std::string& line);
  /// Removes the line, before something else is printed.
  void wipe() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool terminal_;
  bool visible_ = false;
  Clock::time_point start_, next_;
};

class Progress final : public Observer {
 public:
  Progress(double t_start, double t_end, std::FILE* stream = stderr);

  void on_restart(double t, In x, In w, In base, int mode) override;
  void on_step(const StepView& step) override;
  void wipe() noexcept { line_.wipe(); }

 private:
  ProgressLine line_;
  bool started_ = false;
  ProgressState state_;
};

/// Of work that is counted: done of at most so many, and a few words.
class CountProgress {
 public:
  explicit CountProgress(std::FILE* stream = stderr) : line_(stream) {}
  void show(long done, long most, const std::string& words);
  void wipe() noexcept { line_.wipe(); }

 private:
  ProgressLine line_;
};

}  // namespace rubato::io
