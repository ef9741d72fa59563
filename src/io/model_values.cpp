#include "io/model_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/model_geometry.hpp"
#include "io/units.hpp"
#include "rubato/base/text.hpp"

namespace rubato::io {

using multibody::Vector3;

namespace {

/// "20 mm" → 20 and "mm"; nothing for an expression.
std::optional<std::pair<double, std::string_view>> number_and_unit(std::string_view text) {
  text = trimmed(text);
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || !std::isfinite(value)) return {};
  const std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (rest.empty()) return {};
  const char c = rest[0];
  const bool unit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
                    static_cast<unsigned char>(c) >= 0x80 || rest.starts_with("1/");
  if (!unit) return {};
  return std::pair(minus ? -value : value, rest);
}

Result<double> in_unit(double value, std::string_view given, std::string_view unit) {
  const auto known = parse_unit(given);
  if (!known) return known.error();
  if (unit != "any") {
    const auto wanted = parse_unit(unit);
    if (!wanted) return wanted.error();
    if (known->dimension != wanted->dimension)
      return Error{fmt::format("the unit {} does not fit; {}", given,
                               unit.empty() ? "a plain number is needed" : fmt::format("one like {} is needed", unit))};
  }
  return value * known->factor;
}

}  // namespace

Result<double> quantity(std::string_view text, std::string_view unit, const Expression::Constants& constants) {
  if (const auto split = number_and_unit(text)) return in_unit(split->first, split->second, unit);
  const auto expression = Expression::parse(text, {}, constants);
  if (!expression) return expression.error();
  return expression->evaluate(std::span<const double>{});
}

bool is_quantity(std::string_view text) { return number_and_unit(text).has_value(); }

std::string ModelValues::place_of(const TomlNode& node) const {
  return node.line > 0 ? fmt::format("{}:{}:{}", file, node.line, node.column) : std::string("--set");
}
void ModelValues::complain_at(std::string_view place, std::string_view path, std::string_view sentence) {
  if (mistakes.size() < most_mistakes)
    mistakes.push_back(fmt::format("{}: {}: {}", place, path, sentence));
  else if (mistakes.size() == most_mistakes)
    mistakes.push_back("… and more mistakes");
}
void ModelValues::complain(const TomlNode& node, std::string_view path, std::string_view sentence) {
  complain_at(place_of(node), path, sentence);
}

bool ModelValues::wrong_type(const ModelKey& key, const TomlNode& node, Path path) {
  complain(node, path, fmt::format("{} is {}; allowed: {}", plain(node), type_words(node), allowed_values(key)));
  return false;
}

std::optional<double> ModelValues::number(const ModelKey& key, const TomlNode& node, const std::string& path) {
  double value = 0;
  if (const auto direct = node.as_number()) {
    value = *direct;
  } else if (node.is_text()) {
    const auto read = quantity(node.text, key.unit, constants);
    if (!read) {
      complain(node, path, fmt::format("{}: {}", plain(node), read.error().message));
      return {};
    }
    value = *read;
  } else {
    wrong_type(key, node, path);
    return {};
  }
  const bool finite = std::isfinite(value) || (key.may_be_infinite && value > 0);  // written so that NaN is refused
  if (!finite || value < key.min || (key.min_excluded && value == key.min)) {
    complain(node, path,
             fmt::format("{}{} is not allowed; allowed: {}", plain(node),
                         node.is_text() ? fmt::format(" = {}", shortest(value)) : "", allowed_values(key)));
    return {};
  }
  return value;
}

bool ModelValues::numbers(const ModelKey& key, std::span<double> target, const TomlNode& node, Path path) {
  if (!node.is_list() || node.items.size() != target.size()) {
    complain(
        node, path,
        fmt::format("{} is {}; allowed: {}", plain(node),
                    node.is_list() ? fmt::format("a list of {}", node.items.size()) : std::string(type_words(node)),
                    allowed_values(key)));
    return false;
  }
  bool fine = true;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto value = number(key, node.items[i], path);
    fine = fine && value.has_value();
    target[i] = value.value_or(0);
  }
  return fine;
}

bool ModelValues::read(const ModelSection& section, const TomlNode& table, const std::string& path, Draft& draft) {
  bool fine = true;
  std::vector<std::pair<ModelKey, const TomlNode*>> undecided;
  for (const auto& [name, line, column, node] : table.entries) {
    const auto key =
        std::find_if(section.keys.begin(), section.keys.end(), [&n = name](const ModelKey& k) { return k.name == n; });
    if (key == section.keys.end()) {
      std::vector<std::string> known;
      for (const auto& k : section.keys) known.push_back(k.name);
      const std::string nearest = nearest_name(name, known);
      complain_at(
          line > 0 ? fmt::format("{}:{}:{}", file, line, column) : "--set", path + "." + name,
          fmt::format("unknown key{}; known{}: {}", nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                      section.type.empty() ? "" : fmt::format(" for type \"{}\"", section.type), joined(known)));
      fine = false;
      continue;
    }
    if (key->unit_of != nullptr) {
      undecided.push_back({*key, &node});
      continue;
    }
    const bool stored = std::visit(
        [&, &value = node, &named = name](auto* target) { return store(*key, target, value, path + "." + named); },
        key->field(draft));
    fine = stored && fine;
  }
  for (auto& [key, node] : undecided) {  // other keys have decided on their units
    key.unit = key.unit_of(draft);
    const std::string place = path + "." + key.name;
    const bool stored = std::visit(
        [this, &known = key, &value = *node, &place](auto* target) { return store(known, target, value, place); },
        key.field(draft));
    fine = stored && fine;
  }
  for (const auto& key : section.keys)
    if (key.required && table.find(key.name) == nullptr) {
      complain(table, path + "." + key.name, fmt::format("missing: {}; {}", key.help, allowed_values(key)));
      fine = false;
    }
  return fine;
}

