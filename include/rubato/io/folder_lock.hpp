#pragma once
/// One writer per folder: two runs into one folder would leave a mixture of their files.
#include <filesystem>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// `.rubato.lock` in the folder, locked with flock and removed at the end. The system releases the lock of a process that dies.
class FolderLock {
 public:
  enum class State {
    held,
    busy,        ///< another process has it: holder()
    unsupported  ///< this file system has no locks
  };
  /// Never waits. An error: the file cannot be made, as in a folder that may not be written.
  [[nodiscard]] static Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  [[nodiscard]] State state() const noexcept { return state_; }
  /// The process that has the lock; 0: it has not said yet.
  [[nodiscard]] long holder() const noexcept { return holder_; }
  /// The file is still the one in the folder: false when somebody removed the folder meanwhile.
  [[nodiscard]] bool in_force() const noexcept;

 private:
  FolderLock() = default;

  std::filesystem::path file_;
  State state_ = State::unsupported;
  int descriptor_ = -1;
  long holder_ = 0;
};

}  // namespace rubato::io
