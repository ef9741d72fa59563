#include "rubato/io/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/model_reader.hpp"
#include "io/toml_tree.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

class RunFileReader {
 public:
  explicit RunFileReader(std::string_view file) : file_(file) {
    if (!file_.empty()) config.places[""] = file_;
  }

  RunConfig config;
  std::vector<std::string> mistakes;

  /// A run file; one with bodies is a model file, too, and takes the overrides that are meant for the model.
  void read_text(std::string_view text, std::vector<std::string>& overrides) {
    const auto root = parse_toml(text, file_);
    if (!root) {
      mistakes.push_back(root.error().message);
      return;
    }
    is_solid_ = holds_solid(*root);
    is_model_ = is_solid_ || holds_model(*root);
    read_table(*root, "");
    if (!is_model_) return;
    if (const TomlNode* problem = root->find("problem"))
      complain(place_of(*problem), "problem",
               fmt::format("a file that describes a model has no [problem]; [{}] and [parameters]",
                           is_solid_ ? "solid" : "model"));
    std::vector<std::string> for_model;
    for (auto& override_text : overrides) {
      const auto equals = override_text.find('=');
      const std::string key(trimmed(std::string_view(override_text).substr(0, equals)));
      if (equals != std::string::npos && key.find('.') == std::string::npos && find_key(key) == nullptr) {
        const TomlNode* parameters = root->find("parameters");
        const bool known = parameters != nullptr && parameters->find(key) != nullptr;
        if (const Key* meant = key_ending_in(key); meant != nullptr && !known)
          mistakes.push_back(fmt::format("--set {}: unknown key; did you mean '{}'?", key, meant->name));
        else
          for_model.push_back("parameters." + override_text);
      } else if (is_solid_ ? is_solid_override(override_text) : is_model_override(override_text)) {
        for_model.push_back(override_text);
      } else {
        continue;
      }
      override_text.clear();
    }
    std::erase(overrides, "");
    config.problem = std::filesystem::path(file_).stem().string();
    if (is_solid_)
      keep(solid_of(*root, file_, for_model, read_file), config.solid);
    else
      keep(model_of(*root, file_, for_model, read_file), config.model);
  }

