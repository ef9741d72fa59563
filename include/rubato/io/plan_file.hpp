#pragma once
/// Real-time plans as TOML files: written by `rubato realtime analyse`, read by `rubato realtime run` and `export`.
#include <filesystem>
#include <string>

#include "rubato/base/result.hpp"
#include "rubato/realtime/plan.hpp"

namespace rubato::io {

[[nodiscard]] std::string plan_text(const realtime::Plan& plan);

/// Nothing may be missing, nothing unknown, and the hash must be that of the structure: plans are not made by hand. Whether it fits a
/// model is for realtime::check_plan.
[[nodiscard]] Result<realtime::Plan> parse_plan(std::string_view text, std::string_view file_name);
[[nodiscard]] Result<realtime::Plan> read_plan_file(const std::filesystem::path& file);

}  // namespace rubato::io
