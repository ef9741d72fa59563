#include "one_blas_thread.hpp"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace rubato::app {

void restart_with_one_blas_thread(char** argv) noexcept {
  constexpr const char* wanted = "OPENBLAS_NUM_THREADS";
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) != 0 || address_space.rlim_cur == RLIM_INFINITY) return;
  const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  if (threads == nullptr || threads() == 1) return;
  const char* const now = std::getenv(wanted);
  if (now != nullptr && now[0] == '1' && now[1] == '\0') return;  // it was no help
  if (setenv(wanted, "1", 1) == 0) execv("/proc/self/exe", argv);
}

}  // namespace rubato::app
