// rubato list: what there is, from the registries.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "catalogue/catalogue.hpp"
#include "command.hpp"
#include "experiments/experiment.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/fem/law_list.hpp"
#include "rubato/fem/mixed_pairs.hpp"
#include "rubato/integrate/method.hpp"
#include "rubato/integrate/runge_kutta_analysis.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/run_file.hpp"
#include "rubato/io/solid_file.hpp"
#include "rubato/io/table.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
using io::Cell;
using io::Table;

std::string to_text(std::string_view words) { return std::string(words); }

Table problems(bool everything) {
  Table table{{"name", "size", "index", "formulations", "t_end", "title", "source"}, {}};
  if (everything) table.columns.insert(table.columns.end() - 1, "parameters");
  for (const auto& entry : catalogue::problems()) {
    const auto instance = catalogue::make_problem(entry.name);
    std::vector<std::string> formulations = entry.formulations, parameters;
    for (const auto& p : entry.parameters)
      parameters.push_back(fmt::format("{} = {}{}{}{}", p.name, shortest(p.default_value), p.unit.empty() ? "" : " ",
                                       p.unit, p.help.empty() ? "" : " (" + p.help + ")"));
    std::vector<Cell> row = {entry.name,
                             instance ? Cell(static_cast<long>(instance->problem.dae->size())) : Cell(""),
                             instance ? Cell(static_cast<long>(instance->problem.dae->layout().index())) : Cell(""),
                             everything || formulations.size() < 2
                                 ? joined(formulations)
                                 : fmt::format("{} and {} more", entry.default_formulation, formulations.size() - 1),
                             entry.t_end,
                             entry.title,
                             entry.source};
    if (everything) row.insert(row.end() - 1, joined(parameters, "; "));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Nothing where there is nothing to count.
Cell count(int n) { return n > 0 ? Cell(long{n}) : Cell(""); }

Table method_table(bool everything) {
  Table table{{"name", "kind", "max index", "order", "embedded", "dense", "stages", "f calls", "stiffly accurate",
               "A-stable", "R(inf)", "description"},
              {}};
  if (everything) table.columns.emplace_back("reference");
  for (const auto& method : rubato::methods()) {
    const MethodInfo& m = method.info;
    const double digits = everything ? 1e12 : 1e3;  // of R(∞), after the point
    table.rows.push_back({m.name, m.kind, long{m.max_index}, long{m.order}, count(m.embedded_order),
                          long{m.dense_order}, long{m.stages}, count(m.f_calls), m.stiffly_accurate, m.a_stable,
                          std::round(digits * m.r_infinity) / digits + 0.0, m.help});
    if (everything) table.rows.back().push_back(m.reference);
  }
  return table;
}

/// Runge-Kutta families with three stages, blends half way.
Table families(bool /*everything*/) {
  Table table{{"name", "theta", "order", "stage order", "stiffly accurate", "A-stable", "L-stable", "R(inf)",
               "B-stable", "symplectic order", "coercivity", "embedded", "description"},
              {}};
  for (const auto& info : runge_kutta_families()) {
    const RungeKuttaTable method = runge_kutta_table(info.family, 3, info.blended ? 0.5 : 0);
    const RungeKuttaProperties p = runge_kutta_properties(method);
    const int embedded = method.c[0] > 0 ? embedded_radau(method).order : embedded_lobatto(method).order;
    table.rows.push_back(
        {to_text(info.name), info.blended ? Cell(0.5) : Cell(""), long{p.order.order}, long{p.stage_order},
         p.stiffly_accurate, p.a_stable, p.l_stable,
         std::isfinite(p.r_infinity) ? Cell(std::abs(p.r_infinity) < 1e-12 ? 0.0 : p.r_infinity) : Cell("infinite"),
         p.algebraically_stable,
         p.symplectic_order.order == 0 ? Cell("infinite") : Cell(std::to_string(p.symplectic_order.order)),
         p.coercivity, long{embedded}, to_text(info.title)});
  }
  return table;
}

Table formulations(bool /*everything*/) {
  Table table{{"name", "description"}, {}};
  for (const auto& info : rubato::formulations()) table.rows.push_back({to_text(info.name), to_text(info.help)});
  return table;
}

Table choices(std::string_view key) {
  Table table{{"name", "description"}, {}};
  for (const auto& choice : io::find_key(key)->choices) table.rows.push_back({choice.name, choice.help});
  return table;
}

Table keys(bool /*everything*/) {
  Table table{{"key", "allowed", "default", "meaning"}, {}};
  for (const auto& key : io::run_file_keys())
    table.rows.push_back({key.name, io::allowed_values(key), io::default_value(key), key.help});
  return table;
}

Table key_table(const std::vector<io::ModelKeyInfo>& keys) {
  Table table{{"table", "key", "allowed", "default", "meaning"}, {}};
  for (const auto& key : keys) table.rows.push_back({key.table, key.name, key.allowed, key.default_text, key.help});
  return table;
}

Table materials(bool /*everything*/) {
  Table table{{"name", "parameters", "energy", "description"}, {}};
  for (const auto& law : fem::law_list())
    table.rows.push_back({to_text(law.name), to_text(law.parameters) + (law.volumetric ? ", bulk [Pa]" : ""),
                          to_text(law.energy) + (law.volumetric ? " + U(J)" : ""), to_text(law.help)});
  return table;
}

constexpr std::string_view below_materials = R"(
Energies are per undeformed volume. Ī₁, Ī₂ and λ₁, λ₂, λ₃ of ogden are the invariants and stretches of J^(-1/3) F, that is without the
change of volume J = det F. U(J): quadratic κ/2 (J − 1)², simo-miehe κ/4 (J² − 1 − 2 ln J) or ogden κ/β² (β ln J + J^−β − 1); bulk is κ, inf:
incompressible. The shear modulus at small strains is μ, 2 (c10 + c01) or Σ μ_i. Constants from tests: `rubato fit`.
)";

Table elements(bool /*everything*/) {
  Table table{{"name", "dimension", "nodes", "degree", "continuous pressure", "discontinuous pressure"}, {}};
  for (const auto& shape : fem::shape_list()) {
    if (shape.dimension < 2) continue;
    std::string continuous, discontinuous;
    for (const auto& pair : fem::mixed_pairs())
      if (pair.shape == shape.id)
        (pair.pressure == fem::PressureSpace::continuous ? continuous : discontinuous) =
            fem::pressure_name(pair) + (pair.inf_sup_stable ? "" : " (not inf-sup stable)");
    table.rows.push_back(
        {to_text(shape.name), long{shape.dimension}, long{shape.nodes}, long{shape.degree}, continuous, discontinuous});
  }
  return table;
}

constexpr std::string_view below_elements = R"(
All serve with displacements alone. Nearly and exactly incompressible materials need pressures as unknowns: continuous ones
(Taylor-Hood pairs) with the nodes of the smaller element, or discontinuous ones, P1 linear and P0 constant in each element.
quad4/P0 and hex8/P0 are cheap but not inf-sup stable: displacements are good, pressures may oscillate like a checkerboard.
)";

