#pragma once
/// A flat sequence of bytes for saving and loading the state of a run on the same machine.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rubato {

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

class ArchiveWriter {
 public:
  template <Plain T>
  void put(const T& value) {
    append(&value, sizeof(T));
  }
  template <Plain T>
  void put(std::span<const T> values) {
    put<std::uint64_t>(values.size());
    append(values.data(), values.size_bytes());
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + size);
    if (size > 0) std::memcpy(bytes_.data() + end, data, size);
  }
  std::vector<std::byte> bytes_;
};

/// Reads what ArchiveWriter wrote, in the same order. After the first mismatch `ok()` is false and nothing more is read.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  template <Plain T>
  void get(T& value) noexcept {
    if (!has(sizeof(T))) return;
    if constexpr (std::is_same_v<T, bool>) {  // a byte that is neither 0 nor 1 is no bool
      const auto byte = std::to_integer<unsigned>(rest_.front());
      ok_ = byte <= 1;
      value = byte == 1;
    } else {
      std::memcpy(&value, rest_.data(), sizeof(T));
    }
    rest_ = rest_.subspan(sizeof(T));
  }
  /// A number from [low, high]; another (or NaN) is a mismatch and leaves `value` as it was.
  template <Plain T>
  requires std::is_arithmetic_v<T>
  void get(T& value, std::type_identity_t<T> low, std::type_identity_t<T> high) noexcept {
    T found{};
    get(found);
    ok_ = ok_ && found >= low && found <= high;
    if (ok_) value = found;
  }
  /// The stored length must equal the length of `values`: a checkpoint belongs to one problem and method.
  template <Plain T>
  void get(std::span<T> values) noexcept {
    std::uint64_t count = 0;
    get(count);
    if (count != values.size()) ok_ = false;
    if (!has(values.size_bytes()) || values.empty()) return;
    std::memcpy(values.data(), rest_.data(), values.size_bytes());
    rest_ = rest_.subspan(values.size_bytes());
  }
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool at_end() const noexcept { return ok_ && rest_.empty(); }

 private:
  bool has(std::size_t n) noexcept {
    ok_ = ok_ && rest_.size() >= n;
    return ok_;
  }
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace rubato
