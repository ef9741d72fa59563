// Figure 5.4: energy of the double pendulum with a stiff torsion spring, in Lagrange's and Hamilton's form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/runs.hpp"
#include "experiments/stiff_irk/stiff_irk.hpp"

namespace rubato::experiments::stiff {

namespace {
/// The mass matrix as printed (A), or that of two rods (B); smooth and rough start.
struct Case {
  const char* name;
  bool printed, smooth;
  double q1;
  const char* prototype[2][2];  ///< [h = 0.1, 0.01][Lagrange, Hamilton]
};
constexpr Case cases[] = {{"A, smooth", true, true, -1.300607e-4, {{"3.8e-6", "3.8e-6"}, {"3.8e-10", "3.8e-10"}}},
                          {"B, smooth", false, true, 3.341901e-4, {{"6.5e-5", "6.0e-5"}, {"2.8e-8", "2.8e-8"}}},
                          {"A, rough", true, false, 0.02, {{"2.0", "2.0"}, {"2.0", "2.0"}}},
                          {"B, rough", false, false, 0.02, {{"1.8–1.9", "1.8–1.9"}, {"1.8–1.9", "1.8–1.9"}}}};
constexpr double steps[] = {0.1, 0.01};
constexpr const char* forms[] = {"semi-explicit", "hamilton"};
constexpr const char* form_words[] = {"Lagrange", "Hamilton"};

/// IIIC on the spring's angle and what belongs to it, IIID on the other.
Setup setup(const Case& which, const char* formulation, double h) {
  Setup setup{.problem = "double-pendulum",
              .parameters = {{"printed", which.printed ? 1 : 0}, {"q1", which.q1}},
              .formulation = formulation,
              .method = "lobatto-iiidc-3:1"};
  setup.options.step.fixed_step = h;
  setup.options.any_index = true;
  setup.options.runge_kutta.theta_of = {{"q1", 0.0}};
  return setup;
}

std::string words(const Outcome& run, double value) {
  return run.trouble.empty() ? fmt::format("{:.1e}", value) : run.trouble;
}
}  // namespace

Section figure_5_4(const Control& control) {
  Section section{
      .setting =
          "`double-pendulum`, k = 10⁴, 0 ≤ t ≤ 10, constant steps; Lobatto IIIC for q₁ and its velocity or "
          "momentum, IIID for the rest. A: mass matrix as printed, B: that of two rods. Smooth: on the slow "
          "motion; rough: q₁(0) = 0.02. "
          "The table shows the deviation of the energy from its start, the prototype's largest (smooth) and "
          "last (rough).",
      .values = {{"case", "h", "form", "prototype", "ours, largest", "ours, at the end"}, {}}};
  for (const Case& which : cases) {
    io::Figure figure{.title = fmt::format("Energy error of the double pendulum, {}",
                                           which.printed ? "matrix as printed" : "two rods"),
                      .subtitle = "IIIC on q₁, IIID on q₂, smooth start",
                      .x_label = "t [s]",
                      .x_extent = {0, 10}};
    for (int i = 0; i < 2; ++i) {
      io::Panel panel{
          .y_label = fmt::format("|H − H₀|, h = {}", steps[i]), .y_scale = io::Scale::logarithmic, .height = 190};
      for (int k = 0; k < 2; ++k) {
        const Outcome run = execute(setup(which, forms[k], steps[i]), control, Keep::steps);
        const auto& energy = run.column("energy");
        io::Series series{.name = form_words[k]};
        double largest = 0;
        for (std::size_t n = 1; n < energy.size(); ++n) {
          series.x.push_back(run.times[n]);
          series.y.push_back(std::abs(energy[n] - energy[0]));
          largest = std::max(largest, series.y.back());
        }
        section.values.rows.push_back({which.name, steps[i], form_words[k], which.prototype[i][k], words(run, largest),
                                       words(run, energy.empty() ? 0 : std::abs(energy.back() - energy.front()))});
        panel.series.push_back(series);
      }
      figure.panels.push_back(panel);
    }
    if (which.smooth) section.pictures.push_back({which.printed ? "figure-5.4a" : "figure-5.4b", "", figure});
  }
  section.difference =
      "The thesis reports a large, oscillating energy error of Lagrange's form at h = 0.01. With consistent equations "
      "there "
      "is none: both forms agree. The printed force belongs to the momentum form; read as M(q)q'' = f it does not "
      "conserve the "
      "energy even when integrated exactly (2·10⁻⁴ from the smooth start), which is the likely reason. "
      "Rods from the rough start lose more with h = 0.01 than the prototype did (2.4 against 1.8 to 1.9); both forms "
      "agree on it and "
      "tighter Newton tolerances do not change it, so we leave it open.";
  section.pictures.back().caption =
      "Both forms give nearly the same curves, and bounded ones. That of the rods with h = 0.01 rises before it "
      "settles: q₁ is "
      "damped, the rest is not.";
  return section;
}

}  // namespace rubato::experiments::stiff
