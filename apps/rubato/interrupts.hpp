#pragma once
/// Ctrl-C and `kill` end a run, not the program: results are written. Where there are none yet they end the program.
#include <atomic>

namespace rubato::app {

/// A reader that has gone (SIGPIPE) and a limit on the size of files (SIGXFSZ) make writing fail, which is seen where it is written; they
/// do not end the program.
void ignore_write_signals() noexcept;

/// From the start: SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) end the program at once, with exit code 130. Set-up may take long.
void end_at_interrupts() noexcept;
/// From here on they set the flag; another one half a second later ends the program at once.
void catch_interrupts() noexcept;
[[nodiscard]] const std::atomic<bool>& stop_flag() noexcept;
/// Ends the run as a signal does.
void request_stop() noexcept;

}  // namespace rubato::app
