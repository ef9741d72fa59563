// Figures 6.1 to 6.11: eigenvalues, deviations, structures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/realtime_sparsing/realtime_sparsing.hpp"
#include "experiments/realtime_sparsing/robot_run.hpp"
#include "experiments/runs.hpp"
#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/stability.hpp"
#include "rubato/realtime/static_qr.hpp"

namespace rubato::experiments::sparsing {

using namespace realtime;

namespace {

constexpr double step = 1e-3, gap = std::numeric_limits<double>::quiet_NaN();

/// Dots: points without neighbours.
class Dots {
 public:
  explicit Dots(std::string name) { series_.name = std::move(name); }
  void add(double x, double y) {
    series_.x.insert(series_.x.end(), {x, gap});
    series_.y.insert(series_.y.end(), {y, gap});
  }
  [[nodiscard]] const io::Series& series() const { return series_; }

 private:
  io::Series series_;
};

io::Figure spy(const std::string& title, const std::string& subtitle, int n, const Dots& dots) {
  const io::Extent rows{.low = -static_cast<double>(n) - 1, .high = 1},
      cols{.low = -1, .high = static_cast<double>(n) + 1};
  return {.title = title,
          .subtitle = subtitle,
          .x_label = "column",
          .panels = {{.y_label = "− row", .series = {dots.series()}, .height = 320, .y_extent = rows}},
          .width = 400,
          .x_extent = cols};
}

}  // namespace

Section eigenvalues(const Control& control) {
  const Robot& model = robot(ode);
  const StepPencil pencil = model.pencil(step);
  const std::vector<double>& values = model.jacobians[model.jacobians.size() / 2];
  const auto series = [&](const std::string& name, const realtime::Keep& keep) {
    io::Series result{.name = name, .stroke = io::Stroke::none, .markers = true};
    const auto spectrum = step_spectrum(pencil, values, keep);
    for (const auto& l : spectrum->lambda) {
      result.x.push_back(l.real());
      result.y.push_back(l.imag());
    }
    return result;
  };
  std::vector<double> angle = spaced(0, 6.2831853, 200);
  io::Series circle{.stroke = io::Stroke::dashed, .colour = 5};
  for (const double a : angle) {
    circle.x.push_back(std::cos(a));
    circle.y.push_back(std::sin(a));
  }
  Section section;
  section.pictures.push_back(
      {.name = "eigenvalues",
       .caption = "Eigenvalues of one step of the ODE at t = 0.5 s, τ = 1 ms, with the whole Jacobian and with entries "
                  "left out; dashed: "
                  "the unit circle. With ρ = 0.1 hardly any moves; with ρ = 1 stiff ones go towards the circle, none "
                  "beyond it.",
       .figure = {.title = "Eigenvalues before and after sparsing",
                  .x_label = "Re λ",
                  .panels = {{.y_label = "Im λ",
                              .series = {circle, series("whole", model.all()),
                                         series("ρ = 0.1", sparsed(ode, step, 0.1, control).keep),
                                         series("ρ = 1", sparsed(ode, step, 1, control).keep)}}},
                  .equal_units = true}});
  return section;
}

Section deviations(const Control& control) {
  const auto runs = trial(ode, step);
  const std::vector<double>& whole = runs->whole().values.front();
  const auto [low, high] = std::minmax_element(whole.begin(), whole.end());
  const std::vector<double> times = spaced(step, 1, static_cast<int>(whole.size()) - 1);
  io::Figure figure{
      .title = "Relative angle of gear 1",
      .subtitle = "linearly implicit Euler, τ = 1 ms; below: difference from the run with the whole Jacobian",
      .x_label = "t [s]",
      .panels = {{.y_label = "angle [rad]", .series = {{.name = "whole", .x = times, .y = whole}}},
                 {.y_label = "deviation [% of range]"}}};
  for (const auto& [form, rho] : {std::pair{ode, 0.01}, {ode, 1.0}, {torn, 1.0}, {full, 1.0}}) {
    if (control.stopped()) break;
    const auto of_form = trial(form, step);
    const TrialRun run = of_form->run(sparsed(form, step, rho, control).keep);
    io::Series difference{.name = fmt::format("{}, ρ = {:g}", form, rho), .x = times};
    for (std::size_t n = 0; n < whole.size(); ++n)
      difference.y.push_back(100 * (run.values.front()[n] - of_form->whole().values.front()[n]) / (*high - *low));
    if (form == ode && rho == 1)
      figure.panels[0].series.push_back(
          {.name = "ode, ρ = 1", .x = times, .y = run.values.front(), .stroke = io::Stroke::dashed});
    figure.panels[1].series.push_back(std::move(difference));
  }
  Section section;
  section.pictures.push_back({.name = "deviation",
                              .caption = "With ρ = 0.01 it is a phase error, as published; with ρ = 1 weakly damped "
                                         "oscillations of the gear join it.",
                              .figure = std::move(figure)});
  return section;
}

Section structures(const Control& control) {
  Section section;
  for (const std::string_view form : {full, torn, ode}) {
    const Robot& model = robot(form);
    for (const bool factor : {false, true})
      for (const double rho : {0.0, 0.01, 1.0}) {
        if (control.stopped()) return section;
        const realtime::Keep keep = rho == 0 ? model.all() : sparsed(form, step, rho, control).keep;
        const KeptMatrix matrix(model.structure.jacobian, keep, model.structure.mass, model.structure.mass_values,
                                step);
        Dots dots("");
        int count = 0;
        const auto add = [&](int row, int col) {
          dots.add(col, -row);
          ++count;
        };
        if (factor) {
          const QrTables tables(matrix.pattern(), qr_ordering(matrix.pattern()));
          for (std::size_t row = 0; row + 1 < tables.r_starts.size(); ++row)
            for (int p = tables.r_starts[row]; p < tables.r_starts[row + 1]; ++p)
              add(static_cast<int>(row), tables.r_cols[static_cast<std::size_t>(p)]);
        } else {
          for (int col = 0; col < matrix.pattern().cols(); ++col)
            for (const int row : matrix.pattern().column(col)) add(row, col);
        }
        const std::string which = rho == 0 ? std::string("whole") : fmt::format("ρ = {:g}", rho);
        const std::string file = fmt::format("{}-{}-{}", factor ? "r" : "df", form,
                                             rho == 0  ? "whole"
                                             : rho < 1 ? "0.01"
                                                       : "1");
        section.pictures.push_back(
            {.name = file,
             .caption = rho < 1
                            ? std::string()
                            : fmt::format("{}: entries of {}.", form, factor ? "R in its diagonal blocks" : "L − τJ"),
             .figure = spy(fmt::format("{} of {}", factor ? "R" : "L − τJ", form),
                           fmt::format("{}, {} entries", which, count), model.structure.jacobian.cols(), dots)});
      }
  }
  return section;
}

}  // namespace rubato::experiments::sparsing
