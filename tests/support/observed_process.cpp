#include "support/observed_process.hpp"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/allocation_counter.hpp"

namespace rubato::test {

std::optional<std::vector<long>> instructions(int times, const std::function<void()>& work) {
  if (!allocations_are_counted()) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    for (int k = 0; k < times; ++k) {
      raise(SIGSTOP);
      work();
    }
    raise(SIGSTOP);
    _exit(0);
  }
  std::vector<long> counts;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return std::nullopt;
  long count = 0;
  while (static_cast<int>(counts.size()) < times) {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) break;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
    ++count;
    if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) break;
    if (WSTOPSIG(status) == SIGSTOP) {
      counts.push_back(count);
      count = 0;
    }
  }
  if (WIFSTOPPED(status)) {
    kill(child, SIGKILL);
    (void)waitpid(child, &status, 0);
  }
  if (static_cast<int>(counts.size()) < times) return std::nullopt;
  return counts;
}

bool runs_without_system_calls(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    // From here on any call but read, write and exit kills the process.
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    syscall(SYS_exit, work() ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace rubato::test
