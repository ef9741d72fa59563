#pragma once
/// Material tests from files, and fitted materials as text for model files.
///
/// CSV: the first line names the columns, in any order: `mode`, `stretch` (or `strain`: stretch − 1, in simple shear the same) and
/// `stress [MPa]`, the nominal stress with its unit. Lines that begin with # are comments. TOML: [[test]] with mode, unit,
/// points = [[stretch, stress], …] and, if wanted, weight.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/fem/fit.hpp"

namespace rubato::io {

/// By the file's name: .toml, everything else is CSV. One set per mode (CSV) or per [[test]]. An error names file, line, value.
[[nodiscard]] Result<std::vector<fem::TestSet>> read_test_data(const std::filesystem::path& file);
[[nodiscard]] Result<std::vector<fem::TestSet>> test_data_from_csv(std::string_view text, std::string_view file);
[[nodiscard]] Result<std::vector<fem::TestSet>> test_data_from_toml(std::string_view text, std::string_view file);

/// A table [[material]]; `remarks` stand above it as comments, one per line.
[[nodiscard]] std::string material_toml(const fem::Fit& fit, std::string_view name,
                                        const std::vector<std::string>& remarks);

}  // namespace rubato::io
