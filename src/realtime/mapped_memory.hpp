#pragma once
/// Shared memory that another process may shorten while it is in use.
#include <atomic>
#include <cstddef>
#include <memory>

namespace rubato::realtime {

/// A mapping of a whole file. Where the file behind it is shortened, access to what is gone raises SIGBUS: the handler puts memory of this
/// process alone in place of the whole mapping and says so; the access is repeated there. Nothing is read or written past the end, nobody waits.
class MappedMemory {
 public:
  /// Takes the descriptor and keeps it open (locks on it last as long); nullptr, with errno: no mapping.
  [[nodiscard]] static std::unique_ptr<MappedMemory> of(int descriptor, std::size_t size);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// The file is shorter than the mapping, or was when something of it was used.
  [[nodiscard]] bool lost() const noexcept;

  struct Guard;  ///< what the handler knows of it

 private:
  MappedMemory(int descriptor, void* data, std::size_t size, Guard* guard) noexcept
      : descriptor_(descriptor), data_(data), size_(size), guard_(guard) {}

  int descriptor_;
  void* data_;
  std::size_t size_;
  Guard* guard_;
};

}  // namespace rubato::realtime
