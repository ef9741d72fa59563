#pragma once
/// Ctrl-C and `kill` end a run, not the program: results are written.
#include <atomic>

namespace rubato::app {

/// From here on SIGINT and SIGTERM set the flag; another one half a second later ends the program at once.
void catch_interrupts() noexcept;
[[nodiscard]] const std::atomic<bool>& stop_flag() noexcept;
/// Ends the run as a signal does.
void request_stop() noexcept;

}  // namespace rubato::app
