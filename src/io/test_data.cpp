#include "rubato/io/test_data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "io/toml_text.hpp"
#include "io/toml_tree.hpp"
#include "io/units.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

using fem::TestMode;
using fem::TestSet;
using TestSets = std::vector<TestSet>;

Result<double> factor_of(std::string_view unit, std::string_view like) {
  const auto wanted = parse_unit(like), given = parse_unit(unit);
  if (!given) return given.error();
  if (given->dimension != wanted->dimension)
    return Error{fmt::format("'{}' is no unit of this quantity; one like {}", unit, like.empty() ? "%" : like)};
  return given->factor;
}

Result<TestMode> mode_of(std::string_view text) {
  if (const auto mode = fem::test_mode_from_name(text)) return *mode;
  std::vector<std::string> known;
  for (const TestMode mode : fem::test_modes) known.emplace_back(fem::name(mode));
  return Error{unknown_name("mode", text, known)};
}

/// What no test can have measured, in words; empty: fine.
std::string objection(TestMode mode, double stretch, double stress) {
  if (!std::isfinite(stretch) || !std::isfinite(stress))
    return fmt::format("stretch {}, stress {}: both must be finite", stretch, stress);
  const double low = mode == TestMode::simple_shear ? -fem::most_stretch : fem::least_stretch;
  if (!(stretch >= low && stretch <= fem::most_stretch))
    return fmt::format(
        "stretch {} is not possible, from {} to {}: length over undeformed length, 1 before the test (strains: a "
        "column "
        "`strain`); in simple shear the shear",
        shortest(stretch), low, fem::most_stretch);
  return {};
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    auto field = trimmed(line.substr(at, end - at));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    at = end + 1;
  }
  return fields;
}

/// A CSV file, line by line.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<TestSets> read() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // what spreadsheets put before UTF-8
    bool named = false;
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      const auto line = trimmed(text_.substr(0, end));
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      ++number_;
      if (line.empty() || line.front() == '#') continue;
      if (auto fine = named ? row(fields_of(line)) : header(fields_of(line)); !fine) return fine.error();
      named = true;
    }
    if (sets_.empty())
      return Error{fmt::format("{}: no tests in it; a line `mode,stretch,stress [MPa]`, then the points", file_)};
    return std::move(sets_);
  }

 private:
  struct Column {
    std::size_t at = 0;
    double factor = 1;
  };

  Error wrong(std::string_view what) const { return Error{fmt::format("{}:{}: {}", file_, number_, what)}; }

  Result<void> header(const std::vector<std::string_view>& fields) {
    n_columns_ = fields.size();
    for (std::size_t at = 0; at < fields.size(); ++at) {
      const auto open = fields[at].find('[');
      const auto word = trimmed(fields[at].substr(0, open));
      const bool has_unit = open != std::string_view::npos;
      if (has_unit && fields[at].back() != ']') return wrong(fmt::format("column '{}': ] is missing", fields[at]));
      const auto unit = has_unit ? fields[at].substr(open + 1, fields[at].size() - open - 2) : std::string_view{};
      std::optional<Column>* column = word == "mode"      ? &mode_
                                      : word == "stretch" ? &stretch_
                                      : word == "strain"  ? &strain_
                                      : word == "stress"  ? &stress_
                                                          : nullptr;
      if (column == nullptr) {
        const std::vector<std::string> known = {"mode", "stretch", "strain", "stress"};
        return wrong(unknown_name("column", word, known));
      }
      if (column->has_value()) return wrong(fmt::format("column '{}' stands there twice", word));
      if (word == "stress" && !has_unit) return wrong("column 'stress': its unit is missing; stress [MPa]");
      const auto factor = factor_of(unit, word == "stress" ? "MPa" : "");
      if (!factor) return wrong(fmt::format("column '{}': {}", word, factor.error().message));
      *column = Column{at, *factor};
    }
    if (!mode_ || !stress_ || stretch_.has_value() == strain_.has_value())
      return wrong("the columns must be mode, stretch (or strain) and stress [MPa]");
    return {};
  }

  Result<double> number(const Column& column, std::string_view field) const {
    double value = 0;
    const auto [end, status] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (field.empty() || status != std::errc{} || end != field.data() + field.size())
      return wrong(fmt::format("'{}' is no number", field));
    return column.factor * value;
  }

  Result<void> row(const std::vector<std::string_view>& fields) {
    if (fields.size() != n_columns_)
      return wrong(fmt::format("{} values; the first line names {} columns", fields.size(), n_columns_));
    const auto mode = mode_of(fields[mode_->at]);
    if (!mode) return wrong(mode.error().message);
    const Column& abscissa = stretch_ ? *stretch_ : *strain_;
    auto stretch = number(abscissa, fields[abscissa.at]);
    if (!stretch) return stretch.error();
    if (strain_ && *mode != TestMode::simple_shear) *stretch += 1;
    const auto stress = number(*stress_, fields[stress_->at]);
    if (!stress) return stress.error();
    if (const auto why = objection(*mode, *stretch, *stress); !why.empty()) return wrong(why);
    TestSet* home = nullptr;
    for (auto& set : sets_)
      if (set.mode == *mode) home = &set;
    if (home == nullptr) home = &sets_.emplace_back(TestSet{.mode = *mode});
    home->points.push_back({*stretch, *stress});
    return {};
  }

  std::string_view text_, file_;
  int number_ = 0;
  std::size_t n_columns_ = 0;
  std::optional<Column> mode_, stretch_, strain_, stress_;
  TestSets sets_;
};

