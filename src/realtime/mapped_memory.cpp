#include "realtime/mapped_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace rubato::realtime {

struct MappedMemory::Guard {
  std::atomic<std::uintptr_t> begin = 0;  ///< 0: free
  std::atomic<std::size_t> size = 0;
  std::atomic<bool> replaced = false;
};

namespace {

std::array<MappedMemory::Guard, 16> guards;
std::mutex guard_changes;
int n_guards = 0;
struct sigaction before_guards;

/// mmap is a plain system call on the systems this is built for: it may be called here.
extern "C" void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (auto& guard : guards) {
    const std::uintptr_t begin = guard.begin;
    if (begin == 0 || at < begin || at - begin >= guard.size) continue;
    if (mmap(reinterpret_cast<void*>(begin), guard.size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      break;
    guard.replaced = true;
    return;
  }
  if ((before_guards.sa_flags & SA_SIGINFO) != 0 && before_guards.sa_sigaction != nullptr)
    return before_guards.sa_sigaction(signal, info, context);
  if (before_guards.sa_handler != SIG_DFL && before_guards.sa_handler != SIG_IGN)
    return before_guards.sa_handler(signal);
  std::signal(signal, SIG_DFL);  // the access is repeated, and ends the program
}

MappedMemory::Guard* guarded(void* data, std::size_t size) {
  const std::lock_guard lock(guard_changes);
  for (auto& guard : guards) {
    if (guard.begin != 0) continue;
    if (n_guards == 0) {
      struct sigaction action {};
      action.sa_sigaction = on_bus_error;
      action.sa_flags = SA_SIGINFO;
      if (sigaction(SIGBUS, &action, &before_guards) != 0) return nullptr;
    }
    ++n_guards;
    guard.replaced = false;
    guard.size = size;
    guard.begin = reinterpret_cast<std::uintptr_t>(data);
    return &guard;
  }
  errno = EMFILE;
  return nullptr;
}

void release(MappedMemory::Guard& guard) {
  const std::lock_guard lock(guard_changes);
  guard.begin = 0;
  if (--n_guards == 0) sigaction(SIGBUS, &before_guards, nullptr);
}

}  // namespace

std::unique_ptr<MappedMemory> MappedMemory::of(int descriptor, std::size_t size) {
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  Guard* const guard = data == MAP_FAILED ? nullptr : guarded(data, size);
  if (guard != nullptr) return std::unique_ptr<MappedMemory>(new MappedMemory(descriptor, data, size, guard));
  const int reason = errno;
  if (data != MAP_FAILED) munmap(data, size);
  close(descriptor);
  errno = reason;
  return nullptr;
}

MappedMemory::~MappedMemory() {
  release(*guard_);
  munmap(data_, size_);
  close(descriptor_);
}

bool MappedMemory::lost() const noexcept {
  struct stat status {};
  return guard_->replaced || fstat(descriptor_, &status) != 0 || status.st_size < static_cast<off_t>(size_);
}

}  // namespace rubato::realtime
