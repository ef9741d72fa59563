// Rigid mechanisms: BDF, Radau IIA and generalized-alpha at index 3 and stabilised (GGL) against IDA, time at equal error.
//
//   rubato_mechanisms [--repeats K] [--only four-bar|chain-40]
//
// Four-bar: models.hpp, 10 s; error: largest of all coordinates at the end (m, rad), against radau at 1e-12, whose own error
// is that of radau on another formulation, printed. Chain: catalogue, 40 links, 1 s; error: position and velocity of the free
// end against the catalogue's values. Tolerances in half decades; times at equal error are interpolated, where a tolerance
// counts for the largest error of it and all tighter ones.
// IDA sees the same f, B and exact Jacobian, on the GGL form, algebraic unknowns out of its error test, dense and with KLU.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "measure.hpp"
#include "models.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/io/table.hpp"

namespace rubato::bench {

namespace {

constexpr long max_steps = 100'000;
constexpr double too_long = 2;  // s: no tighter tolerances

struct Case {
  std::function<Result<InitialValueProblem>(std::string_view formulation)> problem;
  std::function<double(const Vector& x)> error;  ///< at the end
};

struct Solver {
  const char *name, *formulation;
  double tightest;  ///< tolerance
};
constexpr Solver solvers[] = {{"bdf", "index-3", 1e-11},
                              {"bdf", "ggl", 1e-11},
                              {"radau", "index-3", 1e-11},
                              {"radau", "ggl", 1e-11},
                              {"radau5", "index-3", 1e-9},
                              {"radau5", "ggl", 1e-9},
                              {"generalized-alpha", "index-3", 3e-9}};
constexpr double largest_tolerance = 1e-2;

/// The coordinates at the end, or what went wrong.
Result<Vector> end_of(const InitialValueProblem& problem, double tolerance) {
  const auto summary = integrate(problem, "radau", {.tolerances = {.rtol = tolerance, .atol = tolerance}});
  if (!summary) return summary.error();
  if (!completed(summary->status)) return Error{summary->reason};
  return summary->x;
}

Result<Case> four_bar_case() {
  const auto problem = [](std::string_view formulation) { return problem_of(four_bar(), formulation, 10); };
  Vector ends[2];
  for (int i = 0; i < 2; ++i) {
    const auto made = problem(i == 0 ? "ggl" : "index-2");
    if (!made) return made.error();
    auto end = end_of(*made, 1e-12);
    if (!end) return end.error();
    ends[i] = end->head(made->dae->layout().find("q")->size);
  }
  fmt::print("four-bar: reference known to {:.1e}\n", (ends[0] - ends[1]).lpNorm<Eigen::Infinity>());
  return Case{.problem = problem, .error = [reference = ends[0]](const Vector& x) {
                return (x.head(reference.size()) - reference).lpNorm<Eigen::Infinity>();
              }};
}

Result<Case> chain_case() {
  const auto instance = [](std::string_view formulation) {
    return catalogue::make_problem("chain", {{"links", 40.0}}, formulation);
  };
  const auto made = instance("ggl");  // the components looked at have the same places in every formulation
  if (!made) return made.error();
  return Case{.problem = [instance](std::string_view formulation) -> Result<InitialValueProblem> {
                auto one = instance(formulation);
                if (!one) return one.error();
                return one->problem;
              },
              .error =
                  [ggl = *made](const Vector& x) {
                    Vector all = Vector::Zero(ggl.problem.dae->size());
                    all.head(160) = x.head(160);
                    return std::pow(10, -catalogue::digits(ggl, view(std::as_const(all))).value_or(0));
                  }};
}

std::vector<double> tolerances(double tightest) {
  std::vector<double> all;
  for (int i = 0;; ++i) {
    all.push_back(largest_tolerance * std::pow(10, -0.5 * i));
    if (all.back() < 1.01 * tightest) return all;
  }
}

Result<std::vector<Row>> measured(const Case& c, int repeats) {
  std::vector<Row> rows;
  std::vector<std::function<Run()>> runs;
  const auto add = [&](const std::string& name, double tightest, auto&& call) {
    for (const double tolerance : tolerances(tightest)) {
      rows.push_back({.solver = name, .tolerance = tolerance});
      runs.push_back([call, tolerance] { return call(Accuracy{.rtol = tolerance, .atol = tolerance}); });
    }
  };
  const auto stabilised = c.problem("ggl");
  if (!stabilised) return stabilised.error();
  for (const Algebra algebra : {Algebra::dense, Algebra::klu})
    add(algebra == Algebra::dense ? "ida dense, ggl" : "ida klu, ggl", 1e-10,
        [&problem = *stabilised, algebra](Accuracy accuracy) {
          accuracy.initial_step = 0.1 * std::sqrt(accuracy.rtol);  // its own choice is too small below 1e-7
          accuracy.algebraic_factor = 1e3;
          return run_ida(problem, accuracy, algebra);
        });
  std::vector<InitialValueProblem> problems;
  problems.reserve(std::size(solvers));
  for (const Solver& solver : solvers) {
    const auto made = c.problem(solver.formulation);
    const auto method = method_by_name(solver.name);
    if (!made) return made.error();
    if (!method) return method.error();
    problems.push_back(*made);
    add(fmt::format("{}, {}", solver.name, solver.formulation), solver.tightest,
        [&problem = problems.back(), method = *method](const Accuracy& accuracy) {
          return run_rubato(problem, *method, accuracy, max_steps);
        });
  }
  measure_in_turns(rows, runs, repeats, [&](const Row& row) {
    return Judgement{.digits = row.run.completed ? -std::log10(c.error(row.run.x)) : 0,
                     .hopeless = row.seconds > too_long};
  });
  return rows;
}

io::Table runs_table(const std::vector<Row>& rows) {
  io::Table table{
      .columns = {"solver", "tol", "error", "error/tol", "steps", "rejected", "f", "J", "LU", "CPU ms", "us/step"},
      .rows = {}};
  for (const Row& row : rows) {
    if (row.run.steps == 0) continue;
    const double error = std::pow(10, -row.digits);
    table.rows.push_back(
        {row.solver, fmt::format("{:.1e}", row.tolerance), row.lost ? "-" : fmt::format("{:.1e}", error),
         row.lost ? "" : fmt::format("{:.0f}", error / row.tolerance), row.run.steps, row.run.rejected, row.run.f_calls,
         row.run.jacobians, row.run.factorisations, fmt::format("{:.2f}", 1e3 * row.seconds),
         fmt::format("{:.2f}", 1e6 * row.seconds / static_cast<double>(row.run.steps))});
  }
  return table;
}

/// At equal error, times divided by those of IDA with each algebra.
io::Table errors_table(const std::vector<Row>& rows) {
  io::Table table{.columns = {"error", "solver", "steps", "f", "J", "LU", "CPU ms", "ida dense / it", "ida klu / it"},
                  .rows = {}};
  for (int digits = 3; digits <= 7; ++digits) {
    const auto dense = cost_of(rows, "ida dense, ggl", digits), klu = cost_of(rows, "ida klu, ggl", digits);
    for (const auto& name : solvers_of(rows)) {
      const auto cost = cost_of(rows, name, digits);
      if (!cost) continue;
      const auto ratio = [&](const std::optional<Cost>& peer) {
        return peer ? fmt::format("{:.1f}", peer->seconds / cost->seconds) : "";
      };
      table.rows.push_back({fmt::format("1e-{}", digits), name, std::lround(cost->steps), std::lround(cost->f_calls),
                            std::lround(cost->jacobians), std::lround(cost->factorisations),
                            fmt::format("{:.2f}", 1e3 * cost->seconds), ratio(dense), ratio(klu)});
    }
  }
  return table;
}

int main(const std::string& only, int repeats) {
  fmt::print("Mechanisms: time at equal error\n{}", circumstances());
  const std::pair<const char*, Result<Case> (*)()> cases[] = {{"four-bar", four_bar_case}, {"chain-40", chain_case}};
  for (const auto& [name, make] : cases) {
    if (!only.empty() && only != name) continue;
    const auto c = make();
    const auto rows = c ? measured(*c, repeats) : Result<std::vector<Row>>(c.error());
    if (!rows) {
      fmt::print(stderr, "{}\n", rows.error().message);
      return 1;
    }
    fmt::print("\n== {}\n\n{}\n", name, io::render(runs_table(*rows), io::TableFormat::text));
    for (const Row& row : *rows)
      if (!row.run.trouble.empty()) fmt::print("{} at {:.1e}: {}\n", row.solver, row.tolerance, row.run.trouble);
    fmt::print("\n{}\n", io::render(errors_table(*rows), io::TableFormat::markdown));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) {
  std::string only;
  int repeats = 3;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 < argc && name == "--only") {
      only = argv[i + 1];
    } else if (i + 1 < argc && name == "--repeats") {
      repeats = std::atoi(argv[i + 1]);
    } else {
      fmt::print(stderr, "usage: rubato_mechanisms [--repeats K] [--only four-bar|chain-40]\n");
      return 2;
    }
  }
  return rubato::bench::main(only, repeats);
}
