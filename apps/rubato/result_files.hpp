#pragma once
/// The files that `rubato run` leaves.
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "output_folder.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/io/animation.hpp"
#include "rubato/io/row_source.hpp"
#include "solid_report.hpp"
#include "task.hpp"

namespace rubato::app {

/// The model of finite elements behind a task; none: nullptr.
[[nodiscard]] const fem::SolidSystem* solid_of(const Task& task);
/// Whether output.formats names it.
[[nodiscard]] bool asked_for(const Task& task, std::string_view format);

/// What writes the animation, where one was asked for.
[[nodiscard]] std::unique_ptr<io::AnimationWriter> animation_of(const Task& task,
                                                                const std::optional<multibody::Scene>& scene,
                                                                const std::filesystem::path& folder, bool resumed);

/// How much room the files will take at least, bytes: numbers in rows whose count is known beforehand, and frames.
[[nodiscard]] double expected_bytes(const Task& task, const std::optional<multibody::Scene>& scene);

/// Writes what was asked for; a file that could not be written does not keep the others from being written. When all are there they
/// are made a set by their manifest.
void write_results(OutputFolder& folder, const Task& task, const io::RunResult& result, const io::RowSource& rows,
                   const std::optional<multibody::Scene>& scene, const LargestDisplacement* largest,
                   io::AnimationWriter* animation, double wall_seconds);

}  // namespace rubato::app
