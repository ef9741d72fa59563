// rubato run: integrate one problem, keep and show what came out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "checkpoint_keeper.hpp"
#include "command.hpp"
#include "interrupts.hpp"
#include "pictures.hpp"
#include "print.hpp"
#include "result_files.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/integrate/recorder.hpp"
#include "rubato/io/animation.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/progress.hpp"
#include "rubato/io/row_file.hpp"
#include "rubato/io/summary.hpp"
#include "rubato/io/tune_file.hpp"
#include "solid_report.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
namespace fs = std::filesystem;

/// Until then an interruption ends the program at once: set-up and a first step that keeps failing can take long.
struct FirstStep final : Observer {
  void on_step(const StepView&) override {
    if (!std::exchange(done_, true)) catch_interrupts();
  }

 private:
  bool done_ = false;
};

/// "; element …", where the motion was about to turn one inside out.
std::string inverted(const Task& task, const fem::SolidSystem& solid, const RunSummary& summary) {
  const auto* dae = dynamic_cast<const FormulatedDae*>(task.instance.problem.dae.get());
  if (dae == nullptr) return {};
  ScratchMemory memory(dae->scratch_bytes());
  const At at{.t = summary.t,
              .x = view(summary.x),
              .u = {},
              .base = view(summary.base),
              .mode = summary.mode,
              .scratch = memory.scratch()};
  MechanicalState state;
  if (dae->unpack(at, view(summary.w), state) != EvalStatus::ok) return {};
  state.t = summary.t;
  const std::string words =
      inversion_words(solid, state, std::max(summary.largest_step, task.config.options.step.fixed_step));
  return words.empty() ? words : "; " + words;
}

io::RunResult result_of(const Task& task, const RunSummary& summary) {
  const InitialValueProblem& problem = task.instance.problem;
  std::optional<std::vector<std::string>> stiff;
  if (looks_for_stiffness(task)) {
    stiff.emplace();
    for (const int i : summary.stiff) stiff->push_back(problem.dae->layout().component_name(i));
  }
  std::string reason = in_run_file_words(summary.reason);
  if (task.config.model && !completed(summary.status)) reason = task.config.model->at_part(reason).message;
  if (const auto* solid = solid_of(task);
      solid != nullptr && !completed(summary.status) && summary.status != RunStatus::interrupted &&
      summary.status != RunStatus::too_many_steps && summary.status != RunStatus::out_of_memory)
    reason += inverted(task, *solid, summary);
  return {.title = task.config.title,
          .problem = task.config.problem,
          .formulation = task.instance.formulation,
          .method = task.method->info.name,
          .options = io::to_toml(task.config),
          .version = RUBATO_VERSION,
          .status = std::string(to_string(summary.status)),
          .reason = std::move(reason),
          .t_start = problem.t_start,
          .t_end = problem.t_end,
          .t = summary.t,
          .last_step = summary.last_step,
          .smallest_step = summary.smallest_step,
          .largest_step = summary.largest_step,
          .stiff = std::move(stiff),
          .statistics = summary.statistics,
          .trajectory = {}};
}

/// Where the rows of the run go: a new file, or behind the last row of a checkpoint.
Result<std::unique_ptr<io::RowFileWriter>> rows_of(const fs::path& file, const Task& task, const Recorder& recorder,
                                                   const io::CheckpointFile* before) {
  const std::uint64_t number = io::task_number(task_text(task));
  if (before != nullptr) {
    auto rows = io::RowFileWriter::append(file, number, before->rows);
    if (!rows) return Error{"--resume: " + rows.error().message};
    return rows;
  }
  io::RowFileHeader header{.task = number, .names = recorder.names(), .units = recorder.units()};
  if (task.config.model)
    for (std::size_t j = 0; j < header.names.size(); ++j)
      header.units[j] = multibody::channel_unit(task.config.model->mechanism, header.names[j]);
  if (task.config.solid) add_units(header.names, header.units);
  return io::RowFileWriter::create(file, header);
}
}  // namespace

