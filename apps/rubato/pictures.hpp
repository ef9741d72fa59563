#pragma once
/// Which curves go into which picture.
#include "rubato/integrate/study.hpp"
#include "rubato/io/row_source.hpp"
#include "rubato/io/svg_plot.hpp"
#include "task.hpp"

namespace rubato::app {

/// The chosen channels over time, a panel per block.
[[nodiscard]] Result<io::Figure> solution_figure(const Task& task, const io::RunResult& result,
                                                 const io::RowSource& rows);
/// Step sizes over time.
[[nodiscard]] Result<io::Figure> steps_figure(const Task& task, const io::RunResult& result, const io::RowSource& rows);

/// "ros3p, index-2, eps = 1e-06".
[[nodiscard]] std::string choice_words(const Task& task);

}  // namespace rubato::app
