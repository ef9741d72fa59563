#include "result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "channels.hpp"
#include "motion_picture.hpp"
#include "pictures.hpp"
#include "print.hpp"
#include "rubato/io/csv.hpp"
#include "rubato/io/hdf5.hpp"
#include "rubato/io/solid_grid.hpp"
#include "rubato/io/summary.hpp"

namespace rubato::app {

namespace fs = std::filesystem;

const fem::SolidSystem* solid_of(const Task& task) {
  return dynamic_cast<const fem::SolidSystem*>(task.instance.system.get());
}

bool asked_for(const Task& task, std::string_view format) {
  const auto& formats = task.config.output.formats;
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

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

double expected_bytes(const Task& task, const std::optional<multibody::Scene>& scene) {
  constexpr double overhead = 1e4, steps_at_least = 300;
  constexpr double csv = 6, hdf5 = 3, checkpoint = 8;  // bytes per number; less has not been seen
  const InitialValueProblem& problem = task.instance.problem;
  const double time = problem.t_end - problem.t_start, step = task.config.options.step.fixed_step;
  const auto times = io::output_times(task.config.output, problem.t_start, problem.t_end);
  const double rows = !times.empty() ? static_cast<double>(times.size()) : step > 0 ? time / step : steps_at_least;
  const double channels =
      static_cast<double>(task.recorded.empty() ? channel_names(*problem.dae).size() : task.recorded.size());
  double bytes =
      overhead +
      rows * channels * (checkpoint + (asked_for(task, "csv") ? csv : 0) + (asked_for(task, "hdf5") ? hdf5 : 0));
  if (asked_for(task, "vtu")) {
    constexpr double per_frame = 500, per_point = 40;
    const double every = task.config.output.animation_every, frames = every > 0 ? time / every : 100;
    const auto* solid = task.config.solid != nullptr ? solid_of(task) : nullptr;
    const double points = scene   ? static_cast<double>(scene->n_points())
                          : solid ? static_cast<double>(solid->model().mesh.n_nodes())
                                  : 0;
    bytes += frames * (per_frame + per_point * points);
  }
  return bytes;
}

void write_results(OutputFolder& folder, const Task& task, const io::RunResult& result, const io::RowSource& rows,
                   const std::optional<multibody::Scene>& scene, const LargestDisplacement* largest,
                   io::AnimationWriter* animation, double wall_seconds) {
  std::optional<io::SelectedRows> chosen;
  if (const auto& names = task.config.output.channels; !names.empty())
    chosen.emplace(rows, columns_of(task.recorded, chosen_channels(*task.instance.problem.dae, names)));
  const io::RowSource& kept = chosen ? static_cast<const io::RowSource&>(*chosen) : rows;
  const auto draw = [&](const char* name, const Result<io::Figure>& figure) {
    if (figure)
      folder.write(name, io::to_svg(*figure));
    else
      folder.add(name, figure.error());
  };
  for (const auto& format : task.config.output.formats) {
    if (format == "csv") folder.add("solution.csv", io::write_csv(folder.path() / "solution.csv", kept));
    if (format == "hdf5") folder.add("solution.h5", io::write_hdf5(folder.path() / "solution.h5", result, kept));
    if (format == "svg") {
      draw("solution.svg", solution_figure(task, result, rows));
      draw("steps.svg", steps_figure(task, result, rows));
      if (scene) draw("motion.svg", motion_figure(task, result, *scene, rows));
      if (largest != nullptr) {
        const std::string title = result.title.empty() ? result.problem : result.title;
        folder.write("deformed.svg", deformed_picture(*solid_of(task), largest->state(), title));
        const auto force = force_figure(rows, result.t_start, result.t, title,
                                        fmt::format("{}, {} steps", result.method, result.statistics.accepted));
        if (!force)
          folder.add("force.svg", force.error());
        else if (*force)
          draw("force.svg", **force);
      }
    }
    if (format == "vtu" && animation != nullptr) {
      folder.add(animation->finish(), animation->files());
      if (animation->missing() > 0)
        say("note", fmt::format("motion.pvd lacks {} frames of before the run was resumed", animation->missing()));
    }
  }
  // Files of an earlier run in formats not asked for now would belong to nothing.
  const std::pair<std::string_view, const char*> all[] = {
      {"csv", "solution.csv"}, {"hdf5", "solution.h5"}, {"svg", "solution.svg"}, {"svg", "steps.svg"},
      {"svg", "motion.svg"},   {"svg", "deformed.svg"}, {"svg", "force.svg"}};
  for (const auto& [format, name] : all) {
    std::error_code ignored;
    if (!asked_for(task, format)) fs::remove(folder.path() / name, ignored);
  }
  folder.write("options.toml", result.options);
  folder.write("summary.json", io::summary_json(result, kept));
  folder.write("timing.json", io::timing_json(result.statistics, wall_seconds));
  folder.seal(result.version, {"timing.json"});
}

}  // namespace rubato::app
