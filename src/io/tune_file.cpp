#include "rubato/io/tune_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"
#include "toml_tree.hpp"

namespace rubato::io {

namespace {
constexpr double largest_rate = 1e300;  // as everywhere in run files
}

std::string tune_text(const SolverRates& rates, const std::string& name) {
  return fmt::format(
      "# Rates of a machine, per second, measured by `rubato tune`. An input of runs that choose between factors and\n"
      "# Krylov spaces:\n"
      "#   rubato run FILE --tune {} --set krylov.use=true --set krylov.automatic=true\n"
      "[krylov.rates]\n"
      "factor_flops = {:.3g}     # of a factorisation\n"
      "solve_entries = {:.3g}    # of the factors, passed in a solve\n"
      "product_entries = {:.3g}  # of matrices, passed in a product\n"
      "vector_numbers = {:.3g}   # in sums of vectors\n",
      name, rates.factor_flops, rates.solve_entries, rates.product_entries, rates.vector_numbers);
}

Result<std::vector<std::string>> read_tune_file(const std::filesystem::path& file) {
  const auto text = read_text_file(file);
  if (!text) return text.error();
  return parse_tune(*text, file.string());
}

Result<std::vector<std::string>> parse_tune(std::string_view text, std::string_view file) {
  const auto root = parse_toml(text, file);
  if (!root) return root.error();
  const TomlNode* const krylov = root->find("krylov");
  const TomlNode* const rates = krylov != nullptr ? krylov->find("rates") : nullptr;
  if (rates == nullptr || !rates->is_table() || root->entries.size() != 1 || krylov->entries.size() != 1)
    return Error{fmt::format("{}: expected the table [krylov.rates] and nothing else; `rubato tune` writes it", file)};
  std::vector<std::string> overrides;
  const std::vector<std::string> known = {"factor_flops", "solve_entries", "product_entries", "vector_numbers"};
  if (rates->entries.empty()) return Error{fmt::format("{}: [krylov.rates] is empty", file)};
  for (const TomlEntry& entry : rates->entries) {
    const auto complain = [&](const std::string& sentence) {
      return Error{fmt::format("{}:{}:{}: krylov.rates.{}: {}", file, entry.line, entry.column, entry.key, sentence)};
    };
    if (std::ranges::find(known, entry.key) == known.end()) return complain(unknown_name("rate", entry.key, known));
    if (const auto value = entry.node.as_number(); !value || !(*value > 0 && *value <= largest_rate))
      return complain(fmt::format("{} is not allowed; a number > 0, per second", plain(entry.node)));
    overrides.push_back(fmt::format("krylov.rates.{}={}", entry.key, toml_text(entry.node)));
  }
  return overrides;
}

}  // namespace rubato::io
