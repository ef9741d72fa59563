#include "rubato/base/workers.hpp"

#include <algorithm>
#include <system_error>

namespace rubato {

Workers::Workers(int n) {
  if (n < 1) n = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
  try {
    for (int worker = 1; worker < n; ++worker) threads_.emplace_back([this, worker] { wait_for_loops(worker); });
  } catch (const std::system_error&) {  // no more threads to be had: those obtained serve
  }
}

Workers::~Workers() {
  stop_.store(true);
  loop_.fetch_add(1);
  loop_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::take_part(int worker) noexcept {
  for (int i = next_.fetch_add(1); i < n_; i = next_.fetch_add(1)) call_(self_, worker, i);
}

void Workers::wait_for_loops(int worker) noexcept {
  for (unsigned seen = 0;;) {
    loop_.wait(seen);
    seen = loop_.load();
    if (stop_.load()) return;
    take_part(worker);
    if (at_work_.fetch_sub(1) == 1) at_work_.notify_one();
  }
}

void Workers::run(int n, Call call, const void* self) noexcept {
  const std::unique_lock lock(busy_, std::try_to_lock);
  if (!lock.owns_lock() || threads_.empty() || n < 2) {
    for (int i = 0; i < n; ++i) call(self, 0, i);
    return;
  }
  call_ = call;
  self_ = self;
  n_ = n;
  next_.store(0);
  at_work_.store(static_cast<int>(threads_.size()));
  loop_.fetch_add(1);
  loop_.notify_all();
  take_part(0);
  for (int left = at_work_.load(); left > 0; left = at_work_.load()) at_work_.wait(left);
}

}  // namespace rubato
