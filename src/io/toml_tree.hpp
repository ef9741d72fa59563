#pragma once
/// A TOML text as a tree in the order people wrote it, every value with its place. Hides the library that reads it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"

namespace rubato::io {

struct TomlEntry;

struct TomlNode {
  enum class Type : unsigned char { text, integer, number, boolean, list, table, time };
  Type type = Type::table;
  std::string text;  ///< of a text; of a date or time as it stands
  double number = 0;
  bool boolean = false;
  std::vector<TomlNode> items;     ///< of a list
  std::vector<TomlEntry> entries;  ///< of a table
  int line = 0, column = 0;        ///< 0: not from a file

  [[nodiscard]] bool is_text() const noexcept { return type == Type::text; }
  [[nodiscard]] bool is_list() const noexcept { return type == Type::list; }
  [[nodiscard]] bool is_table() const noexcept { return type == Type::table; }
  [[nodiscard]] std::optional<double> as_number() const noexcept {
    return type == Type::integer || type == Type::number ? std::optional(number) : std::nullopt;
  }
  [[nodiscard]] const TomlNode* find(std::string_view key) const noexcept;
};

struct TomlEntry {
  std::string key;
  int line = 0, column = 0;  ///< of the key
  TomlNode node;
};

/// The error: "file:line:column: not TOML: …". Depth (64 levels of tables and lists, dots of keys included) and size are bounded.
[[nodiscard]] Result<TomlNode> parse_toml(std::string_view text, std::string_view file);

/// A value on the command line: TOML, or where it is none, a bare text.
[[nodiscard]] TomlNode toml_value(std::string_view text);

[[nodiscard]] std::string_view type_words(const TomlNode& node);  ///< "a text", "a list" …
/// As it would stand in a file, on one line.
[[nodiscard]] std::string toml_text(const TomlNode& node);
/// The same for messages: shortened where long.
[[nodiscard]] std::string plain(const TomlNode& node);

}  // namespace rubato::io
