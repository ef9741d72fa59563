#pragma once
/// Counts allocations of the calling thread: operator new, malloc, calloc, realloc and the aligned ones, wherever they are
/// called from (our code, Eigen, KLU). glibc only; under the address sanitizer nothing is counted.
///   AllocationScope scope;  work();  if (allocations_are_counted()) EXPECT_EQ(scope.count(), 0);

namespace rubato::test {

[[nodiscard]] bool allocations_are_counted() noexcept;

class AllocationScope {
 public:
  AllocationScope() noexcept;
  /// Allocations since construction; 0 where nothing is counted.
  [[nodiscard]] long count() const noexcept;

 private:
  long start_;
};

}  // namespace rubato::test
