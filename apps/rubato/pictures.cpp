#include "pictures.hpp"

#include <fmt/format.h>

#include <map>

#include "channels.hpp"
#include "rubato/io/thin_curve.hpp"

namespace rubato::app {

namespace {
constexpr std::size_t most_curves = 8;  // per panel: as many as there are colours

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

/// The panel a channel belongs to: its block; for outputs and invariants itself, or what it is a component of.
std::string panel_of(const Layout& layout, const io::RowSource& x, std::size_t channel, std::size_t column) {
  for (const auto& block : layout.blocks()) {
    const auto first = static_cast<std::size_t>(block.offset);
    if (channel >= first && channel < first + static_cast<std::size_t>(block.size))
      return with_unit(block.name, x.units[column]);
  }
  std::string name = x.names[column];
  if (name.ends_with(".x") || name.ends_with(".y") || name.ends_with(".z")) name.resize(name.size() - 2);
  return with_unit(name, x.units[column]);
}

/// The channels of the picture: those of output.plot, else all unknowns; where these are not kept, the others.
std::vector<std::size_t> plotted(const Task& task) {
  const Dae& dae = *task.instance.problem.dae;
  if (task.config.output.plot.empty() && !task.recorded.empty()) return task.recorded;
  auto channels = chosen_channels(dae, task.config.output.plot);
  if (task.config.output.plot.empty()) channels.resize(static_cast<std::size_t>(dae.size()));
  return channels;
}

io::ThinCurve curve_over_time(const Task& task, const io::RunResult& result, std::size_t n_points) {
  return {n_points, result.t_start, result.t, task.config.output.time_axis};
}
}  // namespace

std::string choice_words(const Task& task) {
  std::string words = task.instance.formulation;
  for (const auto& [name, value] : task.config.parameters)
    words += fmt::format("{}{} = {:.6g}", words.empty() ? "" : ", ", name, value);
  return words;
}

Result<io::Figure> solution_figure(const Task& task, const io::RunResult& result, const io::RowSource& x) {
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
  const auto channels = plotted(task), columns = columns_of(task.recorded, channels);
  struct Curve {
    std::size_t panel, series, column;
    io::ThinCurve points;
  };
  std::vector<Curve> curves;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    const std::size_t j = columns[k];
    const std::string name = panel_of(task.instance.problem.dae->layout(), x, channels[k], j);
    const auto [at, is_new] = panel_at.try_emplace(name, figure.panels.size());
    if (is_new) figure.panels.push_back({.y_label = name, .marks = marks});
    io::Panel& panel = figure.panels[at->second];
    if (panel.series.size() < most_curves) {
      curves.push_back({at->second, panel.series.size(), j, curve_over_time(task, result, x.n_rows)});
      panel.series.push_back({.name = x.names[j]});
    } else if (panel.y_label == name) {
      panel.y_label += fmt::format(", the first {}", most_curves);
    }
  }
  const auto read = x.each_row([&](double t, In values) {
    for (Curve& curve : curves) curve.points.add(t, t, values[curve.column]);
    return true;
  });
  if (!read) return read.error();
  for (Curve& curve : curves) curve.points.finish(figure.panels[curve.panel].series[curve.series]);
  return figure;
}

Result<io::Figure> steps_figure(const Task& task, const io::RunResult& result, const io::RowSource& x) {
  io::Panel panel{.y_label = "step size [s]", .y_scale = io::Scale::logarithmic};
  auto points = curve_over_time(task, result, x.n_steps);
  const auto read = x.each_step([&](double t, double h) {
    points.add(t, t, h);
    return true;
  });
  if (!read) return read.error();
  points.finish(panel.series.emplace_back());
  for (const auto& event : x.events) panel.marks.push_back(event.t);
  return io::Figure{
      .title = fmt::format("Step sizes: {}", result.title.empty() ? result.problem : result.title),
      .subtitle = fmt::format("{}, {} accepted, {} rejected{}", result.method, result.statistics.accepted,
                              result.statistics.rejected,
                              result.statistics.failed > 0 ? fmt::format(", {} failed", result.statistics.failed) : ""),
      .x_label = "t [s]",
      .x_scale = task.config.output.time_axis,
      .panels = {panel}};
}

}  // namespace rubato::app
