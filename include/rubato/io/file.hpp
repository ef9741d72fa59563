#pragma once
/// Files that are either there and whole, or not there.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// Writes to a neighbour "name.part", then renames: a reader, a crash or a full disk never sees half a file. An existing
/// file is replaced.
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

/// The name used while a file is being written.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& file);
/// Renames part_name(file) to file.
[[nodiscard]] Result<void> finish_file(const std::filesystem::path& file);

}  // namespace rubato::io
