#include "rubato/io/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rubato/io/table.hpp"

namespace rubato::io {

namespace {
constexpr auto first_after = std::chrono::milliseconds(300);
constexpr auto between = std::chrono::milliseconds(100);
constexpr int bar_cells = 24;

int terminal_width(std::FILE* stream) noexcept {
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

/// Eighths of a character make a smooth bar.
std::string bar(double fraction, int cells) {
  static constexpr std::string_view part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::floor(fraction * cells * 8));
  std::string drawn;
  for (int i = 0; i < eighths / 8; ++i) drawn += "█";
  int used = eighths / 8;
  if (eighths % 8 > 0) {
    drawn += part[eighths % 8];
    ++used;
  }
  for (; used < cells; ++used) drawn += "░";
  return drawn;
}
}  // namespace

std::string count_line(long done, long most, const std::string& words, int width) {
  const double fraction = most > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(most), 0.0, 1.0) : 1.0;
  std::string line = fmt::format("{} {}/{}", bar(fraction, bar_cells), done, most);
  if (static_cast<int>(display_width(line) + 3 + display_width(words)) <= width) line += " · " + words;
  return static_cast<int>(display_width(line)) <= width ? line : fmt::format("{}/{}", done, most);
}

std::string duration_words(double seconds) {
  if (!(seconds < 1e8)) return "long";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const long s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

std::string progress_line(const ProgressState& state, int width) {
  const double span = state.t_end - state.t_start;
  const double fraction = span > 0 ? std::clamp((state.t - state.t_start) / span, 0.0, 1.0) : 1.0;
  const double done = state.t - state.t_from;
  const std::string left =
      done > 0.005 * span ? duration_words(state.elapsed * (state.t_end - state.t) / done) + " left" : std::string("…");
  // From the most to the least important; what does not fit is dropped.
  const std::string parts[] = {fmt::format("t {:.4g}/{:.4g} s", state.t, state.t_end), left,
                               fmt::format("h {:.1e} s", state.h), fmt::format("{} steps", state.accepted),
                               fmt::format("{} rejected", state.rejected)};
  std::string line = fmt::format("{} {:3.0f} %", bar(fraction, bar_cells), std::floor(100 * fraction));
  for (const auto& part : parts)
    if (static_cast<int>(display_width(line) + 3 + display_width(part)) <= width) line += " · " + part;
  if (static_cast<int>(display_width(line)) > width) line = fmt::format("{:.0f} %", std::floor(100 * fraction));
  return line;
}

ProgressLine::ProgressLine(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) != 0), start_(Clock::now()), next_(start_ + first_after) {}

bool ProgressLine::due() {
  if (!terminal_) return false;
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + between;
  return true;
}

int ProgressLine::width() const noexcept { return terminal_width(stream_) - 1; }
double ProgressLine::elapsed() const noexcept { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void ProgressLine::draw(const std::string& line) {
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), stream_);  // fails in silence where fmt::print would throw
  std::fflush(stream_);
  visible_ = true;
}

void ProgressLine::wipe() noexcept {
  if (!visible_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  visible_ = false;
}

Progress::Progress(double t_start, double t_end, std::FILE* stream) : line_(stream) {
  state_.t_start = state_.t_from = t_start;
  state_.t_end = t_end;
}

void Progress::on_restart(double t, In /*x*/, In /*w*/, In /*base*/, int /*mode*/) {
  if (!std::exchange(started_, true)) state_.t_from = t;
}

void Progress::on_step(const StepView& step) {
  if (!line_.due()) return;
  state_.t = step.t_end;
  state_.h = step.h;
  if (step.statistics != nullptr) {
    state_.accepted = step.statistics->accepted;
    state_.rejected = step.statistics->rejected;
  }
  state_.elapsed = line_.elapsed();
  line_.draw(progress_line(state_, line_.width()));
}

void CountProgress::show(long done, long most, const std::string& words) {
  if (line_.due()) line_.draw(count_line(done, most, words, line_.width()));
}

}  // namespace rubato::io
