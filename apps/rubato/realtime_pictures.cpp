#include "realtime_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rubato/realtime/static_lu.hpp"
#include "rubato/realtime/static_qr.hpp"

namespace rubato::app {

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr int blue = 0, orange = 1, palette_black = 6;  // of the palette

/// Dots: points that no line joins.
void dot(io::Series& series, double x, double y) {
  series.x.insert(series.x.end(), {x, gap});
  series.y.insert(series.y.end(), {y, gap});
}

io::Series unit_circle() {
  io::Series circle{.stroke = io::Stroke::dashed, .colour = palette_black, .opacity = 0.5};
  for (int k = 0; k <= 180; ++k) {
    circle.x.push_back(std::cos(2 * std::numbers::pi * k / 180));
    circle.y.push_back(std::sin(2 * std::numbers::pi * k / 180));
  }
  return circle;
}

/// Bars of a histogram, from bin to bin.
io::Panel histogram(const realtime::StepTimes& times, std::string label, int colour, double mark) {
  io::Series outline{.colour = colour};
  for (std::size_t b = 0; b < times.bins().size(); ++b) {
    if (times.bins()[b] == 0) continue;
    const double end = 1e-3 * realtime::StepTimes::bin_end(static_cast<int>(b)),
                 begin = end * std::exp2(-1.0 / realtime::StepTimes::bins_per_octave),
                 count = static_cast<double>(times.bins()[b]);
    outline.x.insert(outline.x.end(), {begin, begin, end, end, gap});
    outline.y.insert(outline.y.end(), {0.5, count, count, 0.5, gap});
  }
  io::Series area = outline;
  area.filled = true;
  return {.y_label = std::move(label),
          .y_scale = io::Scale::logarithmic,
          .series = {std::move(area), std::move(outline)},
          .marks = {mark}};
}

}  // namespace

io::Figure eigenvalue_figure(const std::string& title, const std::vector<realtime::StepSpectrum>& whole,
                             const std::vector<realtime::StepSpectrum>& kept) {
  const auto panel = [](const char* name, const std::vector<realtime::StepSpectrum>& spectra, int colour) {
    io::Series series{.colour = colour};
    for (const auto& spectrum : spectra)
      for (const auto& lambda : spectrum.lambda) dot(series, lambda.real(), lambda.imag());
    return io::Panel{.y_label = fmt::format("Im λ, {}", name), .series = {unit_circle(), std::move(series)}};
  };
  return {.title = title,
          .subtitle = fmt::format("eigenvalues of a step at {} samples, and the unit circle", whole.size()),
          .x_label = "Re λ",
          .panels = {panel("whole Jacobian", whole, blue), panel("plan", kept, orange)},
          .equal_units = true};
}

io::Figure spy_figure(const std::string& title, const SparsePattern& kept, const SparsePattern* whole) {
  const double n = kept.cols();
  io::Series there{.name = whole != nullptr ? "kept" : "", .colour = blue}, gone{.name = "left out", .colour = orange};
  const auto each = [](const SparsePattern& pattern, auto&& take) {
    for (int j = 0; j < pattern.cols(); ++j)
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
        take(pattern.row_indices()[p], j);
  };
  each(kept, [&](int i, int j) { dot(there, j + 1, -(i + 1)); });
  std::vector<io::Series> series = {there};
  std::string subtitle = fmt::format("{} entries", kept.nnz());
  if (whole != nullptr) {
    each(*whole, [&](int i, int j) {
      if (kept.index_of(i, j) < 0) dot(gone, j + 1, -(i + 1));
    });
    series.push_back(gone);
    subtitle += fmt::format(" of {}", whole->nnz());
  }
  return {.title = title,
          .subtitle = subtitle,
          .x_label = "column",
          .panels = {{.y_label = "−row", .series = std::move(series), .y_extent = {-n - 1, 0}}},
          .x_extent = {0, n + 1},
          .equal_units = true};
}

SparsePattern factor_pattern(const realtime::Plan& plan) {
  const SparsePattern a = step_matrix(plan).pattern();
  std::vector<Entry> entries;
  const auto add = [&](const std::vector<int>& starts, const std::vector<int>& cols) {
    for (int i = 0; i + 1 < static_cast<int>(starts.size()); ++i)
      for (int p = starts[i]; p < starts[i + 1]; ++p) entries.push_back({i, cols[p]});
  };
  if (plan.back_end == realtime::StaticKind::lu) {
    const realtime::LuTables tables(a, plan.ordering);
    add(tables.l_starts, tables.l_cols);
    add(tables.u_starts, tables.u_cols);
  } else {
    const realtime::QrTables tables(a, plan.ordering);
    add(tables.r_starts, tables.r_cols);
  }
  return SparsePattern::from_entries(a.rows(), a.cols(), std::move(entries));
}

io::Figure deviation_figure(const std::string& title, const OfflineStudy& study, const std::string& channel) {
  const auto& names = study.plan_motion.names;
  const auto j = static_cast<std::size_t>(std::ranges::find(names, channel) - names.begin());
  const auto exact = study.accurate_motion.column(j);
  io::Panel motion{.y_label = channel}, difference{.y_label = "difference from the accurate run"};
  const auto add = [&](const char* name, const io::Trajectory& trajectory, io::Stroke stroke) {
    io::Series value{.name = name, .x = trajectory.times, .y = trajectory.column(j), .stroke = stroke}, away = value;
    for (std::size_t i = 0; i < away.y.size(); ++i) away.y[i] -= exact[i];
    motion.series.push_back(std::move(value));
    difference.series.push_back(std::move(away));
  };
  add("plan", study.plan_motion, io::Stroke::solid);
  add("whole Jacobian", study.whole_motion, io::Stroke::dashed);
  motion.series.push_back({.name = "accurate", .x = study.accurate_motion.times, .y = exact, .colour = palette_black});
  return {.title = title,
          .subtitle = "the unknown or output that deviates most",
          .x_label = "t [s]",
          .panels = {std::move(motion), std::move(difference)}};
}

io::Figure times_figure(const std::string& title, const realtime::RunnerReport& report, double step) {
  const double mark = 1e6 * step;
  io::Figure figure{.title = title,
                    .subtitle = fmt::format("{} steps, median {:.1f} µs, longest {:.1f} µs, {} deadlines missed",
                                            report.steps, 1e-3 * report.times.quantile(0.5),
                                            1e-3 * static_cast<double>(report.times.longest()), report.missed),
                    .x_label = "µs; dotted: a step of the clock",
                    .x_scale = io::Scale::logarithmic,
                    .panels = {histogram(report.times, "steps that took so long", blue, mark)}};
  if (report.wake_up.count() > 0)
    figure.panels.push_back(histogram(report.wake_up, "wake-ups that came so late", orange, mark));
  const auto longest = static_cast<double>(std::max(report.times.longest(), report.wake_up.longest()));
  figure.x_extent = {1, 1.2 * std::max(mark, 1e-3 * longest)};
  return figure;
}

}  // namespace rubato::app
