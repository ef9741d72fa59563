#include "rubato/io/result_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rubato/io/hdf5.hpp"
#include "rubato/io/manifest.hpp"

namespace rubato::io {

Result<RunResult> read_results(const std::filesystem::path& folder) {
  constexpr const char* name = "solution.h5";
  const auto manifest = verify_folder(folder);
  if (!manifest) return manifest.error();
  if (std::none_of(manifest->files.begin(), manifest->files.end(), [&](const auto& file) { return file.name == name; }))
    return Error{
        fmt::format("{}: the run has written no {}; output.formats has to name \"hdf5\"", folder.string(), name)};
  return read_hdf5(folder / name);
}

}  // namespace rubato::io
