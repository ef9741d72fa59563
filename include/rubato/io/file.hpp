#pragma once
/// Files that are either there and whole, or not there.
#include <filesystem>
#include <string>
#include <string_view>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// Writes to a neighbour "name.part", then renames: a reader, a crash or a full disk never sees half a file. An existing
/// file is replaced.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

/// The folder, made if need be.
[[nodiscard]] Result<void> make_folder(const std::filesystem::path& folder);

/// The name used while a file is being written.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& file);
/// Renames part_name(file) to file.
[[nodiscard]] Result<void> finish_file(const std::filesystem::path& file);

}  // namespace rubato::io
