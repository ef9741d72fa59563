#pragma once
/// A turn inside a solver library: one thread of ours at a time, and one thread of BLAS.
#include <dlfcn.h>

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

 private:
  struct OpenBlas {
    int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
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
