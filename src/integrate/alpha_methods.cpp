#include "alpha_methods.hpp"

#include <fmt/format.h>

#include <cmath>

#include "alpha_stepper.hpp"
#include "central_difference_stepper.hpp"
#include "rubato/integrate/alpha_analysis.hpp"

namespace rubato {

namespace {

Result<std::unique_ptr<Stepper>> make_alpha(const MethodInfo& info, const InitialValueProblem& problem,
                                            const IntegrateOptions& options) {
  const auto coefficients = alpha_by_name(info.name);
  if (!coefficients) return coefficients.error();
  const int index = problem.dae->layout().index();
  if (coefficients->beta == 0) return CentralDifferenceStepper::create(info, problem, options);
  if (index > info.max_index && !options.any_index)
    return Error{
        fmt::format("method {} is meant for index ≤ {}, this problem has index {}: it does not damp errors of "
                    "constraint forces; take "
                    "generalized-alpha, another formulation, or set any_index",
                    info.name, info.max_index, index)};
  return AlphaStepper::create(info, *coefficients, problem, options);
}

MethodInfo info_of(const AlphaFamily& family, std::string_view name, const AlphaCoefficients& coefficients) {
  const AlphaProperties p = alpha_properties(coefficients);
  const bool implicit = coefficients.beta > 0;
  return {.name = std::string(name),
          .kind = "Newmark",
          .help = std::string(family.help),
          .reference = std::string(family.reference),
          .order = p.order,
          .embedded_order = p.order,
          .dense_order = p.order,
          .stages = 1,
          .f_calls = implicit ? 0 : 1,
          .stiffly_accurate = implicit,
          .a_stable = std::isinf(p.stability_limit),
          .r_infinity = p.rho_infinity,
          .max_index = !implicit                        ? 0
                       : p.constraint_radius < 1 - 1e-6 ? 3
                                                        : 1,
          .needs_constant_mass = false,
          .needs_exact_jacobian = false,
          .shrink_limit = 1.0 / 5,
          .growth_limit = 2};
}

}  // namespace

std::optional<Result<Method>> alpha_method(std::string_view name) {
  for (const AlphaFamily& family : alpha_families()) {
    if (name.substr(0, name.find(':')) != family.name) continue;
    const auto coefficients = alpha_by_name(name);
    if (!coefficients) return Result<Method>(coefficients.error());
    return Result<Method>(Method{.info = info_of(family, name, *coefficients), .make = make_alpha});
  }
  return std::nullopt;
}

std::vector<Method> alpha_methods() {
  std::vector<Method> all;
  for (const AlphaFamily& family : alpha_families()) all.push_back(**alpha_method(family.name));
  return all;
}

}  // namespace rubato
