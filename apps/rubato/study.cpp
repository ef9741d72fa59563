#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interrupts.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/progress.hpp"

namespace rubato::app {

namespace {
/// Without --methods: all that can run the problem as it is.
std::vector<std::string> suitable_methods(const Task& task) {
  const Dae& dae = *task.instance.problem.dae;
  std::vector<std::string> names;
  for (const auto& method : methods())
    if (suits(method.info, dae, task.config.options.linear.jacobian)) names.push_back(method.info.name);
  return names;
}
}  // namespace

Result<Study> make_study(const StudyArguments& arguments, std::initializer_list<std::string_view> own_keys) {
  if (!(arguments.reference_tolerance >= 1e-15 && arguments.reference_tolerance <= 1e-3))
    return Error{fmt::format("--reference-tolerance: {} is not allowed; a number ≥ 1e-15 and ≤ 1e-3",
                             arguments.reference_tolerance)};
  Study study;
  const auto format = io::table_format(arguments.format);
  if (!format) return format.error();
  study.format = *format;
  auto config = io::make_run_config(arguments.problem, arguments.set);
  if (!config) return config.error();
  for (const auto key : own_keys)
    if (config->places.contains(key))
      return config->at(key, fmt::format("chosen by the study itself, from {}",
                                         arguments.steps.empty() ? "--tolerances" : "--steps"));
  if (!arguments.formulation.empty()) {
    config->formulation = arguments.formulation;
    config->places["problem.formulation"] = "--formulation";
  }
  std::vector<std::string> names = arguments.methods;
  if (names.empty()) {
    const auto first = make_task(*config);
    if (!first) return first.error();
    names = suitable_methods(*first);
  }
  for (const auto& name : names) {
    config->method = name;
    config->places["solver.method"] = "--methods";
    auto task = make_task(*config);
    if (!task) return task.error();
    study.tasks.push_back(std::move(*task));
  }
  std::vector<std::string> said;
  const auto say = [&](const std::string& sentence) {
    if (sentence.empty() || std::find(said.begin(), said.end(), sentence) != said.end()) return;
    said.push_back(sentence);
    note(sentence);
  };
  for (const Task& task : study.tasks)
    for (const auto& sentence : task.notes) say(sentence);
  catch_interrupts();
  auto reference = reference_state(study.tasks.front(), arguments.reference_tolerance);
  if (!reference) return reference.error();
  study.reference = std::move(*reference);
  note("reference: " + study.reference.origin);
  return study;
}

Result<ReferenceState> reference_for(const Study& study, const Task& task, double tolerance) {
  if (task.instance.formulation == study.tasks.front().instance.formulation) return study.reference;
  return reference_state(task, tolerance);
}

Result<RunSummary> run_quietly(const Task& task, const IntegrateOptions& options) {
  const InitialValueProblem& problem = task.instance.problem;
  io::Progress progress(problem.t_start, problem.t_end);
  Observer* const observers[] = {&progress};
  return integrate(problem, *task.method, options, {.observers = observers, .stop = &stop_flag(), .resume = {}});
}

int show(OutputFolder& folder, const Study& study, std::string_view name, const io::Table& table,
         const io::Figure& figure) {
  if (!folder.path().empty()) {
    folder.write(fmt::format("{}.csv", name), io::render(table, io::TableFormat::csv));
    folder.write(fmt::format("{}.svg", name), io::to_svg(figure));
  }
  print_text(io::render(table, study.format));
  if (folder.path().empty()) note(fmt::format("add -o DIR for {0}.csv and the picture {0}.svg", name));
  return folder.finish(done);
}

}  // namespace rubato::app