  void apply(const std::string& override_text) {
    const auto equals = override_text.find('=');
    if (equals == std::string::npos || equals == 0) {
      mistakes.push_back(fmt::format("--set {}: expected key=value, e.g. --set solver.rtol=1e-6", override_text));
      return;
    }
    std::string key(trimmed(std::string_view(override_text).substr(0, equals)));
    const std::string value(trimmed(std::string_view(override_text).substr(equals + 1)));
    const std::string place = "--set " + key;
    const bool bare = key.find('.') == std::string::npos && find_key(key) == nullptr;
    const TomlNode node = toml_value(value);
    if (bare) {  // a parameter, if it is a number: the problem knows whether it has one of that name
      if (const Key* meant = key_ending_in(key); meant != nullptr && !node.as_number()) {
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
    if (config.problem.empty() && !given("problem.name") && !is_model_)
      complain(
          "problem.name",
          "missing; the name of a problem, see `rubato list problems`, or [[body]] and more of a model, or [solid]");
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
  static bool is_rows(std::string_view key) {
    return key == "output.every" || key == "output.times" || key == "output.steps";
  }
  template <class Model>
  void keep(Result<Model> model, std::shared_ptr<const Model>& target) {
    if (!model) {
      mistakes.push_back(model.error().message);
      return;
    }
    config.formulation = model->formulation;
    target = std::make_shared<const Model>(*std::move(model));
  }
  [[nodiscard]] bool given(std::string_view key) const { return config.places.find(key) != config.places.end(); }
  void forget(std::string_view key) {
    if (const auto found = config.places.find(key); found != config.places.end()) config.places.erase(found);
    if (key == "output.every") config.output.every = 0;
    if (key == "output.times") config.output.times.clear();
    if (key == "output.steps") config.output.steps.clear();
  }

  [[nodiscard]] std::string place_at(int line, int column) const {
    return fmt::format("{}:{}:{}", file_, line, column);
  }
  [[nodiscard]] std::string place_of(const TomlNode& node) const { return place_at(node.line, node.column); }

  void read_table(const TomlNode& table, const std::string& prefix) {
    for (const auto& [key, line, column, node] : table.entries) {
      const std::string name = prefix + key;
      const bool of_model = is_solid_ ? is_solid_table(name) : is_model_table(name);
      if (is_model_ && prefix.empty() && (of_model || name == "problem")) continue;
      const bool is_section = std::any_of(run_file_keys().begin(), run_file_keys().end(),
                                          [&](const Key& k) { return k.name.starts_with(name + "."); });
      if (is_section && find_key(name) == nullptr) {
        if (node.is_table())
          read_table(node, name + ".");
        else
          complain(place_of(node), name,
                   fmt::format("{} is {}; a table is expected: [{}]", plain(node), type_words(node), name));
        continue;
      }
      read_value(name, node, find_key(name) != nullptr ? place_of(node) : place_at(line, column), false);
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
      const auto add = [&](const std::vector<std::string>& tables) {
        for (const std::string& table : tables)
          if (std::find(sections.begin(), sections.end(), table) == sections.end()) sections.push_back(table);
      };
      if (!is_model_ || !is_solid_) add(model_table_names());
      if (!is_model_ || is_solid_) add(solid_table_names());
      const std::string first = dot == std::string::npos ? name : name.substr(0, dot);
      const std::string nearest = nearest_name(first, sections);
      complain(place, name,
               fmt::format("unknown {}{}; known: {}", dot == std::string::npos ? "key or table" : "table",
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest), joined(sections)));
    }
  }

  void read_value(const std::string& name, const TomlNode& node, const std::string& place, bool overriding) {
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

  void wrong_type(const Key& key, const TomlNode& node, const std::string& place) {
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
                  const TomlNode& node, const std::string& place) {
    const auto value = node.as_number();
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

  void store(const Key& key, double& target, const TomlNode& node, const std::string& place, bool /*over*/) {
    const auto value = node.as_number();
    if (!value) return wrong_type(key, node, place);
    if (!in_range(key, *value)) return not_allowed(key, key.name, plain(node), place);
    target = *value;
  }
  void store(const Key& key, std::optional<double>& target, const TomlNode& node, const std::string& place, bool over) {
    double value = 0;
    const std::size_t before = mistakes.size();
    store(key, value, node, place, over);
    if (mistakes.size() == before) target = value;
  }
  void store(const Key& key, long& target, const TomlNode& node, const std::string& place, bool /*over*/) {
    const auto value = node.as_number();  // 1e6 is a whole number, too
    if (!value) return wrong_type(key, node, place);
    if (!(std::abs(*value) <= 1e15) || *value != std::floor(*value) || !in_range(key, *value))
      return not_allowed(key, key.name, plain(node), place);
    target = static_cast<long>(*value);
  }
  void store(const Key& key, int& target, const TomlNode& node, const std::string& place, bool over) {
    long value = target;
    store(key, value, node, place, over);
    target = static_cast<int>(value);  // the key's range fits
  }
  void store(const Key& key, bool& target, const TomlNode& node, const std::string& place, bool /*over*/) {
    if (node.type != TomlNode::Type::boolean) return wrong_type(key, node, place);
    target = node.boolean;
  }
  void store(const Key& key, std::string& target, const TomlNode& node, const std::string& place, bool /*over*/) {
    if (!node.is_text()) return wrong_type(key, node, place);
    if (known_choice(key, node.text, place) != nullptr || key.choices.empty()) target = node.text;
  }
  void store(const Key& key, std::uint8_t& target, const TomlNode& node, const std::string& place, bool /*over*/) {
    if (!node.is_text()) return wrong_type(key, node, place);
    if (const Choice* choice = known_choice(key, node.text, place)) target = choice->value;
  }
  void store(const Key& key, std::vector<double>& target, const TomlNode& node, const std::string& place, bool) {
    if (!node.is_list()) return wrong_type(key, node, place);
    target.clear();
    for (const auto& entry : node.items) {
      const std::string where = place.starts_with("--set") ? place : place_of(entry);
      const auto value = entry.as_number();
      if (!value)
        wrong_type(key, entry, where);
      else if (!in_range(key, *value))
        not_allowed(key, key.name, plain(entry), where);
      else
        target.push_back(*value);
    }
  }
  void store(const Key& key, std::vector<std::string>& target, const TomlNode& node, const std::string& place, bool) {
    if (!node.is_list()) return wrong_type(key, node, place);
    target.clear();
    for (const auto& entry : node.items) {
      const std::string where = place.starts_with("--set") ? place : place_of(entry);
      if (!entry.is_text())
        wrong_type(key, entry, where);
      else if (known_choice(key, entry.text, where) != nullptr || key.choices.empty())
        target.push_back(entry.text);
    }
  }
  void store(const Key& key, NamedValues& target, const TomlNode& node, const std::string& place, bool overriding) {
    if (!node.is_table()) return wrong_type(key, node, place);
    for (const auto& [entry, line, column, value] : node.entries)
      read_entry(key, target, fmt::format("{}.{}", key.name, entry), entry, value,
                 overriding ? place : place_of(value));
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
  bool is_model_ = false, is_solid_ = false;  ///< a model of any kind; of finite elements
};

Result<RunConfig> finished(RunFileReader& reader, std::span<const std::string> overrides) {
  for (const auto& text : overrides) reader.apply(text);
  if (reader.mistakes.empty()) reader.check_together();
  if (!reader.mistakes.empty()) return Error{joined(reader.mistakes, "\n")};
  reader.config.options.checkpoint_every = std::max(reader.config.output.checkpoint_every, 0L);
  if (reader.config.has_model() && !reader.config.places.contains("output.formats"))
    reader.config.output.formats.emplace_back("vtu");
  return std::move(reader.config);
}

}  // namespace

Result<RunConfig> parse_run_file(std::string_view text, std::string_view file_name,
                                 std::span<const std::string> overrides) {
  RunFileReader reader(file_name);
  std::vector<std::string> left(overrides.begin(), overrides.end());
  reader.read_text(text, left);
  return finished(reader, left);
}

Result<RunConfig> read_run_file(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto text = read_text_file(file);
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
  RunFileReader reader("");
  reader.config.problem = problem;
  return finished(reader, overrides);
}

}  // namespace rubato::io
