#pragma once
/// Scratch memory that a caller lends to a model for one evaluation.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "rubato/base/assert.hpp"

namespace rubato {

/// A bump pointer into memory somebody else owns. Pass it by value: what a callee takes is free again when it returns.
/// Evaluations stay pure const functions, safe from several threads, and never allocate.
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::span<std::byte> memory) noexcept : rest_(memory) {}

  /// n value-initialised objects.
  template <class T>
  [[nodiscard]] std::span<T> take(std::size_t n) noexcept {
    T* first = reserve<T>(n);
    std::uninitialized_value_construct_n(first, n);
    return {first, n};
  }

  /// n objects made from those of `x`, one by one.
  template <class T, class X>
  [[nodiscard]] std::span<T> lift(std::span<const X> x) noexcept {
    T* first = reserve<T>(x.size());
    std::uninitialized_copy(x.begin(), x.end(), first);
    return {first, x.size()};
  }

  /// Room for n objects; none is made yet.
  template <class T>
  [[nodiscard]] T* reserve(std::size_t n) noexcept {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignment);
    const std::size_t bytes = bytes_for<T>(n);
    RUBATO_ASSERT(bytes <= rest_.size(), "scratch memory too small: raise scratch_bytes()");
    T* first = reinterpret_cast<T*>(rest_.data());
    rest_ = rest_.subspan(bytes);
    return first;
  }

  /// What take<T>(n) consumes: for scratch_bytes().
  template <class T>
  [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t n) noexcept {
    return (n * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  static constexpr std::size_t alignment = alignof(std::max_align_t);

 private:
  std::span<std::byte> rest_;
};

/// Owns scratch memory: one per integrator or thread. What nobody takes is never touched and costs no memory: tangents of large models need
/// hundreds of megabytes, outputs of the same model a few.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  explicit ScratchMemory(std::size_t bytes)
      : size_(bytes / sizeof(std::max_align_t) + 1),
        memory_(std::make_unique_for_overwrite<std::max_align_t[]>(size_)) {}
  [[nodiscard]] Scratch scratch() noexcept { return Scratch(std::as_writable_bytes(std::span(memory_.get(), size_))); }

 private:
  std::size_t size_ = 0;
  std::unique_ptr<std::max_align_t[]> memory_;
};

}  // namespace rubato
