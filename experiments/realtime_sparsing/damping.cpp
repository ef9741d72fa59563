// Oil behind orifices: full steps of the algebraic unknowns jump to and fro for ever, damped ones do not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/realtime_sparsing/realtime_sparsing.hpp"
#include "experiments/runs.hpp"
#include "rubato/realtime/runner.hpp"

namespace rubato::experiments::sparsing {

using namespace realtime;

namespace {

struct Run final : StepObserver {
  explicit Run(std::size_t component) : watched(component) {}
  std::size_t watched;
  std::vector<double> times, values, lambda;
  int evaluations = 0;
  void after_step(const RealtimeStepper& stepper, const StepReport& report, In /*y*/) override {
    times.push_back(stepper.time());
    values.push_back(stepper.state()[watched]);
    lambda.push_back(report.damping);
    evaluations = stepper.evaluations_per_step();
  }
};

struct Case {
  const char *problem, *component;
  double begin, end;  ///< where little flows
};
constexpr Case orifices{"hydraulic-orifices", "p1", 0.5, 1}, gearbox{"hydraulic-gearbox", "line", 0.9, 1.2};

Run run(const Case& c, double step, bool damped) {
  const auto instance = catalogue::make_problem(c.problem);
  const InitialValueProblem& problem = instance->problem;
  const auto names = problem.dae->layout().component_names();
  Run observer(static_cast<std::size_t>(std::find(names.begin(), names.end(), c.component) - names.begin()));
  const Sample start = start_of(problem);
  const auto structure = model_structure(*problem.dae, start);
  const realtime::Keep all(static_cast<std::size_t>(structure->jacobian.nnz()), 1);
  const auto plan =
      make_plan(*problem.dae, *structure, all, {start}, {.step = step, .back_end = StaticKind::qr, .damping = damped});
  const auto stepper = RealtimeStepper::create(*problem.dae, *plan, start);
  SignalLink link(problem.input.get(), step);
  (void)run_realtime(
      **stepper, link,
      {.n_steps = std::lround(problem.t_end / step), .free_run = true, .stop_at_failure = false, .warm_up = 0}, nullptr,
      &observer);
  return observer;
}

/// Changes of direction from step to step inside the interval, of as many as there can be.
struct Reversals {
  int found = 0, possible = 0;
};
Reversals reversals(const Case& c, const Run& r) {
  Reversals result;
  for (std::size_t n = 1; n + 1 < r.values.size(); ++n) {
    if (r.times[n - 1] <= c.begin || r.times[n + 1] >= c.end) continue;
    ++result.possible;
    result.found += (r.values[n] - r.values[n - 1]) * (r.values[n + 1] - r.values[n]) < 0;
  }
  return result;
}

}  // namespace

Section damping(const Control& control) {
  Section section{.setting =
                      "`hydraulic-orifices`, p1 for 0.5 s < t < 1 s, and `hydraulic-gearbox`, pressure of the line for "
                      "0.9 s < t < 1.2 s, "
                      "where little flows. Errors against Radau IIA with rtol = 1e-8.",
                  .values = {{"problem", "τ [ms]", "damped", "reversals", "largest error", "smallest λ",
                              "evaluations per step", "prototype"},
                             {}}};
  for (const Case& c : {orifices, gearbox})
    for (const double step : {1e-3, 5e-3}) {
      IntegrateOptions options;
      options.tolerances = {.rtol = 1e-8, .atol = 1e-10};
      std::vector<double> times;
      const Run undamped = run(c, step, false), damped = run(c, step, true);
      for (const double t : damped.times)
        if (t > c.begin && t < c.end) times.push_back(t);
      const Outcome exact =
          execute({.problem = c.problem, .method = "radau", .options = options}, control, Keep::steps, times);
      for (const Run* r : {&undamped, &damped}) {
        double error = 0;
        for (std::size_t n = 0, at = 0; n < r->times.size() && exact.trouble.empty(); ++n)
          if (r->times[n] > c.begin && r->times[n] < c.end)
            error = std::max(error, std::abs(r->values[n] - exact.column(c.component)[at++]));
        const Reversals found = reversals(c, *r);
        const bool first = c.problem == orifices.problem;
        section.values.rows.push_back({std::string(c.problem), step * 1e3, r == &damped ? "yes" : "no",
                                       fmt::format("{} of {}", found.found, found.possible),
                                       exact.trouble.empty() ? fmt::format("{:.1e}", error) : exact.trouble,
                                       *std::min_element(r->lambda.begin(), r->lambda.end()), r->evaluations,
                                       !first ? ""
                                       : step < 2e-3
                                           ? (r == &damped ? "0 of 499, 1.2e-3, λ ≥ 0.5" : "499 of 499, up to 1.0")
                                       : r == &damped ? "5e-3"
                                                      : ""});
      }
      if (c.problem == orifices.problem && step > 2e-3)
        section.pictures.push_back(
            {.name = "damping",
             .caption =
                 "Pressure before the orifices with steps of 5 ms, without and with damping, and λ of the damped run.",
             .figure = {
                 .title = "Damping of algebraic unknowns",
                 .subtitle = "hydraulic-orifices, linearly implicit Euler, τ = 5 ms",
                 .x_label = "t [s]",
                 .panels = {{.y_label = "p1",
                             .series = {{.name = "undamped", .x = undamped.times, .y = undamped.values, .opacity = 0.6},
                                        {.name = "damped", .x = damped.times, .y = damped.values}}},
                            {.y_label = "λ", .series = {{.x = damped.times, .y = damped.lambda}}, .height = 90}}}});
    }
  section.difference =
      "The publication shows a plot without scale of a model it does not give. Newton's method on k s(p) = 0 takes p "
      "to −p: without damping every step "
      "is a reversal; ten clutches take turns.";
  return section;
}

}  // namespace rubato::experiments::sparsing
