#include "support/observed_process.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>

#include "support/allocation_counter.hpp"

namespace rubato::test {

namespace {

constexpr int not_possible = 77;

/// From here on any system call but exit kills the process. Works on top of the filter a container may have.
bool forbid_system_calls() noexcept {
  std::array filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Of a stopped child that is stepped through up to its next SIGSTOP; nothing where something else happens.
std::optional<long> steps_to_mark(pid_t child) {
  long count = 0;
  int status = 0;
  do {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) return std::nullopt;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return std::nullopt;
    ++count;
  } while (WSTOPSIG(status) == SIGTRAP);
  return WSTOPSIG(status) == SIGSTOP ? std::optional(count) : std::nullopt;
}

bool at_mark(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
}

}  // namespace

std::optional<std::vector<long>> instructions(int times, const std::function<void()>& between,
                                              const std::function<void()>& work) {
  if (!allocations_are_counted()) return std::nullopt;
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(not_possible);
    for (int k = 0; k < times; ++k) {
      between();
      raise(SIGSTOP);
      work();
      raise(SIGSTOP);
    }
    _exit(0);
  }
  std::vector<long> counts;
  for (int k = 0; k < times; ++k) {
    if (!at_mark(child)) break;
    const auto count = steps_to_mark(child);
    if (!count || ptrace(PTRACE_CONT, child, nullptr, nullptr) != 0) break;
    counts.push_back(*count);
  }
  kill(child, SIGKILL);
  (void)waitpid(child, nullptr, 0);
  if (static_cast<int>(counts.size()) < times) return std::nullopt;
  return counts;
}

std::optional<bool> runs_without_system_calls(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    if (!forbid_system_calls()) _exit(not_possible);
    syscall(SYS_exit, work() ? 0 : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_possible) return std::nullopt;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace rubato::test
