// rubato converge: fixed steps of decreasing size, errors by block, observed orders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interrupts.hpp"
#include "pictures.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/study.hpp"
#include "study.hpp"

namespace rubato::app {

namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What one method did: a column of errors per block.
struct Line {
  std::string method;
  int order = 0;
  std::vector<double> h;
  std::vector<std::vector<double>> errors;  ///< [block][step size]
};

io::Cell cell(double value) { return std::isnan(value) ? io::Cell("") : io::Cell(value); }

io::Figure figure_of(const Task& task, const std::vector<BlockError>& blocks, const std::vector<Line>& lines) {
  io::Figure figure{.title = "Convergence: " + task.config.problem,
                    .subtitle = fmt::format("{}{}fixed steps, error at t = {:.6g} s", choice_words(task),
                                            choice_words(task).empty() ? "" : ", ", task.instance.problem.t_end),
                    .x_label = "step size [s]",
                    .x_scale = io::Scale::logarithmic};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    io::Panel panel{.y_label = blocks[b].unit.empty()
                                   ? fmt::format("error of {}", blocks[b].block)
                                   : fmt::format("error of {} [{}]", blocks[b].block, blocks[b].unit),
                    .y_scale = io::Scale::logarithmic,
                    .height = blocks.size() > 1 ? 220.0 : 360.0};
    double h = std::numeric_limits<double>::infinity(), e = h;
    std::vector<int> orders;
    for (const auto& line : lines) {
      // The legend of the first panel serves all.
      panel.series.push_back(
          {.name = b == 0 ? line.method : std::string{}, .x = line.h, .y = line.errors[b], .markers = true});
      for (const double x : line.h) h = std::min(h, x);
      for (const double y : line.errors[b])
        if (y > 0) e = std::min(e, y);
      if (std::find(orders.begin(), orders.end(), line.order) == orders.end()) orders.push_back(line.order);
    }
    // A fan of the theoretical orders from the lower left corner.
    for (const int order : orders)
      panel.slopes.push_back(
          {.slope = static_cast<double>(order), .x = h, .y = 0.5 * e, .label = fmt::format("order {}", order)});
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}
}  // namespace

int converge(const StudyArguments& arguments) {
  for (const long n : arguments.steps)
    if (n < 1 || n > 1'000'000'000)
      return complain(
          Error{fmt::format("--steps: {} is not allowed; numbers of steps ≥ 1 and ≤ 1e9, e.g. --steps 20,40,80", n)});
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  auto study = make_study(arguments, {"solver.fixed_step"});
  if (!study) return stop_flag() ? interrupted : complain(study.error());

  std::vector<BlockError> blocks;
  std::vector<Line> lines;
  io::Table table;
  bool failed = false;
  for (const Task& task : study->tasks) {
    const InitialValueProblem& problem = task.instance.problem;
    const auto reference = reference_for(*study, task, arguments.reference_tolerance);
    if (!reference) return stop_flag() ? interrupted : complain(reference.error());
    Line line{.method = task.method->info.name, .order = task.method->info.order, .h = {}, .errors = {}};
    std::vector<BlockError> names;
    for (const long n : arguments.steps) {
      IntegrateOptions options = task.config.options;
      options.step.fixed_step = (problem.t_end - problem.t_start) / static_cast<double>(n);
      options.step.max_steps = std::max(options.step.max_steps, 2 * n);
      const auto end = run_quietly(task, options);
      if (!end) return complain(task.config.at("solver.method", in_run_file_words(end.error().message)));
      if (end->status == RunStatus::interrupted) return interrupted;
      names = block_errors(*problem.dae, view(end->x), view(end->base), view(reference->x), view(reference->base));
      line.h.push_back(options.step.fixed_step);
      line.errors.resize(names.size());
      const bool complete = completed(end->status);
      if (!complete) note(fmt::format("{} with {} steps: {}", line.method, n, in_run_file_words(end->reason)));
      failed = failed || !complete;
      for (std::size_t b = 0; b < names.size(); ++b) line.errors[b].push_back(complete ? names[b].error : nan);
    }
    if (blocks.empty()) {
      blocks = names;
      table.columns = {"method", "steps", "h [s]"};
      for (const auto& b : blocks) table.columns.insert(table.columns.end(), {"error " + b.block, "order " + b.block});
    }
    line.errors.resize(blocks.size());
    std::vector<std::vector<double>> orders;
    for (const auto& errors : line.errors) orders.push_back(observed_orders(line.h, errors));
    for (std::size_t i = 0; i < line.h.size(); ++i) {
      std::vector<io::Cell> row = {line.method, arguments.steps[i], line.h[i]};
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        row.push_back(cell(i < line.errors[b].size() ? line.errors[b][i] : nan));
        const double order = i < orders[b].size() ? orders[b][i] : nan;
        row.push_back(study->format == io::TableFormat::text && !std::isnan(order)
                          ? io::Cell(std::round(100 * order) / 100)
                          : cell(order));
      }
      table.rows.push_back(std::move(row));
    }
    lines.push_back(std::move(line));
  }
  const int shown = show(folder, *study, "converge", table, figure_of(study->tasks.front(), blocks, lines));
  return shown != done ? shown : failed ? numerical_failure : done;
}

}  // namespace rubato::app
