#include "runge_kutta_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dense_stages.hpp"
#include "newton_norm.hpp"
#include "partitioned_stepper.hpp"
#include "rubato/integrate/runge_kutta_analysis.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"
#include "runge_kutta_stepper.hpp"

namespace rubato {

namespace {

using F = RungeKuttaFamily;
constexpr std::string_view hairer_wanner =
    "Hairer & Wanner, Solving Ordinary Differential Equations II, Springer 1996, IV.8";
constexpr std::string_view variable_order =
    "Hairer & Wanner, J. Comput. Appl. Math. 111 (1999) 93, doi:10.1016/S0377-0427(99)00134-X";
constexpr std::string_view blended = "Schaub & Simeon, ZAMM 83 (2003) 720";

/// Radau IIA by order; `radau` moves among them.
struct Radau {
  std::string_view name;
  int stages;
};
constexpr std::array<Radau, 4> radaus{{{"radau3", 2}, {"radau5", 3}, {"radau9", 5}, {"radau13", 7}}};
constexpr int first_of_variable = 1;  // radau5

/// Components with tables of their own, chosen during the run.
struct Strategy {
  std::string_view name, help;
  StageStrategy strategy;
};
constexpr std::array<Strategy, 3> strategies{
    {{"lobatto-iiic+iiia", "stiff coordinates by Lobatto IIIC, the others by IIIA: linear systems",
      StageStrategy::iiic_iiia},
     {"lobatto-iiic+iiid", "stiff coordinates by Lobatto IIIC, the others by IIID: nonlinear systems",
      StageStrategy::iiic_iiid},
     {"lobatto-iiidc-min", "stiff coordinates by the blend of IIID and IIIC that damps their frequency most",
      StageStrategy::iiidc_min}}};

bool lobatto(const RungeKuttaTable& table) { return table.family >= F::lobatto_iiia; }

/// Algebraic unknowns need |R(∞)| < 1, or stages and end that satisfy their equations (PartitionedStepper: Lobatto methods,
/// index 1); at index 2 and 3 also an end that lies on the constraints.
int max_index(const RungeKuttaTable& table, const RungeKuttaProperties& p) {
  if (std::abs(p.r_infinity) > 1 - 1e-9 || !p.invertible) return lobatto(table) ? 1 : 0;
  return p.stiffly_accurate ? 3 : 1;
}

/// Stages that cannot be decoupled, and algebraic unknowns whose extrapolation to the end would not be damped.
bool needs_partitioned(const MethodInfo& info, const RungeKuttaTable& table, const RungeKuttaOptions& options,
                       const Layout& layout) {
  if (!options.theta_of.empty() || !options.parts.empty()) return true;
  if (!lobatto(table)) return false;
  return !StageScheme::create(table) || (layout.index() == 1 && std::abs(info.r_infinity) > 1 - 1e-9);
}

MethodInfo info_of(const RungeKuttaTable& table) {
  const RungeKuttaProperties p = runge_kutta_properties(table);
  const DenseStages scheme(table.c);
  return {.name = table.name(),
          .kind = "Runge-Kutta",
          .help = std::string(table.info().title),
          .reference = std::string(table.family >= F::lobatto_iiia ? blended : hairer_wanner),
          .order = p.order.order,
          .embedded_order = table.c[0] > 0 ? scheme.degree()
                            : p.invertible ? table.s
                                           : embedded_lobatto(table).order,
          .dense_order = std::min(scheme.degree(), p.simplifying.C),
          .stages = table.s,
          .f_calls = 0,
          .stiffly_accurate = p.stiffly_accurate,
          .a_stable = p.a_stable,
          .r_infinity = p.r_infinity,
          .max_index = max_index(table, p),
          .needs_constant_mass = !p.invertible,
          .needs_exact_jacobian = false,
          .shrink_limit = 1.0 / 5,
          .growth_limit = 8};
}

std::vector<RungeKuttaTable> tables_of(std::string_view name) {
  static const std::vector<RungeKuttaTable> radau_tables = [] {
    std::vector<RungeKuttaTable> all;
    for (const auto& radau : radaus) all.push_back(runge_kutta_table(F::radau_iia, radau.stages));
    return all;
  }();
  if (name == "radau") return radau_tables;
  std::vector<RungeKuttaTable> tables;
  for (std::size_t i = 0; i < radaus.size(); ++i)
    if (name == radaus[i].name) tables.push_back(radau_tables[i]);
  if (tables.empty())
    if (auto table = runge_kutta_by_name(name)) tables.push_back(std::move(*table));
  return tables;
}

Result<void> index_allowed(const MethodInfo& info, const InitialValueProblem& problem,
                           const IntegrateOptions& options) {
  const int index = problem.dae->layout().index();
  if (index > info.max_index && !options.any_index)
    return Error{fmt::format(
        "method {} is meant for index ≤ {}, this problem has index {}: expect order reduction or failure; take another "
        "method (radau) or formulation, or set any_index",
        info.name, info.max_index, index)};
  return {};
}

Result<std::unique_ptr<Stepper>> make_runge_kutta(const MethodInfo& info, const InitialValueProblem& problem,
                                                  const IntegrateOptions& options) {
  if (const auto fine = index_allowed(info, problem, options); !fine) return fine.error();
  const auto tables = tables_of(info.name);
  if (options.runge_kutta.alpha0 >= 0 && tables.front().c[0] == 0)
    if (const auto fine = checked_alpha0(tables.front(), options.runge_kutta.alpha0); !fine)
      return Error{fmt::format("method {}: {}", info.name, fine.error().message)};
  if (options.runge_kutta.estimate == ErrorEstimate::spark && !(lobatto(tables.front()) && tables.front().s == 3))
    return Error{
        fmt::format("method {}: runge_kutta.estimate = spark is for Lobatto methods with three stages", info.name)};
  if (info.embedded_order < 1 && !(options.step.fixed_step > 0))
    return Error{fmt::format("method {} has no error estimate: set solver.fixed_step", info.name)};
  if (needs_partitioned(info, tables.front(), options.runge_kutta, problem.dae->layout())) {
    if (tables.size() > 1 || !lobatto(tables.front()))
      return Error{fmt::format(
          "method {}: runge_kutta.theta_of and parts are for Lobatto methods, which share their nodes and weights",
          info.name)};
    return PartitionedStepper::create(tables.front(), StageStrategy::fixed, problem, options);
  }
  if (tables.size() == 1) return RungeKuttaStepper::create(tables, 0, problem, options);
  // At index 2 and 3 two stages have little order left: the variable method stays at 5 and above.
  const auto members = std::span(tables).subspan(problem.dae->layout().index() > 1 ? first_of_variable : 0);
  const int stages = options.step.fixed_step > 0 ? 3 : starting_stages(main_tolerance(options.tolerances));
  const auto first = std::ranges::find(members, stages, &RungeKuttaTable::s);
  return RungeKuttaStepper::create(members, static_cast<int>(first - members.begin()), problem, options);
}

Result<std::unique_ptr<Stepper>> make_strategy(const MethodInfo& info, const InitialValueProblem& problem,
                                               const IntegrateOptions& options) {
  if (const auto fine = index_allowed(info, problem, options); !fine) return fine.error();
  const auto table = runge_kutta_table(F::lobatto_iiic, 3);
  for (const auto& strategy : strategies)
    if (strategy.name == info.name) return PartitionedStepper::create(table, strategy.strategy, problem, options);
  return Error{fmt::format("method {}: not a strategy", info.name)};
}

}  // namespace

Result<Method> runge_kutta_method(std::string_view name) {
  const auto table = runge_kutta_by_name(name);
  if (!table) return table.error();
  if (const auto scheme = StageScheme::create(*table); !scheme && !lobatto(*table))
    return Error{fmt::format("method {}: {}", name, scheme.error().message)};
  return Method{.info = info_of(*table), .make = make_runge_kutta};
}

std::vector<Method> runge_kutta_methods() {
  std::vector<Method> all;
  for (const auto& radau : radaus) {
    Method method = *runge_kutta_method(fmt::format("radau-iia-{}", radau.stages));
    method.info.name = radau.name;
    method.info.help =
        fmt::format("Radau IIA with {} stages{}", radau.stages, radau.stages == 3 ? ": the method of RADAU5" : "");
    all.push_back(std::move(method));
  }
  Method variable = all[first_of_variable];
  variable.info.name = "radau";
  variable.info.help = "Radau IIA of variable order 3, 5, 9, 13: the general-purpose method";
  variable.info.reference = variable_order;
  all.insert(all.begin(), std::move(variable));
  for (const auto& info : runge_kutta_families()) {
    if (info.family == F::radau_iia) continue;
    if (auto method = runge_kutta_method(fmt::format("{}-3{}", info.name, info.blended ? ":0.5" : "")))
      all.push_back(std::move(*method));
  }
  const MethodInfo iiic = runge_kutta_method("lobatto-iiic-3")->info;
  for (const auto& strategy : strategies) {
    Method method{.info = iiic, .make = make_strategy};
    method.info.name = strategy.name;
    method.info.help = strategy.help;
    method.info.max_index = 1;
    method.info.needs_constant_mass = true;
    all.push_back(std::move(method));
  }
  return all;
}

}  // namespace rubato
