// rubato compare: work against precision, method by method, tolerance by tolerance.
#include <fmt/format.h>

#include <cmath>

#include "interrupts.hpp"
#include "pictures.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/integrate/study.hpp"
#include "study.hpp"

namespace rubato::app {

int compare(const StudyArguments& arguments) {
  for (const double tolerance : arguments.tolerances)
    if (!(tolerance > 0 && tolerance < 1))
      return complain(Error{
          fmt::format("--tolerances: {} is not allowed; numbers > 0 and < 1, e.g. --tolerances 1e-3,1e-5", tolerance)});
  for (const auto& name : arguments.methods)
    if (const auto method = method_by_name(name); method && (*method)->info.embedded_order == 0)
      return complain(
          Error{fmt::format("--methods: '{}' has no error estimate and knows no tolerance; it can run in "
                            "`rubato converge`",
                            name)});
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  auto study = make_study(arguments, {"solver.rtol", "solver.atol", "solver.fixed_step"});
  if (!study) return stop_flag() ? interrupted : complain(study.error());

  const catalogue::Instance& first = study->tasks.front().instance;
  const bool has_digits = catalogue::digits(first, view(study->reference.x)).has_value();
  const std::string definition =
      has_digits ? (first.measure.definition.empty() ? std::string("error in the catalogue's measure")
                                                     : first.measure.definition)
                 : std::string("error: largest |x − reference| / (1 + |reference|) of the positions");
  note(definition);
  if (first.measure.atol_per_rtol != 1)
    note(fmt::format("tolerances: rtol as given, atol = {:g} rtol for this problem", first.measure.atol_per_rtol));

  io::Table table{{"method", "tolerance", "error", "digits", "steps", "rejected", "f calls", "Jacobians",
                   "factorisations", "solves"},
                  {}};
  const Task& shown_task = study->tasks.front();
  io::Figure figure{
      .title = "Work and precision: " + shown_task.config.problem,
      .subtitle = fmt::format("{}{}error at t = {:.6g} s", choice_words(shown_task),
                              choice_words(shown_task).empty() ? "" : ", ", shown_task.instance.problem.t_end),
      .x_label = "error",
      .x_scale = io::Scale::logarithmic,
      .panels = {{.y_label = "function calls", .y_scale = io::Scale::logarithmic},
                 {.y_label = "steps", .y_scale = io::Scale::logarithmic}}};
  bool failed = false;
  for (const Task& task : study->tasks) {
    const auto reference = reference_for(*study, task, arguments.reference_tolerance);
    if (!reference) return stop_flag() ? interrupted : complain(reference.error());
    io::Series calls{.name = task.method->info.name, .markers = true}, steps = calls;
    for (const double tolerance : arguments.tolerances) {
      IntegrateOptions options = task.config.options;
      options.tolerances = tolerances_at(task, tolerance);
      if (options.step.initial_step == 0) options.step.initial_step = task.instance.suggested_initial_step;
      const Stopwatch watch;
      const auto end = run_quietly(task, options);
      if (!end) return complain(task.config.at("solver.method", in_run_file_words(end.error().message)));
      if (end->status == RunStatus::interrupted) return interrupted;
      const Statistics& s = end->statistics;
      const bool complete = completed(end->status);
      failed = failed || !complete;
      double error = mixed_error(*task.instance.problem.dae, view(end->x), view(end->base), view(reference->x),
                                 view(reference->base));
      if (const auto digits = catalogue::digits(task.instance, view(end->x))) error = std::pow(10.0, -*digits);
      if (complete)
        note(fmt::format("{:<20} {:7.1e}  {:8.3f} ms", task.method->info.name, tolerance, 1e3 * watch.seconds()));
      else
        note(fmt::format("{:<20} {:7.1e}  {}", task.method->info.name, tolerance, in_run_file_words(end->reason)));
      table.rows.push_back({task.method->info.name, tolerance, complete ? io::Cell(error) : io::Cell(""),
                            complete ? io::Cell(std::round(-100 * std::log10(error)) / 100) : io::Cell(""), s.accepted,
                            s.rejected, s.f_calls, s.jacobians, s.factorisations, s.solves});
      if (!complete) continue;
      calls.x.push_back(error);
      calls.y.push_back(static_cast<double>(s.f_calls + s.f_calls_jacobian));
      steps.x.push_back(error);
      steps.y.push_back(static_cast<double>(s.accepted + s.rejected));
    }
    figure.panels[0].series.push_back(std::move(calls));
    steps.name.clear();  // the legend of the first panel serves both
    figure.panels[1].series.push_back(std::move(steps));
  }
  const int shown = show(folder, *study, "compare", table, figure);
  return shown != done ? shown : failed ? numerical_failure : done;
}

}  // namespace rubato::app
