// Pictures of Newmark-type methods, from their amplification matrix: the member asked for among others of its family.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysed.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/alpha_analysis.hpp"

namespace rubato::app {

namespace {

struct AlphaMember {
  std::string name;
  AlphaCoefficients method;
};

/// Five members of the family from its least to its greatest parameter, and the one asked for.
std::vector<AlphaMember> members(const std::string& name, const AlphaCoefficients& asked) {
  const std::string of = name.substr(0, name.find(':'));
  for (const AlphaFamily& family : alpha_families()) {
    if (family.name != of || family.least == family.greatest) continue;
    const double given = name == of ? family.standard : std::stod(name.substr(of.size() + 1));
    std::vector<double> parameters = {given};
    for (int i = 0; i <= 4; ++i)
      if (const double p = family.least + (family.greatest - family.least) * i / 4; std::abs(p - given) > 1e-9)
        parameters.push_back(p);
    std::sort(parameters.begin(), parameters.end());
    std::vector<AlphaMember> all;
    for (const double p : parameters)
      all.push_back(
          {fmt::format("{} = {:.4g}{}", family.parameter, p, p == given ? ", this one" : ""), family.make(p)});
    return all;
  }
  return {{name, asked}};
}

}  // namespace

std::vector<std::pair<std::string, io::Figure>> alpha_pictures(const std::string& name,
                                                               const AlphaCoefficients& asked) {
  const auto all = members(name, asked);
  io::Figure radius{.title = "Spectral radius: " + name,
                    .subtitle = "of one step for an undamped vibration; dotted: χ = π, the shortest a step can show",
                    .x_label = "χ = ωh",
                    .x_scale = io::Scale::logarithmic,
                    .x_extent = {0.1, 100}};
  io::Panel rho{.y_label = "ρ(χ)", .marks = {std::numbers::pi}, .y_extent = {0, 1.05}};
  io::Figure vibration{.title = "Damping ratio and period error: " + name,
                       .subtitle = "what an undamped vibration becomes; dotted: χ = π",
                       .x_label = "χ = ωh",
                       .x_extent = {0, 2 * std::numbers::pi}};
  io::Panel ratio{.y_label = "damping ratio", .marks = {std::numbers::pi}, .height = 250};
  io::Panel period{.y_label = "period error", .marks = {std::numbers::pi}, .height = 250};
  int colour = 0;
  for (const auto& [label, method] : all) {
    io::Series of_radius{.name = label, .colour = colour}, of_ratio = of_radius,
                                                           of_period{.name = "", .colour = colour};
    of_radius.x = spaced(0.1, 100, 400, true);
    for (const double x : of_radius.x) {
      const double y = spectral_radius(method, x);
      of_radius.y.push_back(y < 2 ? y : std::numeric_limits<double>::quiet_NaN());
      rho.y_extent = {0, std::max(rho.y_extent.high, 1.05 * std::min(y, 2.0))};
    }
    of_ratio.x = of_period.x = spaced(0.01, 2 * std::numbers::pi, 400, false);
    for (const double x : of_ratio.x) {
      const NumericalVibration v = numerical_vibration(method, x);
      const double none = std::numeric_limits<double>::quiet_NaN();
      of_ratio.y.push_back(v.oscillates ? v.damping_ratio : none);
      of_period.y.push_back(v.oscillates ? v.period_error : none);
    }
    rho.series.push_back(std::move(of_radius));
    ratio.series.push_back(std::move(of_ratio));
    period.series.push_back(std::move(of_period));
    ++colour;
  }
  radius.panels = {rho};
  vibration.panels = {ratio, period};
  return {{"spectral_radius", radius}, {"damping_period", vibration}};
}

}  // namespace rubato::app
