// The page of the table: what it shows, and what it is held against.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "experiments/tolerances/goals.hpp"
#include "experiments/tolerances/reasons.hpp"
#include "experiments/tolerances/tolerances.hpp"
#include "rubato/base/text.hpp"

namespace rubato::experiments {

namespace {
using namespace tolerances;

/// Methods the goals are meant for: those a user gets by default, and what they are compared with most.
const std::vector<std::string> judged_methods = {"radau", "radau5", "bdf"};
constexpr double tolerable_work = 1.15;

/// All runs of a problem, once for all parts that need them.
class Runs {
 public:
  Lines of(const std::string& problem, const Control& control) {
    const std::scoped_lock lock(mutex_);
    const auto known = lines_.find(problem);
    if (known != lines_.end()) return known->second;
    if (control.say) control.say("table of tolerances: " + problem);
    Lines lines = lines_of(rows(problem, {}, control));
    if (!control.stopped()) lines_.emplace(problem, lines);
    return lines;
  }
  Lines all(const Control& control) {
    Lines lines;
    for (const auto& problem : problems()) lines.merge(of(problem, control));
    return lines;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Lines> lines_;
};

std::string tolerance_name(std::size_t i) { return fmt::format("{:.0e}", table_tolerances[i]); }

/// "5.3/1210/7": error over tolerance, work, attempts that failed.
std::string cell_of(const Figures& run) {
  if (std::isnan(run.error)) return fmt::format("stops/{:.0f}/{}", run.work, run.failed);
  return fmt::format("{:.2g}/{:.0f}/{}", run.error, run.work, run.failed);
}

/// Two lines for each formulation and method: before and now; a column for each tolerance.
Section table_of_problem(Runs& runs, const std::string& problem, const Control& control) {
  Section section;
  section.values.columns = {"formulation", "method", ""};
  for (std::size_t i = 0; i < table_tolerances.size(); ++i) section.values.columns.push_back(tolerance_name(i));
  const Lines now = runs.of(problem, control);
  std::set<std::string> formulations;
  for (const auto& [key, line] : now) formulations.insert(key.formulation);
  for (const auto& formulation : formulations)
    for (const auto& method : table_methods)
      for (const bool is_now : {false, true}) {
        const Lines& lines = is_now ? now : before();
        const auto line = lines.find({problem, formulation, method});
        if (line == lines.end()) continue;
        std::vector<io::Cell> cells = {formulation, method, is_now ? "now" : "before"};
        for (const Figures& run : line->second) cells.emplace_back(cell_of(run));
        section.values.rows.push_back(std::move(cells));
      }
  return section;
}

/// Each goal and method: runs it speaks of, those that missed it before and miss it now, the latter by excuse.
Section table_of_goals(Runs& runs, const Control& control) {
  Section section;
  section.values.columns = {"goal",       "method",
                            "runs",       "missed before",
                            "missed now", "within the tolerance",
                            "within ten", "compared with chance",
                            "others"};
  const Lines now = runs.all(control);
  for (const Goal goal : all_goals)
    for (const auto& method : judged_methods) {
      int n = 0, then = 0;
      std::map<Excuse, int> by_excuse;
      const auto of_goal = [&](const Miss& miss) { return miss.goal == goal; };
      for (const auto& [key, line] : before())
        if (key.method == method) {
          const auto missed = misses(key, line, before(), radau5());
          then += static_cast<int>(std::count_if(missed.begin(), missed.end(), of_goal));
        }
      for (const auto& [key, line] : now)
        if (key.method == method) {
          n += judged(goal, key, line, now, radau5());
          for (const Miss& miss : misses(key, line, now, radau5()))
            if (of_goal(miss)) ++by_excuse[miss.excuse];
        }
      int missed = 0;
      for (const auto& [excuse, count] : by_excuse) missed += count;
      std::vector<io::Cell> cells = {to_string(goal), method, std::to_string(n), std::to_string(then),
                                     std::to_string(missed)};
      for (const Excuse excuse : all_excuses) cells.emplace_back(std::to_string(by_excuse[excuse]));
      section.values.rows.push_back(std::move(cells));
    }
  return section;
}

/// "1e-03 12 (4)": tolerance, error over tolerance, error over what it is compared with.
std::string miss_text(const Miss& miss) {
  if (miss.goal == Goal::ends) return tolerance_name(miss.tolerance);
  return fmt::format("{} {:.2g} ({:.2g})", tolerance_name(miss.tolerance), miss.error, miss.factor);
}

/// Every miss, by goal and reason.
Section table_of_misses(Runs& runs, const Control& control) {
  Section section;
  section.values.columns = {"goal", "method", "problem", "formulation", "misses", "reason"};
  const Lines now = runs.all(control);
  for (const Goal goal : all_goals)
    for (const auto& method : judged_methods)
      for (const auto& problem : problems())
        for (const auto& [key, line] : now) {
          if (key.problem != problem || key.method != method) continue;
          std::map<std::string, std::vector<std::string>> by_reason;
          for (const Miss& miss : misses(key, line, now, radau5()))
            if (miss.goal == goal) by_reason[reason_of(miss)].push_back(miss_text(miss));
          for (const auto& [reason, texts] : by_reason)
            section.values.rows.push_back({to_string(goal).substr(0, 1) == "t" ? "ends" : to_string(goal).substr(0, 1),
                                           method, problem, key.formulation, joined(texts, "; "), reason});
        }
  return section;
}

double geometric_mean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

/// Work now over before at equal digits: geometric means over formulations, and which of them are above 1.15.
Section table_of_work(Runs& runs, const Control& control) {
  Section section;
  section.values.columns = {"problem"};
  for (const auto& method : table_methods) section.values.columns.push_back(method);
  section.values.columns.insert(section.values.columns.end(), {"all", "formulations above 1.15"});
  const Lines now = runs.all(control);
  std::map<std::string, std::vector<double>> of_all;
  const auto cell = [](const std::vector<double>& ratios) {
    return ratios.empty() ? io::Cell("") : io::Cell(fmt::format("{:.2f}", geometric_mean(ratios)));
  };
  for (const auto& problem : problems()) {
    std::map<std::string, std::vector<double>> by_method;
    std::vector<std::string> worse;
    for (const auto& [key, line] : now) {
      const auto then = before().find(key);
      if (key.problem != problem || then == before().end()) continue;
      const double ratio = work_at_equal_digits(then->second, line);
      if (std::isnan(ratio)) continue;
      by_method[key.method].push_back(ratio);
      by_method["all"].push_back(ratio);
      if (ratio > tolerable_work) worse.push_back(fmt::format("{} {} {:.2f}", key.method, key.formulation, ratio));
    }
    std::vector<io::Cell> cells = {problem};
    for (std::size_t i = 1; i + 1 < section.values.columns.size(); ++i) {
      const auto& ratios = by_method[section.values.columns[i]];
      cells.push_back(cell(ratios));
      if (!ratios.empty()) of_all[section.values.columns[i]].push_back(geometric_mean(ratios));
    }
    cells.emplace_back(joined(worse));
    section.values.rows.push_back(std::move(cells));
  }
  std::vector<io::Cell> cells = {"geometric mean"};
  for (std::size_t i = 1; i + 1 < section.values.columns.size(); ++i)
    cells.push_back(cell(of_all[section.values.columns[i]]));
  cells.emplace_back("");
  section.values.rows.push_back(std::move(cells));
  return section;
}

}  // namespace

Experiment tolerance_table() {
  Experiment experiment{
      .name = "tolerances",
      .title = "Tolerances asked for and reached",
      .source =
          "Our own runs with default options, against the references of the catalogue: every problem with a reference, "
          "without events and not large, at most 100,000 attempts per run.",
      .introduction =
          "Each cell of the tables of problems: error over tolerance / work / failed attempts. Errors are those of the "
          "problem's own measure (`rubato list problems`), at the end; *stops*: the run ended early, with a reason. "
          "Work "
          "is counted in evaluations of f: a Jacobian counts 4, a factorisation 3, a pair of substitutions 0.5, as in "
          "small mechanisms. *Before*: the same runs with earlier defaults.",
      .parts = {}};
  const auto runs = std::make_shared<Runs>();
  experiment.parts = {{"table-goals", "goals, and how many runs miss them",
                       [runs](const Control& control) { return table_of_goals(*runs, control); }},
                      {"table-misses", "runs that miss a goal, and why",
                       [runs](const Control& control) { return table_of_misses(*runs, control); }},
                      {"table-work", "work at equal digits, now over before",
                       [runs](const Control& control) { return table_of_work(*runs, control); }}};
  for (const auto& name : problems())
    experiment.parts.push_back({"table-" + name, name, [runs, name](const Control& control) {
                                  return table_of_problem(*runs, name, control);
                                }});
  return experiment;
}

}  // namespace rubato::experiments
