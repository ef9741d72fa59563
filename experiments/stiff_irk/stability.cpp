// Figures 3.1 to 3.4 and 4.3, table 3.4: linear stability of the blended Lobatto methods with three stages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/runs.hpp"
#include "experiments/stiff_irk/stiff_irk.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/runge_kutta_analysis.hpp"
#include "rubato/io/contour.hpp"

namespace rubato::experiments::stiff {

namespace {
using Family = RungeKuttaFamily;
constexpr double pi = std::numbers::pi;

StabilityFunction blend(Family family, double theta, int s = 3) {
  return stability_function(runge_kutta_table(family, s, theta));
}

std::string theta_words(double theta) { return "θ = " + shortest(theta); }

/// min of both, an infinite order (0) left out.
int linear_order(const StabilityFunction& R) {
  const int a = R.dissipation().order, p = R.dispersion().order;
  return a == 0 ? p : std::min(a, p);
}

io::Figure boundaries(Family family, const std::string& name) {
  constexpr io::Grid grid{.x_low = -3, .x_high = 27, .y_low = -15, .y_high = 15, .nx = 160, .ny = 160};
  io::Figure figure{.title = "Stability boundaries: " + name,
                    .subtitle = "three stages; stable outside the curves, θ = 1: left of the axis",
                    .x_label = "Re z",
                    .panels = {{.y_label = "Im z", .marks = {0}, .y_extent = {grid.y_low, grid.y_high}}},
                    .width = 520,
                    .x_extent = {grid.x_low, grid.x_high},
                    .equal_units = true};
  for (const double theta : {0.0, 0.25, 0.5, 0.75}) {
    const StabilityFunction R = blend(family, theta);
    const auto set = io::level_set(grid, [&](double x, double y) { return std::log(std::abs(R({x, y}))); });
    figure.panels.front().series.push_back({.name = theta_words(theta), .x = set.boundary.x, .y = set.boundary.y});
  }
  return figure;
}

io::Series points(const std::string& name, const std::vector<std::complex<double>>& z, int colour) {
  io::Series series{.name = z.empty() ? "" : name, .stroke = io::Stroke::none, .markers = true, .colour = colour};
  for (const auto& value : z) {
    series.x.push_back(value.real());
    series.y.push_back(value.imag());
  }
  return series;
}

io::Figure star(double theta, const StabilityFunction& R) {
  constexpr double size = 8;
  io::Figure figure{.title = "IIIAC, " + theta_words(theta),
                    .subtitle = fmt::format("{} arms: linear order {}", linear_order(R) + 1, linear_order(R)),
                    .x_label = "Re z",
                    .panels = {{.y_label = "Im z", .marks = {0}, .y_extent = {-size, size}}},
                    .width = 420,
                    .x_extent = {-size, size},
                    .equal_units = true};
  // In ln |z| and arg z the arms are as wide near the origin as far from it.
  const double far = std::log(2 * size), near = far - 5;
  auto set = io::level_set({near, far, -pi, pi, 120, 360},
                           [&](double u, double angle) { return -R.order_star(std::polar(std::exp(u), angle)); });
  for (std::size_t k = 0; k < set.region.x.size(); ++k) {
    const double radius = std::exp(set.region.x[k]), angle = set.region.y[k];
    set.region.x[k] = radius * std::cos(angle);
    set.region.y[k] = radius * std::sin(angle);
  }
  figure.panels.front().series = {{.x = set.region.x, .y = set.region.y, .colour = 0, .filled = true},
                                  points("poles", R.poles(), 1),
                                  points("zeros", R.zeros(), 0)};
  return figure;
}

std::string order_words(int order) { return order == 0 ? "∞" : std::to_string(order); }
}  // namespace

Section figure_3_1(const Control& /*control*/) {
  return {.pictures = {{"figure-3.1-iiiac", "", boundaries(Family::lobatto_iiiac, "IIIAC")},
                       {"figure-3.1-iiidc", "A-stable for every θ: no curve enters the left half plane.",
                        boundaries(Family::lobatto_iiidc, "IIIDC")}}};
}

Section figure_3_2(const Control& /*control*/) {
  const auto chi = spaced(0.1, 100, 240, true);
  io::Figure figure{.title = "Spectral radii of the blends with three stages",
                    .subtitle = "ρ(χ) = |R(iχ)|, χ = ωh; dotted: χ = π, the shortest oscillation a step can show",
                    .x_label = "χ = ωh",
                    .x_scale = io::Scale::logarithmic,
                    .x_extent = {0.1, 100}};
  const std::pair<Family, const char*> families[] = {{Family::lobatto_iiiac, "IIIAC"},
                                                     {Family::lobatto_iiidc, "IIIDC"}};
  io::Table values{{"family", "θ", "ρ(π)", "ρ(10)", "R(∞)"}, {}};
  for (const auto& [family, name] : families) {
    io::Panel panel{.y_label = fmt::format("ρ, {}", name), .marks = {pi}, .height = 210, .y_extent = {0, 1.05}};
    for (const double theta : {0.0, 0.25, 0.5, 0.6, 0.75, 1.0}) {
      const StabilityFunction R = blend(family, theta);
      panel.series.push_back(curve(theta_words(theta), chi, [&](double x) { return R.spectral_radius(x); }));
      const double infinity = R.at_infinity();
      values.rows.push_back(
          {name, theta, R.spectral_radius(pi), R.spectral_radius(10), std::abs(infinity) < 1e-12 ? 0 : infinity});
    }
    figure.panels.push_back(panel);
  }
  return {
      .values = values,
      .pictures = {{"figure-3.2",
                    "θ = 0 is Lobatto IIIC; IIIAC with θ = 0.6 damps as Radau IIA does. The curves of IIIDC cross: for "
                    "each χ another θ damps most (figure 4.3).",
                    figure}}};
}

Section table_3_4(const Control& /*control*/) {
  io::Table values{{"family", "stages", "θ", "dispersion, published", "dispersion, ours", "dissipation, published",
                    "dissipation, ours"},
                   {}};
  for (const int s : {2, 3, 4}) {
    const double radau = s / (2.0 * s - 1), gauss = 2 - 2 / (2.0 * s - 1) * std::sqrt((2.0 * s - 1) * (s - 1));
    struct Row {
      Family family;
      const char* name;
      double theta;
      int dispersion, dissipation;
    };
    const Row rows[] = {{Family::lobatto_iiiac, "IIIAC", 0.25, 2 * s - 2, 2 * s - 1},
                        {Family::lobatto_iiiac, "IIIAC", radau, 2 * s, 2 * s - 1},
                        {Family::lobatto_iiiac, "IIIAC", 1, 2 * s - 2, 0},
                        {Family::lobatto_iiidc, "IIIDC", 0.25, 2 * s - 2, 2 * s - 1},
                        {Family::lobatto_iiidc, "IIIDC", 1, 2 * s - 2, 0},
                        {Family::lobatto_iiiabd, "IIIABD", 0.25, 2 * s - 2, 0},
                        {Family::lobatto_iiiabd, "IIIABD", gauss, 2 * s, 0}};
    for (const Row& row : rows) {
      const StabilityFunction R = blend(row.family, row.theta, s);
      values.rows.push_back({row.name, long{s}, row.theta, order_words(row.dispersion),
                             order_words(R.dispersion().order), order_words(row.dissipation),
                             order_words(R.dissipation().order)});
    }
  }
  return {.setting =
              "θ = s/(2s−1) gives Radau IIA's stability function, θ = 2 − 2√((2s−1)(s−1))/(2s−1) that of Gauss; "
              "0.25 stands for every other θ.",
          .values = values,
          .difference = "Computed from the series of ln R(z) − z, not from a fit."};
}

Section figure_3_3(const Control& /*control*/) {
  Section section{.values = {{"θ", "arms published", "arms", "poles", "zeros"}, {}}};
  const std::pair<double, const char*> thetas[] = {{0, "a"}, {0.5, "b"}, {0.6, "c"}, {1, "d"}};
  for (const auto& [theta, letter] : thetas) {
    const StabilityFunction R = blend(Family::lobatto_iiiac, theta);
    section.values.rows.push_back({theta, theta == 0.6 ? 6L : 5L, static_cast<long>(linear_order(R) + 1),
                                   static_cast<long>(R.poles().size()), static_cast<long>(R.zeros().size())});
    section.pictures.push_back({fmt::format("figure-3.3{}", letter), "", star(theta, R)});
  }
  section.pictures.back().caption =
      "Order stars, shaded where |R(z)| > |exp z|. The number of shaded arms at the origin is one more than the linear "
      "order; at θ = 0.6, Radau IIA's stability function, there are six. Poles and zeros together are one more for "
      "0 < θ < 1 than at the edges.";
  return section;
}

Section figure_3_4(const Control& /*control*/) {
  const auto chi = spaced(0.02, 2 * pi, 160);
  io::Figure figure{.title = "Damping ratio and period error of IIIAC with three stages",
                    .subtitle = "what an undamped oscillation becomes; dotted: χ = π",
                    .x_label = "χ = ωh",
                    .x_extent = {0, 2 * pi}};
  io::Panel ratio{.y_label = "damping ratio d_a/d_p", .marks = {pi}, .height = 210};
  io::Panel period{.y_label = "period error 1/d_p − 1", .marks = {pi}, .height = 210};
  int colour = 0;
  for (const double theta : {0.0, 0.25, 0.5, 0.6, 0.75, 1.0}) {
    const StabilityFunction R = blend(Family::lobatto_iiiac, theta);
    ratio.series.push_back(curve(theta_words(theta), chi, [&](double x) { return R.damping_ratio(x); }));
    period.series.push_back(curve("", chi, [&](double x) { return R.period_error(x); }));
    ratio.series.back().colour = period.series.back().colour = colour++;
  }
  figure.panels = {ratio, period};
  return {
      .pictures = {
          {"figure-3.4",
           "Damping falls as θ rises (the thesis says the opposite in words) and vanishes at θ = 1; for small χ the "
           "period is best at θ = 0.6, where the dispersion order is 6.",
           figure}}};
}

Section figure_4_3(const Control& /*control*/) {
  const auto chi = spaced(0.3, 30, 240, true);
  const StabilityFunction iiic = blend(Family::lobatto_iiic, 0), radau = blend(Family::radau_iia, 0);
  const auto least = [](double x) { return blend(Family::lobatto_iiidc, maximum_damping_theta(x)).spectral_radius(x); };
  double begins = 2, peak = 0, peak_at = 0;  // where θ leaves zero; its maximum
  for (double step = 0.5; step > 1e-13; step /= 2)
    while (maximum_damping_theta(begins + step) == 0) begins += step;
  for (double low = 3, high = 6; high - low > 1e-9;) {  // one maximum between: by thirds
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (maximum_damping_theta(a) < maximum_damping_theta(b) ? low : high) =
        maximum_damping_theta(a) < maximum_damping_theta(b) ? a : b;
    peak_at = (low + high) / 2;
    peak = maximum_damping_theta(peak_at);
  }
  io::Figure figure{.title = "Lobatto IIIC and IIIDC with maximum damping",
                    .subtitle = "three stages; dotted: χ = π",
                    .x_label = "χ = ωh",
                    .x_scale = io::Scale::logarithmic,
                    .x_extent = {0.3, 30}};
  io::Panel radius{.y_label = "ρ(χ)", .marks = {pi}, .height = 230, .y_extent = {0, 1.05}};
  radius.series = {curve("IIIC", chi, [&](double x) { return iiic.spectral_radius(x); }),
                   curve("IIIDC_min", chi, least),
                   curve("Radau IIA", chi, [&](double x) { return radau.spectral_radius(x); })};
  radius.series.back().stroke = io::Stroke::dashed;
  io::Panel theta{.y_label = "θ(χ)", .marks = {pi}, .height = 120, .y_extent = {0, 0.45}};
  theta.series = {curve("", chi, [](double x) { return maximum_damping_theta(x); })};
  theta.series.back().colour = 1;
  figure.panels = {radius, theta};
  const auto digits = [](double x) { return fmt::format("{:.10f}", x); };
  return {.values = {{"quantity", "published", "ours"},
                     {{"largest θ(χ)", "0.4126401258", digits(peak)},
                      {"reached at χ", "", fmt::format("{:.6f}", peak_at)},
                      {"θ(χ) = 0 below χ", "2.692016116", digits(begins)},
                      {"ρ(10) of IIIC", "", digits(iiic.spectral_radius(10))},
                      {"ρ(10) of IIIDC_min", "", digits(least(10))}}},
          .pictures = {{"figure-4.3",
                        "Beyond χ = π, where a step cannot show the oscillation any more, IIIDC_min damps more: at χ = "
                        "10 four times "
                        "as much per step.",
                        figure}}};
}

}  // namespace rubato::experiments::stiff
