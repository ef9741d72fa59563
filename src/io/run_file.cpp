// The only file that sees toml++ (libtomlplusplus: keeps line and column of every value).
#include "rubato/io/run_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

std::string plain(const toml::node& node) {
  if (const auto* text = node.as_string()) return toml_text(text->get());
  if (const auto* number = node.as_floating_point()) return shortest(number->get());
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  std::string shown = out.str();
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  constexpr std::size_t longest = 60;
  return shown.size() > longest ? shown.substr(0, longest) + " …" : shown;
}

std::string_view type_words(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string: return "a text";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "true or false";
    case toml::node_type::array: return "a list";
    case toml::node_type::table: return "a table";
    default: return "a date or time";
  }
}

std::optional<double> number_in(const toml::node& node) {
  if (const auto* v = node.as_floating_point()) return v->get();
  if (const auto* v = node.as_integer()) return static_cast<double>(v->get());
  return {};
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {
    if (!file_.empty()) config.places[""] = file_;
  }

  RunConfig config;
  std::vector<std::string> mistakes;

  void read_text(std::string_view text) {
    try {
      const toml::table root = toml::parse(text, file_);
      read_table(root, "");
    } catch (const toml::parse_error& error) {
      const auto at = error.source().begin;
      mistakes.push_back(fmt::format("{}:{}:{}: not TOML: {}", file_, at.line, at.column, error.description()));
    }
  }

  void apply(const std::string& override_text) {
    const auto equals = override_text.find('=');
    if (equals == std::string::npos || equals == 0) {
      mistakes.push_back(fmt::format("--set {}: expected key=value, e.g. --set solver.rtol=1e-6", override_text));
      return;
    }
    std::string key = trimmed(override_text.substr(0, equals));
    const std::string value = trimmed(override_text.substr(equals + 1));
    const std::string place = "--set " + key;
    const bool bare = key.find('.') == std::string::npos && find_key(key) == nullptr;
    toml::table parsed;
    try {
      parsed = toml::parse("value = " + value);
    } catch (const toml::parse_error&) {
      parsed.clear();
    }
    if (parsed.size() != 1) {  // a bare word: a text
      parsed.clear();
      parsed.insert("value", value);
    }
    const toml::node& node = *parsed.get("value");
    if (bare) {  // a parameter, if it is a number: the problem knows whether it has one of that name
      if (const Key* meant = key_ending_in(key); meant != nullptr && !number_in(node)) {
        mistakes.push_back(fmt::format("{}: unknown key; did you mean '{}'?", place, meant->name));
        return;
      }
      key = "problem.parameters." + key;
    }
    for (const std::string_view rival : {"output.every", "output.times", "output.steps"})
      if (key.starts_with("output.") && rival != key && is_rows(key)) forget(rival);
    read_value(key, node, place, /*overriding=*/true);
  }

  /// What no single key can tell.
  void check_together() {
    const auto complain = [&](std::string_view key, const std::string& sentence) {
      mistakes.push_back(config.at(key, sentence).message);
    };
    const auto& tolerances = config.options.tolerances;
    const auto& step = config.options.step;
    if (config.problem.empty() && !given("problem.name"))
      complain("problem.name", "missing; the name of a problem, see `rubato list problems`");
    if (tolerances.rtol == 0 && tolerances.atol == 0)
      complain("solver.atol", "rtol and atol are both 0; one of them must be > 0");
    if (step.min_step > step.max_step)
      complain("solver.min_step",
               fmt::format("{} is larger than max_step = {}", shortest(step.min_step), shortest(step.max_step)));
    if (config.t_start && config.t_end && !(*config.t_start < *config.t_end))
      complain("time.end",
               fmt::format("{} is not after time.start = {}", shortest(*config.t_end), shortest(*config.t_start)));
    std::vector<std::string> rows;
    for (const char* key : {"output.every", "output.times", "output.steps"})
      if (given(key)) rows.emplace_back(key);
    if (rows.size() > 1)
      complain(rows[1], fmt::format("{} together; choose one of output.every, output.times, output.steps",
                                    joined(rows, " and ")));
    const auto& times = config.output.times;
    if (times.empty() && given("output.times")) complain("output.times", "[] has no times; at least one");
    if (const auto wrong = std::adjacent_find(times.begin(), times.end(), std::greater_equal<>{}); wrong != times.end())
      complain("output.times",
               fmt::format("{} is followed by {}; times must increase", shortest(*wrong), shortest(*(wrong + 1))));
  }

 private:
  static std::string trimmed(std::string text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }
  static bool is_rows(std::string_view key) {
    return key == "output.every" || key == "output.times" || key == "output.steps";
  }
  [[nodiscard]] bool given(std::string_view key) const { return config.places.find(key) != config.places.end(); }
  void forget(std::string_view key) {
    if (const auto found = config.places.find(key); found != config.places.end()) config.places.erase(found);
    if (key == "output.every") config.output.every = 0;
    if (key == "output.times") config.output.times.clear();
    if (key == "output.steps") config.output.steps.clear();
  }

  [[nodiscard]] std::string place_of(const toml::source_region& source) const {
    return fmt::format("{}:{}:{}", file_, source.begin.line, source.begin.column);
  }

  void read_table(const toml::table& table, const std::string& prefix) {
    // toml++ sorts by name; people read from top to bottom.
    std::vector<std::pair<toml::key, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(key, &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.source().begin.line, a.first.source().begin.column) <
             std::pair(b.first.source().begin.line, b.first.source().begin.column);
    });
    for (const auto& [key, node] : entries) {
      const std::string name = prefix + std::string(key.str());
      const bool is_section = std::any_of(run_file_keys().begin(), run_file_keys().end(),
                                          [&](const Key& k) { return k.name.starts_with(name + "."); });
      if (is_section && find_key(name) == nullptr) {
        if (node->is_table())
          read_table(*node->as_table(), name + ".");
        else
          complain(place_of(node->source()), name,
                   fmt::format("{} is {}; a table is expected: [{}]", plain(*node), type_words(*node), name));
        continue;
      }
      read_value(name, *node, place_of(find_key(name) != nullptr ? node->source() : key.source()), false);
    }
  }

  void complain(const std::string& place, std::string_view key, std::string_view sentence) {
    if (place.ends_with(key))
      mistakes.push_back(fmt::format("{}: {}", place, sentence));  // --set key: the key is named already
    else
      mistakes.push_back(fmt::format("{}: {}: {}", place, key, sentence));
  }

  void unknown(const std::string& place, const std::string& name) {
    const auto dot = name.find('.');
    const std::string section = dot == std::string::npos ? std::string{} : name.substr(0, dot + 1);
    std::vector<std::string> near, all, sections;
    for (const auto& key : run_file_keys()) {
      const auto key_dot = key.name.find('.');
      const std::string key_section = key_dot == std::string::npos ? key.name : key.name.substr(0, key_dot);
      if (std::find(sections.begin(), sections.end(), key_section) == sections.end()) sections.push_back(key_section);
      all.push_back(key.name);
      if (!section.empty() && key.name.starts_with(section)) near.push_back(key.name.substr(section.size()));
    }
    if (!near.empty()) {
      const std::string rest = name.substr(section.size());
      std::string nearest = nearest_name(rest, near);
      if (nearest.empty()) {  // a key of another table, or that table?
        for (const auto& key : all)
          if (key.ends_with("." + rest) || key == rest) nearest = key;
        if (std::find(sections.begin(), sections.end(), rest) != sections.end()) nearest = fmt::format("[{}]", rest);
      }
      complain(place, name,
               fmt::format("unknown key{}; known in [{}]: {}",
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                           section.substr(0, section.size() - 1), joined(near)));
    } else {
      const std::string first = dot == std::string::npos ? name : name.substr(0, dot);
      const std::string nearest = nearest_name(first, sections);
      complain(place, name,
               fmt::format("unknown {}{}; known: {}", dot == std::string::npos ? "key or table" : "table",
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest), joined(sections)));
    }
  }

  void read_value(const std::string& name, const toml::node& node, const std::string& place, bool overriding) {
    const Key* key = find_key(name);
    if (key == nullptr) {  // an entry of an open table: problem.parameters.eps
      const auto dot = name.rfind('.');
      const Key* table = dot == std::string::npos ? nullptr : find_key(name.substr(0, dot));
      NamedValues** entries = nullptr;
      Field field;
      if (table != nullptr) {
        field = table->field(config);
        entries = std::get_if<NamedValues*>(&field);
      }
      if (entries == nullptr) return unknown(place, name);
      return read_entry(*table, **entries, name, name.substr(dot + 1), node, place);
    }
    config.places[name] = place;
    const Field field = key->field(config);
    std::visit([&](auto* target) { store(*key, *target, node, place, overriding); }, field);
  }

  void wrong_type(const Key& key, const toml::node& node, const std::string& place) {
    complain(place, key.name, fmt::format("{} is {}; allowed: {}", plain(node), type_words(node), allowed_values(key)));
  }
  void not_allowed(const Key& key, std::string_view name, const std::string& value, const std::string& place) {
    complain(place, name, fmt::format("{} is not allowed; allowed: {}", value, allowed_values(key)));
  }
  [[nodiscard]] static bool in_range(const Key& key, double value) {
    if (std::isinf(value)) return value > 0 && key.may_be_infinite;
    return std::isfinite(value) && (key.min_excluded ? value > key.min : value >= key.min) && value <= key.max;
  }

  void read_entry(const Key& key, NamedValues& entries, const std::string& name, const std::string& entry,
                  const toml::node& node, const std::string& place) {
    const auto value = number_in(node);
    config.places[name] = place;
    if (!value)
      return complain(place, name, fmt::format("{} is {}; allowed: {}", plain(node), type_words(node), "a number"));
    if (!in_range(key, *value))
      return complain(
          place, name,
          fmt::format("{} is not allowed; allowed: a finite number{}{}", plain(node), key.min == 0 ? " ≥ 0" : "",
                      key.max < 1e300 ? fmt::format(" and ≤ {}", shortest(key.max)) : std::string{}));
    const auto old = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == entry; });
    if (old != entries.end())
      old->second = *value;
    else
      entries.emplace_back(entry, *value);
  }

  void store(const Key& key, double& target, const toml::node& node, const std::string& place, bool /*over*/) {
    const auto value = number_in(node);
    if (!value) return wrong_type(key, node, place);
    if (!in_range(key, *value)) return not_allowed(key, key.name, plain(node), place);
    target = *value;
  }
  void store(const Key& key, std::optional<double>& target, const toml::node& node, const std::string& place,
             bool over) {
    double value = 0;
    const std::size_t before = mistakes.size();
    store(key, value, node, place, over);
    if (mistakes.size() == before) target = value;
  }
  void store(const Key& key, long& target, const toml::node& node, const std::string& place, bool /*over*/) {
    const auto value = number_in(node);  // 1e6 is a whole number, too
    if (!value) return wrong_type(key, node, place);
    if (!(std::abs(*value) <= 1e15) || *value != std::floor(*value) || !in_range(key, *value))
      return not_allowed(key, key.name, plain(node), place);
    target = static_cast<long>(*value);
  }
  void store(const Key& key, int& target, const toml::node& node, const std::string& place, bool over) {
    long value = target;
    store(key, value, node, place, over);
    target = static_cast<int>(value);  // the key's range fits
  }
  void store(const Key& key, bool& target, const toml::node& node, const std::string& place, bool /*over*/) {
    const auto* value = node.as_boolean();
    if (value == nullptr) return wrong_type(key, node, place);
    target = value->get();
  }
  void store(const Key& key, std::string& target, const toml::node& node, const std::string& place, bool /*over*/) {
    const auto* value = node.as_string();
    if (value == nullptr) return wrong_type(key, node, place);
    if (known_choice(key, value->get(), place) != nullptr || key.choices.empty()) target = value->get();
  }
  void store(const Key& key, std::uint8_t& target, const toml::node& node, const std::string& place, bool /*over*/) {
    const auto* value = node.as_string();
    if (value == nullptr) return wrong_type(key, node, place);
    if (const Choice* choice = known_choice(key, value->get(), place)) target = choice->value;
  }
  void store(const Key& key, std::vector<double>& target, const toml::node& node, const std::string& place, bool) {
    const auto* list = node.as_array();
    if (list == nullptr) return wrong_type(key, node, place);
    target.clear();
    for (const auto& entry : *list) {
      const std::string where = place.starts_with("--set") ? place : place_of(entry.source());
      const auto value = number_in(entry);
      if (!value)
        wrong_type(key, entry, where);
      else if (!in_range(key, *value))
        not_allowed(key, key.name, plain(entry), where);
      else
        target.push_back(*value);
    }
  }
  void store(const Key& key, std::vector<std::string>& target, const toml::node& node, const std::string& place, bool) {
    const auto* list = node.as_array();
    if (list == nullptr) return wrong_type(key, node, place);
    target.clear();
    for (const auto& entry : *list) {
      const std::string where = place.starts_with("--set") ? place : place_of(entry.source());
      const auto* value = entry.as_string();
      if (value == nullptr)
        wrong_type(key, entry, where);
      else if (known_choice(key, value->get(), where) != nullptr || key.choices.empty())
        target.push_back(value->get());
    }
  }
  void store(const Key& key, NamedValues& target, const toml::node& node, const std::string& place, bool overriding) {
    const auto* table = node.as_table();
    if (table == nullptr) return wrong_type(key, node, place);
    for (const auto& [entry, value] : *table)
      read_entry(key, target, fmt::format("{}.{}", key.name, entry.str()), std::string(entry.str()), value,
                 overriding ? place : place_of(value.source()));
  }

  const Choice* known_choice(const Key& key, const std::string& value, const std::string& place) {
    if (key.choices.empty()) return nullptr;
    std::vector<std::string> names;
    for (const auto& choice : key.choices) {
      if (choice.name == value) return &choice;
      names.push_back(choice.name);
    }
    const std::string nearest = nearest_name(value, names);
    complain(place, key.name,
             fmt::format("'{}' is not allowed{}; allowed: {}", value,
                         nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest), allowed_values(key)));
    return nullptr;
  }

  std::string file_;
};

