#pragma once
/// manifest.json: which files of a folder belong together. It is removed before the first of them changes and written when the last is
/// durable: a folder without it holds no complete set. The same files make the same bytes.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"

namespace rubato::io {

struct FileDigest {
  std::uint64_t size = 0;      ///< bytes
  std::uint32_t checksum = 0;  ///< CRC-32
  bool operator==(const FileDigest&) const = default;
};
[[nodiscard]] FileDigest digest(std::string_view bytes) noexcept;
/// Of a file on disk, read in pieces.
[[nodiscard]] Result<FileDigest> digest_of(const std::filesystem::path& file);

struct ManifestEntry {
  std::string name;                   ///< within the folder, with slashes
  std::optional<FileDigest> content;  ///< none: differs from run to run, as times do
};

struct Manifest {
  std::string version;  ///< of Rubato
  std::vector<ManifestEntry> files;
};

inline constexpr const char* manifest_name = "manifest.json";

/// The folder's files are no set any more.
[[nodiscard]] Result<void> invalidate_manifest(const std::filesystem::path& folder);
/// Its files sorted by name.
[[nodiscard]] Result<void> write_manifest(const std::filesystem::path& folder, Manifest manifest);
[[nodiscard]] Result<Manifest> read_manifest(const std::filesystem::path& folder);

/// Every file of the manifest is there and is the one it names; an error says which is not. Other files do not matter.
[[nodiscard]] Result<Manifest> verify_folder(const std::filesystem::path& folder);
/// The same for one file: what readers ask before they trust it. Files in folders without a manifest belong to no set: refused.
[[nodiscard]] Result<void> verify_file(const std::filesystem::path& file);

}  // namespace rubato::io
