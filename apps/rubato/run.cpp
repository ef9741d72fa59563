// rubato run: integrate one problem, keep and show what came out.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "channels.hpp"
#include "command.hpp"
#include "interrupts.hpp"
#include "motion_picture.hpp"
#include "pictures.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/integrate/recorder.hpp"
#include "rubato/io/animation.hpp"
#include "rubato/io/checkpoint_file.hpp"
#include "rubato/io/csv.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/hdf5.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/progress.hpp"
#include "rubato/io/solid_grid.hpp"
#include "rubato/io/summary.hpp"
#include "rubato/io/tune_file.hpp"
#include "solid_report.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
namespace fs = std::filesystem;

/// What must agree for a run to be resumed: titles, pictures and file formats may change.
std::string task_text(const Task& task) {
  io::RunConfig config = task.config;
  config.title.clear();
  config.output.formats = {"csv"};
  if (config.solid == nullptr) {  // where these decide what is recorded
    config.output.channels.clear();
    config.output.plot.clear();
  }
  config.output.time_axis = io::Scale::linear;
  config.options.step.max_steps = 0;  // says only when to give up
  return fmt::format("# rubato {}\n{}", RUBATO_VERSION, io::to_toml(config));
}

/// Keeps the latest checkpoint; writes it once a second and at the end, so that small steps do not wait for the disk.
class CheckpointKeeper final : public Observer {
 public:
  CheckpointKeeper(fs::path file, std::string options, const Recorder& recorder, const io::CheckpointFile* before)
      : file_(std::move(file)), options_(std::move(options)), recorder_(recorder), before_(before) {}

  void on_checkpoint(double t, std::span<const std::byte> bytes) override {
    t_ = t;
    state_.assign(bytes.begin(), bytes.end());
    rows_ = recorder_.rows();
    steps_ = recorder_.step_times().size();
    events_ = recorder_.events().size();
    pending_ = true;
    if (Clock::now() >= next_) write();
  }
  /// True when there is something to resume from.
  bool write() {
    if (!pending_) return written_ || before_ != nullptr;
    pending_ = false;
    io::Trajectory fresh = io::trajectory_of(recorder_);
    fresh.times.resize(rows_);
    fresh.values.resize(rows_ * fresh.channels());
    fresh.step_times.resize(steps_);
    fresh.step_sizes.resize(steps_);
    fresh.events.resize(events_);
    io::CheckpointFile checkpoint{options_, t_, state_, before_ ? before_->trajectory : fresh};
    if (before_ != nullptr) io::append_after(checkpoint.trajectory, fresh, before_->t);
    if (const auto fine = io::write_checkpoint(file_, checkpoint); fine)
      written_ = true;
    else
      note(fine.error().message);
    next_ = Clock::now() + std::chrono::seconds(1);
    return written_ || before_ != nullptr;
  }

 private:
  using Clock = std::chrono::steady_clock;
  fs::path file_;
  std::string options_;
  const Recorder& recorder_;
  const io::CheckpointFile* before_;  ///< the run was resumed from here
  double t_ = 0;
  std::vector<std::byte> state_;
  std::size_t rows_ = 0, steps_ = 0, events_ = 0;
  bool pending_ = false, written_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

Result<io::CheckpointFile> checkpoint_for(const fs::path& file, const Task& task) {
  auto checkpoint = io::read_checkpoint(file);
  if (!checkpoint) {
    if (!fs::exists(file))
      return Error{fmt::format(
          "--resume: {} does not exist: the run there was finished, never started, or has output.checkpoint_every = 0",
          file.string())};
    return Error{"--resume: " + checkpoint.error().message};
  }
  const std::string difference = io::first_difference(checkpoint->options, task_text(task));
  if (!difference.empty())
    return Error{fmt::format("--resume: {} belongs to another task: {}", file.string(), difference)};
  return checkpoint;
}

const fem::SolidSystem* solid_of(const Task& task) {
  return dynamic_cast<const fem::SolidSystem*>(task.instance.system.get());
}

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
  const std::string words = inversion_words(solid, state, summary.largest_step);
  return words.empty() ? words : "; " + words;
}

io::RunResult result_of(const Task& task, const RunSummary& summary, io::Trajectory trajectory) {
  const InitialValueProblem& problem = task.instance.problem;
  std::optional<std::vector<std::string>> stiff;
  if (looks_for_stiffness(task)) {
    stiff.emplace();
    for (const int i : summary.stiff) stiff->push_back(problem.dae->layout().component_name(i));
  }
  std::string reason = in_run_file_words(summary.reason);
  if (task.config.model && !completed(summary.status)) reason = task.config.model->at_part(reason).message;
  if (const auto* solid = solid_of(task); solid != nullptr && !completed(summary.status) &&
                                          summary.status != RunStatus::interrupted &&
                                          summary.status != RunStatus::too_many_steps &&
                                          summary.status != RunStatus::out_of_memory)
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
          .trajectory = std::move(trajectory)};
}

