// The only file that sees toml++ (libtomlplusplus: keeps line and column of every value).
#include "io/toml_tree.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

constexpr int most_levels = 64;  // of tables and lists; toml++ and we go down one level for each

/// Where text goes deeper than most_levels, or npos. Every dot of a key, every bracket and every brace is a level. toml++ builds the
/// tables of dotted keys however deep they are, and takes them down by recursion: it must not see them. Texts and comments are
/// skipped as it reads them; what is no TOML is left to it.
class LevelCounter {
 public:
  explicit LevelCounter(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t first_too_deep() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        skip_text(c);
      else if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        count(c), ++at_;
      if (levels_ + dots_ > most_levels) return at_ - 1;
    }
    return std::string_view::npos;
  }

 private:
  void count(char c) {
    if (c == '.') {
      ++dots_;
    } else if (c == '[' || c == '{') {
      outer_dots_.push_back(dots_);
      levels_ += dots_ + 1;
      dots_ = 0;
    } else if ((c == ']' || c == '}') && !outer_dots_.empty()) {
      levels_ -= outer_dots_.back() + 1;
      dots_ = 0;
      outer_dots_.pop_back();
    } else if (c == ',' || c == '\n') {
      dots_ = 0;
    }
  }
  /// "…" and '…' end with the line, """…""" and '''…''' do not.
  void skip_text(char quote) {
    const bool escapes = quote == '"';
    const std::string three(3, quote);
    const bool long_text = text_.substr(at_, 3) == three;
    at_ += long_text ? 3 : 1;
    while (at_ < text_.size()) {
      if (escapes && text_[at_] == '\\') {
        at_ += 2;
      } else if (long_text && text_.substr(at_, 3) == three) {
        at_ += 3;
        while (at_ < text_.size() && text_[at_] == quote) ++at_;  // up to two quotes before the end belong to the text
        return;
      } else if (!long_text && (text_[at_] == quote || text_[at_] == '\n')) {
        at_ += text_[at_] == quote ? 1 : 0;
        return;
      } else {
        ++at_;
      }
    }
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int dots_ = 0;                 ///< of the key or number under way
  int levels_ = 0;               ///< outside of it
  std::vector<int> outer_dots_;  ///< of the keys whose values are open
};

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
  if (text.size() > most_text_bytes)
    return Error{fmt::format("{}: {} bytes; at most {} are read", file, text.size(), most_text_bytes)};
  if (const std::size_t at = LevelCounter(text).first_too_deep(); at != std::string_view::npos) {
    const auto before = text.substr(0, at);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 = 0
    return Error{fmt::format("{}:{}:{}: tables and lists more than {} levels deep", file,
                             1 + std::count(before.begin(), before.end(), '\n'), 1 + at - line_start, most_levels)};
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
