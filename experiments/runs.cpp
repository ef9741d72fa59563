#include "experiments/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "rubato/base/text.hpp"
#include "rubato/integrate/recorder.hpp"
#include "rubato/integrate/study.hpp"

namespace rubato::experiments {

namespace {
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void worsen(double& worst, double error) { worst = std::isnan(worst) ? error : std::max(worst, error); }
}  // namespace

IntegrateOptions radau5_mode(double tolerance, double initial_step) {
  IntegrateOptions options;
  options.tolerances = {.rtol = tolerance, .atol = tolerance};
  options.step.initial_step = initial_step;
  options.step.weight_at = WeightAt::start;
  options.step.controller = Controller::predictive;
  options.runge_kutta.estimate = ErrorEstimate::filtered;
  options.newton.limit_growth = false;
  options.newton.reuse_jacobian = 1e-3;
  const double mapped = 0.1 * std::pow(tolerance, 2.0 / 3);
  options.newton.tolerance = std::min(0.03, std::sqrt(mapped));
  return options;
}

IntegrateOptions spark3_mode(double tolerance, double initial_step) {
  IntegrateOptions options;
  options.tolerances = {.rtol = tolerance, .atol = tolerance};
  options.step.initial_step = initial_step;
  options.step.controller = Controller::elementary;
  options.runge_kutta.map_tolerances = false;
  options.newton.limit_growth = false;
  options.newton.reuse_jacobian = 1e-3;
  return options;
}

IntegrateOptions scaled(IntegrateOptions options, std::vector<std::pair<std::string, double>> powers) {
  options.step.h_power_of = std::move(powers);
  return options;
}

IntegrateOptions detecting(IntegrateOptions options, StiffnessOptions stiffness) {
  stiffness.detect = true;
  options.stiffness = std::move(stiffness);
  return options;
}

const std::vector<double>& Outcome::column(std::string_view name) const {
  static const std::vector<double> none;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] == name) return columns[j];
  return none;
}

Outcome execute(const Setup& setup, const Control& control, Keep keep, std::vector<double> times) {
  Outcome outcome;
  if (control.stopped()) return outcome.trouble = "interrupted", outcome;
  if (control.say) control.say(fmt::format("{} {} with {}", setup.problem, setup.formulation, setup.method));
  auto instance = catalogue::make_problem(setup.problem, setup.parameters, setup.formulation);
  if (!instance) return outcome.trouble = instance.error().message, outcome;
  outcome.instance = std::move(*instance);
  const InitialValueProblem& problem = outcome.instance.problem;
  const auto method = method_by_name(setup.method);
  if (!method) return outcome.trouble = "not available", outcome;
  Recorder recorder(problem, std::move(times));
  std::vector<Observer*> observers;
  if (keep == Keep::steps) observers.push_back(&recorder);
  auto summary =
      integrate(problem, **method, setup.options, {.observers = observers, .stop = control.stop, .resume = {}});
  if (!summary) return outcome.trouble = summary.error().message, outcome;
  outcome.summary = std::move(*summary);
  outcome.ran = true;
  if (!completed(outcome.summary.status))
    outcome.trouble = fmt::format("{} at t = {:.3g}", to_string(outcome.summary.status), outcome.summary.t);
  for (const int i : outcome.summary.stiff) outcome.stiff.push_back(problem.dae->layout().component_name(i));
  if (keep == Keep::steps) {
    outcome.names = recorder.names();
    outcome.times = recorder.times();
    for (std::size_t j = 0; j < outcome.names.size(); ++j) outcome.columns.push_back(recorder.column(j));
    outcome.step_times = recorder.step_times();
    outcome.step_sizes = recorder.step_sizes();
  }
  return outcome;
}

Errors end_errors(const Outcome& outcome, const std::vector<std::string>& stiff) {
  Errors errors{unknown, unknown, unknown, unknown};
  const auto& reference = outcome.instance.reference;
  if (!reference || !outcome.ran || !completed(outcome.summary.status)) return errors;
  const Layout& layout = outcome.instance.problem.dae->layout();
  const Block *q = layout.find("q"), *v = layout.find("v");
  if (q == nullptr) return errors;
  for (std::size_t i = 0; i < reference->components.size(); ++i)
    for (int k = 0; k < q->size; ++k) {
      const bool is_stiff = holds(stiff, layout.component_name(q->offset + k));
      const auto deviation = [&](int at) { return std::abs(outcome.summary.x[at] - reference->values[i]); };
      if (layout.component_name(q->offset + k) == reference->components[i])
        worsen(is_stiff ? errors.q_stiff : errors.q_other, deviation(q->offset + k));
      if (v != nullptr && layout.component_name(v->offset + k) == reference->components[i])
        worsen(is_stiff ? errors.v_stiff : errors.v_other, deviation(v->offset + k));
    }
  return errors;
}

Comparison compared(const std::string& run, std::optional<Counters> published, std::string rerun, const Setup& setup,
                    const Control& control, const std::vector<std::string>& stiff) {
  const Outcome outcome = execute(setup, control);
  Comparison row{.run = run, .published = published, .rerun = std::move(rerun), .trouble = outcome.trouble};
  if (setup.options.stiffness.detect) row.stiff = outcome.stiff;  // found, not told
  if (!outcome.ran) return row;
  const Statistics& s = outcome.summary.statistics;
  row.ours = Counters{s.steps, s.accepted, s.rejected, s.failed};
  row.f_calls = s.f_calls;
  row.errors = end_errors(outcome, stiff);
  return row;
}

io::Series step_series(const std::string& name, const Outcome& outcome) {
  return {.name = name, .x = outcome.step_times, .y = outcome.step_sizes};
}

std::vector<double> spaced(double low, double high, int n, bool logarithmic) {
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) {
    const double part = static_cast<double>(i) / n;
    x.push_back(logarithmic ? low * std::pow(high / low, part) : low + part * (high - low));
  }
  return x;
}

}  // namespace rubato::experiments
