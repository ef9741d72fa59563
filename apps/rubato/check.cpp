// rubato check: everything that can be said about a task without running it.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "command.hpp"
#include "pictures.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/manifest.hpp"
#include "rubato/problem/derivative_check.hpp"
#include "solid_check.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {

/// Lines of a report: what was looked at, what was found.
class Report {
 public:
  void say(std::string_view what, const std::string& found) { print_out("  {:<14} {}\n", what, found); }
  void fine(std::string_view what, const std::string& found) { say(what, "ok: " + found); }
  void wrong(std::string_view what, const std::string& found) {
    say(what, "WRONG: " + found);
    ++mistakes;
  }
  int mistakes = 0;
};

std::string block_words(const Layout& layout) {
  std::vector<std::string> words;
  for (const auto& block : layout.blocks())
    words.push_back(
        fmt::format("{} {}{}", block.name, block.size, block.kind == Kind::algebraic ? " (algebraic)" : ""));
  return joined(words);
}

/// f − B w at the start: algebraic rows must vanish, the others where x' is known.
void check_start(const InitialValueProblem& problem, Report& report) {
  const Dae& dae = *problem.dae;
  Vector u(dae.n_inputs()), rate(dae.n_inputs()), f(dae.size()), bw = Vector::Zero(dae.size());
  if (problem.input) problem.input->at(problem.t_start, view(u), view(rate));
  ScratchMemory memory(dae.scratch_bytes());
  const At at{.t = problem.t_start,
              .x = view(problem.x),
              .u = view(std::as_const(u)),
              .base = view(problem.base),
              .mode = problem.mode,
              .scratch = memory.scratch()};
  if (const EvalStatus status = dae.f(at, view(f)); status != EvalStatus::ok)
    return report.wrong("start", fmt::format("the model cannot be evaluated: {}", to_string(status)));
  const bool rate_known = problem.w.size() == dae.size();
  if (rate_known && dae.mass_times(at, view(problem.w), view(bw)) != EvalStatus::ok)
    return report.wrong("start", "the mass matrix cannot be evaluated");
  int worst = -1;
  double largest = 0;
  for (int i = 0; i < dae.size(); ++i) {
    if (!std::isfinite(f[i]))
      return report.wrong("start", fmt::format("f of {} is {}", dae.layout().component_name(i), f[i]));
    if (dae.layout().kind(i) == Kind::differential && !rate_known) continue;
    const double residual = std::abs(f[i] - bw[i]);
    if (residual > largest) {
      largest = residual;
      worst = i;
    }
  }
  // The size of the terms decides what is small.
  const double scale = 1 + std::max(f.lpNorm<Eigen::Infinity>(), bw.lpNorm<Eigen::Infinity>());
  const std::string where = worst < 0 ? std::string{}
                                      : fmt::format(", largest residual {:.2g} in the equation of {}", largest,
                                                    dae.layout().component_name(worst));
  if (largest > 1e-8 * scale)
    report.wrong("start", "the start values are not consistent" + where);
  else
    report.fine("start", "consistent" + where);
}

void check_constraints(const catalogue::Instance& instance, Report& report) {
  const auto* formulated = dynamic_cast<const FormulatedDae*>(instance.problem.dae.get());
  if (formulated == nullptr) return;
  const InitialValueProblem& problem = instance.problem;
  ScratchMemory memory(formulated->scratch_bytes());
  Vector u(formulated->n_inputs()), rate(formulated->n_inputs());
  if (problem.input) problem.input->at(problem.t_start, view(u), view(rate));
  const At at{.t = problem.t_start,
              .x = view(problem.x),
              .u = view(std::as_const(u)),
              .base = view(problem.base),
              .mode = problem.mode,
              .scratch = memory.scratch()};
  MechanicalState state;
  if (formulated->unpack(at, view(problem.w), state) != EvalStatus::ok) return;
  ConstraintDiagnosis diagnosis;
  const auto consistent = consistent_state(formulated->system(), state, {.u = u}, &diagnosis);
  if (!consistent) return report.wrong("constraints", consistent.error().message);
  if (diagnosis.rank == 0 && diagnosis.dependent.empty()) return;
  std::vector<std::string> rows;
  for (const int row : diagnosis.dependent) rows.push_back(fmt::format("{}", row));
  report.fine("constraints", fmt::format("rank {}, residuals {:.2g} (positions), {:.2g} (velocities){}", diagnosis.rank,
                                         diagnosis.position_residual, diagnosis.velocity_residual,
                                         rows.empty() ? std::string{} : "; dependent rows: " + joined(rows)));
}

void check_model(const Task& task, Report& report) {
  const auto found = check_derivatives(task.instance.problem, {.source = task.config.options.linear.jacobian});
  if (!found) return report.wrong("derivatives", found.error().message);
  if (found->ok)
    report.fine("derivatives", describe(*found));
  else
    report.wrong("derivatives", describe(*found));
}

/// The files of a folder of results against their manifest.
int check_folder(const std::filesystem::path& folder) {
  const auto manifest = io::verify_folder(folder);
  if (!manifest) return complain(manifest.error());
  print_out("{}\n  {:<14} ok: {} files belong together, written by rubato {}\n", folder.string(), "manifest",
            manifest->files.size(), manifest->version);
  return done;
}

}  // namespace

int check(const CheckArguments& arguments) {
  auto config = named_config(arguments.what, arguments.set);
  std::error_code ignored;  // names of problems come before folders
  if (!config && std::filesystem::is_directory(arguments.what, ignored)) return check_folder(arguments.what);
  if (!config) return complain(config.error());
  const auto task = make_task(std::move(*config));
  if (!task) return complain(task.error());

  const InitialValueProblem& problem = task->instance.problem;
  const Layout& layout = problem.dae->layout();
  Report report;
  print_out("{}\n", task->config.problem);
  report.say("unknowns", fmt::format("{}: {}", layout.size(), block_words(layout)));
  report.say("index",
             fmt::format("{}{}", layout.index(),
                         task->instance.formulation.empty() ? "" : ", formulation " + task->instance.formulation));
  const auto* solid = dynamic_cast<const fem::SolidSystem*>(task->instance.system.get());
  if (solid != nullptr)
    for (const auto& [what, words] : solid_words(*solid)) report.say(what, words);
  for (const auto& sentence : task->notes) report.say("note", sentence);
  check_start(problem, report);
  check_constraints(task->instance, report);
  if (solid == nullptr) check_model(*task, report);  // tangents of elements are the library's, tested there
  // A method knows best whether it can run the task: make its stepper and drop it.
  if (const auto stepper = task->method->make(task->method->info, problem, task->config.options); stepper)
    report.fine("method", fmt::format("{}: order {}, meant for index ≤ {}", task->method->info.name,
                                      task->method->info.order, task->method->info.max_index));
  else
    report.wrong("method", in_run_file_words(stepper.error().message));
  if (report.mistakes > 0) {
    note(fmt::format("{} of the checks failed", report.mistakes));
    return wrong_input;
  }
  return done;
}

}  // namespace rubato::app
