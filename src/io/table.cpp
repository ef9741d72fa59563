#include "rubato/io/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/json_text.hpp"
#include "rubato/base/assert.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/csv.hpp"

namespace rubato::io {

namespace {

std::string exact(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return shortest(*number);
  if (const auto* count = std::get_if<long>(&cell)) return fmt::format("{}", *count);
  return std::get<bool>(cell) ? "true" : "false";
}

std::string for_people(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *number);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  return exact(cell);
}

bool is_number(const Cell& cell) { return std::holds_alternative<double>(cell) || std::holds_alternative<long>(cell); }

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

/// Columns side by side; `open`, `between` and `close` surround the cells.
std::string aligned(const Table& table, bool markdown) {
  const std::size_t n = table.columns.size();
  std::vector<std::size_t> width(n);
  std::vector<bool> right(n, !table.rows.empty());
  std::vector<std::vector<std::string>> cells;
  for (std::size_t j = 0; j < n; ++j) width[j] = display_width(table.columns[j]);
  for (const auto& row : table.rows) {
    auto& shown = cells.emplace_back();
    for (std::size_t j = 0; j < n; ++j) {
      std::string text = for_people(row[j]);
      if (markdown) {
        for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
      }
      width[j] = std::max(width[j], display_width(text));
      right[j] = right[j] && (is_number(row[j]) || text.empty());
      shown.push_back(std::move(text));
    }
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& texts) {
    std::string built = markdown ? "|" : "";
    for (std::size_t j = 0; j < n; ++j) {
      if (markdown)
        built += fmt::format(" {} |", texts[j]);
      else
        built += (j > 0 ? "  " : "") + padded(texts[j], width[j], right[j]);
    }
    built.erase(built.find_last_not_of(' ') + 1);
    out += built + '\n';
  };
  line(table.columns);
  std::vector<std::string> rule;
  for (std::size_t j = 0; j < n; ++j) {
    if (markdown) {
      rule.emplace_back(right[j] ? "---:" : "---");
    } else {
      std::string dashes;
      for (std::size_t k = 0; k < width[j]; ++k) dashes += "─";
      rule.push_back(std::move(dashes));
    }
  }
  line(rule);
  for (const auto& row : cells) line(row);
  return out;
}

}  // namespace

std::size_t display_width(std::string_view utf8) noexcept {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Result<TableFormat> table_format(std::string_view name) {
  static const std::vector<std::string> names = {"text", "csv", "json", "markdown"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<TableFormat>(i);
  return Error{"--format: " + unknown_name("format", name, names)};
}

std::string render(const Table& table, TableFormat format) {
  for ([[maybe_unused]] const auto& row : table.rows)
    RUBATO_ASSERT(row.size() == table.columns.size(), "a row has a cell per column");
  if (format == TableFormat::text || format == TableFormat::markdown)
    return aligned(table, format == TableFormat::markdown);
  std::string out;
  if (format == TableFormat::csv) {
    for (std::size_t j = 0; j < table.columns.size(); ++j) out += (j > 0 ? "," : "") + csv_field(table.columns[j]);
    out += '\n';
    for (const auto& row : table.rows) {
      for (std::size_t j = 0; j < row.size(); ++j) out += (j > 0 ? "," : "") + csv_field(exact(row[j]));
      out += '\n';
    }
    return out;
  }
  return json_of(table);
}

}  // namespace rubato::io
