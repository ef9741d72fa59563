// The list of backward differentiation formulas, with what is known of their stability.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "bdf_stepper.hpp"

namespace rubato {

double bdf_stability_angle(int k) {
  constexpr int points = 20000;
  double angle = std::numbers::pi / 2;
  for (int i = 1; i < points; ++i) {
    const double phi = std::numbers::pi * i / points;
    const std::complex<double> d = 1.0 - std::polar(1.0, -phi);
    std::complex<double> z = 0, power = 1;
    for (int j = 1; j <= k; ++j) z += (power *= d) / static_cast<double>(j);
    if (z.real() < -1e-12 * std::abs(z)) angle = std::min(angle, std::atan2(std::abs(z.imag()), -z.real()));
  }
  return angle;
}

namespace {

Result<std::unique_ptr<Stepper>> make_bdf(const MethodInfo& info, const InitialValueProblem& problem,
                                          const IntegrateOptions& options) {
  const bool variable = info.name == "bdf" && !(options.step.fixed_step > 0);
  return BdfStepper::create({.lowest = variable ? 1 : info.order, .highest = info.order}, problem, options);
}

Method bdf_method(int k) {
  const double angle = bdf_stability_angle(k);
  const bool a_stable = angle >= std::numbers::pi / 2;
  return {
      .info = {.name = fmt::format("bdf{}", k),
               .kind = "multistep",
               .help = fmt::format(
                   "backward differentiation of order {}{}", k,
                   a_stable ? std::string{} : fmt::format(": A({:.0f}°)-stable", angle * 180 / std::numbers::pi)),
               .reference = "Brenan, Campbell & Petzold, Numerical Solution of Initial-Value Problems in DAEs, SIAM "
                            "1996, doi:10.1137/1.9781611971224",
               .order = k,
               .embedded_order = k,
               .dense_order = k,
               .stages = 1,
               .f_calls = 0,
               .stiffly_accurate = true,
               .a_stable = a_stable,
               .r_infinity = 0,
               .max_index = 3,
               .needs_constant_mass = false,
               .needs_exact_jacobian = false,
               .shrink_limit = 1.0 / 4,
               .growth_limit = 8},
      .make = make_bdf};
}

}  // namespace

std::vector<Method> bdf_methods() {
  std::vector<Method> all;
  Method variable = bdf_method(5);
  variable.info.name = "bdf";
  variable.info.help = "backward differentiation of variable order 1 to 5; with fixed steps bdf5";
  all.push_back(std::move(variable));
  for (int k = 1; k <= max_bdf_order; ++k) all.push_back(bdf_method(k));
  return all;
}

}  // namespace rubato
