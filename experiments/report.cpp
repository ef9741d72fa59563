// Sections as tables and as a page of Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/experiment.hpp"
#include "rubato/base/text.hpp"

namespace rubato::experiments {

namespace {
using io::Cell;

/// "266/215/51", "501/325/176/116": as many as are known.
std::string together(const std::optional<Counters>& c) {
  if (!c) return {};
  std::string text;
  for (const long n : {c->steps, c->accepted, c->rejected, c->failed}) {
    if (n < 0) break;
    text += (text.empty() ? "" : "/") + std::to_string(n);
  }
  return text;
}

Cell count(const std::optional<Counters>& c, long Counters::*which) {
  return c && (*c).*which >= 0 ? Cell((*c).*which) : Cell("");
}

Cell ratio(const Comparison& run, bool for_people) {
  if (!run.published || !run.ours || !run.trouble.empty() || run.published->steps <= 0 || run.ours->steps < 0)
    return "";
  const double value = static_cast<double>(run.ours->steps) / static_cast<double>(run.published->steps);
  if (for_people) return fmt::format("{:.2f}", value);
  return value;
}

Cell error(const Comparison& run, double Errors::*which, bool for_people) {
  if (!run.errors || !std::isfinite((*run.errors).*which)) return "";
  if (for_people) return fmt::format("{:.1e}", (*run.errors).*which);
  return (*run.errors).*which;
}

/// Columns in which no row has anything are dropped.
io::Table without_empty_columns(const io::Table& table) {
  io::Table kept;
  kept.rows.resize(table.rows.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
      const auto* text = std::get_if<std::string>(&row[j]);
      return text != nullptr && text->empty();
    });
    if (empty) continue;
    kept.columns.push_back(table.columns[j]);
    for (std::size_t i = 0; i < table.rows.size(); ++i) kept.rows[i].push_back(table.rows[i][j]);
  }
  return kept;
}

io::Table for_people(const std::vector<Comparison>& runs) {
  io::Table table{{"run", "published", "rerun", "Rubato", "ratio", "NFCN", "found stiff", "error of stiff q",
                   "error of other q", "error of stiff v", "error of other v"},
                  {}};
  for (const auto& run : runs) {
    std::string ours = together(run.ours);
    if (!run.trouble.empty()) ours += (ours.empty() ? "" : ", ") + run.trouble;
    table.rows.push_back({run.run, together(run.published), run.rerun, ours, ratio(run, true),
                          run.f_calls > 0 ? Cell(run.f_calls) : Cell(""), joined(run.stiff),
                          error(run, &Errors::q_stiff, true), error(run, &Errors::q_other, true),
                          error(run, &Errors::v_stiff, true), error(run, &Errors::v_other, true)});
  }
  table = without_empty_columns(table);
  const auto has = [&](const std::string& name) {
    return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
  };
  for (const std::string kind : {"q", "v"})  // others than which?
    if (!has("error of stiff " + kind))
      std::replace(table.columns.begin(), table.columns.end(), "error of other " + kind, "error of " + kind);
  return table;
}

io::Table for_programs(const std::vector<Comparison>& runs) {
  io::Table table{{"run", "published_nsteps", "published_naccpt", "published_nrejct", "published_nctf", "rerun",
                   "nsteps", "naccpt", "nrejct", "nctf", "nfcn", "ratio", "trouble", "found_stiff", "error_q_stiff",
                   "error_q_other", "error_v_stiff", "error_v_other"},
                  {}};
  for (const auto& run : runs) {
    std::vector<Cell> row = {run.run};
    for (const auto which : {&Counters::steps, &Counters::accepted, &Counters::rejected, &Counters::failed})
      row.push_back(count(run.published, which));
    row.emplace_back(run.rerun);
    for (const auto which : {&Counters::steps, &Counters::accepted, &Counters::rejected, &Counters::failed})
      row.push_back(count(run.ours, which));
    row.push_back(run.f_calls > 0 ? Cell(run.f_calls) : Cell(""));
    row.push_back(ratio(run, false));
    row.emplace_back(run.trouble);
    row.emplace_back(joined(run.stiff, " "));
    for (const auto which : {&Errors::q_stiff, &Errors::q_other, &Errors::v_stiff, &Errors::v_other})
      row.push_back(error(run, which, false));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

io::Table table_of(const Section& section, io::TableFormat format) {
  if (section.runs.empty()) return section.values;
  const bool people = format == io::TableFormat::text || format == io::TableFormat::markdown;
  return people ? for_people(section.runs) : for_programs(section.runs);
}

std::string markdown(const Experiment& experiment, std::span<const Finding> findings, std::string_view picture_folder) {
  std::string page = fmt::format("# {}\n\n{}\n\nMade by `rubato reproduce {}`. {}\n", experiment.title,
                                 experiment.source, experiment.name, experiment.introduction);
  for (const auto& [part, section] : findings) {
    std::string name = part->name;
    std::replace(name.begin(), name.end(), '-', ' ');
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    page += fmt::format("\n## {}: {}\n\n", name, part->title);
    if (!section.setting.empty()) page += section.setting + "\n\n";
    const io::Table table = table_of(section, io::TableFormat::markdown);
    if (!table.rows.empty()) page += io::render(table, io::TableFormat::markdown) + "\n";
    if (!section.difference.empty()) page += section.difference + "\n\n";
    for (const auto& picture : section.pictures) {  // those without caption stand beside the next
      page += fmt::format("![{}]({}/{}.svg)\n", picture.figure.title, picture_folder, picture.name);
      if (!picture.caption.empty()) page += fmt::format("\n{}\n\n", picture.caption);
    }
    while (page.ends_with("\n\n")) page.pop_back();
  }
  if (!experiment.missing.empty()) page += fmt::format("\n## Not here yet\n\n{}\n", experiment.missing);
  return page;
}

}  // namespace rubato::experiments