constexpr std::string_view below_methods = R"(
Without solver.method: radau. Order, stability and index are computed from the coefficients.
Runge-Kutta methods iterate: as many f calls as it takes; approximate Jacobians; any mass matrix, but for lobatto-iiia,
-iiib, -iiic-star and those that choose a table for each coordinate (-iiic+iiia, -iiic+iiid, -iiidc-min: properties of IIIC).
Multistep methods (bdf) iterate as well, once per step. Newmark methods take parameters by name: generalized-alpha:RHO (spectral
radius at infinity), hht-alpha:ALPHA, newmark:GAMMA.
Rosenbrock methods count their f calls, need an exact Jacobian, and accelerations as unknowns where the mass matrix depends
on the state.
Other members of a family by name, FAMILY-STAGES:THETA: gauss-4, radau-ia-2, lobatto-iiic-5, lobatto-iiidc-3:0.25 (theta = 1:
the first-named of the two blended methods, 0, the default: the second); `rubato list families`, `rubato analyse NAME`.
)";

Table experiments(bool /*everything*/) {
  Table table{{"name", "part", "title", "source"}, {}};
  for (const auto& experiment : rubato::experiments::experiments())
    for (const auto& part : experiment.parts)
      table.rows.push_back({experiment.name, part.name, part.title, experiment.source});
  return table;
}

struct Topic {
  std::string name;
  std::function<Table(bool everything)> table;
  std::string_view below = {};  ///< said below the table, to people
};

/// The one list of topics: help, completion and errors derive from it.
const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = {{"problems", problems},
                                         {"methods", method_table, below_methods},
                                         {"families", families},
                                         {"formulations", formulations},
                                         {"controllers", [](bool) { return choices("solver.controller"); }},
                                         {"norms", [](bool) { return choices("solver.norm"); }},
                                         {"back-ends", [](bool) { return choices("solver.back_end"); }},
                                         {"materials", materials, below_materials},
                                         {"elements", elements, below_elements},
                                         {"keys", keys},
                                         {"model-keys", [](bool) { return key_table(io::model_file_keys()); }},
                                         {"solid-keys", [](bool) { return key_table(io::solid_file_keys()); }},
                                         {"experiments", experiments}};
  return all;
}
}  // namespace

std::vector<std::string> list_topics() {
  std::vector<std::string> names;
  for (const auto& topic : topics()) names.push_back(topic.name);
  return names;
}

int list(const ListArguments& arguments) {
  const auto format = io::table_format(arguments.format);
  if (!format) return complain(format.error());
  for (const auto& topic : topics()) {
    if (topic.name != arguments.what) continue;
    const bool everything = *format == io::TableFormat::csv || *format == io::TableFormat::json;
    print_text(io::render(topic.table(everything), *format));
    if (*format == io::TableFormat::text) print_text(topic.below);
    return done;
  }
  return complain(Error{"list: " + unknown_name("topic", arguments.what, list_topics())});
}

}  // namespace rubato::app
