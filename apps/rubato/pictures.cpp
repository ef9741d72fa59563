#include "pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rubato::app {

namespace {
constexpr std::size_t most_curves = 8;  // per panel: as many as there are colours

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

/// The panel a channel belongs to: its block, or itself for outputs and invariants.
std::string panel_of(const Layout& layout, const io::Trajectory& x, std::size_t channel) {
  for (const auto& block : layout.blocks()) {
    const auto first = static_cast<std::size_t>(block.offset);
    if (channel >= first && channel < first + static_cast<std::size_t>(block.size))
      return with_unit(block.name, x.units[channel]);
  }
  return with_unit(x.names[channel], x.units[channel]);
}

bool wanted(const Task& task, const io::Trajectory& x, std::size_t channel) {
  const auto& plot = task.config.output.plot;
  const Layout& layout = task.instance.problem.dae->layout();
  if (plot.empty()) return channel < static_cast<std::size_t>(layout.size());
  return std::any_of(plot.begin(), plot.end(), [&](const std::string& name) {
    if (x.names[channel] == name) return true;
    const Block* block = layout.find(name);
    return block != nullptr && channel >= static_cast<std::size_t>(block->offset) &&
           channel < static_cast<std::size_t>(block->offset + block->size);
  });
}
}  // namespace

std::string choice_words(const Task& task) {
  std::string words = task.instance.formulation;
  for (const auto& [name, value] : task.config.parameters)
    words += fmt::format("{}{} = {:.6g}", words.empty() ? "" : ", ", name, value);
  return words;
}

io::Figure solution_figure(const Task& task, const io::RunResult& result) {
  const io::Trajectory& x = result.trajectory;
  const auto& tolerances = task.config.options.tolerances;
  io::Figure figure{.title = result.title.empty() ? result.problem : result.title,
                    .x_label = "t [s]",
                    .x_scale = task.config.output.time_axis};
  const std::string choice = choice_words(task);
  figure.subtitle = fmt::format("{}{}{}, {}, {} steps", result.method, choice.empty() ? "" : ", ", choice,
                                task.config.options.step.fixed_step > 0
                                    ? fmt::format("h = {:.6g} s", task.config.options.step.fixed_step)
                                    : fmt::format("rtol = {:.6g}, atol = {:.6g}", tolerances.rtol, tolerances.atol),
                                result.statistics.accepted);
  std::vector<double> marks;
  for (const auto& event : x.events) marks.push_back(event.t);
  std::map<std::string, std::size_t> panel_at;
  for (std::size_t j = 0; j < x.channels(); ++j) {
    if (!wanted(task, x, j)) continue;
    const std::string name = panel_of(task.instance.problem.dae->layout(), x, j);
    const auto [at, is_new] = panel_at.try_emplace(name, figure.panels.size());
    if (is_new) figure.panels.push_back({.y_label = name, .marks = marks});
    io::Panel& panel = figure.panels[at->second];
    if (panel.series.size() < most_curves)
      panel.series.push_back({.name = x.names[j], .x = x.times, .y = x.column(j)});
    else if (panel.y_label == name)
      panel.y_label += fmt::format(", the first {}", most_curves);
  }
  return figure;
}

io::Figure steps_figure(const Task& task, const io::RunResult& result) {
  const io::Trajectory& x = result.trajectory;
  io::Panel panel{.y_label = "step size [s]", .y_scale = io::Scale::logarithmic};
  panel.series.push_back({.x = x.step_times, .y = x.step_sizes});
  for (const auto& event : x.events) panel.marks.push_back(event.t);
  return {.title = fmt::format("Step sizes: {}", result.title.empty() ? result.problem : result.title),
          .subtitle = fmt::format(
              "{}, {} accepted, {} rejected{}", result.method, result.statistics.accepted, result.statistics.rejected,
              result.statistics.failed > 0 ? fmt::format(", {} failed", result.statistics.failed) : ""),
          .x_label = "t [s]",
          .x_scale = task.config.output.time_axis,
          .panels = {panel}};
}

}  // namespace rubato::app
