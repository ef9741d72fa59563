#include "rubato/io/plan_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"
#include "toml_text.hpp"
#include "toml_tree.hpp"

namespace rubato::io {

namespace {

using realtime::Plan;
using realtime::StaticKind;
using realtime::StepTime;

constexpr double most_of_anything = 1e9;

// Of an entry of the Jacobian: kept or left out, constant or not.
constexpr char kept = 'k', kept_constant = 'c', left_out = '.', left_out_constant = 'o';

std::string list_text(std::span<const int> numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

/// The tables of a plan, key by key; remembers the first mistake.
class PlanReader {
 public:
  PlanReader(const TomlNode& root, std::string_view file) : root_(root), file_(file) {}

  [[nodiscard]] bool failed() const noexcept { return !mistake_.empty(); }
  [[nodiscard]] Error error() const { return Error{mistake_}; }

  void enter(const std::string& table) {
    table_ = table;
    tables_.push_back(table);
    node_ = root_.find(table);
    if (node_ == nullptr || !node_->is_table())
      complain(root_.line,
               fmt::format("the table [{}] is missing: this is no plan; `rubato realtime analyse` makes one", table));
  }
  [[nodiscard]] bool has(std::string_view key) const { return !failed() && node_->find(key) != nullptr; }
  [[nodiscard]] double number(const std::string& key, double min = -std::numeric_limits<double>::infinity(),
                              double max = std::numeric_limits<double>::infinity()) {
    const TomlNode* const node = find(key);
    if (node == nullptr) return 0;
    const auto value = node->as_number();
    if (!value || !std::isfinite(*value) || *value < min || *value > max) {
      wrong(key, *node,
            (min < 0 ? "a number" : fmt::format("a number ≥ {}", shortest(min))) +
                (std::isfinite(max) ? fmt::format(" and ≤ {}", shortest(max)) : ""));
      return 0;
    }
    return *value;
  }
  [[nodiscard]] int count(const std::string& key) { return static_cast<int>(whole(key, find(key), most_of_anything)); }
  /// Of a step's operations: a dense matrix of a few thousand unknowns has more than an int holds.
  [[nodiscard]] long operations(const std::string& key) { return static_cast<long>(whole(key, find(key), 0x1p53)); }
  [[nodiscard]] bool truth(const std::string& key) {
    const TomlNode* const node = find(key);
    if (node != nullptr && node->type != TomlNode::Type::boolean) wrong(key, *node, "true or false");
    return node != nullptr && node->boolean;
  }
  [[nodiscard]] std::string text(const std::string& key) {
    const TomlNode* const node = find(key);
    if (node != nullptr && !node->is_text()) wrong(key, *node, "a text");
    return node != nullptr ? node->text : std::string();
  }
  /// The position of the text in `choices`.
  [[nodiscard]] std::uint8_t choice(const std::string& key, const std::vector<std::string>& choices) {
    const std::string value = text(key);
    const auto found = std::ranges::find(choices, value);
    if (found == choices.end())
      complain(0, fmt::format("{}.{}: '{}' is none of {}", table_, key, value, joined(choices)));
    return found == choices.end() ? std::uint8_t{0} : static_cast<std::uint8_t>(found - choices.begin());
  }
  [[nodiscard]] std::vector<int> counts(const std::string& key) {
    std::vector<int> result;
    for (const TomlNode& item : items(key)) result.push_back(static_cast<int>(whole(key, &item, most_of_anything)));
    return result;
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& key) {
    std::vector<double> result;
    for (const TomlNode& item : items(key)) {
      if (const auto value = item.as_number(); value && std::isfinite(*value))
        result.push_back(*value);
      else
        wrong(key, item, "a list of numbers");
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> result;
    for (const TomlNode& item : items(key)) {
      if (!item.is_text()) wrong(key, item, "a list of texts");
      result.push_back(item.text);
    }
    return result;
  }
  /// Compressed columns of a square matrix; whatever a file may hold.
  [[nodiscard]] SparsePattern pattern(const std::string& name, int n) {
    const std::vector<int> starts = counts(name + "_starts"), rows = counts(name + "_rows");
    bool fine = starts.size() == static_cast<std::size_t>(n) + 1 && starts.front() == 0 &&
                starts.back() == static_cast<int>(rows.size()) && std::ranges::is_sorted(starts);
    for (std::size_t j = 0; fine && j + 1 < starts.size(); ++j)
      for (int p = starts[j]; p < starts[j + 1]; ++p)
        fine = fine && rows[p] < n && (p == starts[j] || rows[p] > rows[p - 1]);
    if (!fine)
      complain(0, fmt::format("{}.{}_starts, {}_rows: no compressed columns of {} unknowns", table_, name, name, n));
    return failed() ? SparsePattern() : SparsePattern::from_columns(n, n, starts, rows);
  }
  void complain(int line, const std::string& sentence) {
    if (mistake_.empty()) mistake_ = fmt::format("{}{}: {}", file_, line > 0 ? fmt::format(":{}", line) : "", sentence);
  }
  /// What nobody asked for.
  void finish() {
    for (const TomlEntry& table : root_.entries) {
      if (!table.node.is_table() || std::ranges::find(tables_, table.key) == tables_.end())
        complain(table.line, unknown_name("table of a plan", table.key, tables_));
      for (const TomlEntry& entry : table.node.entries)
        if (std::ranges::find(known_, table.key + "." + entry.key) == known_.end())
          complain(entry.line, unknown_name("key of a plan", table.key + "." + entry.key, known_));
    }
  }

 private:
  const TomlNode* find(const std::string& key) {
    known_.push_back(table_ + "." + key);
    if (failed()) return nullptr;
    const TomlNode* const node = node_->find(key);
    if (node == nullptr)
      complain(node_->line,
               fmt::format("{}.{} is missing; a plan of another version: analyse the model again", table_, key));
    return node;
  }
  void wrong(const std::string& key, const TomlNode& node, std::string_view allowed) {
    complain(node.line, fmt::format("{}.{}: {} is not {}", table_, key, plain(node), allowed));
  }
  double whole(const std::string& key, const TomlNode* node, double max) {
    if (node == nullptr) return 0;
    const auto value = node->as_number();
    if (!value || !(*value >= 0 && *value <= max && *value == std::floor(*value))) {
      wrong(key, *node, fmt::format("a whole number ≥ 0 and ≤ {:g}", max));
      return 0;
    }
    return *value;
  }
  std::span<const TomlNode> items(const std::string& key) {
    const TomlNode* const node = find(key);
    if (node != nullptr && !node->is_list()) wrong(key, *node, "a list");
    return node != nullptr ? std::span<const TomlNode>(node->items) : std::span<const TomlNode>();
  }

  const TomlNode& root_;
  std::string file_, table_, mistake_;
  const TomlNode* node_ = nullptr;
  std::vector<std::string> tables_, known_;
};

/// FNV-1a.
std::string checksum_of(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", value);
}

/// Everything after the checksum.
std::string plan_body(const Plan& plan) {
  const realtime::ModelStructure& model = plan.structure;
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  const auto optional = [&](std::string_view key, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) line(key, toml_text(*value));
  };
  const auto numbers = [](const std::vector<double>& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const double value : values) texts.push_back(toml_text(value));
    return fmt::format("[{}]", fmt::join(texts, ","));
  };
  const auto pattern = [&](const std::string& name, const SparsePattern& p) {
    line(name + "_starts", list_text(p.column_starts()));
    line(name + "_rows", list_text(p.row_indices()));
  };
  line("model", toml_text(plan.model));
  std::vector<std::string> settings;
  for (const auto& setting : plan.settings) settings.push_back(toml_text(setting));
  line("settings", fmt::format("[{}]", fmt::join(settings, ", ")));
  line("step", toml_text(plan.step));
  line("step_numbers", list_text(plan.step_numbers));
  optional("rho", plan.rho);
  optional("rho_m", plan.rho_m);
  line("time", toml_text(to_string(plan.time)));
  line("damping", plan.damping ? "true" : "false");
  line("smallest_damping", toml_text(plan.smallest_damping));
  line("projections", fmt::format("{}", plan.projections));
  line("drop_below", toml_text(plan.drop_below));
  line("sizes", numbers(plan.sizes));
  line("rtol", toml_text(plan.rtol));
  line("atol", toml_text(plan.atol));
  line("largest_backward_error", toml_text(plan.largest_backward_error));

  text += "\n[structure]\n";
  line("hash", fmt::format("\"{:016x}\"", model.hash()));
  line("unknowns", fmt::format("{}", model.jacobian.cols()));
  line("inputs", fmt::format("{}", model.n_inputs));
  std::vector<int> algebraic;
  for (std::size_t i = 0; i < model.algebraic.size(); ++i)
    if (model.algebraic[i] != 0) algebraic.push_back(static_cast<int>(i));
  line("algebraic", list_text(algebraic));
  if (!model.left_out.empty()) line("left_out", list_text(model.left_out));
  pattern("jacobian", model.jacobian);
  pattern("mass", model.mass);
  line("mass_values", numbers(model.mass_values));
  text += "# Of every entry of the Jacobian: k kept, c kept and constant, . left out, o left out and constant.\n";
  std::string entries;
  for (std::size_t p = 0; p < plan.keep.size(); ++p)
    entries += plan.keep[p] != 0 ? (plan.constant[p] != 0 ? kept_constant : kept)
                                 : (plan.constant[p] != 0 ? left_out_constant : left_out);
  line("entries", toml_text(entries));

  text += "\n[solver]\n";
  line("back_end", toml_text(to_string(plan.back_end)));
  line("rows", list_text(plan.ordering.rows));
  line("cols", list_text(plan.ordering.cols));
  line("block_starts", list_text(plan.ordering.starts));

  text += "\n[report]\n";
  line("additions", fmt::format("{}", plan.operations.additions));
  line("multiplications", fmt::format("{}", plan.operations.multiplications));
  line("divisions", fmt::format("{}", plan.operations.divisions));
  line("square_roots", fmt::format("{}", plan.operations.square_roots));
  optional("spectral_radius", plan.spectral_radius);
  optional("worst_ratio", plan.worst_ratio);
  optional("expected_error", plan.expected_error);
  return text;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  const std::string body = plan_body(plan);
  return fmt::format(
      "# A real-time plan, made by `rubato realtime analyse`; see docs/realtime.md. Not to be edited.\n\n[plan]\n"
      "checksum = \"{}\"  # of all values below\n{}",
      checksum_of(body), body);
}

Result<Plan> parse_plan(std::string_view text, std::string_view file_name) {
  const auto root = parse_toml(text, file_name);
  if (!root) return root.error();
  PlanReader reader(*root, file_name);
  const auto optional = [&](const std::string& key) {
    return reader.has(key) ? std::optional(reader.number(key)) : std::nullopt;
  };
  Plan plan;
  reader.enter("plan");
  const std::string checksum = reader.text("checksum");
  plan.model = reader.text("model");
  plan.settings = reader.texts("settings");
  plan.step = reader.number("step", std::numeric_limits<double>::min());
  plan.step_numbers = reader.counts("step_numbers");
  plan.rho = optional("rho");
  plan.rho_m = optional("rho_m");
  plan.time = static_cast<StepTime>(reader.choice("time", {"start", "end"}));
  plan.damping = reader.truth("damping");
  plan.smallest_damping = reader.number("smallest_damping", std::numeric_limits<double>::min(), 1);
  plan.projections = reader.count("projections");
  plan.drop_below = reader.number("drop_below", 0);
  plan.sizes = reader.numbers("sizes");
  plan.rtol = reader.number("rtol", 0);
  plan.atol = reader.number("atol", std::numeric_limits<double>::min());
  plan.largest_backward_error = reader.number("largest_backward_error", 0);

  reader.enter("structure");
  const std::string hash = reader.text("hash");
  const int n = reader.count("unknowns");
  plan.structure.n_inputs = reader.count("inputs");
  const std::vector<int> algebraic = reader.counts("algebraic");
  if (reader.has("left_out")) plan.structure.left_out = reader.counts("left_out");
  plan.structure.jacobian =
      reader.pattern("jacobian", n);  // has n columns in the file: from here on n is no idle promise
  plan.structure.algebraic.assign(reader.failed() ? 0 : static_cast<std::size_t>(n), 0);
  for (const int i : algebraic) {
    if (i < static_cast<int>(plan.structure.algebraic.size()))
      plan.structure.algebraic[i] = 1;
    else
      reader.complain(0, fmt::format("structure.algebraic: unknown {} of {}", i, n));
  }
  plan.structure.mass = reader.pattern("mass", n);
  plan.structure.mass_values = reader.numbers("mass_values");
  const std::string entries = reader.text("entries");
  for (const char entry : entries) {
    plan.keep.push_back(entry == kept || entry == kept_constant);
    plan.constant.push_back(entry == kept_constant || entry == left_out_constant);
  }

  reader.enter("solver");
  plan.back_end = static_cast<StaticKind>(reader.choice("back_end", {"qr", "lu"}));
  plan.ordering = {
      .rows = reader.counts("rows"), .cols = reader.counts("cols"), .starts = reader.counts("block_starts")};

  reader.enter("report");
  plan.operations = {.additions = reader.operations("additions"),
                     .multiplications = reader.operations("multiplications"),
                     .divisions = reader.operations("divisions"),
                     .square_roots = reader.operations("square_roots")};
  plan.spectral_radius = optional("spectral_radius");
  plan.worst_ratio = optional("worst_ratio");
  plan.expected_error = optional("expected_error");
  reader.finish();
  if (reader.failed()) return reader.error();

  const auto refuse = [&](const std::string& why) { return Error{fmt::format("{}: {}", file_name, why)}; };
  if (plan.structure.mass_values.size() != static_cast<std::size_t>(plan.structure.mass.nnz()))
    return refuse("structure.mass_values: not one for every place of the mass matrix");
  if (entries.size() != static_cast<std::size_t>(plan.structure.jacobian.nnz()) ||
      entries.find_first_not_of("kc.o") != std::string::npos)
    return refuse(fmt::format("structure.entries: {} letters for {} entries; k, c, . and o are allowed", entries.size(),
                              plan.structure.jacobian.nnz()));
  if (const std::string right = fmt::format("{:016x}", plan.structure.hash()); hash != right)
    return refuse(
        fmt::format("structure.hash: {} is not that of the structure in the file, {}: damaged or edited", hash, right));
  // What the analysis proved holds for these numbers together: another step, for one, needs another analysis.
  if (const std::string right = checksum_of(plan_body(plan)); checksum != right)
    return refuse(fmt::format(
        "plan.checksum: {} is not that of the values in the file, {}: damaged or edited; analyse the model again",
        checksum, right));
  return plan;
}

Result<Plan> read_plan_file(const std::filesystem::path& file) {
  const auto text = read_text_file(file);
  if (!text) return text.error();
  return parse_plan(*text, file.string());
}

}  // namespace rubato::io
