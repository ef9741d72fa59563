// Figures 5.13 and 5.14: the loading platform of a truck in modal coordinates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/runs.hpp"
#include "experiments/stiff_irk/stiff_irk.hpp"

namespace rubato::experiments::stiff {

namespace {
/// Tolerances and first step as published; RADAU5 mode.
IntegrateOptions platform_options() {
  IntegrateOptions options = radau5_mode(1e-4, 0.1);
  options.tolerances.atol = 1e-12;
  return options;
}

Setup platform_setup(double speed, IntegrateOptions options) {
  return {.problem = "truck-platform", .parameters = {{"speed", speed}}, .options = std::move(options)};
}

/// Modes left unscaled after seven attempts with steps of h.
long unscaled_modes(const catalogue::Instance& platform, double h) {
  InitialValueProblem problem = platform.problem;
  problem.t_end = 8 * h;
  IntegrateOptions options = detecting(platform_options(), {.measure = StiffnessMeasure::estimates});
  options.step.initial_step = 0;
  options.step.fixed_step = h;
  const auto run = integrate(problem, "radau5", options);
  return run.ok() ? platform.system->sizes().q - static_cast<long>(run->stiff.size()) : -1;
}

/// ω of all modes, rad/s: the catalogue names no unit of mass, so −∂f/∂q by a displacement of one.
std::vector<double> platform_frequencies(const catalogue::Instance& platform) {
  const Dae& dae = *platform.problem.dae;
  ScratchMemory memory(dae.scratch_bytes());
  Vector x = Vector::Zero(dae.size()), rest(dae.size()), moved(dae.size());
  At at;
  at.x = view(std::as_const(x));
  at.scratch = memory.scratch();
  static_cast<void>(dae.f(at, view(rest)));
  const Eigen::Index n = x.size() / 2;
  x.head(n).setOnes();
  static_cast<void>(dae.f(at, view(moved)));
  std::vector<double> omega;
  for (Eigen::Index i = n; i < 2 * n; ++i) omega.push_back(std::sqrt(rest[i] - moved[i]));
  return omega;
}
}  // namespace

Section figure_5_13(const Control& control) {
  Section section{.setting =
                      "`truck-platform`, 655 modes from 13.6 Hz to 219 kHz, at rest in equilibrium; RADAU5 with fixed "
                      "steps h, the published measure (ζ < −0.4 in more than two of seven steps). *expected*: modes "
                      "with ω < 10^0.2/(γ₀h), for which ζ ≈ −2 log₁₀(γ₀hω) is above the threshold.",
                  .values = {{"h", "expected", "slow excitation", "fast excitation"}, {}},
                  .difference =
                      "Published as a picture: the number of unscaled modes grows regularly as h falls, and a few high "
                      "modes escape because their estimates are below 10⁻¹⁵. Here no mode escapes for being small: an "
                      "estimate counts where it is above the rounding of its position. That a slow excitation flags "
                      "far more modes than a fast one is not seen either: the numbers differ by two at most. Geometry, "
                      "material and Fourier coefficients of the source are not printed."};
  const auto slow = catalogue::make_problem("truck-platform", {{"speed", 1.0}}),
             fast = catalogue::make_problem("truck-platform", {{"speed", 100.0}});
  if (!slow || !fast) return section;
  const auto omega = platform_frequencies(*slow);
  constexpr double gamma0 = 0.2748888295956774;  // of Radau IIA with three stages
  io::Series slow_series{.name = "slow"}, fast_series{.name = "fast, u(100 t)"}, expected{.name = "ω < 10^0.2/(γ₀h)"};
  for (const double h : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
    if (control.stopped()) break;
    const double limit = std::pow(10, 0.2) / (gamma0 * h);
    const long softer = std::count_if(omega.begin(), omega.end(), [&](double w) { return w < limit; });
    const long of_slow = unscaled_modes(*slow, h), of_fast = unscaled_modes(*fast, h);
    section.values.rows.push_back({fmt::format("{:.0e}", h), softer, of_slow, of_fast});
    for (auto* series : {&slow_series, &fast_series, &expected}) series->x.push_back(h);
    slow_series.y.push_back(static_cast<double>(of_slow));
    fast_series.y.push_back(static_cast<double>(of_fast));
    expected.y.push_back(static_cast<double>(softer));
  }
  io::Figure figure{.title = "Loading platform: modes that are not scaled",
                    .subtitle = "of 655, by the step size",
                    .x_label = "h [s]",
                    .x_scale = io::Scale::logarithmic};
  figure.panels = {{.y_label = "modes",
                    .y_scale = io::Scale::logarithmic,
                    .series = {std::move(slow_series), std::move(fast_series), std::move(expected)},
                    .height = 240}};
  section.pictures = {{"figure-5.13", "The smaller the step, the more modes it has to follow.", std::move(figure)}};
  return section;
}

Section figure_5_14(const Control& control) {
  IntegrateOptions unscaled = platform_options();
  unscaled.step.max_steps = 5000;
  // Step sizes alone: 655 modes at each of 80 000 steps would be too much.
  const auto steps_of = [&](IntegrateOptions options) {
    return execute(platform_setup(1, std::move(options)), control, Keep::steps, spaced(0, 14, 1));
  };
  io::Figure figure{.title = "Loading platform: step sizes",
                    .subtitle = "RADAU5 mode, rtol = 10⁻⁴, atol = 10⁻¹², first step 0.1",
                    .x_label = "t [s]",
                    .x_extent = {0, 14}};
  io::Panel panel{.y_label = "step size [s]", .y_scale = io::Scale::logarithmic, .height = 240, .y_extent = {1e-7, 1}};
  Section section{.setting = "`truck-platform`, slow excitation, tolerances and first step as published, RADAU5 mode.",
                  .values = {{"run", "attempts", "largest step", "t reached", "modes found stiff at the end"}, {}},
                  .difference =
                      "As published: without h-scaling the step never becomes large (stopped after 5000 attempts), "
                      "with it the curve is smooth after a start in which vibrations die out that the start at rest "
                      "sets free. The curve itself is lost with the figure."};
  const auto add = [&](const std::string& name, const Outcome& run) {
    const auto& sizes = run.step_sizes;
    section.values.rows.push_back(
        {name, run.summary.statistics.steps,
         fmt::format("{:.1e}", sizes.empty() ? 0.0 : *std::max_element(sizes.begin(), sizes.end())),
         fmt::format("{:.3g}", run.summary.t), static_cast<long>(run.stiff.size())});
    panel.series.push_back(step_series(name, run));
  };
  add("unscaled", steps_of(unscaled));
  add("found by estimates", steps_of(detecting(platform_options(), {.measure = StiffnessMeasure::estimates})));
  add("found by frequencies", steps_of(detecting(platform_options(), {})));
  figure.panels = {std::move(panel)};
  section.pictures = {{"figure-5.14", "Scaled runs take large steps once the vibrations of the start have died out.",
                       std::move(figure)}};
  return section;
}

}  // namespace rubato::experiments::stiff