int run(const RunArguments& arguments) {
  const Stopwatch watch;
  std::vector<std::string> overrides;
  if (!arguments.tune.empty()) {
    auto rates = io::read_tune_file(arguments.tune);
    if (!rates) return complain(rates.error());
    overrides = std::move(*rates);
  }
  overrides.insert(overrides.end(), arguments.set.begin(), arguments.set.end());
  auto config = named_config(arguments.file, overrides);
  if (!config) return complain(config.error());
  if (!arguments.method.empty()) {
    config->method = arguments.method;
    config->places["solver.method"] = "--method";
  }
  auto task = make_task(std::move(*config));
  if (!task) return complain(task.error());

  std::optional<multibody::Scene> scene;
  if (task->config.model != nullptr) {
    auto made = multibody::make_scene(task->config.model->mechanism);
    if (!made) return complain(task->config.model->at_part(made.error().message));
    scene = std::move(*made);
  }

  const InitialValueProblem& problem = task->instance.problem;
  auto stepper =
      checked_stepper(problem, *task->method, task->config.options);  // before anything in the folder changes
  if (!stepper) return complain(task->config.at("solver.method", in_run_file_words(stepper.error().message)));

  OutputFolder folder(arguments.folder.empty() ? fs::path("results") / fs::path(arguments.file).stem()
                                               : fs::path(arguments.folder));
  const fs::path checkpoint_name = folder.path() / "checkpoint.bin", rows_name = folder.path() / "rows.bin";
  if (const int code = folder.open(expected_bytes(*task, scene)); code != done) return code;
  io::CheckpointFile before;
  if (arguments.resume) {
    auto checkpoint = checkpoint_for(checkpoint_name, *task);
    if (!checkpoint) return complain(checkpoint.error());
    before = std::move(*checkpoint);
    task->notes.push_back(fmt::format("resumed at t = {:.6g} s", before.t));
  } else if (const auto old = io::read_checkpoint(checkpoint_name); old) {
    task->notes.push_back(
        fmt::format("{} holds an unfinished run up to t = {:.6g} s, which --resume would continue; starting anew",
                    folder.path().string(), old->t));
  }
  if (!arguments.resume)  // it would not belong to the rows of this run
    if (const auto fine = io::remove_file(checkpoint_name); !fine) return complain(fine.error()), not_written;
  Recorder recorder(problem, io::output_times(task->config.output, problem.t_start, problem.t_end), task->recorded);
  auto rows = rows_of(rows_name, *task, recorder, arguments.resume ? &before : nullptr);
  if (!rows) return complain(rows.error()), arguments.resume ? wrong_input : not_written;
  (*rows)->on_trouble = request_stop;
  recorder.hand_to(**rows);
  if (const auto fine = io::invalidate_manifest(folder.path()); !fine) return complain(fine.error()), not_written;

  print_err("{}{}{}\n", task->config.title.empty() ? task->config.problem : task->config.title,
            task->config.title.empty() ? "" : ": ", task->config.title.empty() ? "" : task->config.problem);
  const std::string choice = choice_words(*task);
  print_err("  {:<12} {}{}{}, {} unknowns, t = {:.6g} … {:.6g} s\n", "running", task->method->info.name,
            choice.empty() ? "" : ", ", choice, problem.dae->size(), problem.t_start, problem.t_end);
  for (const auto& sentence : task->notes) say("note", sentence);

  io::Progress progress(problem.t_start, problem.t_end);
  FirstStep first_step;
  std::vector<Observer*> observers = {&recorder, &progress, &first_step};
  std::optional<LargestDisplacement> largest;
  if (const auto* dae = dynamic_cast<const FormulatedDae*>(problem.dae.get());
      task->config.solid != nullptr && dae != nullptr && asked_for(*task, "svg"))
    observers.push_back(&largest.emplace(*dae, *solid_of(*task)));
  if (arguments.resume) {
    recorder.continue_after(before.t);
    ArchiveReader watched(before.watched);
    if (largest && !before.watched.empty() && !largest->load(watched))
      return complain({fmt::format("--resume: {}: damaged", checkpoint_name.string())});
  }
  if (!arguments.resume) io::remove_animation(folder.path());
  const auto animation = animation_of(*task, scene, folder.path(), arguments.resume);
  CheckpointKeeper keeper(checkpoint_name, task_text(*task), **rows, before,
                          {.largest = largest ? &*largest : nullptr, .animation = animation.get()});
  keeper.before_write = [&folder] {
    const bool ours = folder.renew() == done;
    if (!ours) request_stop();
    return ours;
  };
  observers.push_back(&keeper);
  if (animation) observers.push_back(animation.get());
  const auto summary = integrate(problem, *task->method, task->config.options, std::move(*stepper),
                                 {.observers = observers, .stop = &stop_flag(), .resume = before.state});
  catch_interrupts();  // also where no step was accepted: from here on files are written
  progress.wipe();
  if (!summary) return complain({"--resume: " + summary.error().message});

  // A run that failed otherwise would fail again in the same place.
  const bool goes_on = summary->status == RunStatus::interrupted || summary->status == RunStatus::too_many_steps ||
                       summary->status == RunStatus::out_of_memory;
  bool kept = keeper.write();  // before the results: whatever becomes of them, they can be made again
  (*rows)->flush();
  const std::optional<Error>& lost = (*rows)->trouble();
  io::RunResult result = result_of(*task, *summary);
  if (lost) folder.add(rows_name.filename().string(), *lost);
  if (lost) result.reason = fmt::format("{}; the run ended at t = {:.6g} s", lost->message, summary->t);
  const auto recorded = io::RowFile::open((*rows)->readable());
  if (!recorded) folder.add(rows_name.filename().string(), recorded.error());
  const double wall_seconds = watch.seconds();
  if (recorded && folder.renew() == done)
    write_results(folder, *task, result, *recorded, scene, largest ? &*largest : nullptr, animation.get(),
                  wall_seconds);
  const bool saved = folder.sealed();
  if (!saved && !kept) kept = keeper.write();  // files given up have left room
  const bool resumable = kept && (goes_on || !saved);
  if (saved && !resumable)
    for (const auto& name : {checkpoint_name, rows_name})
      if (const auto fine = io::remove_file(name); !fine) note(fine.error().message);

  for (const auto& sentence : summary->notes) say("note", sentence);
  tell_text(io::summary_text(result, wall_seconds));
  for (const auto& sentence : folder.troubles()) say("not written", sentence);
  say("results", folder.written());
  if (!saved)
    say("incomplete", fmt::format("not all files were written{}",
                                  resumable ? fmt::format("; {} is kept: make room, then --resume repeats the end",
                                                          checkpoint_name.string())
                                            : ", and there is no checkpoint: the run has to be repeated"));
  if (!completed(summary->status))
    say("incomplete", fmt::format("the results end at t = {:.6g} s of {:.6g} s{}", summary->t, problem.t_end,
                                  !resumable ? ""
                                  : summary->status == RunStatus::too_many_steps
                                      ? "; continue with --resume and a larger solver.max_steps"
                                      : "; continue with --resume"));
  if (!saved) return not_written;
  if (completed(summary->status)) return done;
  return summary->status == RunStatus::interrupted ? interrupted : numerical_failure;
}

}  // namespace rubato::app
