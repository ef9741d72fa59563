// A preloaded library (LD_PRELOAD) that lets calls of the system fail where files of one folder are concerned: what a full or dying disk does,
// at a place of our choice.
//
//   RUBATO_FAULT_FOLDER   only files and folders below (an absolute path) are concerned, and counted
//   RUBATO_FAULT          N        the N-th call fails, all others work
//                         N+       the N-th call fails and all after it, but for removing: a disk that is full
//                         N!       the process is killed at the N-th call
//                         short    every write takes one byte less than it could, every other write or sync is interrupted (EINTR)
//   RUBATO_FAULT_COUNT    a file that gets the number of calls when the process ends
//   RUBATO_FAULT_LOG      a file that gets a line for every write, sync, renaming and removal: what happened in which order
//   RUBATO_FAULT_ROOM     what statvfs says is free, bytes
// Counted: opening, writing, cutting, syncing, closing, renaming and removing files, making folders.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::atomic<long> calls{0};

struct Plan {
  const char* folder = std::getenv("RUBATO_FAULT_FOLDER");
  const char* text = std::getenv("RUBATO_FAULT");
  bool flaky = text != nullptr && std::strcmp(text, "short") == 0;
  long first = text != nullptr ? std::atol(text) : 0;
  bool kills = text != nullptr && std::strchr(text, '!') != nullptr;
  bool stays = text != nullptr && std::strchr(text, '+') != nullptr;
  ~Plan() {
    if (const char* file = std::getenv("RUBATO_FAULT_COUNT")) {
      if (std::FILE* out = std::fopen(file, "w")) {
        std::fprintf(out, "%ld\n", calls.load());
        std::fclose(out);
      }
    }
  }
};
const Plan& plan() {
  static const Plan one;
  return one;
}

bool concerned(const char* path) {
  const char* folder = plan().folder;
  if (folder == nullptr || path == nullptr) return false;
  const std::size_t n = std::strlen(folder);
  return std::strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/');
}
/// What a descriptor stands for; an empty name: nothing that has one.
struct Name {
  char text[PATH_MAX];
  explicit Name(int descriptor) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t n = readlink(link, text, sizeof text - 1);
    text[n < 0 ? 0 : n] = '\0';
  }
};
bool concerned(int descriptor) { return plan().folder != nullptr && concerned(Name(descriptor).text); }

/// A line of the log.
void log_call(const char* what, const char* name, const char* other = "") {
  static const char* const file = std::getenv("RUBATO_FAULT_LOG");
  if (file == nullptr || !concerned(name)) return;
  static std::FILE* const out = std::fopen(file, "w");
  if (out == nullptr) return;
  std::fprintf(out, "%s %s %s\n", what, name, other);
  std::fflush(out);
}
void log_call(const char* what, int descriptor) { log_call(what, Name(descriptor).text); }

enum class Kind { takes_room, frees_room };

/// Whether this call fails; errno says why.
bool fails(int code, Kind kind = Kind::takes_room) {
  const long number = ++calls;
  const Plan& p = plan();
  if (p.flaky || p.first <= 0) return false;
  if (number == p.first && p.kills) kill(getpid(), SIGKILL);
  if (number != p.first && !(p.stays && number > p.first && kind == Kind::takes_room)) return false;
  errno = code;
  return true;
}

/// Every other one is interrupted before it does anything.
bool interrupted() {
  static std::atomic<long> turn{0};
  if (!plan().flaky || turn++ % 2 == 1) return false;
  errno = EINTR;
  return true;
}

template <class Open>
int open_file(Open* open_next, const char* path, int flags, mode_t mode) {
  if (concerned(path) && fails((flags & O_CREAT) != 0 ? ENOSPC : EIO)) return -1;
  return open_next(path, flags, mode);
}

std::size_t shortened(int descriptor, std::size_t n) {
  return plan().flaky && concerned(descriptor) && n > 1 ? n - 1 : n;
}

}  // namespace

