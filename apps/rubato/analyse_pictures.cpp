// Pictures of stability functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "analysed.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/runge_kutta_analysis.hpp"
#include "rubato/io/contour.hpp"

namespace rubato::app {

namespace {

constexpr int black = 6;  // of the palette

/// A curve of the picture: the method itself, or a member of its family of blends.
struct Member {
  std::string name;
  StabilityFunction R;
  bool asked = false;  ///< the one the user named
};

std::vector<Member> members(const Analysed& method) {
  if (!method.blended()) return {{method.name, method.R, true}};
  std::vector<double> thetas = {0, 0.25, 0.5, 0.75, 1};
  const RungeKuttaTable& table = *method.runge_kutta;
  if (std::find(thetas.begin(), thetas.end(), table.theta) == thetas.end()) thetas.push_back(table.theta);
  std::sort(thetas.begin(), thetas.end());
  std::vector<Member> all;
  for (const double theta : thetas)
    all.push_back({"θ = " + shortest(theta), stability_function(runge_kutta_table(table.family, table.s, theta)),
                   theta == table.theta});
  return all;
}

template <class Function>
io::Series curve(const std::string& name, const std::vector<double>& x, const Function& f) {
  io::Series series{.name = name, .x = x};
  for (const double v : x) series.y.push_back(f(v));
  return series;
}

std::string family_words(const Analysed& method) {
  return method.blended() ? fmt::format("{}, {} stages", method.runge_kutta->info().name, method.runge_kutta->s)
                          : method.name;
}

/// Poles and zeros, with room around them.
double size_of(const StabilityFunction& R) {
  double size = 3;
  for (const auto& z : R.poles()) size = std::max(size, std::abs(z));
  // Zeros run away where a blend comes near a method with fewer of them.
  for (const auto& z : R.zeros()) size = std::max(size, std::min(std::abs(z), 12.0));
  return size;
}

/// The smallest circle around all z with |R(z)| > 1 and Re z > 0, if there is one within reach.
std::optional<double> unstable_radius(const StabilityFunction& R) {
  const double reach = 6 * size_of(R);
  for (double r = reach; r > 1; r *= 0.98)
    for (int i = 1; i < 60; ++i)
      if (std::abs(R(std::polar(r, std::numbers::pi / 60 * i - std::numbers::pi / 2))) > 1)
        return r == reach ? std::nullopt : std::optional(r);
  return std::nullopt;
}

io::Grid square(double r) { return {.x_low = -r, .x_high = r, .y_low = -r, .y_high = r, .nx = 300, .ny = 300}; }

io::Figure complex_plane(const io::Grid& grid) {
  return {.x_label = "Re z",
          .panels = {{.y_label = "Im z", .marks = {0}, .y_extent = {grid.y_low, grid.y_high}}},
          .width = 640,
          .x_extent = {grid.x_low, grid.x_high},
          .equal_units = true};
}

io::Series points(const std::string& name, const std::vector<std::complex<double>>& z, int colour) {
  io::Series series{.name = z.empty() ? "" : name, .stroke = io::Stroke::none, .markers = true, .colour = colour};
  for (const auto& value : z) {
    series.x.push_back(value.real());
    series.y.push_back(value.imag());
  }
  return series;
}

double log_magnitude(const StabilityFunction& R, std::complex<double> z) { return std::log(std::abs(R(z))); }

io::Figure region_figure(const Analysed& method) {
  const auto all = members(method);
  const bool a_stable = method.R.a_stable();
  const double size = size_of(method.R);
  io::Grid grid{
      .x_low = -2 * size, .x_high = 1.2 * size, .y_low = -1.6 * size, .y_high = 1.6 * size, .nx = 300, .ny = 300};
  if (a_stable) {  // the left half plane is stable and dull
    double r = 2 * size;
    if (const auto radius = unstable_radius(method.R)) r = 1.1 * *radius;
    grid = {.x_low = -0.3 * r, .x_high = 1.05 * r, .y_low = -0.7 * r, .y_high = 0.7 * r, .nx = 300, .ny = 300};
  }
  io::Figure figure = complex_plane(grid);
  figure.title = "Stability region: " + family_words(method);
  figure.subtitle = fmt::format("|R(z)| ≤ 1{}; {}{}", method.blended() ? ", shaded for " + method.name : "",
                                method.R.l_stable() ? "L-stable"
                                : a_stable          ? "A-stable"
                                                    : "not A-stable",
                                method.blended() ? "" : ", squares: poles");
  io::Panel& panel = figure.panels.front();
  int colour = 0;
  const bool all_undamped =
      std::all_of(all.begin(), all.end(), [](const Member& member) { return member.R.dissipation().order == 0; });
  for (const auto& member : all) {
    if (all_undamped && !member.asked) continue;
    const auto set = io::level_set(grid, [&](double x, double y) { return log_magnitude(member.R, {x, y}); });
    if (member.asked) panel.series.push_back({.x = set.region.x, .y = set.region.y, .colour = colour, .filled = true});
    // Undamped members have the whole imaginary axis as boundary; rounding decides where: leave it to the mark.
    const bool undamped = member.R.dissipation().order == 0;
    panel.series.push_back({.name = !method.blended() ? "|R| = 1"
                                    : all_undamped    ? "every θ"
                                                      : member.name,
                            .x = undamped ? std::vector<double>{0, 0} : set.boundary.x,
                            .y = undamped ? std::vector<double>{grid.y_low, grid.y_high} : set.boundary.y,
                            .colour = colour});
    ++colour;
  }
  if (!method.blended()) panel.series.push_back(points("poles", method.R.poles(), 1));
  return figure;
}

io::Figure star_figure(const Analysed& method) {
  const io::Grid grid = square(1.35 * size_of(method.R));
  io::Figure figure = complex_plane(grid);
  figure.title = "Order star: " + method.name;
  const int dissipation = method.R.dissipation().order, dispersion = method.R.dispersion().order;
  const int order = dissipation == 0 ? dispersion : std::min(dissipation, dispersion);
  figure.subtitle = fmt::format("shaded: |R(z)| > |exp z|; {} arms at the origin: linear order {}", order + 1, order);
  // In the coordinates ln |z|, arg z: the arms are as wide near the origin as far from it.
  const double far = std::log(2 * grid.x_high), near = far - 7;
  auto set = io::level_set({near, far, -std::numbers::pi, std::numbers::pi, 360, 720}, [&](double u, double angle) {
    return -method.R.order_star(std::polar(std::exp(u), angle));  // f < 0 inside
  });
  for (auto* part : {&set.region, &set.boundary})
    for (std::size_t k = 0; k < part->x.size(); ++k) {
      const double radius = std::exp(part->x[k]), angle = part->y[k];
      part->x[k] = radius * std::cos(angle);
      part->y[k] = radius * std::sin(angle);
    }
  figure.panels.front().series = {{.x = set.region.x, .y = set.region.y, .colour = 0, .filled = true},
                                  {.name = "|R| = |exp z|", .x = set.boundary.x, .y = set.boundary.y, .colour = 0},
                                  points("poles", method.R.poles(), 1),
                                  points("zeros", method.R.zeros(), 0)};
  return figure;
}

io::Figure radius_figure(const Analysed& method) {
  const std::vector<double> chi = spaced(0.1, 100, 400, true);
  io::Figure figure{.title = "Spectral radius: " + family_words(method),
                    .subtitle = "ρ(χ) = |R(iχ)|, χ = ωh; dotted: χ = π, the shortest oscillation a step can show",
                    .x_label = "χ = ωh",
                    .x_scale = io::Scale::logarithmic,
                    .x_extent = {0.1, 100}};
  double highest = 1;
  io::Panel panel{.y_label = "ρ(χ)", .marks = {std::numbers::pi}};
  for (const auto& member : members(method)) {
    panel.series.push_back(curve(member.name, chi, [&](double x) { return member.R.spectral_radius(x); }));
    for (const double y : panel.series.back().y) highest = std::max(highest, std::min(y, 2.0));
  }
  if (method.runge_kutta && method.runge_kutta->family == RungeKuttaFamily::lobatto_iiidc &&
      method.runge_kutta->s == 3) {
    panel.series.push_back(curve("θ(χ), maximum", chi, [](double x) {
      return stability_function(runge_kutta_table(RungeKuttaFamily::lobatto_iiidc, 3, maximum_damping_theta(x)))
          .spectral_radius(x);
    }));
    panel.series.back().stroke = io::Stroke::dashed;
    panel.series.back().colour = black;
  }
  panel.y_extent = {0, 1.05 * highest};
  figure.panels = {panel};
  return figure;
}

io::Figure error_figure(const Analysed& method) {
  const std::vector<double> chi = spaced(0.1, 10, 300, true);
  io::Figure figure{.title = "Amplitude and phase error: " + family_words(method),
                    .subtitle = "R(iχ) = exp((−d_a + i d_p) χ)",
                    .x_label = "χ = ωh",
                    .x_scale = io::Scale::logarithmic,
                    .x_extent = {0.1, 10}};
  io::Panel amplitude{.y_label = "|d_a|", .y_scale = io::Scale::logarithmic, .height = 250};
  io::Panel phase{.y_label = "|d_p − 1|", .y_scale = io::Scale::logarithmic, .height = 250};
  const auto visible = [](double y, double below) {  // below: rounding
    return std::abs(y) > below ? std::abs(y) : std::numeric_limits<double>::quiet_NaN();
  };
  int colour = 0;
  bool undamped = false;
  for (const auto& member : members(method)) {
    const bool damps = member.R.dissipation().order > 0;
    undamped = undamped || !damps;
    amplitude.series.push_back(curve(member.name + (damps ? "" : ": none"), chi,
                                     [&](double x) { return visible(member.R.amplitude_error(x), 1e-17); }));
    phase.series.push_back(curve("", chi, [&](double x) { return visible(member.R.phase_error(x), 0); }));
    amplitude.series.back().colour = phase.series.back().colour = colour++;
  }
  const auto slope = [&](io::Panel& panel, const StabilityFunction::Leading& term) {
    if (term.order == 0) return;
    double lowest = std::abs(term.constant) * std::pow(chi.front(), term.order);  // below all curves
    for (const auto& series : panel.series)
      if (series.y.front() > 0) lowest = std::min(lowest, series.y.front());
    panel.slopes.push_back({.slope = static_cast<double>(term.order),
                            .x = chi.front(),
                            .y = 0.3 * lowest,
                            .label = fmt::format("order {}", term.order)});
  };
  slope(amplitude, method.R.dissipation());
  slope(phase, method.R.dispersion());
  if (!(undamped && amplitude.series.size() == 1)) figure.panels.push_back(amplitude);
  figure.panels.push_back(phase);
  return figure;
}

io::Figure oscillation_figure(const Analysed& method) {
  const std::vector<double> chi = spaced(0.01, 2 * std::numbers::pi, 400, false);
  io::Figure figure{.title = "Damping ratio and period error: " + family_words(method),
                    .subtitle = "what an undamped oscillation becomes; dotted: χ = π",
                    .x_label = "χ = ωh",
                    .x_extent = {0, 2 * std::numbers::pi}};
  io::Panel ratio{.y_label = "damping ratio d_a/d_p", .marks = {std::numbers::pi}, .height = 250};
  io::Panel period{.y_label = "period error 1/d_p − 1", .marks = {std::numbers::pi}, .height = 250};
  int colour = 0;
  for (const auto& member : members(method)) {
    ratio.series.push_back(curve(member.name, chi, [&](double x) { return member.R.damping_ratio(x); }));
    period.series.push_back(curve("", chi, [&](double x) { return member.R.period_error(x); }));
    ratio.series.back().colour = period.series.back().colour = colour++;
  }
  figure.panels = {ratio, period};
  return figure;
}

}  // namespace

std::vector<double> spaced(double low, double high, int n, bool logarithmic) {
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) {
    const double part = static_cast<double>(i) / n;
    x.push_back(logarithmic ? low * std::pow(high / low, part) : low + part * (high - low));
  }
  return x;
}

std::vector<std::pair<std::string, io::Figure>> stability_pictures(const Analysed& method) {
  return {{"stability_region", region_figure(method)},
          {"order_star", star_figure(method)},
          {"spectral_radius", radius_figure(method)},
          {"amplitude_phase", error_figure(method)},
          {"damping_period", oscillation_figure(method)}};
}

}  // namespace rubato::app
