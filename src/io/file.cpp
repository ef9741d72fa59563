#include "rubato/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "descriptor.hpp"

namespace rubato::io {

namespace fs = std::filesystem;

namespace {

Error trouble(const fs::path& file, std::string_view what, int code = errno) {
  return Error{fmt::format("{}: {}: {}", file.string(), what, std::strerror(code))};
}
Error not_written(const fs::path& file, int code = errno) { return trouble(file, "cannot be written", code); }

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

/// fsync that an arriving signal does not end.
bool synced(int descriptor) noexcept {
  int outcome = 0;
  do outcome = ::fsync(descriptor);
  while (outcome != 0 && errno == EINTR);
  return outcome == 0;
}

/// Names in a folder are durable from here on. Folders that may not be read cannot be synced, nor those of some file systems (EINVAL).
bool sync_folder(const fs::path& folder) noexcept {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.ok()) return errno == EACCES;
  return synced(handle) || errno == EINVAL;
}

/// NAME.PROCESS-NUMBER.part
fs::path part_beside(const fs::path& file) {
  static std::atomic<unsigned> next{0};
  auto part = file;
  part += fmt::format(".{}-{}.part", ::getpid(), next++);
  return part;
}

/// The process in the name of a part file; 0: no such name.
pid_t writer_of(const std::string& name) {
  constexpr std::string_view ending = ".part";
  if (!name.ends_with(ending)) return 0;
  const auto dot = name.rfind('.', name.size() - ending.size() - 1);
  if (dot == std::string::npos || dot == 0) return 0;
  const char* const end = name.data() + name.size() - ending.size();
  pid_t writer = 0;
  unsigned number = 0;
  const auto first = std::from_chars(name.data() + dot + 1, end, writer);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  return second.ec == std::errc() && second.ptr == end ? writer : 0;
}

}  // namespace

PartFile::PartFile(PartFile&& other) noexcept
    : file_(std::move(other.file_)), part_(std::move(other.part_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

PartFile& PartFile::operator=(PartFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(part_, other.part_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

PartFile::~PartFile() { discard(); }

void PartFile::discard() noexcept {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  ::unlink(part_.c_str());
}

Result<PartFile> PartFile::beside(const fs::path& file) {
  PartFile made;
  made.file_ = file;
  bool folder_made = false;
  while (made.descriptor_ < 0) {
    made.part_ = part_beside(file);
    made.descriptor_ = ::open(made.part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made.descriptor_ >= 0 || errno == EEXIST || errno == EINTR) continue;
    if (errno != ENOENT || std::exchange(folder_made, true)) return not_written(file);
    if (const auto folder = make_folder(folder_of(file)); !folder) return folder.error();
  }
  return made;
}

Result<void> PartFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return not_written(file_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> PartFile::finish() {
  const auto failed = [this](int code) {
    discard();
    ::unlink(part_.c_str());  // where the descriptor is closed already
    return not_written(file_, code);
  };
  if (!synced(descriptor_)) return failed(errno);
  // The descriptor is gone even where close fails; with EINTR nothing was lost.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return failed(errno);
  if (::rename(part_.c_str(), file_.c_str()) != 0) return failed(errno);
  if (!sync_folder(folder_of(file_))) return not_written(file_);
  return {};
}

Result<void> write_file(const fs::path& file, std::string_view bytes) {
  auto part = PartFile::beside(file);
  if (!part) return part.error();
  if (auto written = part->write(bytes); !written) return written;
  return part->finish();
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> missing;  // the innermost first
  for (fs::path level = folder; !level.empty() && !fs::exists(level, failure); level = level.parent_path())
    missing.push_back(level);
  fs::create_directories(folder, failure);
  if (failure) return Error{fmt::format("{}: the folder cannot be made: {}", folder.string(), failure.message())};
  for (const auto& made : missing)
    if (!sync_folder(folder_of(made))) return trouble(made, "the folder cannot be made");
  return {};
}

Result<void> remove_file(const fs::path& file) {
  if (::unlink(file.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return trouble(file, "cannot be removed");
  }
  if (!sync_folder(folder_of(file))) return trouble(file, "cannot be removed");
  return {};
}

void remove_stale_parts(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> stale;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const pid_t writer = writer_of(entry->path().filename().string());
    if (writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH) stale.push_back(entry->path());
  }
  for (const auto& file : stale) fs::remove(file, ignored);
}

}  // namespace rubato::io
