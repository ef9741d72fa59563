#include "support/allocation_counter.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)  // how Clang tells it
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define RUBATO_COUNT_ALLOCATIONS 1
#else
#define RUBATO_COUNT_ALLOCATIONS 0
#endif

namespace {
thread_local long n_allocations = 0;  // static storage of the executable: no allocation on first use
}

// The executable's malloc takes precedence over that of the C library, for shared libraries too. operator new calls it.
#if RUBATO_COUNT_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++n_allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  ++n_allocations;
  return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
  ++n_allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++n_allocations;
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++n_allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  ++n_allocations;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}
}
#endif

namespace rubato::test {

bool allocations_are_counted() noexcept { return RUBATO_COUNT_ALLOCATIONS != 0; }
AllocationScope::AllocationScope() noexcept : start_(n_allocations) {}
long AllocationScope::count() const noexcept { return n_allocations - start_; }

}  // namespace rubato::test
