// The only file that sees toml++ (libtomlplusplus: keeps line and column of every value).
#include "io/toml_tree.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"

namespace rubato::io {

namespace {

constexpr std::size_t most_bytes = 64U << 20U;
constexpr int most_dots = 64;  // in one key; toml++ and we go down one level for each

/// The offset of a key with more dots than anybody writes, or npos.
std::size_t endless_key(std::string_view text) {
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_key = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == '"' || c == '\'' || c == ' ' || c == '\t';
    if (c == '.' && i > 0 && text[i - 1] != '.')
      ++dots;
    else if (!in_key)
      dots = 0;
    if (dots > most_dots) return i;
  }
  return std::string_view::npos;
}

TomlNode converted(const toml::node& node) {
  TomlNode out;
  out.line = static_cast<int>(node.source().begin.line);
  out.column = static_cast<int>(node.source().begin.column);
  using Type = TomlNode::Type;
  if (const auto* text = node.as_string()) {
    out.type = Type::text;
    out.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.type = Type::integer;
    out.number = static_cast<double>(integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    out.type = Type::number;
    out.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.type = Type::boolean;
    out.boolean = boolean->get();
  } else if (const auto* list = node.as_array()) {
    out.type = Type::list;
    out.items.reserve(list->size());
    for (const auto& item : *list) out.items.push_back(converted(item));
  } else if (const auto* table = node.as_table()) {
    out.type = Type::table;
    out.entries.reserve(table->size());
    for (const auto& [key, value] : *table)
      out.entries.push_back({.key = std::string(key.str()),
                             .line = static_cast<int>(key.source().begin.line),
                             .column = static_cast<int>(key.source().begin.column),
                             .node = converted(value)});
    // toml++ sorts by name; people read from top to bottom.
    std::stable_sort(out.entries.begin(), out.entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
  } else {
    out.type = Type::time;
    std::ostringstream shown;
    node.visit([&](const auto& value) { shown << value; });
    out.text = shown.str();
  }
  return out;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view key) const noexcept {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const TomlEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->node;
}

Result<TomlNode> parse_toml(std::string_view text, std::string_view file) {
  if (text.size() > most_bytes) return Error{fmt::format("{}: {} bytes; at most {}", file, text.size(), most_bytes)};
  if (const std::size_t at = endless_key(text); at != std::string_view::npos) {
    const auto before = text.substr(0, at);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 = 0
    return Error{fmt::format("{}:{}:{}: not TOML: a key with more than {} dots", file,
                             1 + std::count(before.begin(), before.end(), '\n'), 1 + at - line_start, most_dots)};
  }
  try {
    const toml::table root = toml::parse(text, file);
    return converted(root);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    return Error{fmt::format("{}:{}:{}: not TOML: {}", file, at.line, at.column, error.description())};
  }
}

TomlNode toml_value(std::string_view text) {
  if (auto parsed = parse_toml(fmt::format("value = {}", text), ""); parsed && parsed->entries.size() == 1) {
    TomlNode value = std::move(parsed->entries[0].node);
    value.line = value.column = 0;
    return value;
  }
  TomlNode bare;
  bare.type = TomlNode::Type::text;
  bare.text = text;
  return bare;
}

std::string_view type_words(const TomlNode& node) {
  switch (node.type) {
    case TomlNode::Type::text: return "a text";
    case TomlNode::Type::integer: return "a whole number";
    case TomlNode::Type::number: return "a number";
    case TomlNode::Type::boolean: return "true or false";
    case TomlNode::Type::list: return "a list";
    case TomlNode::Type::table: return "a table";
    default: return "a date or time";
  }
}

std::string toml_text(const TomlNode& node) {
  std::vector<std::string> parts;
  switch (node.type) {
    case TomlNode::Type::text: return toml_text(std::string_view(node.text));
    case TomlNode::Type::integer: return fmt::format("{:.0f}", node.number);
    case TomlNode::Type::number: return toml_text(node.number);
    case TomlNode::Type::boolean: return node.boolean ? "true" : "false";
    case TomlNode::Type::list:
      for (const auto& item : node.items) parts.push_back(toml_text(item));
      return fmt::format("[{}]", joined(parts));
    case TomlNode::Type::table:
      for (const auto& [key, line, column, value] : node.entries)
        parts.push_back(toml_key(key) + " = " + toml_text(value));
      return parts.empty() ? "{}" : fmt::format("{{ {} }}", joined(parts));
    default: return node.text;
  }
}

std::string plain(const TomlNode& node) {
  if (node.type == TomlNode::Type::number) return shortest(node.number);
  std::string shown = toml_text(node);
  constexpr std::size_t longest = 60;
  if (shown.size() <= longest || node.is_text()) return shown;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;  // whole characters
  return shown.substr(0, end) + " …";
}

}  // namespace rubato::io