bool ModelValues::store(const ModelKey& key, std::string* target, const TomlNode& node, Path path) {
  if (!node.is_text()) return wrong_type(key, node, path);
  *target = node.text;
  if (key.name == "body" || key.name == "joint")
    references.push_back({place_of(node), path, node.text, key.name == "joint"});
  return true;
}
bool ModelValues::store(const ModelKey& key, double* target, const TomlNode& node, Path path) {
  const auto value = number(key, node, path);
  if (value) *target = *value;
  return value.has_value();
}
bool ModelValues::store(const ModelKey& key, std::optional<double>* target, const TomlNode& node, Path path) {
  *target = number(key, node, path);
  return target->has_value();
}
bool ModelValues::store(const ModelKey& key, bool* target, const TomlNode& node, Path path) {
  if (node.type != TomlNode::Type::boolean) return wrong_type(key, node, path);
  *target = node.boolean;
  return true;
}
bool ModelValues::store(const ModelKey& key, std::uint8_t* target, const TomlNode& node, Path path) {
  if (!node.is_text()) return wrong_type(key, node, path);
  std::vector<std::string> names;
  for (const auto& choice : key.choices) {
    if (choice.name == node.text) {
      *target = choice.value;
      return true;
    }
    names.push_back(choice.name);
  }
  const std::string nearest = nearest_name(node.text, names);
  complain(node, path,
           fmt::format("{} is not allowed{}; allowed: {}", plain(node),
                       nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest), allowed_values(key)));
  return false;
}
bool ModelValues::store(const ModelKey& key, Vector3* target, const TomlNode& node, Path path) {
  if (!node.is_list() && key.single != Single::refused) {
    const auto value = number(key, node, path);
    if (!value) return false;
    *target = key.single == Single::each ? Vector3{*value, *value, *value} : Vector3{0, 0, *value};
    return true;
  }
  const bool two = key.plane && node.is_list() && node.items.size() == 2;
  return numbers(key, std::span(*target).first(two ? 2 : 3), node, path);
}
bool ModelValues::store(const ModelKey& key, std::optional<Vector3>* target, const TomlNode& node, Path path) {
  return store(key, &target->emplace(), node, path);
}
bool ModelValues::store(const ModelKey& key, std::optional<multibody::Quaternion>* target, const TomlNode& node,
                        Path path) {
  return numbers(key, target->emplace(), node, path);
}
bool ModelValues::store(const ModelKey& key, std::optional<Names2>* target, const TomlNode& node, Path path) {
  if (!node.is_list() || node.items.size() != 2 || !node.items[0].is_text() || !node.items[1].is_text())
    return wrong_type(key, node, path);
  *target = Names2{node.items[0].text, node.items[1].text};
  if (key.name != "units")
    for (const auto& item : node.items) references.push_back({place_of(item), path, item.text, key.name == "joints"});
  return true;
}

bool ModelValues::store(const ModelKey& key, FunctionPointer* target, const TomlNode& node, Path path) {
  if (node.is_table()) return table_function(key, target, node, path);
  if (!node.is_text() || is_quantity(node.text)) {
    const auto value = number(key, node, path);
    if (!value) return false;
    const auto constant = Expression::parse("value", {}, {{"value", *value}});
    *target = std::make_shared<Function>(*constant);
    return true;
  }
  const std::string variables[] = {key.variable};
  auto expression = Expression::parse(node.text, variables, constants);
  if (!expression) {
    complain(node, path, fmt::format("{}: {}", plain(node), expression.error().message));
    return false;
  }
  *target = std::make_shared<Function>(std::move(*expression));
  return true;
}
bool ModelValues::store(const ModelKey& key, std::array<FunctionPointer, 3>* target, const TomlNode& node, Path path) {
  if (!node.is_list() || (node.items.size() != 3 && !(key.plane && node.items.size() == 2)))
    return wrong_type(key, node, path);
  bool fine = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.items[i].as_number() == 0.0) continue;  // empty: zero
    fine = store(key, &(*target)[i], node.items[i], path) && fine;
  }
  return fine;
}

