#include "runge_kutta_methods.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "rubato/integrate/rooted_trees.hpp"
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

/// R(∞) = 1 − bᵀ A⁻¹ 𝟙 = 1 − Σ d_i.
double r_infinity(const StageScheme& scheme) {
  const double r = 1 - scheme.d.sum();
  return std::abs(r) < 1e-13 ? 0 : r;
}

/// |R(iy)| ≤ 1; every family has its poles on the right.
bool a_stable(const RungeKuttaTable& table) {
  const Eigen::MatrixXcd one = Eigen::MatrixXcd::Identity(table.s, table.s);
  for (double y = 1e-2; y < 1e5; y *= 1.3) {
    const std::complex<double> z(0, y);
    const Eigen::VectorXcd stages = (one - z * table.A).partialPivLu().solve(Eigen::VectorXcd::Ones(table.s));
    if (std::abs(1.0 + z * table.b.cast<std::complex<double>>().dot(stages)) > 1 + 1e-9) return false;
  }
  return true;
}

MethodInfo info_of(const RungeKuttaTable& table, const StageScheme& scheme) {
  const bool from_start = table.c[0] > 0;
  const double r = r_infinity(scheme);
  return {.name = table.name(),
          .help = std::string(table.info().title),
          .reference = std::string(table.family >= F::lobatto_iiia ? blended : hairer_wanner),
          .order = table.s <= 5 ? order_by_trees(table.A, table.b) : scheme.classical_order(),
          .embedded_order = from_start ? scheme.degree() : table.s,
          .dense_order = scheme.degree(),
          .stages = table.s,
          .f_calls = 0,
          .stiffly_accurate = table.stiffly_accurate(),
          .a_stable = a_stable(table),
          .r_infinity = r,
          .max_index = std::abs(r) >= 1 - 1e-12   ? 0
                       : table.stiffly_accurate() ? 3
                                                  : 1,
          .needs_constant_mass = false,
          .needs_exact_jacobian = false,
          .shrink_limit = 1.0 / 5,
          .growth_limit = 8};
}

std::vector<RungeKuttaTable> tables_of(std::string_view name) {
  std::vector<RungeKuttaTable> tables;
  for (const auto& radau : radaus)
    if (name == "radau" || name == radau.name) tables.push_back(runge_kutta_table(F::radau_iia, radau.stages));
  if (tables.empty())
    if (auto table = runge_kutta_by_name(name)) tables.push_back(std::move(*table));
  return tables;
}

Result<std::unique_ptr<Stepper>> make_runge_kutta(const MethodInfo& info, const InitialValueProblem& problem,
                                                  const IntegrateOptions& options) {
  const int index = problem.dae->layout().index();
  if (index > info.max_index && !options.any_index)
    return Error{fmt::format(
        "method {} is meant for index ≤ {}, this problem has index {}: expect order reduction or failure; take another "
        "method (radau) or formulation, or set any_index",
        info.name, info.max_index, index)};
  const auto tables = tables_of(info.name);
  if (options.runge_kutta.alpha0 >= 0 && tables.front().c[0] == 0)
    if (const auto fine = checked_alpha0(tables.front(), options.runge_kutta.alpha0); !fine)
      return Error{fmt::format("method {}: {}", info.name, fine.error().message)};
  return RungeKuttaStepper::create(tables, tables.size() > 1 ? first_of_variable : 0, problem, options);
}

}  // namespace

Result<Method> runge_kutta_method(std::string_view name) {
  const auto table = runge_kutta_by_name(name);
  if (!table) return table.error();
  const auto scheme = StageScheme::create(*table);
  if (!scheme) return Error{fmt::format("method {}: {}", name, scheme.error().message)};
  return Method{.info = info_of(*table, *scheme), .make = make_runge_kutta};
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
  return all;
}

}  // namespace rubato
