#pragma once
/// A mechanism in motion as one picture: several instants on top of each other.
#include "rubato/io/row_source.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/multibody/scene.hpp"
#include "task.hpp"

namespace rubato::app {

/// Seen along the axis in which it extends least, gravity pointing down where it can; the end in full, earlier instants pale.
[[nodiscard]] Result<io::Figure> motion_figure(const Task& task, const io::RunResult& result,
                                               const multibody::Scene& scene, const io::RowSource& rows);

}  // namespace rubato::app
