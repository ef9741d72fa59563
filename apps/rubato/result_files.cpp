#include "result_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "channels.hpp"
#include "motion_picture.hpp"
#include "pictures.hpp"
#include "rubato/io/csv.hpp"
#include "rubato/io/file.hpp"
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

bool write_results(const fs::path& folder, const Task& task, const io::RunResult& result, const io::RowSource& rows,
                   const std::optional<multibody::Scene>& scene, const LargestDisplacement* largest,
                   io::AnimationWriter* animation, double wall_seconds) {
  std::vector<std::string> written;
  bool fine = true;
  std::optional<io::SelectedRows> chosen;
  if (const auto& names = task.config.output.channels; !names.empty())
    chosen.emplace(rows, columns_of(task.recorded, chosen_channels(*task.instance.problem.dae, names)));
  const io::RowSource& kept = chosen ? static_cast<const io::RowSource&>(*chosen) : rows;
  const auto keep = [&](const char* name, const Result<void>& outcome) {
    if (outcome) {
      written.emplace_back(name);
    } else {
      fine = false;
      note(outcome.error().message);
    }
  };
  const auto draw = [&](const char* name, const Result<io::Figure>& figure) {
    keep(name, figure ? io::write_file(folder / name, io::to_svg(*figure)) : Result<void>(figure.error()));
  };
  for (const auto& format : task.config.output.formats) {
    if (format == "csv") keep("solution.csv", io::write_csv(folder / "solution.csv", kept));
    if (format == "hdf5") keep("solution.h5", io::write_hdf5(folder / "solution.h5", result, kept));
    if (format == "svg") {
      draw("solution.svg", solution_figure(task, result, rows));
      draw("steps.svg", steps_figure(task, result, rows));
      if (scene) draw("motion.svg", motion_figure(task, result, *scene, rows));
      if (largest != nullptr) {
        const std::string title = result.title.empty() ? result.problem : result.title;
        keep("deformed.svg",
             io::write_file(folder / "deformed.svg", deformed_picture(*solid_of(task), largest->state(), title)));
        const auto force = force_figure(rows, result.t_start, result.t, title,
                                        fmt::format("{}, {} steps", result.method, result.statistics.accepted));
        if (!force)
          keep("force.svg", force.error());
        else if (*force)
          draw("force.svg", **force);
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
  keep("summary.json", io::write_file(folder / "summary.json", io::summary_json(result, kept)));
  keep("timing.json", io::write_file(folder / "timing.json", io::timing_json(result.statistics, wall_seconds)));
  fmt::print(stderr, "  {:<12} {}/{{{}}}\n", "results", folder.string(), fmt::join(written, ","));
  return fine;
}

}  // namespace rubato::app
