#pragma once
/// Rates of a machine as a file, written by `rubato tune` and an input of runs.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/linalg/solver_choice.hpp"

namespace rubato::io {

/// The file, as text; `name`: of the file.
[[nodiscard]] std::string tune_text(const SolverRates& rates, const std::string& name);

/// As overrides for a run file: "krylov.rates.factor_flops=2e9", …; in the file there may be nothing else.
[[nodiscard]] Result<std::vector<std::string>> read_tune_file(const std::filesystem::path& file);
[[nodiscard]] Result<std::vector<std::string>> parse_tune(std::string_view text, std::string_view file);

}  // namespace rubato::io
