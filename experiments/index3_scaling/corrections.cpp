// Figure 1, table 2 and figure 3: how far Newton's iteration can be driven.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/index3_scaling/index3_scaling.hpp"
#include "experiments/index3_scaling/pendulum.hpp"

namespace rubato::experiments::scaling {

namespace {

const std::vector<double>& steps() {
  static const std::vector<double> h = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  return h;
}

io::Figure over_h(std::vector<io::Panel> panels) {
  return {.title = "Pendulum, BDF2: last decreasing Newton correction",
          .subtitle = "largest over all steps until t = 0.001",
          .x_label = "step size h",
          .x_scale = io::Scale::logarithmic,
          .panels = std::move(panels)};
}

io::Panel logarithmic(const char* label, std::vector<io::Series> series) {
  return {.y_label = label, .y_scale = io::Scale::logarithmic, .series = std::move(series)};
}

}  // namespace

Section figure_1(const Control& /*control*/) {
  long low = 0, high = 0, all = 0;
  std::vector<double> iterations, norms;
  PendulumRun run{.h = 1e-7, .forced_iterations = 10};
  run.step = [&](const PendulumState& state, const std::vector<Correction>& corrections) {
    ++all;
    double level = 0;
    for (std::size_t j = 4; j < corrections.size(); ++j) level = std::max(level, corrections[j].all);
    if (level > 1e-3) ++(level < 1e-2 ? low : high);
    if (std::lround(state.t / 1e-7) != 1452) return;
    for (std::size_t j = 0; j < corrections.size(); ++j) {
      iterations.push_back(static_cast<double>(j + 1));
      norms.push_back(corrections[j].all);
    }
  };
  const PendulumResult result = run_pendulum(run);
  io::Panel panel = logarithmic("norm of the correction", {{.x = iterations, .y = norms, .markers = true}});
  panel.height = 300;
  io::Table table{{"", "published", "prototype", "Rubato"}, {}};
  const auto share = [&](long n) {
    return fmt::format("{:.1f} %", 100.0 * static_cast<double>(n) / static_cast<double>(all));
  };
  table.rows = {
      {"level of saturation", "about 4e-3", "4.163e-3", fmt::format("{:.3e}", norms.empty() ? 0.0 : norms.back())},
      {"reached at iteration", "4", "3 to 4", "3 (step 1452)"},
      {"steps on this level", "", "12.0 %", share(low)},
      {"steps on a level nine times higher", "", "2.3 %", share(high)},
      {"steps", "", "10000", fmt::format("{}", result.steps)}};
  return {
      .setting =
          "Three fields without scaling, h = 10⁻⁷, ten iterations forced in each of the 10 000 steps; step 1452 is "
          "shown.",
      .values = table,
      .difference =
          "0.375 · 2⁻⁵³/h² = 4.163·10⁻³: one rounding error of u, seen by λ. Which step the publication shows is not "
          "said. In most steps the iteration ends in an exact fixed point of the arithmetic; how many do not depends "
          "on the order of additions.",
      .pictures = {{"figure-1",
                    "Saturation at the third iteration; an isolated zero is not drawn.",
                    {.title = "Pendulum without scaling, h = 10⁻⁷: Newton's corrections in one step",
                     .x_label = "iteration",
                     .panels = {panel}}}}};
}

Section table_2(const Control& control) {
  Section section{
      .setting =
          "Pendulum as in table 3; the iteration goes on while corrections shrink (33), and the largest last one of a "
          "run is "
          "shown, 2-norm, of the unknowns as they are scaled.",
      .values = {{"variant", "", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"}, {}},
      .difference =
          "Only scaled multipliers can be iterated to rounding, with velocities scaled at any h; rows alone change "
          "nothing, "
          "for LU with the same pivots makes the same errors. Values at h = 10⁻⁴ are accidents (ten steps, hardly any "
          "rounding); without scaling a first correction that is smaller than the second ends the iteration early."};
  const double prototype[7][5] = {
      {7e-20, 1.4e-6, 3.5e-4, 3.8e-2, 3.8},       {6e-20, 1.4e-6, 3.3e-4, 3.8e-2, 3.8},
      {6e-20, 9.5e-12, 2.2e-10, 1.7e-9, 2.5e-8},  {3e-23, 2.0e-16, 4.1e-16, 4.6e-16, 4.6e-16},
      {5.4e-7, 1.9e-6, 3.3e-4, 3.8e-2, 3.8},      {5.4e-7, 2.1e-6, 3.3e-4, 3.7e-2, 3.8},
      {2e-23, 1.8e-16, 3.9e-16, 2.7e-16, 3.9e-16}};
  std::vector<io::Series> curves;
  for (std::size_t i = 0; i < variants().size(); ++i) {
    const Variant& variant = variants()[i];
    std::vector<io::Cell> ours = {variant.name, "Rubato"}, theirs = {variant.name, "prototype"};
    io::Series curve{.name = variant.name, .x = steps(), .markers = true};
    for (std::size_t j = 0; j < steps().size(); ++j) {
      if (control.stopped()) return section;
      curve.y.push_back(run_pendulum({.variant = variant, .h = steps()[j]}).largest.all);
      ours.emplace_back(std::stod(fmt::format("{:.1e}", curve.y.back())));
      theirs.emplace_back(prototype[i][j]);
    }
    section.values.rows.push_back(ours);
    section.values.rows.push_back(theirs);
    curves.push_back(std::move(curve));
  }
  section.pictures = {
      {"figure-2", "Multipliers scaled: what remains are velocities.",
       over_h({logarithmic("norm", {curves[0], curves[1], curves[2]})})},
      {"figure-5", "Velocities scaled as well: rounding, whatever h is.",
       over_h({logarithmic("norm", {curves[0], curves[1], curves[3]})})},
      {"figure-7", "Velocities eliminated.", over_h({logarithmic("norm", {curves[4], curves[5], curves[6]})})}};
  return section;
}

Section figure_3(const Control& control) {
  Section section{
      .setting = "As table 2, three fields, each field for itself, as it is scaled.",
      .values = {{"variant", "field", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"}, {}},
      .difference =
          "Prototype, λ scaled: u 1.1e-16, v 9.5e-12, 2.2e-10, 1.7e-9, 2.5e-8, λh² below 5e-16. Displacements "
          "of 1e-9 and less without scaling are genuine corrections: the iteration was stopped by λ."};
  const struct {
    const char* name;
    double Correction::*which;
  } fields[] = {{"u", &Correction::u}, {"v", &Correction::v}, {"lambda", &Correction::lambda}};
  std::vector<io::Panel> panels;
  for (const auto& [name, which] : fields) panels.push_back(logarithmic(name, {}));
  for (std::size_t i = 0; i < 3; ++i) {
    const Variant& variant = variants()[i];
    std::vector<Correction> found;
    for (const double h : steps()) {
      if (control.stopped()) return section;
      found.push_back(run_pendulum({.variant = variant, .h = h}).largest);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      io::Series curve{.name = variant.name, .x = steps(), .markers = true};
      std::vector<io::Cell> row = {variant.name, fields[k].name};
      for (const Correction& c : found) {
        curve.y.push_back(c.*fields[k].which);
        row.emplace_back(std::stod(fmt::format("{:.1e}", curve.y.back())));
      }
      section.values.rows.push_back(row);
      panels[k].series.push_back(curve);
    }
  }
  section.pictures = {{"figure-3", "Displacements, velocities, multipliers (times h² where scaled).", over_h(panels)}};
  return section;
}

}  // namespace rubato::experiments::scaling
