// rubato static: equilibria of a model, where inertia plays no part.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "command.hpp"
#include "interrupts.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/animation.hpp"
#include "rubato/io/csv.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/manifest.hpp"
#include "rubato/io/progress.hpp"
#include "rubato/io/solid_file.hpp"
#include "rubato/io/solid_grid.hpp"
#include "rubato/io/table.hpp"
#include "rubato/problem/consistent.hpp"
#include "solid_instance.hpp"
#include "solid_report.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
namespace fs = std::filesystem;

constexpr int default_load_steps = 20;

/// The outputs of a system at rest in a state.
std::vector<double> outputs_at(const MechanicalSystem& system, const MechanicalState& state) {
  std::vector<double> y(system.output_names().size());
  ScratchMemory memory(system.scratch_bytes());
  const Vector v = Vector::Zero(system.sizes().v), u = Vector::Zero(system.sizes().u);
  const EvalStatus status = system.outputs({.t = state.t,
                                            .q = view(state.q),
                                            .v = view(v),
                                            .z = view(state.z),
                                            .lambda = view(state.lambda),
                                            .nu = view(state.nu),
                                            .u = view(u),
                                            .base = view(state.base),
                                            .mode = state.mode,
                                            .scratch = memory.scratch()},
                                           view(v), y);
  if (status != EvalStatus::ok) y.assign(y.size(), std::numeric_limits<double>::quiet_NaN());
  return y;
}

io::Table table_of(const io::Trajectory& path) {
  io::Table table;
  table.columns = {"t"};
  table.columns.insert(table.columns.end(), path.names.begin(), path.names.end());
  for (std::size_t i = 0; i < path.rows(); ++i) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(path.times[i]);
    for (std::size_t j = 0; j < path.channels(); ++j) row.emplace_back(path.values[i * path.channels() + j]);
  }
  return table;
}

/// Writes frames, table and pictures; the first trouble.
class SolidFiles {
 public:
  SolidFiles(const fem::SolidSystem& system, fs::path folder) : grid_(system), folder_(std::move(folder)) {
    if (!folder_.empty()) io::remove_animation(folder_);
  }
  void frame(const MechanicalState& state) {
    if (folder_.empty() || !trouble_) return;
    const std::string name = fmt::format("motion/frame_{:05}.vtu", entries_.size());
    trouble_ = io::write_file(folder_ / name, io::to_vtu(grid_.at(state, {}), state.t));
    if (trouble_)
      entries_.push_back({.t = state.t, .file = name});
    else
      note(trouble_.error().message);
  }
  /// The collection of the frames; false: some are missing.
  bool finish(OutputFolder& folder) const { return folder.write("motion.pvd", io::to_pvd(entries_)) && trouble_.ok(); }

 private:
  io::SolidGrid grid_;
  fs::path folder_;
  std::vector<io::PvdEntry> entries_;
  Result<void> trouble_;
};

/// Shows where the search for equilibria is; Ctrl-C ends it.
class SearchProgress {
 public:
  explicit SearchProgress(long wanted) : wanted_(wanted) {}
  void found() { ++found_; }
  void wipe() noexcept { line_.wipe(); }
  [[nodiscard]] EquilibriumWatch watch() {
    return [this](const EquilibriumProgress& at) {
      std::string words = fmt::format("t = {:.4g}, iteration {}: {}", at.t, at.iteration, at.doing);
      if (at.correction > 0) words += fmt::format(", last correction {:.0e}", at.correction);
      line_.show(found_, wanted_, words);
      return !stop_flag().load();
    };
  }

 private:
  io::CountProgress line_;
  long wanted_, found_ = 0;
};

