#include "io/model_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"

namespace rubato::io {

namespace {
constexpr std::size_t most_files = 64, deepest_include = 16;

bool among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
}  // namespace

bool is_word(std::string_view name, bool minus_allowed) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto more = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || (minus_allowed && c == '-'); };
  return !name.empty() && name.size() <= 100 && letter(name[0]) && std::all_of(name.begin(), name.end(), more);
}

void ModelTables::take_overrides(std::span<const std::string> overrides) {
  for (const auto& text : overrides) {
    const auto equals = text.find('='), dot = text.find('.');
    const std::string table = text.substr(0, std::min(dot, equals));
    const std::string key = dot < equals ? text.substr(dot + 1, equals - dot - 1) : std::string{};
    if (equals == std::string::npos || key.empty()) {
      values_.mistakes.push_back(fmt::format("--set {}: expected key=value, e.g. --set parameters.L=2", text));
      continue;
    }
    overrides_[table].entries.push_back({.key = key, .node = toml_value(text.substr(equals + 1))});
  }
}

void ModelTables::read_root(const TomlNode& root, const std::filesystem::path& file, bool included) {
  values_.file = file.string();
  if (included)
    for (const auto& [name, line, column, node] : root.entries)
      if (!among(tables_, name))
        values_.complain_at(place(line, column), name,
                            fmt::format("not in an included file; known there: {}", joined(tables_)));
  if (const TomlNode* includes = root.find("include")) {
    read_includes(*includes, file);
    values_.file = file.string();
  }
  if (const TomlNode* parameters = root.find("parameters")) read_parameters(*parameters);
  read_tables(root);
}

std::string ModelTables::place(int line, int column) const {
  return fmt::format("{}:{}:{}", values_.file, line, column);
}

TomlNode ModelTables::overridden(std::string_view table, const TomlNode& node) const {
  TomlNode out = node;
  const auto found = overrides_.find(table);
  if (found == overrides_.end()) return out;
  for (const auto& entry : found->second.entries) {
    const auto old = std::ranges::find(out.entries, entry.key, &TomlEntry::key);
    if (old != out.entries.end())
      *old = entry;
    else
      out.entries.push_back(entry);
  }
  return out;
}

const TomlNode* ModelTables::as_table(const TomlNode& node, std::string_view name) {
  if (node.is_table()) return &node;
  values_.complain(node, name, fmt::format("{} is {}; a table is expected: [{}]", plain(node), type_words(node), name));
  return nullptr;
}

std::span<const TomlNode> ModelTables::as_entries(const TomlNode& node, std::string_view name) {
  if (node.is_list()) return node.items;
  values_.complain(node, name, fmt::format("{} is {}; expected entries [[{}]]", plain(node), type_words(node), name));
  return {};
}

std::string ModelTables::type_of(const std::vector<ModelSection>& sections, const std::string& table,
                                 const TomlNode& node, const std::string& key) {
  const auto known = section_types(table, sections);
  const TomlNode* type = node.find(key);
  const std::string path = fmt::format("{}.{}", table, key);
  if (type == nullptr) {
    values_.complain(node, path, fmt::format("missing; one of {}", joined(known)));
  } else if (!type->is_text()) {
    values_.complain(*type, path, fmt::format("{} is {}; one of {}", plain(*type), type_words(*type), joined(known)));
  } else if (find_section(table, type->text, sections) == nullptr) {
    values_.complain(*type, path, unknown_name(fmt::format("{} of {}", key, table), type->text, known));
  } else {
    return type->text;
  }
  return {};
}

void ModelTables::read_includes(const TomlNode& node, const std::filesystem::path& from) {
  const std::vector<TomlNode> single(node.is_text() ? 1 : 0, node);
  if (!node.is_list() && !node.is_text())
    return values_.complain(node, "include",
                            fmt::format("{} is {}; allowed: a list of files", plain(node), type_words(node)));
  const auto start = from.lexically_normal();
  stack_.push_back(start);
  for (const auto& item : node.is_text() ? single : node.items) {
    if (!item.is_text()) {
      values_.complain(item, "include", fmt::format("{} is {}; allowed: a file", plain(item), type_words(item)));
      continue;
    }
    const auto file = (from.parent_path() / item.text).lexically_normal();
    if (std::find(stack_.begin(), stack_.end(), file) != stack_.end()) {
      values_.complain(item, "include", fmt::format("{} includes itself", plain(item)));
    } else if (stack_.size() > deepest_include || ++n_files_ > most_files) {
      values_.complain(item, "include",
                       fmt::format("more than {} files, or {} inside each other", most_files, deepest_include));
    } else if (const auto text = read_(file); !text) {
      values_.complain(item, "include", text.error().message);
    } else if (const auto root = parse_toml(*text, file.string()); !root) {
      values_.mistakes.push_back(root.error().message);
    } else {
      read_root(*root, file, true);
      values_.file = from.string();
    }
  }
  stack_.pop_back();
}

void ModelTables::read_parameters(const TomlNode& table) {
  if (as_table(table, "parameters") == nullptr) return;
  const auto overrides = overrides_.find("parameters");
  for (const auto& [name, line, column, node] : table.entries) {
    const std::string path = "parameters." + name;
    if (!is_word(name, false)) {
      values_.complain_at(place(line, column), path, "not a name; allowed: letters, digits and _");
      continue;
    }
    if (among(reserved_, name)) {
      values_.complain_at(place(line, column), path,
                          fmt::format("{} and {} have a meaning in expressions; another name is needed",
                                      joined(std::vector(reserved_.begin(), reserved_.end() - 1)), reserved_.back()));
      continue;
    }
    if (values_.constants.contains(name)) {
      values_.complain_at(place(line, column), path, "given twice");
      continue;
    }
    const TomlNode* chosen = &node;
    if (overrides != overrides_.end())
      for (const auto& given : overrides->second.entries)
        if (given.key == name) chosen = &given.node;
    const ModelKey any{
        .name = name, .help = {}, .unit = "any", .field = [](Draft& d) -> ModelField { return &d.mass; }};
    const double value = values_.number(any, *chosen, path).value_or(1);  // a guess, to find further mistakes
    values_.constants[name] = value;
    parameters_.emplace_back(name, value);
  }
}

void ModelTables::check_parameters() {
  const auto overrides = overrides_.find("parameters");
  if (overrides == overrides_.end()) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters_) names.push_back(name);
  for (const auto& [key, line, column, node] : overrides->second.entries)
    if (!among(names, key))
      values_.complain_at("--set", "parameters." + key,
                          names.empty() ? "the model has no parameters" : unknown_name("parameter", key, names));
}

std::string ModelTables::parameters_text() const {
  std::string text;
  if (!parameters_.empty()) text += "\n[parameters]\n";
  for (const auto& [name, value] : parameters_) text += fmt::format("{} = {}\n", name, toml_text(value));
  return text;
}

std::string ModelTables::entries_text(const TomlNode& table) {
  std::string text;
  for (const auto& [key, line, column, value] : table.entries)
    text += fmt::format("{} = {}\n", toml_key(key), toml_text(value));
  return text;
}

}  // namespace rubato::io
