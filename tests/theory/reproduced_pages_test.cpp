// The kept pages docs/reproduction/NAME.md against a rerun of their fast parts: every row of every table, as it is printed. Made again by
// `rubato reproduce NAME -o docs/reproduction`. One test for each part, hence a process of its own: no part may depend on which others ran.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "experiments/experiment.hpp"

namespace rubato::experiments {
namespace {

struct KeptPart {
  const char *experiment, *part;
};
void PrintTo(const KeptPart& kept, std::ostream* out) { *out << kept.experiment << " " << kept.part; }

/// Those below about two seconds.
constexpr KeptPart fast_parts[] = {{"stiff-irk", "figure-3.2"},
                                   {"stiff-irk", "table-3.4"},
                                   {"stiff-irk", "figure-3.3"},
                                   {"stiff-irk", "figure-4.2"},
                                   {"stiff-irk", "figure-4.3"},
                                   {"stiff-irk", "table-5.1"},
                                   {"stiff-irk", "table-5.2"},
                                   {"stiff-irk", "table-5.3"},
                                   {"stiff-irk", "table-5.4"},
                                   {"stiff-irk", "table-5.5"},
                                   {"stiff-irk", "figure-5.4"},
                                   {"stiff-irk", "table-5.6"},
                                   {"stiff-irk", "table-5.7"},
                                   {"stiff-irk", "table-5.8"},
                                   {"stiff-irk", "figure-5.13"},
                                   {"index3-scaling", "table-1"},
                                   {"index3-scaling", "figure-1"},
                                   {"index3-scaling", "table-2"},
                                   {"index3-scaling", "figure-3"},
                                   {"index3-scaling", "table-3"},
                                   {"index3-scaling", "table-4"},
                                   {"krylov-row", "table-dimensions"},
                                   {"krylov-row", "table-cap"},
                                   {"krylov-row", "figure-2"},
                                   {"realtime-sparsing", "table-counterexample"},
                                   {"realtime-sparsing", "figure-5.1"},
                                   {"tolerances", "table-prothero-robinson"},
                                   {"tolerances", "table-quasi-linear"},
                                   {"tolerances", "table-oscillator"},
                                   {"tolerances", "table-magnitude-counterexample"}};
/// Up to a minute. Table 6.4 needs structures that table 6.3 finds as well.
constexpr KeptPart long_parts[] = {
    {"hyperelastic", "figure-static"}, {"hyperelastic", "table-adaptive"}, {"realtime-sparsing", "table-6.4"}};

std::vector<std::string> table_lines(std::istream&& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("|")) lines.push_back(line);
  return lines;
}

/// The rows under the heading of a part.
std::vector<std::string> kept_rows(const Experiment& experiment, const Part& part) {
  std::ifstream page(std::string(RUBATO_REPRODUCTION) + "/" + experiment.name + ".md");
  std::string section, name = part.name;
  std::replace(name.begin(), name.end(), '-', ' ');
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## " + name + ": " + part.title;
    if (inside) section += line + "\n";
  }
  return table_lines(std::istringstream(section));
}

class ReproducedPage : public testing::TestWithParam<KeptPart> {};

TEST_P(ReproducedPage, IsWhatARerunGives) {
  const auto experiment = experiment_by_name(GetParam().experiment);
  ASSERT_TRUE(experiment.ok());
  const std::string only[] = {GetParam().part};
  const auto parts = chosen_parts(**experiment, only);
  ASSERT_TRUE(parts.ok() && parts->size() == 1);
  const Part& part = *parts->front();
  const io::Table table = table_of(part.make({}), io::TableFormat::markdown);
  const auto ours = table_lines(std::istringstream(io::render(table, io::TableFormat::markdown)));
  const auto kept = kept_rows(**experiment, part);
  ASSERT_FALSE(kept.empty()) << "no table under the heading of " << part.name;
  ASSERT_EQ(kept.size(), ours.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], ours[i]);
}

std::string test_name(const testing::TestParamInfo<KeptPart>& info) {
  std::string name = std::string(info.param.experiment) + "_" + info.param.part;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Fast, ReproducedPage, testing::ValuesIn(fast_parts), test_name);
INSTANTIATE_TEST_SUITE_P(Long, ReproducedPage, testing::ValuesIn(long_parts), test_name);

}  // namespace
}  // namespace rubato::experiments
