#pragma once
/// Reading back what `rubato run` has left.
#include <filesystem>

#include "rubato/io/result_data.hpp"

namespace rubato::io {

/// solution.h5 of a folder, after all files have been found to be those of its manifest: never a mixture of two runs, nor part of one.
[[nodiscard]] Result<RunResult> read_results(const std::filesystem::path& folder);

}  // namespace rubato::io
