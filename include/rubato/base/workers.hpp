#pragma once
/// Threads that wait for loops: for_each(n, f) calls f(worker, i) for every i, on all of them at once.
///
/// Nothing is allocated per loop and nothing thrown. Which worker takes which i is not defined: what f writes for different i
/// must not overlap, and sums belong into slots by i, added afterwards in order. Then results do not depend on the number of threads.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace rubato {

class Workers {
 public:
  /// n threads in all, the caller's included; fewer where the system gives no more. n < 1: as many as the machine has, at most 8.
  explicit Workers(int n);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(threads_.size()) + 1; }

  template <class Function>
  void for_each(int n, const Function& f) noexcept {
    run(
        n, [](const void* self, int worker, int i) { (*static_cast<const Function*>(self))(worker, i); }, &f);
  }

 private:
  using Call = void (*)(const void* self, int worker, int i);
  void run(int n, Call call, const void* self) noexcept;
  void wait_for_loops(int worker) noexcept;
  void take_part(int worker) noexcept;

  std::vector<std::thread> threads_;
  std::mutex busy_;  // one loop at a time; a second caller works alone
  Call call_ = nullptr;
  const void* self_ = nullptr;
  int n_ = 0;
  std::atomic<int> next_{0}, at_work_{0};
  std::atomic<unsigned> loop_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace rubato
