#include "interrupts.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>

#include "command.hpp"

namespace rubato::app {

namespace {

std::atomic<bool> stop_requested{false};
std::atomic<bool> nothing_to_keep{false};
std::atomic<long> first_request{0};  ///< ms; 0: none
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<long>::is_always_lock_free,
              "written by a signal handler");

/// One request may be told twice: `timeout` signals the program and then its group, of which the program is one.
constexpr long same_request = 500;  // ms

extern "C" void on_interrupt(int signal) {
  const int code = errno;  // of the call that was interrupted
  if (nothing_to_keep) {
    constexpr std::string_view words = "rubato: interrupted before the first step\n";
    [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, words.data(), words.size());
    ::_exit(interrupted);
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long ms = 1 + now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
  long first = 0;
  if (first_request.compare_exchange_strong(first, ms)) {
    stop_requested = true;
  } else if (ms - first > same_request) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  errno = code;
}

void install() noexcept {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;  // a signal is no reason for a write to fail
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup: go on without the terminal
}

}  // namespace

void ignore_write_signals() noexcept {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_at_interrupts() noexcept {
  nothing_to_keep = true;
  install();
}

void catch_interrupts() noexcept {
  nothing_to_keep = false;
  install();
}

const std::atomic<bool>& stop_flag() noexcept { return stop_requested; }
void request_stop() noexcept { stop_requested = true; }

}  // namespace rubato::app
