#include "rubato/io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "descriptor.hpp"

namespace rubato::io {

namespace {

long number_in(int descriptor) noexcept {
  char text[32];
  const ssize_t n = ::pread(descriptor, text, sizeof text, 0);
  long number = 0;
  if (n > 0) std::from_chars(text, text + n, number);
  return number;
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  FolderLock lock;
  lock.file_ = folder / ".rubato.lock";
  const auto failed = [&folder](const char* what, int code) {
    return Error{fmt::format("{}: {}: {}", folder.string(), what, std::strerror(code))};
  };
  for (;;) {
    const int descriptor = ::open(lock.file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EINTR) continue;
    if (descriptor < 0)
      return failed(errno == ELOOP ? ".rubato.lock is a link, which is not followed" : "cannot be written", errno);
    const int refused = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (refused == 0 && same_file(descriptor, lock.file_)) {
      lock.state_ = State::held;
      lock.descriptor_ = descriptor;
      break;
    }
    if (refused == EWOULDBLOCK) {
      lock.state_ = State::busy;
      lock.holder_ = number_in(descriptor);
    }
    ::close(descriptor);
    // 0: whoever had it removed the file between open and flock; what it was is locked by nobody.
    if (refused != 0 && refused != EINTR) return lock;
  }
  const std::string text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock.descriptor_, 0) != 0 || ::pwrite(lock.descriptor_, text.data(), text.size(), 0) < 0)
    lock.holder_ = 0;  // the number is for people; the lock holds without it
  else
    lock.holder_ = ::getpid();
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)),
      state_(other.state_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      holder_(other.holder_) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(state_, other.state_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(holder_, other.holder_);
  return *this;
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  if (in_force()) ::unlink(file_.c_str());  // while it is locked: who waits for it looks again
  ::close(descriptor_);
}

bool FolderLock::in_force() const noexcept { return descriptor_ >= 0 && same_file(descriptor_, file_); }

}  // namespace rubato::io
