#pragma once
/// Opening files to read: the one place where it is decided what may be read.
#include <sys/stat.h>

#include <filesystem>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// A descriptor for reading, its length and the like in `status`. A folder, a named pipe, a socket or a device is refused: before it is
/// opened, for that alone makes some devices act and waits at pipes; and again after, should the name mean another file by then.
[[nodiscard]] Result<int> open_regular(const std::filesystem::path& file, struct stat& status);

}  // namespace rubato::io
