#pragma once
/// Comma-separated values after RFC 4180, with '\n': what spreadsheets, pandas, MATLAB and gnuplot read.
#include <filesystem>
#include <string>
#include <string_view>

#include "rubato/io/row_source.hpp"

namespace rubato::io {

/// A field, quoted where it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(std::string_view text);

/// First line: "time [s],q[0] [m],…" (no brackets where there is no unit); then one line per row. Numbers are the
/// shortest decimals that read back as the same double.
[[nodiscard]] std::string to_csv(const Trajectory& trajectory);
/// The same text into a file, row by row.
[[nodiscard]] Result<void> write_csv(const std::filesystem::path& file, const RowSource& rows);

}  // namespace rubato::io
