#include "print.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "command.hpp"

namespace rubato::app {

namespace {
int output_failure = 0;  ///< errno of the first failure of stdout; 0: none
}  // namespace

void guard_standard_streams() noexcept {
  // The wrong direction, so that writing fails as it does with a closed stream. open() takes the lowest number that is free.
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream) return;
}

bool print_text(std::string_view text) noexcept {
  if (output_failure != 0) return false;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    output_failure = errno != 0 ? errno : EIO;
  return output_failure == 0;
}

void tell_text(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }

void say(std::string_view what, std::string_view words) { print_err("  {:<12} {}\n", what, words); }

int with_output(int outcome) {
  if (output_failure == 0 || outcome == wrong_input) return outcome;
  if (output_failure != EPIPE)  // a reader that has seen enough needs no words
    print_err("rubato: stdout: cannot be written: {}\n", std::strerror(output_failure));
  return not_written;
}

}  // namespace rubato::app
