#include "rubato/io/manifest.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/descriptor.hpp"
#include "io/json_text.hpp"
#include "io/regular_file.hpp"
#include "rubato/io/checksum.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace fs = std::filesystem;

namespace {

/// A name that stays within its folder.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& level) { return level == ".."; });
}

Result<void> verify_entry(const fs::path& folder, const ManifestEntry& entry) {
  const fs::path file = folder / entry.name;
  std::error_code ignored;
  if (!entry.content) {
    if (fs::is_regular_file(file, ignored)) return {};
    return Error{fmt::format("{}: missing, although {} names it", file.string(), manifest_name)};
  }
  // Lengths first: what is far too long is not read.
  const auto size = fs::is_regular_file(file, ignored) ? fs::file_size(file, ignored) : std::uintmax_t(-1);
  if (size == std::uintmax_t(-1))
    return Error{fmt::format("{}: missing, although {} names it", file.string(), manifest_name)};
  if (size != entry.content->size)
    return Error{fmt::format("{}: has {} bytes, not the {} of {}: it belongs to another run, or is damaged",
                             file.string(), size, entry.content->size, manifest_name)};
  const auto found = digest_of(file);
  if (!found) return found.error();
  if (*found == *entry.content) return {};
  return Error{
      fmt::format("{}: has the checksum {:08x}, not the {:08x} of {}: it belongs to another run, or is damaged",
                  file.string(), found->checksum, entry.content->checksum, manifest_name)};
}

}  // namespace

FileDigest digest(std::string_view bytes) noexcept { return {.size = bytes.size(), .checksum = checksum(bytes)}; }

Result<FileDigest> digest_of(const fs::path& file) {
  struct stat status {};
  const auto opened = open_regular(file, status);
  if (!opened) return opened.error();
  const Descriptor descriptor(*opened);
  FileDigest sum;
  char piece[1 << 16];
  for (;;) {
    const ssize_t n = ::read(descriptor, piece, sizeof piece);
    if (n == 0) return sum;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno))};
    sum.size += static_cast<std::uint64_t>(n);
    sum.checksum = checksum({piece, static_cast<std::size_t>(n)}, sum.checksum);
  }
}

Result<void> invalidate_manifest(const fs::path& folder) { return remove_file(folder / manifest_name); }

Result<void> write_manifest(const fs::path& folder, Manifest manifest) {
  std::sort(manifest.files.begin(), manifest.files.end(),
            [](const ManifestEntry& a, const ManifestEntry& b) { return a.name < b.name; });
  return write_file(folder / manifest_name, manifest_json(manifest));
}

Result<Manifest> read_manifest(const fs::path& folder) {
  const fs::path file = folder / manifest_name;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    return Error{fmt::format("{}: has no {}: a run is writing there, or was ended before its files were complete",
                             folder.string(), manifest_name)};
  const auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  auto manifest = manifest_from_json(*bytes);
  if (!manifest || !std::all_of(manifest->files.begin(), manifest->files.end(),
                                [](const ManifestEntry& entry) { return stays_inside(entry.name); }))
    return Error{fmt::format("{}: not a manifest of Rubato, or damaged", file.string())};
  return std::move(*manifest);
}

Result<Manifest> verify_folder(const fs::path& folder) {
  auto manifest = read_manifest(folder);
  if (!manifest) return manifest;
  for (const auto& entry : manifest->files)
    if (auto fine = verify_entry(folder, entry); !fine) return fine.error();
  return manifest;
}

Result<void> verify_file(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const auto manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  const std::string name = file.filename().string();
  for (const auto& entry : manifest->files)
    if (entry.name == name) return verify_entry(folder, entry);
  return Error{fmt::format("{}: not one of the files in {}: it belongs to another run", file.string(), manifest_name)};
}

}  // namespace rubato::io
