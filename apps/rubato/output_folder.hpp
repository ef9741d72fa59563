#pragma once
/// The folder that a command writes to.
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/io/folder_lock.hpp"
#include "rubato/io/manifest.hpp"

namespace rubato::app {

/// Made, locked against other commands that write there, and tested before the work begins. Failures are told, and are exit codes.
class OutputFolder {
 public:
  /// An empty path: no files are wanted; then all below does nothing.
  explicit OutputFolder(std::filesystem::path path) : path_(std::move(path)) {}
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  /// Releases the lock; a folder made for nothing goes again.
  ~OutputFolder();

  /// done; wrong_input: another process writes there; not_written: it cannot be made or written, or has no room for so many bytes.
  [[nodiscard]] int open(double bytes = 0);
  /// What open() did, once more, where somebody has removed the folder meanwhile. not_written, from then on: another process has it now, or
  /// it cannot be made.
  [[nodiscard]] int renew();

  /// The set of files that stands there is no longer complete: before the first of a new one.
  void begin_set();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Writes a file, whatever became of those before. False: it has failed; outcome() tells why.
  bool write(const std::string& name, std::string_view bytes);
  /// The same of a file written by others, with what they say about it.
  bool add(const std::string& name, const Result<void>& written);
  bool add(const Result<void>& written, const std::vector<io::ManifestEntry>& files);
  /// "FOLDER/{a,b}": what was written. Files of a folder within count as that folder.
  [[nodiscard]] std::string written() const;
  /// What was not written, and why.
  [[nodiscard]] const std::vector<std::string>& troubles() const noexcept { return troubles_; }
  /// Writes the manifest, if nothing has failed: its files are a complete set. Those in `varying` have no checksum.
  bool seal(const std::string& version, std::initializer_list<std::string_view> varying);
  [[nodiscard]] bool sealed() const noexcept { return sealed_; }
  /// `outcome`, or not_written if something could not be written, which is told.
  [[nodiscard]] int outcome(int outcome) const;
  /// Tells every file that was written, then the same.
  [[nodiscard]] int finish(int outcome) const;

 private:
  [[nodiscard]] int lock();

  std::filesystem::path path_;
  std::optional<io::FolderLock> lock_;
  bool made_ = false, lost_ = false, sealed_ = false;
  std::vector<io::ManifestEntry> written_;
  std::vector<std::string> troubles_;
};

}  // namespace rubato::app