extern "C" {

#define RUBATO_OPEN(name)                                        \
  int name(const char* path, int flags, ...) {                   \
    va_list more;                                                \
    va_start(more, flags);                                       \
    const mode_t mode = va_arg(more, mode_t);                    \
    va_end(more);                                                \
    static auto* real = next<int(const char*, int, ...)>(#name); \
    return open_file(real, path, flags, mode);                   \
  }
RUBATO_OPEN(open)
RUBATO_OPEN(open64)

std::FILE* fopen(const char* path, const char* mode) {
  static auto* real = next<std::FILE*(const char*, const char*)>("fopen");
  return concerned(path) && fails(EIO) ? nullptr : real(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  static auto* real = next<std::FILE*(const char*, const char*)>("fopen64");
  return concerned(path) && fails(EIO) ? nullptr : real(path, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t n) {
  static auto* real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (concerned(descriptor) && (fails(ENOSPC) || interrupted())) return -1;
  log_call("write", descriptor);
  return real(descriptor, bytes, shortened(descriptor, n));
}
#define RUBATO_PWRITE(name)                                                         \
  ssize_t name(int descriptor, const void* bytes, std::size_t n, off_t at) {        \
    static auto* real = next<ssize_t(int, const void*, std::size_t, off_t)>(#name); \
    if (concerned(descriptor) && (fails(ENOSPC) || interrupted())) return -1;       \
    log_call("write", descriptor);                                                  \
    return real(descriptor, bytes, shortened(descriptor, n), at);                   \
  }
RUBATO_PWRITE(pwrite)
RUBATO_PWRITE(pwrite64)

int ftruncate(int descriptor, off_t size) {
  static auto* real = next<int(int, off_t)>("ftruncate");
  return concerned(descriptor) && fails(ENOSPC) ? -1 : real(descriptor, size);
}
int ftruncate64(int descriptor, off_t size) {
  static auto* real = next<int(int, off_t)>("ftruncate64");
  return concerned(descriptor) && fails(ENOSPC) ? -1 : real(descriptor, size);
}

int fsync(int descriptor) {
  static auto* real = next<int(int)>("fsync");
  if (concerned(descriptor) && (fails(EIO) || interrupted())) return -1;
  log_call("sync", descriptor);
  return real(descriptor);
}
int fdatasync(int descriptor) {
  static auto* real = next<int(int)>("fdatasync");
  if (concerned(descriptor) && (fails(EIO) || interrupted())) return -1;
  log_call("sync", descriptor);
  return real(descriptor);
}

int close(int descriptor) {
  static auto* real = next<int(int)>("close");
  const bool failing = concerned(descriptor) && fails(EIO);
  const int code = errno, outcome = real(descriptor);
  if (!failing) return outcome;
  errno = code;
  return -1;
}

int rename(const char* from, const char* to) {
  static auto* real = next<int(const char*, const char*)>("rename");
  if (concerned(to) && fails(EIO)) return -1;
  log_call("rename", from, to);
  return real(from, to);
}
int unlink(const char* path) {
  static auto* real = next<int(const char*)>("unlink");
  if (concerned(path) && fails(EIO, Kind::frees_room)) return -1;
  log_call("remove", path);
  return real(path);
}
int remove(const char* path) {
  static auto* real = next<int(const char*)>("remove");
  return concerned(path) && fails(EIO, Kind::frees_room) ? -1 : real(path);
}
int mkdir(const char* path, mode_t mode) {
  static auto* real = next<int(const char*, mode_t)>("mkdir");
  return concerned(path) && fails(ENOSPC) ? -1 : real(path, mode);
}

#define RUBATO_STATVFS(name, type)                                                                   \
  int name(const char* path, type* room) {                                                           \
    static auto* real = next<int(const char*, type*)>(#name);                                        \
    const int outcome = real(path, room);                                                            \
    if (const char* bytes = std::getenv("RUBATO_FAULT_ROOM"); bytes != nullptr && concerned(path)) { \
      room->f_frsize = 1;                                                                            \
      room->f_bavail = static_cast<fsblkcnt_t>(std::atol(bytes));                                    \
    }                                                                                                \
    return outcome;                                                                                  \
  }
RUBATO_STATVFS(statvfs, struct statvfs)
RUBATO_STATVFS(statvfs64, struct statvfs64)

}  // extern "C"