Result<RunConfig> finished(Reader& reader, std::span<const std::string> overrides) {
  for (const auto& text : overrides) reader.apply(text);
  if (reader.mistakes.empty()) reader.check_together();
  if (!reader.mistakes.empty()) return Error{joined(reader.mistakes, "\n")};
  reader.config.options.checkpoint_every = reader.config.output.checkpoint_every;
  return std::move(reader.config);
}

}  // namespace

Result<RunConfig> parse_run_file(std::string_view text, std::string_view file_name,
                                 std::span<const std::string> overrides) {
  Reader reader(file_name);
  reader.read_text(text);
  return finished(reader, overrides);
}

Result<RunConfig> read_run_file(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto text = read_file(file);
  if (text) return parse_run_file(*text, file.string(), overrides);
  // A slip in the name? Look around.
  std::vector<std::string> neighbours;
  std::error_code ignored;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".toml") neighbours.push_back(entry.path().filename().string());
  std::sort(neighbours.begin(), neighbours.end());
  const std::string nearest = nearest_name(file.filename().string(), neighbours);
  if (nearest.empty()) return text.error();
  return Error{
      fmt::format("{}; did you mean '{}'?", text.error().message,
                  (file.has_parent_path() ? file.parent_path() / nearest : std::filesystem::path(nearest)).string())};
}

Result<RunConfig> make_run_config(std::string_view problem, std::span<const std::string> overrides) {
  Reader reader("");
  reader.config.problem = problem;
  return finished(reader, overrides);
}

}  // namespace rubato::io
