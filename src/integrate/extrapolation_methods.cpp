#include "extrapolation_methods.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "extrapolation_stepper.hpp"
#include "rubato/integrate/extrapolation_tableau.hpp"

namespace rubato {

namespace {

using Complex = std::complex<double>;
constexpr std::string_view family = "extrapolated-euler";
constexpr int fixed_columns = 4;  // of the variable method with fixed steps: order 4, also at index 1
constexpr int default_first = 2;  // as in SEULEX
constexpr int largest_first = 10;

/// What a name says.
struct Name {
  int columns = 0;  ///< 0: variable
  int first = default_first;

  [[nodiscard]] std::vector<int> numbers(bool fixed_step) const {
    const int count = columns > 0 ? columns : fixed_step ? fixed_columns : max_extrapolation_columns;
    std::vector<int> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), first);
    return result;
  }
};

bool whole(std::string_view text, int& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<Result<Name>> parsed(std::string_view name) {
  if (!name.starts_with(family)) return std::nullopt;
  const auto colon = name.find(':');
  const std::string_view columns = name.substr(0, colon).substr(family.size());
  Name result;
  const bool fine = (columns.empty() || (columns.starts_with('-') && whole(columns.substr(1), result.columns) &&
                                         result.columns >= 1 && result.columns <= max_extrapolation_columns)) &&
                    (colon == std::string_view::npos || (whole(name.substr(colon + 1), result.first) &&
                                                         result.first >= 1 && result.first <= largest_first));
  if (!fine)
    return Result<Name>(
        Error{fmt::format("method '{}': {}[-COLUMNS][:FIRST] has 1 to {} columns and step numbers FIRST, FIRST + 1, …, "
                          "FIRST from 1 to {}",
                          name, family, max_extrapolation_columns, largest_first)});
  return Result<Name>(result);
}

/// Of the last entry of the tableau; X_j1 of x' = λx is (1 − z/n_j)^(−n_j) x₀.
Complex stability_function(std::span<const int> numbers, Complex z) {
  std::vector<Complex> row;
  for (std::size_t j = 1; j <= numbers.size(); ++j) {
    const double n = numbers[j - 1];
    row.push_back(std::pow(1.0 - z / n, -n));
    extend_tableau<Complex>(numbers, j, row);
  }
  return row.back();
}

Result<std::unique_ptr<Stepper>> make_extrapolation(const MethodInfo& info, const InitialValueProblem& problem,
                                                    const IntegrateOptions& options) {
  const Name name = **parsed(info.name);
  const bool fixed_step = options.step.fixed_step > 0;
  const int index = problem.dae->layout().index();
  if (index > info.max_index && !options.any_index)
    return Error{
        fmt::format("method {} is meant for index ≤ {}, this problem has index {}: the expansion that extrapolation "
                    "rests on is not "
                    "there; take another method or formulation, or set any_index",
                    info.name, info.max_index, index)};
  if (name.columns == 1 && !fixed_step)
    return Error{fmt::format("method {} has no error estimate: set solver.fixed_step", info.name)};
  if (name.columns == 0 && !fixed_step && options.step.controller != StepOptions{}.controller)
    return Error{fmt::format(
        "method {} chooses order and step by work per unit of time; solver.controller has no effect with it, "
        "leave it out (solver.safety, solver.shrink_limit and solver.growth_limit are taken)",
        info.name)};
  return ExtrapolationStepper::create(
      info, {.numbers = name.numbers(fixed_step), .variable = name.columns == 0 && !fixed_step}, problem, options);
}

Method method_of(std::string_view name, const Name& parsed) {
  const auto numbers = parsed.numbers(true);
  const auto columns = static_cast<int>(numbers.size());
  const int steps = std::accumulate(numbers.begin(), numbers.end(), 0);
  const double angle = extrapolation_stability_angle(numbers);
  const bool a_stable = angle >= std::numbers::pi / 2;
  const std::string stability =
      a_stable ? std::string{} : fmt::format(", A({:.1f}°)-stable", std::floor(angle * 1800 / std::numbers::pi) / 10);
  return {
      .info = {.name = std::string(name),
               .kind = "extrapolation",
               .help = parsed.columns == 0
                           ? fmt::format("extrapolated linearly implicit Euler of variable order up to {}; with fixed "
                                         "steps of order {}",
                                         max_extrapolation_columns, fixed_columns)
                           : fmt::format("extrapolated linearly implicit Euler with {} columns{}", columns, stability),
               .reference = "Deuflhard, SIAM Rev. 27 (1985) 505, doi:10.1137/1027140; Hairer & Wanner, Solving ODEs "
                            "II, IV.9, doi:10.1007/978-3-642-05221-7",
               .order = columns,
               .embedded_order = columns - 1,
               .dense_order = std::min(columns, 7),
               .stages = steps,
               .f_calls = parsed.columns == 0 ? 0 : steps - columns + 1,
               .stiffly_accurate = true,
               .a_stable = a_stable,
               .r_infinity = 0,
               .max_index = 1,
               .needs_constant_mass = false,
               .needs_exact_jacobian = true},
      .make = make_extrapolation};
}

}  // namespace

double extrapolation_stability_angle(std::span<const int> numbers) {
  // By the maximum principle a sector is stable where its edge is.
  const auto stable = [&](double angle) {
    for (int i = 0; i <= 120; ++i) {
      const Complex z = -std::polar(std::pow(10.0, -3 + i / 20.0), angle);
      if (std::abs(stability_function(numbers, z)) > 1 + 1e-12) return false;
    }
    return true;
  };
  double inside = 0, outside = std::numbers::pi / 2;
  if (stable(outside)) return outside;
  while (outside - inside > 1e-4) (stable((inside + outside) / 2) ? inside : outside) = (inside + outside) / 2;
  return inside;
}

std::optional<Result<Method>> extrapolation_method(std::string_view name) {
  const auto found = parsed(name);
  if (!found) return std::nullopt;
  if (!*found) return Result<Method>(found->error());
  return Result<Method>(method_of(name, **found));
}

std::vector<Method> extrapolation_methods() {
  std::vector<Method> all{**extrapolation_method(family)};
  for (int columns = 2; columns <= fixed_columns; ++columns)  // beyond, x loses an order at index 1
    all.push_back(**extrapolation_method(fmt::format("{}-{}", family, columns)));
  return all;
}

}  // namespace rubato
