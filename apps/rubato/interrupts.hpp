#pragma once
/// Ctrl-C and `kill` end a run, not the program: results are written. Where there are none yet they end the program.
#include <atomic>

namespace rubato::app {

/// From the start: SIGINT and SIGTERM end the program at once, with exit code 130. Set-up may take long.
void end_at_interrupts() noexcept;
/// From here on they set the flag; another one half a second later ends the program at once.
void catch_interrupts() noexcept;
[[nodiscard]] const std::atomic<bool>& stop_flag() noexcept;

}  // namespace rubato::app