bool asked_for(const Task& task, std::string_view format) {
  const auto& formats = task.config.output.formats;
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

/// Writes what was asked for; a file that could not be written does not keep the others from being written.
bool write_results(const fs::path& folder, const Task& task, const io::RunResult& result,
                   const std::optional<multibody::Scene>& scene, const LargestDisplacement* largest,
                   io::AnimationWriter* animation, double wall_seconds) {
  std::vector<std::string> written;
  bool fine = true;
  io::RunResult part;
  if (const auto& names = task.config.output.channels; !names.empty()) {
    part = result;
    part.trajectory =
        io::selected(result.trajectory, columns_of(task.recorded, chosen_channels(*task.instance.problem.dae, names)));
  }
  const io::RunResult& kept = task.config.output.channels.empty() ? result : part;
  const auto keep = [&](const char* name, const Result<void>& outcome) {
    if (outcome) {
      written.emplace_back(name);
    } else {
      fine = false;
      note(outcome.error().message);
    }
  };
  for (const auto& format : task.config.output.formats) {
    if (format == "csv") keep("solution.csv", io::write_file(folder / "solution.csv", io::to_csv(kept.trajectory)));
    if (format == "hdf5") keep("solution.h5", io::write_hdf5(folder / "solution.h5", kept));
    if (format == "svg") {
      keep("solution.svg", io::write_file(folder / "solution.svg", io::to_svg(solution_figure(task, result))));
      keep("steps.svg", io::write_file(folder / "steps.svg", io::to_svg(steps_figure(task, result))));
      if (scene)
        keep("motion.svg", io::write_file(folder / "motion.svg", io::to_svg(motion_figure(task, result, *scene))));
      if (largest != nullptr) {
        const std::string title = result.title.empty() ? result.problem : result.title;
        keep("deformed.svg",
             io::write_file(folder / "deformed.svg", deformed_picture(*solid_of(task), largest->state(), title)));
        const auto force = force_figure(result.trajectory, title,
                                        fmt::format("{}, {} steps", result.method, result.statistics.accepted));
        if (force) keep("force.svg", io::write_file(folder / "force.svg", io::to_svg(*force)));
      }
    }
    if (format == "vtu" && animation != nullptr) keep("motion.pvd", animation->finish());
  }
  // Files of an earlier run in formats not asked for now would belong to nothing.
  const std::pair<std::string_view, const char*> all[] = {
      {"csv", "solution.csv"}, {"hdf5", "solution.h5"}, {"svg", "solution.svg"}, {"svg", "steps.svg"},
      {"svg", "motion.svg"},   {"svg", "deformed.svg"}, {"svg", "force.svg"}};
  for (const auto& [format, name] : all) {
    std::error_code ignored;
    if (!asked_for(task, format)) fs::remove(folder / name, ignored);
  }
  keep("options.toml", io::write_file(folder / "options.toml", result.options));
  keep("summary.json", io::write_file(folder / "summary.json", io::summary_json(result)));
  keep("timing.json", io::write_file(folder / "timing.json", io::timing_json(result.statistics, wall_seconds)));
  fmt::print(stderr, "  {:<12} {}/{{{}}}\n", "results", folder.string(), fmt::join(written, ","));
  return fine;
}

/// What writes the animation, where one was asked for.
std::unique_ptr<io::AnimationWriter> animation_of(const Task& task, const std::optional<multibody::Scene>& scene,
                                                  const fs::path& folder, bool resumed) {
  const InitialValueProblem& problem = task.instance.problem;
  const auto* dae = dynamic_cast<const FormulatedDae*>(problem.dae.get());
  const auto* system = dynamic_cast<const multibody::MultibodySystem*>(task.instance.system.get());
  const auto* solid = task.config.solid != nullptr ? solid_of(task) : nullptr;
  if (!asked_for(task, "vtu") || dae == nullptr) return nullptr;
  std::unique_ptr<io::FrameSource> frames;
  if (scene && system != nullptr) frames = std::make_unique<io::SceneGrid>(*scene, *system);
  if (solid != nullptr) frames = std::make_unique<io::SolidGrid>(*solid);
  if (frames == nullptr) return nullptr;
  const double every = task.config.output.animation_every;
  auto times =
      io::regular_times(every > 0 ? every : (problem.t_end - problem.t_start) / 100, problem.t_start, problem.t_end);
  return std::make_unique<io::AnimationWriter>(*dae, std::move(frames), folder, std::move(times), resumed);
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

  const fs::path folder =
      arguments.folder.empty() ? fs::path("results") / fs::path(arguments.file).stem() : fs::path(arguments.folder);
  const fs::path checkpoint_name = folder / "checkpoint.bin";
  io::CheckpointFile before;
  if (arguments.resume) {
    auto checkpoint = checkpoint_for(checkpoint_name, *task);
    if (!checkpoint) return complain(checkpoint.error());
    before = std::move(*checkpoint);
    task->notes.push_back(fmt::format("resumed at t = {:.6g} s", before.t));
  } else if (const auto old = io::read_checkpoint(checkpoint_name); old) {
    task->notes.push_back(
        fmt::format("{} holds an unfinished run up to t = {:.6g} s, which --resume would continue; starting anew",
                    folder.string(), old->t));
  }
  if (const auto made = io::make_folder(folder); !made) return complain(made.error());

  catch_interrupts();
  const InitialValueProblem& problem = task->instance.problem;
  fmt::print(stderr, "{}{}{}\n", task->config.title.empty() ? task->config.problem : task->config.title,
             task->config.title.empty() ? "" : ": ", task->config.title.empty() ? "" : task->config.problem);
  const std::string choice = choice_words(*task);
  fmt::print(stderr, "  {:<12} {}{}{}, {} unknowns, t = {:.6g} … {:.6g} s\n", "running", task->method->info.name,
             choice.empty() ? "" : ", ", choice, problem.dae->size(), problem.t_start, problem.t_end);
  for (const auto& sentence : task->notes) fmt::print(stderr, "  {:<12} {}\n", "note", sentence);

  Recorder recorder(problem, io::output_times(task->config.output, problem.t_start, problem.t_end), task->recorded);
  CheckpointKeeper keeper(checkpoint_name, task_text(*task), recorder, arguments.resume ? &before : nullptr);
  io::Progress progress(problem.t_start, problem.t_end);
  std::vector<Observer*> observers = {&recorder, &keeper, &progress};
  if (!arguments.resume) io::remove_animation(folder);
  const auto animation = animation_of(*task, scene, folder, arguments.resume);
  if (animation) observers.push_back(animation.get());
  std::optional<LargestDisplacement> largest;
  if (const auto* dae = dynamic_cast<const FormulatedDae*>(problem.dae.get());
      task->config.solid != nullptr && dae != nullptr && asked_for(*task, "svg"))
    observers.push_back(&largest.emplace(*dae, *solid_of(*task)));
  const auto summary = integrate(problem, *task->method, task->config.options,
                                 {.observers = observers, .stop = &stop_flag(), .resume = before.state});
  progress.wipe();
  if (!summary) return complain(task->config.at("solver.method", in_run_file_words(summary.error().message)));

  // A run that failed would fail again in the same place.
  const bool resumable = !completed(summary->status) && keeper.write() &&
                         (summary->status == RunStatus::interrupted || summary->status == RunStatus::too_many_steps);
  io::Trajectory trajectory = io::trajectory_of(recorder);
  if (arguments.resume) {
    io::append_after(before.trajectory, trajectory, before.t);
    trajectory = std::move(before.trajectory);
  }
  if (task->config.model)
    for (std::size_t j = 0; j < trajectory.channels(); ++j)
      trajectory.units[j] = multibody::channel_unit(task->config.model->mechanism, trajectory.names[j]);
  if (task->config.solid) add_units(trajectory);
  const io::RunResult result = result_of(*task, *summary, std::move(trajectory));
  const double wall_seconds = watch.seconds();
  for (const auto& sentence : summary->notes) fmt::print(stderr, "  {:<12} {}\n", "note", sentence);
  fmt::print(stderr, "{}", io::summary_text(result, wall_seconds));
  const bool written =
      write_results(folder, *task, result, scene, largest ? &*largest : nullptr, animation.get(), wall_seconds);

  if (completed(summary->status)) {
    std::error_code ignored;
    fs::remove(checkpoint_name, ignored);  // nothing left to resume
    return written ? done : wrong_input;
  }
  fmt::print(stderr, "  {:<12} the results end at t = {:.6g} s of {:.6g} s{}\n", "incomplete", summary->t,
             problem.t_end,
             !resumable                                  ? ""
             : summary->status == RunStatus::interrupted ? "; continue with --resume"
                                                         : "; continue with --resume and a larger solver.max_steps");
  return summary->status == RunStatus::interrupted ? interrupted : numerical_failure;
}

}  // namespace rubato::app
