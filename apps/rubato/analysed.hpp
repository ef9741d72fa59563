#pragma once
/// A method as `rubato analyse` sees it: a Runge-Kutta table or a Rosenbrock table, and its stability function; pictures.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rubato/integrate/alpha_coefficients.hpp"
#include "rubato/integrate/stability_function.hpp"
#include "rubato/io/svg_plot.hpp"

namespace rubato::app {

struct Analysed {
  std::string name, title;
  std::optional<RungeKuttaTable> runge_kutta;
  const RosenbrockTable* rosenbrock = nullptr;
  StabilityFunction R;

  /// Has a θ: pictures show the family.
  [[nodiscard]] bool blended() const { return runge_kutta && runge_kutta->info().blended; }
};

/// File name and picture: stability region, order star, spectral radius, amplitude and phase, damping ratio and period.
[[nodiscard]] std::vector<std::pair<std::string, io::Figure>> stability_pictures(const Analysed& method);

/// Of a Newmark-type method, by its name: spectral radius, damping ratio and period.
[[nodiscard]] std::vector<std::pair<std::string, io::Figure>> alpha_pictures(const std::string& name,
                                                                             const AlphaCoefficients& asked);

/// n + 1 numbers from low to high.
[[nodiscard]] std::vector<double> spaced(double low, double high, int n, bool logarithmic);

}  // namespace rubato::app
