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

/// A child that is stepped through. Ended, or killed, when it goes.
class Traced {
 public:
  explicit Traced(pid_t child) : child_(child) {}
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;
  ~Traced() {
    if (!alive_) return;
    kill(child_, SIGKILL);
    (void)waitpid(child_, nullptr, 0);
  }
  /// The signal it stops with; 0: it has ended.
  int stopped() {
    int status = 0;
    alive_ = waitpid(child_, &status, 0) == child_ && WIFSTOPPED(status);
    return alive_ ? WSTOPSIG(status) : 0;
  }
  /// Instructions up to its next SIGSTOP; nothing where something else happens.
  std::optional<long> steps_to_mark() {
    long count = 0;
    int signal = SIGTRAP;
    while (signal == SIGTRAP) {
      if (ptrace(PTRACE_SINGLESTEP, child_, nullptr, nullptr) != 0) return std::nullopt;
      signal = stopped();
      ++count;
    }
    return signal == SIGSTOP ? std::optional(count) : std::nullopt;
  }
  bool goes_on() { return ptrace(PTRACE_CONT, child_, nullptr, nullptr) == 0; }

 private:
  pid_t child_;
  bool alive_ = true;
};

}  // namespace

std::optional<std::vector<long>> instructions(int times, const std::function<void()>& between,
                                              const std::function<void()>& work) {
  if (!allocations_are_counted()) return std::nullopt;
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(not_possible);
    for (int k = 0; k < times; ++k) {
      if (k > 0) between();
      raise(SIGSTOP);
      work();
      raise(SIGSTOP);
    }
    _exit(0);
  }
  Traced traced(child);
  std::vector<long> counts;
  for (int k = 0; k < times; ++k) {
    if (traced.stopped() != SIGSTOP) return std::nullopt;
    const auto count = traced.steps_to_mark();
    if (!count || !traced.goes_on()) return std::nullopt;
    counts.push_back(*count);
  }
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
