// Loops on several threads: every index once, also from two callers at a time.
#include "rubato/base/workers.hpp"

#include <gtest/gtest.h>

namespace rubato {
namespace {

TEST(Workers, CallEveryIndexOnce) {
  for (const int n_threads : {1, 2, 5}) {
    Workers workers(n_threads);
    EXPECT_EQ(workers.size(), n_threads);
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<int> seen(37), by(37, -1);
      workers.for_each(37, [&](int worker, int i) {
        ++seen[static_cast<std::size_t>(i)];
        by[static_cast<std::size_t>(i)] = worker;
      });
      for (int i = 0; i < 37; ++i) {
        ASSERT_EQ(seen[static_cast<std::size_t>(i)], 1);
        ASSERT_LT(by[static_cast<std::size_t>(i)], n_threads);
      }
    }
  }
}

TEST(Workers, ServeTwoCallers) {
  Workers workers(3);
  std::atomic<int> sum{0};
  const auto work = [&] {
    for (int repeat = 0; repeat < 500; ++repeat) workers.for_each(10, [&](int, int i) { sum += i; });
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(sum, 2 * 500 * 45);
}

}  // namespace
}  // namespace rubato
