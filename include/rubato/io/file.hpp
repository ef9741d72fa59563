#pragma once
/// Files that are either there and whole, or not there, also after a crash of the machine.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// A file while it is written, under a name of its own beside the file it will be: NAME.PROCESS-NUMBER.part, made anew (O_EXCL, no links
/// followed). finish() makes it durable and renames it; without finish() it goes when this object goes. So neither a reader, nor a
/// second writer, a crash or a full disk ever leaves half a file under the final name. A folder that has gone is made again.
class PartFile {
 public:
  [[nodiscard]] static Result<PartFile> beside(const std::filesystem::path& file);
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&& other) noexcept;
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  /// The name until finish(), for libraries that write by name. They close the file before finish().
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return part_; }
  /// Adds to the end.
  [[nodiscard]] Result<void> write(std::string_view bytes);
  /// fsync, close, rename, fsync of the folder. After a failure the part is gone; the file is the one before, or (where only
  /// the last sync failed) the new one, which a crash of the machine may still undo.
  [[nodiscard]] Result<void> finish();

 private:
  PartFile() = default;
  void discard() noexcept;

  std::filesystem::path file_, part_;
  int descriptor_ = -1;
};

/// All at once through a PartFile. An existing file is replaced.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

/// The one way in which files are read. What is no regular file (a folder, a named pipe, a device), or larger than `most_bytes`, is
/// refused before anything is read.
[[nodiscard]] Result<std::string> read_file_up_to(const std::filesystem::path& file, std::uintmax_t most_bytes);
inline constexpr std::uintmax_t most_file_bytes = std::uintmax_t{4} << 30U;  ///< meshes, measured data, checkpoints
inline constexpr std::uintmax_t most_text_bytes = std::uintmax_t{64}
                                                  << 20U;  ///< models, plans, what `rubato tune` writes
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);       ///< most_file_bytes
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& file);  ///< most_text_bytes

/// The folder, made if need be.
[[nodiscard]] Result<void> make_folder(const std::filesystem::path& folder);

/// Removes a file, so that it stays removed after a crash of the machine; one that does not exist is no error.
[[nodiscard]] Result<void> remove_file(const std::filesystem::path& file);

/// Removes what killed writers left in a folder: part files whose process is gone. For who has the lock of the folder.
void remove_stale_parts(const std::filesystem::path& folder);

}  // namespace rubato::io
