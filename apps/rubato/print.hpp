#pragma once
/// What the program says. Printing never throws and never ends a command: stderr may be full, closed, or without a reader; then its words
/// are lost and nothing else. stdout carries data: what could not be written there is an exit code at the end.
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace rubato::app {

/// Gives a closed standard stream to /dev/null, so that no result file gets its number and our words with it. Before all else.
void guard_standard_streams() noexcept;

/// To stdout, at once. False: it has failed, now or before.
bool print_text(std::string_view text) noexcept;
void tell_text(std::string_view text) noexcept;  ///< to stderr

template <class... Values>
bool print_out(fmt::format_string<Values...> words, Values&&... values) {
  return print_text(fmt::format(words, std::forward<Values>(values)...));
}
template <class... Values>
void print_err(fmt::format_string<Values...> words, Values&&... values) {
  tell_text(fmt::format(words, std::forward<Values>(values)...));
}

/// A line of a report on stderr: what it is about, and the words.
void say(std::string_view what, std::string_view words);

/// The exit code of a command, after what went to stdout: not_written where that has failed and the command itself was understood.
[[nodiscard]] int with_output(int outcome);

}  // namespace rubato::app
