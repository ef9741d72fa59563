#include "rubato/io/csv.hpp"

#include <fmt/format.h>

#include "rubato/io/file.hpp"

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

namespace {

void put_names(fmt::memory_buffer& out, const std::vector<std::string>& names, const std::vector<std::string>& units) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "time [s]");
  for (std::size_t j = 0; j < names.size(); ++j)
    fmt::format_to(to, ",{}", csv_field(units[j].empty() ? names[j] : names[j] + " [" + units[j] + "]"));
  fmt::format_to(to, "\n");
}

void put_row(fmt::memory_buffer& out, double t, In values) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{}", t);
  for (const double value : values) fmt::format_to(to, ",{}", value);
  fmt::format_to(to, "\n");
}

}  // namespace

std::string to_csv(const Trajectory& trajectory) {
  fmt::memory_buffer out;
  put_names(out, trajectory.names, trajectory.units);
  const std::size_t n = trajectory.channels();
  for (std::size_t i = 0; i < trajectory.rows(); ++i)
    put_row(out, trajectory.times[i], In(trajectory.values).subspan(i * n, n));
  return fmt::to_string(out);
}

Result<void> write_csv(const std::filesystem::path& file, const RowSource& rows) {
  auto part = PartFile::beside(file);
  if (!part) return part.error();
  constexpr std::size_t piece = 1 << 18;
  fmt::memory_buffer out;
  Result<void> written;
  const auto write = [&] {
    written = part->write({out.data(), out.size()});
    out.clear();
    return written.ok();
  };
  put_names(out, rows.names, rows.units);
  const auto read = rows.each_row([&](double t, In values) {
    put_row(out, t, values);
    return out.size() < piece || write();
  });
  if (!read) return read;
  if (!written || !write()) return written;
  return part->finish();
}

}  // namespace rubato::io
