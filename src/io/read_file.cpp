#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "descriptor.hpp"
#include "io/regular_file.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

const char* kind_words(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

Result<int> open_regular(const std::filesystem::path& file, struct stat& status) {
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("{}: {}", file.string(), why)}; };
  const auto trouble = [&] { return refuse(fmt::format("cannot be read: {}", std::strerror(errno))); };
  const auto not_regular = [&] { return refuse(fmt::format("is {}, not a file", kind_words(status.st_mode))); };
  if (::stat(file.c_str(), &status) != 0) return trouble();
  if (!S_ISREG(status.st_mode)) return not_regular();
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  const Error error = descriptor >= 0 && !S_ISREG(status.st_mode) ? not_regular() : trouble();
  if (descriptor >= 0) ::close(descriptor);
  return error;
}

Result<std::string> read_file_up_to(const std::filesystem::path& file, std::uintmax_t most_bytes) {
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("{}: {}", file.string(), why)}; };
  const auto trouble = [&] { return refuse(fmt::format("cannot be read: {}", std::strerror(errno))); };
  const auto too_large = [&](std::uintmax_t bytes) {
    return refuse(fmt::format("{} bytes; at most {} are read", bytes, most_bytes));
  };
  struct stat status {};
  const auto descriptor = open_regular(file, status);
  if (!descriptor) return descriptor.error();
  const Descriptor opened(*descriptor);
  if (static_cast<std::uintmax_t>(status.st_size) > most_bytes)
    return too_large(static_cast<std::uintmax_t>(status.st_size));
  std::string bytes;
  try {
    bytes.reserve(static_cast<std::size_t>(status.st_size));
    char piece[1 << 16];
    for (;;) {
      const ssize_t n = ::read(opened, piece, sizeof piece);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return trouble();
      if (n == 0) return bytes;
      bytes.append(piece, static_cast<std::size_t>(n));
      if (bytes.size() > most_bytes) return too_large(bytes.size());  // it grows, or has no length of its own
    }
  } catch (const std::bad_alloc&) {
    return refuse(fmt::format("{} bytes: out of memory", status.st_size));
  }
}

Result<std::string> read_file(const std::filesystem::path& file) { return read_file_up_to(file, most_file_bytes); }

Result<std::string> read_text_file(const std::filesystem::path& file) { return read_file_up_to(file, most_text_bytes); }

}  // namespace rubato::io
