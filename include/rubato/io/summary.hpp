#pragma once
/// summary.json: what was asked, what happened, all counters, the same bytes for the same run. timing.json: seconds.
#include <string>

#include "rubato/io/row_source.hpp"

namespace rubato::io {

[[nodiscard]] std::string summary_json(const RunResult& result, const RowSource& rows);
/// The last row, extremes and options are in the result files; here is why and where the run ended.
[[nodiscard]] std::string timing_json(const Statistics& statistics, double wall_seconds);

/// A few lines for people: status, work, step sizes, time spent.
[[nodiscard]] std::string summary_text(const RunResult& result, double wall_seconds);

}  // namespace rubato::io