/// One [[test]].
class TomlTest {
 public:
  explicit TomlTest(std::string_view file) : file_(file) {}

  Result<TestSet> read(const TomlNode& table) {
    TestSet set;
    double factor = 0;
    const TomlNode* points = nullptr;
    bool has_mode = false;
    if (!table.is_table())
      return wrong(table, "test", fmt::format("{} is {}; [[test]] is needed", plain(table), type_words(table)));
    for (const auto& [key, line, column, value] : table.entries) {
      const std::string path = "test." + key;
      if (key == "mode" || key == "unit") {
        if (!value.is_text())
          return wrong(value, path, fmt::format("{} is {}; a text is needed", plain(value), type_words(value)));
        if (key == "mode") {
          const auto mode = mode_of(value.text);
          if (!mode) return wrong(value, path, mode.error().message);
          set.mode = *mode;
          has_mode = true;
        } else {
          const auto found = factor_of(value.text, "MPa");
          if (!found) return wrong(value, path, found.error().message);
          factor = *found;
        }
      } else if (key == "weight") {
        const auto weight = value.as_number();
        if (!weight || !(*weight > 0) || !std::isfinite(*weight))
          return wrong(value, path, fmt::format("{} is not allowed; a number > 0", plain(value)));
        set.weight = *weight;
      } else if (key == "points") {
        points = &value;
      } else {
        const std::vector<std::string> known = {"mode", "unit", "weight", "points"};
        return Error{fmt::format("{}:{}:{}: {}: {}", file_, line, column, path, unknown_name("key", key, known))};
      }
    }
    if (!has_mode) return wrong(table, "test.mode", "missing");
    if (factor == 0) return wrong(table, "test.unit", "missing: the unit of the stresses, \"MPa\"");
    if (points == nullptr || !points->is_list() || points->items.empty())
      return wrong(points == nullptr ? table : *points, "test.points",
                   "a list of points is needed, [[stretch, stress], …]");
    for (const auto& point : points->items) {
      const bool pair = point.is_list() && point.items.size() == 2;
      const auto stretch = pair ? point.items[0].as_number() : std::nullopt;
      const auto stress = pair ? point.items[1].as_number() : std::nullopt;
      if (!stretch || !stress)
        return wrong(point, "test.points", fmt::format("{} is no point [stretch, stress]", plain(point)));
      if (const auto why = objection(set.mode, *stretch, *stress); !why.empty())
        return wrong(point, "test.points", why);
      set.points.push_back({*stretch, factor * *stress});
    }
    return set;
  }

 private:
  Error wrong(const TomlNode& node, std::string_view path, std::string_view what) const {
    return Error{fmt::format("{}:{}:{}: {}: {}", file_, node.line, node.column, path, what)};
  }
  std::string_view file_;
};

}  // namespace

Result<TestSets> test_data_from_csv(std::string_view text, std::string_view file) {
  return CsvReader(text, file).read();
}

Result<TestSets> test_data_from_toml(std::string_view text, std::string_view file) {
  const auto root = parse_toml(text, file);
  if (!root) return root.error();
  TestSets sets;
  for (const auto& [key, line, column, value] : root->entries) {
    if (key != "test" || !value.is_list())
      return Error{
          fmt::format("{}:{}:{}: '{}' has no meaning here; [[test]] tables are needed", file, line, column, key)};
    for (const auto& item : value.items) {
      auto set = TomlTest(file).read(item);
      if (!set) return set.error();
      sets.push_back(std::move(*set));
    }
  }
  if (sets.empty()) return Error{fmt::format("{}: no [[test]] in it", file)};
  return sets;
}

Result<TestSets> read_test_data(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return file.extension() == ".toml" ? test_data_from_toml(*text, file.string())
                                     : test_data_from_csv(*text, file.string());
}

std::string material_toml(const fem::Fit& fit, std::string_view name, const std::vector<std::string>& remarks) {
  std::string out;
  for (const auto& remark : remarks) out += fmt::format("# {}\n", remark);
  out += fmt::format("[[material]]\nname = {}\nlaw = {}\n", toml_text(name),
                     toml_text(std::string_view(fit.form.name).substr(0, fit.form.name.find(':'))));
  if (const auto* ogden = std::get_if<fem::Ogden>(&fit.material.law)) {
    std::vector<std::string> mu, alpha;
    for (const auto& term : ogden->terms) {
      mu.push_back(toml_text(term.mu));
      alpha.push_back(toml_text(term.alpha));
    }
    out += fmt::format("mu = [{}]  # Pa\nalpha = [{}]\n", joined(mu), joined(alpha));
  } else {
    for (const auto& constant : fem::constants(fit))
      out += fmt::format("{} = {}  # {}\n", constant.name, toml_text(constant.value), constant.unit);
  }
  out += "bulk = inf  # Pa: incompressible, as the fit assumes; 2e9 is usual for rubber\n";
  out += "# density = 1100  # kg/m³: not part of these tests\n";
  return out;
}

}  // namespace rubato::io
