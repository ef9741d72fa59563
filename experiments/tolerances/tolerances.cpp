#include "experiments/tolerances/tolerances.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catalogue/catalogue.hpp"
#include "experiments/runs.hpp"
#include "rubato/base/workers.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::experiments::tolerances {

namespace {

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
  auto tolerances = selection.tolerances;
  if (tolerances.empty()) tolerances.assign(table_tolerances.begin(), table_tolerances.end());
  std::vector<Row> found;
  for (const auto& formulation : formulations)
    for (const auto& method : selection.methods.empty() ? table_methods : selection.methods)
      for (const double tolerance : tolerances)
        found.push_back({.problem = problem, .formulation = formulation, .method = method, .tolerance = tolerance});
  Workers workers(0);
  workers.for_each(static_cast<int>(found.size()),
                   [&](int, int i) { run(found[static_cast<std::size_t>(i)], control); });
  return found;
}

Lines lines_of(const std::vector<Row>& rows) {
  Lines lines;
  for (std::size_t first = 0; first + table_tolerances.size() <= rows.size(); first += table_tolerances.size()) {
    const Row& head = rows[first];
    if (!head.trouble.empty() && head.work == 0) continue;
    Line line;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const Row& row = rows[first + i];
      line[i] = {.error = row.error / row.tolerance, .work = row.work, .failed = row.failed};
    }
    lines.emplace(Key{head.problem, head.formulation, head.method}, line);
  }
  return lines;
}

}  // namespace rubato::experiments::tolerances
