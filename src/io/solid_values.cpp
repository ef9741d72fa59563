// Values that only finite element models have: layers of rings, terms of memory, displacements that depend on the place.
#include <fmt/format.h>

#include <algorithm>

#include "io/model_values.hpp"
#include "rubato/base/text.hpp"

namespace rubato::io {

bool ModelValues::store(const ModelKey& key, std::vector<fem::RingLayer>* target, const TomlNode& node, Path path) {
  return tables("layer", key, node, path, [&](const Draft& draft) { target->push_back(draft.fem.layer); });
}

bool ModelValues::store(const ModelKey& key, std::vector<fem::PronyTerm>* target, const TomlNode& node, Path path) {
  return tables("prony", key, node, path, [&](const Draft& draft) { target->push_back(draft.fem.term); });
}

/// A list of tables of that section, each kept once it is read.
bool ModelValues::tables(std::string_view section, const ModelKey& key, const TomlNode& node, Path path,
                         const std::function<void(const Draft&)>& keep) {
  constexpr std::size_t longest = 1000;
  if (!node.is_list() || node.items.size() > longest) return wrong_type(key, node, path);
  bool fine = true;
  for (const auto& item : node.items) {
    Draft draft;
    if (!item.is_table()) {
      fine = wrong_type(key, item, path);
      continue;
    }
    fine = read(*find_section(section, {}, solid_sections()), item, path, draft) && fine;
    keep(draft);
  }
  return fine;
}

bool ModelValues::store(const ModelKey& key, std::array<AxisMotion, 3>* target, const TomlNode& node, Path path) {
  if (!node.is_table() || node.entries.empty()) return wrong_type(key, node, path);
  bool fine = true;
  const std::vector<std::string> axes = {"x", "y", "z"};
  for (const auto& [name, line, column, value] : node.entries) {
    const auto axis = std::find(axes.begin(), axes.end(), name);
    const std::string where = fmt::format("{}.{}", path, name);
    if (axis == axes.end()) {
      complain_at(line > 0 ? fmt::format("{}:{}:{}", file, line, column) : "--set", where,
                  unknown_name("axis", name, axes));
      fine = false;
      continue;
    }
    fine = store_motion(key, (*target)[static_cast<std::size_t>(axis - axes.begin())], value, where) && fine;
  }
  return fine;
}

/// What is no function of time may be one of time and place.
bool ModelValues::store_motion(const ModelKey& key, AxisMotion& target, const TomlNode& node, Path path) {
  target.place = place_of(node);
  target.path = path;
  const std::string variables[] = {"t", "X", "Y", "Z"};
  if (key.variable != "t" && node.is_text() && !is_quantity(node.text) &&
      !Expression::parse(node.text, std::span(variables).first(1), constants)) {
    if (const auto expression = Expression::parse(node.text, variables, constants); !expression) {
      complain(node, path, fmt::format("{}: {}", plain(node), expression.error().message));
      return false;
    }
    target.by_place = node.text;
    return true;
  }
  ModelKey of_time = key;
  of_time.variable = "t";
  of_time.field = [](Draft& d) -> ModelField { return &d.fem.load[0]; };
  return store(of_time, &target.everywhere, node, path);
}

}  // namespace rubato::io