/// Equilibria of a solid along its time: those reached are shown, whatever happens then.
int solid_path(OutputFolder& folder, io::TableFormat format, const io::RunConfig& config) {
  const io::SolidFile& file = *config.solid;
  fem::SolidModel model = file.model;
  model.quasi_static = true;
  const auto system = fem::build(std::move(model));
  if (!system) return complain(file.at_part(system.error().message));
  for (const auto& sentence : file.notes) note(sentence);
  const double t_start = config.t_start.value_or(0), t_end = config.t_end.value_or(t_start + 1);
  if (const auto fine = io::checked_times(config, t_start, t_end); !fine) return complain(fine.error());
  auto times = io::output_times(config.output, t_start, t_end);
  if (times.empty()) times = io::regular_times((t_end - t_start) / default_load_steps, t_start, t_end);
  io::Trajectory path;
  path.names = (*system)->output_names();
  path.units.resize(path.channels());
  add_units(path.names, path.units);
  std::optional<SolidFiles> files;  // from the first equilibrium on: what stands there goes for something
  MechanicalState last;
  SearchProgress progress(static_cast<long>(times.size()));
  const auto found = [&](const MechanicalState& state) {
    progress.found();
    const auto y = outputs_at(**system, state);
    path.times.push_back(state.t);
    path.values.insert(path.values.end(), y.begin(), y.end());
    if (!files) {
      folder.begin_set();
      files.emplace(**system, folder.path());
    }
    files->frame(state);
    last = state;
    return !stop_flag().load();
  };
  catch_interrupts();
  const auto end = static_path(**system, state_at_rest(**system, t_start),
                               {.times = times, .found = found, .watch = progress.watch()});
  progress.wipe();
  bool frames = true;
  if (!folder.path().empty() && path.rows() > 0) {
    const std::string title = config.title.empty() ? config.problem : config.title;
    const auto force = force_figure(io::TrajectoryRows(path), t_start, t_end, title, "equilibria");
    if (!force) return complain(force.error());
    folder.write("static.csv", io::to_csv(path));
    folder.write("deformed.svg", deformed_picture(**system, last, title));
    if (*force) folder.write("force.svg", io::to_svg(**force));
    frames = files->finish(folder);
    folder.seal(RUBATO_VERSION, {});
  }
  print_text(io::render(table_of(path), format));
  const bool stopped = stop_flag().load();
  const int outcome = folder.finish(stopped ? interrupted : end ? done : numerical_failure);
  if (stopped) {
    note(fmt::format("interrupted: {} of {} equilibria found{}", path.rows(), times.size(),
                     path.rows() > 0 ? fmt::format(", up to t = {}", shortest(path.times.back())) : ""));
    return frames ? outcome : not_written;
  }
  if (end) return frames ? outcome : not_written;
  const std::string element =
      path.rows() > 0 ? inversion_words(**system, last, (t_end - t_start) / default_load_steps) : "";
  note(end.error().message + (element.empty() ? "" : "; " + element));
  return frames ? outcome : not_written;
}

/// One equilibrium of a mechanism or of a problem of the catalogue, from its start.
int one_equilibrium(OutputFolder& folder, io::TableFormat format, io::RunConfig config) {
  const auto task = make_task(std::move(config));
  if (!task) return complain(task.error());
  const auto* dae = dynamic_cast<const FormulatedDae*>(task->instance.problem.dae.get());
  if (dae == nullptr) return complain(Error{fmt::format("{} is no mechanical system", task->config.problem)});
  const InitialValueProblem& problem = task->instance.problem;
  ScratchMemory memory(dae->scratch_bytes());
  MechanicalState start;
  const At at{.t = problem.t_start,
              .x = view(problem.x),
              .u = {},
              .base = view(problem.base),
              .mode = problem.mode,
              .scratch = memory.scratch()};
  if (dae->unpack(at, view(problem.w), start) != EvalStatus::ok)
    return complain(Error{"the model cannot be evaluated at its start"});
  start.t = problem.t_start;
  catch_interrupts();
  SearchProgress progress(1);
  const auto state = static_equilibrium(dae->system(), start, {}, progress.watch());
  progress.wipe();
  if (!state && stop_flag().load()) {
    note("interrupted before an equilibrium was found");
    return interrupted;
  }
  if (!state) {
    note(state.error().message);
    return numerical_failure;
  }
  io::Trajectory path;
  path.names = dae->system().output_names();
  path.times = {state->t};
  path.values = outputs_at(dae->system(), *state);
  const auto names = dae->system().names("q");
  for (Eigen::Index i = 0; i < state->q.size(); ++i) {
    path.names.insert(path.names.begin() + i,
                      names.empty() ? fmt::format("q[{}]", i) : names[static_cast<std::size_t>(i)]);
    path.values.insert(path.values.begin() + i, state->q[i]);
  }
  path.units.resize(path.names.size());
  if (!folder.path().empty()) {
    folder.begin_set();
    folder.write("static.csv", io::to_csv(path));
    folder.seal(RUBATO_VERSION, {});
  }
  io::Table table{.columns = {"channel", "value"}, .rows = {}};  // one column per channel would be wide
  for (std::size_t j = 0; j < path.names.size(); ++j) table.rows.push_back({path.names[j], path.values[j]});
  print_text(io::render(table, format));
  return folder.finish(done);
}

}  // namespace

int equilibria(const StaticArguments& arguments) {
  auto config = io::read_run_file(arguments.file, arguments.set);
  if (!config) return complain(config.error());
  const auto format = io::table_format(arguments.format);
  if (!format) return complain(Error{"--format: " + format.error().message});
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  if (config->solid != nullptr) return solid_path(folder, *format, *config);
  return one_equilibrium(folder, *format, std::move(*config));
}

}  // namespace rubato::app
