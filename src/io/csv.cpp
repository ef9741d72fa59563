#include "rubato/io/csv.hpp"

#include <fmt/format.h>

namespace rubato::io {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string to_csv(const Trajectory& trajectory) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "time [s]");
  for (std::size_t j = 0; j < trajectory.channels(); ++j) {
    const std::string& unit = trajectory.units[j];
    fmt::format_to(to, ",{}", csv_field(unit.empty() ? trajectory.names[j] : trajectory.names[j] + " [" + unit + "]"));
  }
  fmt::format_to(to, "\n");
  const std::size_t n = trajectory.channels();
  for (std::size_t i = 0; i < trajectory.rows(); ++i) {
    fmt::format_to(to, "{}", trajectory.times[i]);
    for (std::size_t j = 0; j < n; ++j) fmt::format_to(to, ",{}", trajectory.values[i * n + j]);
    fmt::format_to(to, "\n");
  }
  return fmt::to_string(out);
}

}  // namespace rubato::io
