#include "rubato/integrate/method.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>

#include "alpha_methods.hpp"
#include "bdf_stepper.hpp"
#include "extrapolation_methods.hpp"
#include "rosenbrock_stepper.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/rosenbrock_analysis.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "runge_kutta_methods.hpp"

namespace rubato {

namespace {

/// The highest index a Rosenbrock method is meant for. Index 1 needs |R(∞)| < 1 and, so that algebraic unknowns have more than order 2, the
/// condition z2; index 2 stiff accuracy, or the order in v on stiff oscillators of Scholz. None at index 3: one linear system per stage
/// leaves the constraints with the error of their curvature, which the estimate does not see; with linear constraints they end some ten
/// tolerances off, with nonlinear ones 10² to 10⁶ (`rubato reproduce tolerances`).
int max_index(const RosenbrockProperties& p) {
  if (!(std::abs(p.main.r_infinity) < 1)) return 0;
  if (p.main.order > 2 && std::abs(p.main.index1.z2) > condition_tolerance) return 0;
  return p.stiffly_accurate || p.main.scholz_order >= 3 ? 2 : 1;
}

MethodInfo info_of(const RosenbrockTable& table) {
  const RosenbrockProperties p = rosenbrock_properties(table);
  return {.name = std::string(table.name()),
          .kind = "Rosenbrock",
          .help = std::string(table.label.title),
          .reference = std::string(table.label.reference),
          .order = p.main.order,
          .embedded_order = table.embedded_order(),
          .dense_order = p.dense_order,
          .stages = table.s,
          .f_calls = p.n_f_calls,
          .stiffly_accurate = p.stiffly_accurate,
          .a_stable = p.main.a_stable,
          .r_infinity = p.main.r_infinity,
          .max_index = max_index(p),
          .needs_constant_mass = true,
          .needs_exact_jacobian = true};
}

Result<std::unique_ptr<Stepper>> make_rosenbrock(const MethodInfo& info, const InitialValueProblem& problem,
                                                 const IntegrateOptions& options) {
  const auto table = find_rosenbrock_table(info.name);
  if (!table) return table.error();
  const int index = problem.dae->layout().index();
  if (index > info.max_index && !options.any_index)
    return Error{fmt::format(
        "method {} is meant for index ≤ {}, this problem has index {}: expect order reduction or failure; take another "
        "formulation (semi-explicit, ggl+a) or method (radau, bdf), or set any_index",
        info.name, info.max_index, index)};
  return RosenbrockStepper::create(**table, problem, options);
}

std::vector<Method> build() {
  std::vector<Method> all;
  for (auto& method : runge_kutta_methods()) all.push_back(std::move(method));
  for (auto& method : bdf_methods()) all.push_back(std::move(method));
  for (const auto& table : rosenbrock_tables()) all.push_back({.info = info_of(table), .make = make_rosenbrock});
  for (auto& method : extrapolation_methods()) all.push_back(std::move(method));
  for (auto& method : alpha_methods()) all.push_back(std::move(method));
  return all;
}

/// Members of the Runge-Kutta, Newmark and extrapolation families beyond the list are made when first asked for, and kept.
Result<const Method*> family_member(std::string_view name) {
  static std::mutex guard;
  static std::map<std::string, Method, std::less<>> known;
  const std::lock_guard lock(guard);
  if (const auto found = known.find(name); found != known.end()) return &found->second;
  const auto alpha = alpha_method(name), extrapolation = extrapolation_method(name);
  auto made = alpha ? *alpha : extrapolation ? *extrapolation : runge_kutta_method(name);
  if (made) return &known.emplace(std::string(name), std::move(*made)).first->second;
  if (alpha || extrapolation) return made.error();
  for (const auto& info : runge_kutta_families())
    if (name.starts_with(info.name)) return made.error();
  return Error{unknown_name("method", name, method_names())};
}

}  // namespace

std::span<const Method> methods() {
  static const std::vector<Method> all = build();
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& method : methods()) names.push_back(method.info.name);
  return names;
}

Result<const Method*> method_by_name(std::string_view name) {
  const auto table = find_rosenbrock_table(name);
  const std::string_view wanted = table ? (*table)->name() : name;
  for (const auto& method : methods())
    if (method.info.name == wanted) return &method;
  return family_member(name);
}

}  // namespace rubato
