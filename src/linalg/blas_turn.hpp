#pragma once
/// A turn inside a solver library: one thread of ours at a time, and one thread of BLAS.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstddef>
#include <mutex>

namespace rubato::detail {

/// While one lives, this thread alone is inside the library (the Fortran modules of MUMPS keep state of their own), and OpenBLAS
/// (where that is the BLAS in use) works in one thread: sums in the same order, the same bytes.
class BlasTurn {
 public:
  BlasTurn() : lock_(mutex()), threads_(blas().get && blas().set ? blas().get() : 0) {
    if (threads_ > 1) blas().set(1);
  }
  ~BlasTurn() {
    if (threads_ > 1) blas().set(threads_);
  }
  BlasTurn(const BlasTurn&) = delete;
  BlasTurn& operator=(const BlasTurn&) = delete;

  /// False where OpenBLAS would not get the buffer it works in: it asks for that again without end. To be asked outside turns, before BLAS is
  /// first called; once had, the buffer stays.
  [[nodiscard]] static bool room() noexcept {
    const std::lock_guard lock(mutex());
    static bool reserved = blas().allocate == nullptr || blas().release == nullptr;
    if (reserved) return true;
    void* const probe =
        mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED) return false;
    munmap(probe, buffer_bytes);
    blas().release(blas().allocate(0));
    reserved = true;
    return true;
  }
  static constexpr const char* no_room =
      "out of memory: OpenBLAS, the linear algebra library, needs 130 MB of address space for its buffer";

 private:
  static constexpr std::size_t buffer_bytes = 130UL << 20;  // 128 MB on the processors we know, and its surroundings

  struct OpenBlas {
    int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    void* (*allocate)(int) = reinterpret_cast<void* (*)(int)>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
    void (*release)(void*) = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
  };
  static const OpenBlas& blas() {
    static const OpenBlas functions;
    return functions;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  std::lock_guard<std::mutex> lock_;
  int threads_;
};

}  // namespace rubato::detail
