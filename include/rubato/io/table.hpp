#pragma once
/// Small tables for people and programs: aligned text, CSV, JSON, Markdown from the same cells.
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// An empty text is "nothing": blank in text and CSV, null in JSON.
using Cell = std::variant<std::string, double, long, bool>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

enum class TableFormat { text, csv, json, markdown };
[[nodiscard]] Result<TableFormat> table_format(std::string_view name);

/// Numbers: shortest round-trip in CSV and JSON, at most six digits in text and Markdown.
[[nodiscard]] std::string render(const Table& table, TableFormat format);

/// How many columns of a terminal a UTF-8 text takes (one per character; enough for our own texts).
[[nodiscard]] std::size_t display_width(std::string_view utf8) noexcept;

}  // namespace rubato::io