/// {table = [[x, y], …], smooth = true, outside = "hold", units = ["ms", "mm"]}
bool ModelValues::table_function(const ModelKey& key, FunctionPointer* target, const TomlNode& node, Path path) {
  Interpolation how = Interpolation::linear;
  Outside outside = Outside::extend;
  double x_factor = 1, y_factor = 1;
  bool fine = true;
  const TomlNode* table = nullptr;
  const auto wrong = [&](const TomlNode& value, std::string_view name, std::string_view allowed) {
    complain(value, fmt::format("{}.{}", path, name), fmt::format("{}; allowed: {}", plain(value), allowed));
    fine = false;
  };
  for (const auto& [name, line, column, value] : node.entries) {
    if (name == "table") {
      table = &value;
    } else if (name == "smooth") {
      if (value.type == TomlNode::Type::boolean)
        how = value.boolean ? Interpolation::spline : Interpolation::linear;
      else if (value.is_text() && value.text == "spline")
        how = Interpolation::spline;
      else if (value.is_text() && value.text == "monotone")
        how = Interpolation::monotone;
      else
        wrong(value, name, "true (a natural spline), false (straight lines), \"spline\", \"monotone\"");
    } else if (name == "outside") {
      if (value.is_text() && (value.text == "hold" || value.text == "extend"))
        outside = value.text == "hold" ? Outside::hold : Outside::extend;
      else
        wrong(value, name, "\"extend\" (the last slope), \"hold\" (the last value)");
    } else if (name == "units") {
      std::optional<Names2> units;
      fine = store(ModelKey{.name = "units", .help = {}}, &units, value, path + ".units") && fine;
      if (!units) continue;
      const auto x = in_unit(1, (*units)[0], key.variable_unit), y = in_unit(1, (*units)[1], key.unit);
      if (!x) wrong(value, name, x.error().message);
      if (!y) wrong(value, name, y.error().message);
      if (!x || !y) continue;
      x_factor = *x;
      y_factor = *y;
    } else {
      complain_at(
          fmt::format("{}:{}:{}", file, line, column), path + "." + name,
          unknown_name("key of a table", name, std::vector<std::string>{"table", "smooth", "outside", "units"}));
      fine = false;
    }
  }
  if (table == nullptr || !table->is_list()) {
    complain(node, path + ".table", "missing: a list of points, [[x, y], [x, y], …]");
    return false;
  }
  std::vector<std::array<double, 2>> points;
  points.reserve(table->items.size());
  const ModelKey plain_number{.name = "table", .help = {}, .unit = "any"};
  for (const auto& point : table->items)
    fine = numbers(plain_number, points.emplace_back(), point, path + ".table") && fine;
  if (!fine) return false;
  for (auto& [x, y] : points) {
    x *= x_factor;
    y *= y_factor;
  }
  if (key.smooth && how != Interpolation::spline && points.size() > 2) {
    complain(node, path, "a table of a motion needs continuous accelerations: smooth = true");
    return false;
  }
  auto curve = rubato::Curve::make(points, how, outside);
  if (!curve) {
    complain(*table, path + ".table", curve.error().message);
    return false;
  }
  *target = std::make_shared<Function>(std::move(*curve));
  return true;
}

bool ModelValues::sub_table(std::string_view section, const ModelKey& key, const TomlNode& node, Path path,
                            Draft& draft) {
  if (!node.is_table()) return wrong_type(key, node, path);
  return read(*find_section(section), node, path, draft);
}

bool ModelValues::store(const ModelKey& key, std::optional<multibody::Marker>* target, const TomlNode& node,
                        Path path) {
  Draft draft;
  if (node.is_text()) {
    references.push_back({place_of(node), path, node.text, false});
    *target = multibody::Marker{.body = node.text};
    return true;
  }
  if (!sub_table("frame", key, node, path, draft)) return false;
  const auto pose = pose_of(draft.frame);
  if (!pose) complain(node, path, pose.error().message);
  if (pose)
    *target = multibody::Marker{.body = draft.body_name, .pose = *pose, .in_space = draft.in_space, .node = draft.node};
  return pose.ok();
}
bool ModelValues::store(const ModelKey& key, std::optional<multibody::Surface>* target, const TomlNode& node,
                        Path path) {
  Draft draft;
  if (!sub_table("surface", key, node, path, draft)) return false;
  const auto pose = pose_of(draft.frame);
  if (!pose) complain(node, path, pose.error().message);
  if (!pose) return false;
  *target = draft.surface;
  (*target)->marker = {.body = draft.body_name, .pose = *pose, .in_space = draft.in_space, .node = draft.node};
  return true;
}
bool ModelValues::store(const ModelKey& key, std::optional<multibody::LuGre>* target, const TomlNode& node, Path path) {
  Draft draft;
  if (!sub_table("friction", key, node, path, draft)) return false;
  *target = draft.lugre;
  return true;
}
bool ModelValues::store(const ModelKey& key, std::optional<SolidDraft>* target, const TomlNode& node, Path path) {
  Draft draft;
  if (!sub_table("solid", key, node, path, draft)) return false;
  *target = draft.solid;
  return true;
}

}  // namespace rubato::io
