#include "experiments/tolerances/tolerances.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catalogue/catalogue.hpp"
#include "experiments/runs.hpp"
#include "rubato/base/workers.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::experiments {

namespace tolerances {

namespace {

const std::vector<std::string> table_methods = {"radau", "radau5", "bdf", "rodas4p", "rodas5p", "generalized-alpha"};
const std::vector<double> table_tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
constexpr long most_steps = 100'000;

/// Work in evaluations of f. Weights are those of small mechanisms (Andrews' mechanism, radau5): a Jacobian by dual numbers costs about
/// four evaluations, a factorisation three, a pair of substitutions a half.
double work_of(const Statistics& s) {
  return static_cast<double>(s.f_calls + s.f_calls_jacobian) + 4.0 * static_cast<double>(s.jacobians) +
         3.0 * static_cast<double>(s.factorisations) + 0.5 * static_cast<double>(s.solves);
}

bool smooth(const catalogue::Instance& instance) {
  const InitialValueProblem& p = instance.problem;
  const bool inputs_break = p.input != nullptr && p.input->next_break(p.t_start) <= p.t_end;
  return p.dae->roots().empty() && !(p.dae->next_time_event(p.t_start, p.mode) <= p.t_end) && !inputs_break;
}

void run(Row& row, const Control& control) {
  row.error = std::numeric_limits<double>::quiet_NaN();
  const auto instance = catalogue::make_problem(row.problem, {}, row.formulation);
  if (!instance) {
    row.trouble = instance.error().message;
    return;
  }
  IntegrateOptions options;
  options.tolerances = {.rtol = row.tolerance, .atol = instance->measure.atol_per_rtol * row.tolerance};
  options.step.initial_step = instance->suggested_initial_step;
  options.step.max_steps = most_steps;
  const auto end = integrate(instance->problem, row.method, options, {.stop = control.stop});
  if (!end) {
    row.trouble = end.error().message;
    return;
  }
  row.accepted = end->statistics.accepted;
  row.rejected = end->statistics.rejected;
  row.failed = end->statistics.failed;
  row.work = work_of(end->statistics);
  if (!completed(end->status)) {
    row.trouble = fmt::format("{} at t = {:.3g}", to_string(end->status), end->t);
    return;
  }
  if (const auto digits = catalogue::digits(*instance, view(end->x))) row.error = std::pow(10.0, -*digits);
}

}  // namespace

std::vector<std::string> problems() {
  std::vector<std::string> names;
  for (const auto& entry : catalogue::problems()) {
    if (entry.large) continue;
    const auto instance = catalogue::make_problem(entry.name);
    if (instance && smooth(*instance) && instance->reference) names.push_back(entry.name);
  }
  return names;
}

std::vector<Row> rows(const std::string& problem, const Selection& selection, const Control& control) {
  const auto entry = catalogue::problem_by_name(problem);
  if (!entry) return {};
  auto formulations = selection.formulations.empty() ? (*entry)->formulations : selection.formulations;
  if (formulations.empty()) formulations.emplace_back();
  std::vector<Row> found;
  for (const auto& formulation : formulations)
    for (const auto& method : selection.methods.empty() ? table_methods : selection.methods)
      for (const double tolerance : selection.tolerances.empty() ? table_tolerances : selection.tolerances)
        found.push_back({.problem = problem, .formulation = formulation, .method = method, .tolerance = tolerance});
  Workers workers(0);
  workers.for_each(static_cast<int>(found.size()),
                   [&](int, int i) { run(found[static_cast<std::size_t>(i)], control); });
  return found;
}

}  // namespace tolerances

namespace {

/// "5.3/1210/7": error over tolerance, work, attempts that failed.
std::string cell_of(const tolerances::Row& row) {
  if (!row.trouble.empty() && row.accepted == 0 && row.work == 0) return "refused";
  if (std::isnan(row.error)) return fmt::format("stops/{:.0f}/{}", row.work, row.failed);
  return fmt::format("{:.2g}/{:.0f}/{}", row.error / row.tolerance, row.work, row.failed);
}

/// A line for each formulation and method, a column for each tolerance. Methods that refuse a formulation are left out.
Section section_of(const std::string& problem, const Control& control) {
  Section section;
  section.values.columns = {"formulation", "method"};
  for (const double tolerance : tolerances::table_tolerances)
    section.values.columns.push_back(fmt::format("{:.0e}", tolerance));
  const auto rows = tolerances::rows(problem, {}, control);
  const std::size_t n = tolerances::table_tolerances.size();
  for (std::size_t first = 0; first + n <= rows.size(); first += n) {
    std::vector<io::Cell> line = {rows[first].formulation, rows[first].method};
    for (std::size_t i = 0; i < n; ++i) line.emplace_back(cell_of(rows[first + i]));
    if (line[2] != io::Cell("refused")) section.values.rows.push_back(std::move(line));
  }
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
          "Each cell: error over tolerance / work / failed attempts. Errors are those of the problem's own measure "
          "(`rubato list problems`), at the end; *stops*: the run ended early, with a reason. Work is counted in "
          "evaluations of f: a Jacobian counts 4, a factorisation 3, a pair of substitutions 0.5, as in small "
          "mechanisms.",
      .parts = {}};
  for (const auto& name : tolerances::problems())
    experiment.parts.push_back(
        {"table-" + name, name, [name](const Control& control) { return section_of(name, control); }});
  return experiment;
}

}  // namespace rubato::experiments
