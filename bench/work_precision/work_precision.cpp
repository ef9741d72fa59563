// Time against error: every Rosenbrock method, radau5, radau and bdf on problems of the catalogue, SUNDIALS beside them in the
// same process.
//
//   rubato_work_precision [--only NAME] [--repeats K] [--output FOLDER]
//
// Per problem: a table (digits reached, counters, CPU time as the least of K or more interleaved repetitions, set-up included), a
// table of what it takes to reach 4, 5, … digits, one of what it takes to reach the digits of RADAU5 where they are known
// (tolerances in half decades there), and a picture; all rows in one CSV file.
// Not shown: memory, dense output, events, large systems (bench/kernels), and a SUNDIALS as fast as a current one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"
#include "peers.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/io/table.hpp"

namespace rubato::bench {

namespace {

constexpr double too_long = 0.08;     // s: a method is not asked for tighter tolerances
constexpr double peer_too_long = 10;  // s: nor is a peer

/// Who needs more has chosen the wrong method.
long max_steps(const InitialValueProblem& problem) { return problem.dae->size() > 10 ? 6'000 : 20'000; }

/// What RADAU5 (dense, Jacobian by differences) takes at tolerance 1e-6, and its time over that of a current CVODE or IDA
/// at the same tolerance on the same machine; 0: not known.
struct Target {
  double digits;
  long steps;
  double ratio = 0;
};

struct Case {
  std::string label, problem;
  catalogue::Parameters parameters = {};
  std::string formulation = {};
  double atol_factor = 1;  ///< atol = atol_factor · rtol
  std::optional<Target> target = {};
  bool mixed_error = false;  ///< digits of |error|/(1 + |reference|) over positions, as in the target
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {.label = "van-der-pol", .problem = "van-der-pol", .target = Target{6.7, 501, 0.18 / 0.48}},
      {.label = "robertson", .problem = "robertson", .atol_factor = 1e-6, .target = Target{5.5, 489}},
      {.label = "robertson-dae", .problem = "robertson-dae", .atol_factor = 1e-6},
      {.label = "spring-pendulum-penalty",
       .problem = "stiff-spring-pendulum",
       .parameters = {{"eps", 1e-3}},
       .formulation = "penalty"},
      {.label = "spring-pendulum-index-1",
       .problem = "stiff-spring-pendulum",
       .parameters = {{"eps", 1e-3}},
       .formulation = "eps-lambda"},
      {.label = "pendulum-index-1", .problem = "pendulum", .formulation = "index-1"},
      {.label = "pendulum-index-2", .problem = "pendulum", .formulation = "index-2"},
      {.label = "andrews-index-1", .problem = "andrews", .formulation = "index-1"},
      {.label = "andrews-index-2", .problem = "andrews", .formulation = "index-2+a"},
      {.label = "andrews-index-3", .problem = "andrews", .formulation = "index-3", .target = Target{3.8, 99}},
      {.label = "slider-crank-index-1", .problem = "slider-crank", .formulation = "index-1"},
      {.label = "slider-crank-index-2", .problem = "slider-crank", .formulation = "index-2+a"},
      {.label = "slider-crank-positions",
       .problem = "slider-crank",
       .formulation = "index-2",
       .target = Target{7.6, 296, 3.0 / 16},
       .mixed_error = true},
      {.label = "beam", .problem = "beam"},
      {.label = "beam-positions", .problem = "beam", .target = Target{5.5, 162, 55.0 / 609}, .mixed_error = true},
  };
  return all;
}

/// Decades, half decades where a target is to be met.
std::vector<double> tolerances(const Case& c) {
  std::vector<double> all;
  for (int i = 0; i <= 12; i += c.target ? 1 : 2) all.push_back(std::pow(10, -3 - 0.5 * i));
  return all;
}

Result<catalogue::Instance> instance_of(const Case& c) {
  auto instance = catalogue::make_problem(c.problem, c.parameters, c.formulation);
  if (!instance || !c.mixed_error) return instance;
  instance->measure = {.atol = 1, .rtol = 1, .definition = "|error|/(1 + |reference|) over positions"};
  if (auto& reference = instance->reference) {
    catalogue::Reference positions = *reference;
    positions.components.clear();
    positions.values.clear();
    for (std::size_t i = 0; i < reference->values.size(); ++i) {
      if (reference->components[i].starts_with("omega")) continue;  // rates of the beam
      positions.components.push_back(reference->components[i]);
      positions.values.push_back(reference->values[i]);
    }
    reference = std::move(positions);
  }
  return instance;
}

bool compared(const Method& method) {
  if (method.info.kind == "Runge-Kutta") return method.info.name == "radau5" || method.info.name == "radau";
  if (method.info.kind == "multistep") return method.info.name == "bdf";
  if (method.info.kind == "extrapolation") return method.info.name == "extrapolated-euler";
  if (method.info.kind == "Newmark") return false;  // order 2: not for the tolerances compared here
  return method.info.embedded_order > 0;
}

/// Every solver at every tolerance, repeated in turns so that a disturbance of the machine meets all alike.
std::vector<Row> measured(const Case& c, const catalogue::Instance& instance, const std::string& peer, int repeats) {
  std::vector<Row> rows;
  std::vector<std::function<Run()>> runs;
  const auto add = [&](const std::string& name, double tolerance, auto&& call) {
    const Accuracy accuracy{
        .rtol = tolerance, .atol = c.atol_factor * tolerance, .initial_step = instance.suggested_initial_step};
    rows.push_back({.solver = name, .tolerance = tolerance});
    runs.push_back([call, accuracy] { return call(accuracy); });
  };
  for (const double tolerance : tolerances(c))
    add(peer, tolerance, [&](const Accuracy& accuracy) {
      const Accuracy own_start{.rtol = accuracy.rtol, .atol = accuracy.atol};
      return peer == "cvode" ? run_cvode(instance.problem, accuracy) : run_ida(instance.problem, own_start);
    });
  for (const Method& method : methods()) {
    if (!compared(method) || method.info.max_index < instance.problem.dae->layout().index()) continue;
    for (const double tolerance : tolerances(c))
      add(method.info.name, tolerance, [&](const Accuracy& accuracy) {
        return run_rubato(instance.problem, method, accuracy, max_steps(instance.problem));
      });
  }
  measure_in_turns(rows, runs, repeats, [&](const Row& row) {
    const bool ended = row.run.x.size() == instance.problem.x.size();  // a peer may give up without a state
    return Judgement{.digits = ended ? catalogue::digits(instance, view(std::as_const(row.run.x))).value_or(0) : 0,
                     .hopeless = row.solver == peer
                                     ? row.seconds > peer_too_long
                                     : row.run.steps >= max_steps(instance.problem) || row.seconds > too_long};
  });
  return rows;
}

std::string ratio(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : ""; }

io::Table runs_table(const std::vector<Row>& rows, const std::string& peer) {
  io::Table table{.columns = {"solver", "tol", "digits", "steps", "rejected", "f", "J", "LU", "CPU ms", "ns/step",
                              "/" + peer + " tol", "/" + peer + " digits"},
                  .rows = {}};
  for (const Row& row : rows) {
    if (row.lost) {
      if (row.run.steps == 0) continue;  // refused, or not tried
      table.rows.push_back({row.solver, fmt::format("{:.1e}", row.tolerance), "-", row.run.steps, row.run.rejected,
                            row.run.f_calls, row.run.jacobians, row.run.factorisations, "", "", "", ""});
      continue;
    }
    std::optional<double> same_tolerance, same_digits;
    for (const Row& other : rows)
      if (other.solver == peer && other.tolerance == row.tolerance && !other.lost)
        same_tolerance = row.seconds / other.seconds;
    if (const auto cost = cost_of(rows, peer, row.digits)) same_digits = row.seconds / cost->seconds;
    table.rows.push_back({row.solver, fmt::format("{:.1e}", row.tolerance), fmt::format("{:.2f}", row.digits),
                          row.run.steps, row.run.rejected, row.run.f_calls, row.run.jacobians, row.run.factorisations,
                          fmt::format("{:.3f}", 1e3 * row.seconds),
                          fmt::format("{:.0f}", 1e9 * row.seconds / static_cast<double>(row.run.steps)),
                          ratio(same_tolerance), ratio(same_digits)});
  }
  return table;
}

/// At whole numbers of digits: the peer, our three fastest methods.
io::Table digits_table(const std::vector<Row>& rows, const std::string& peer) {
  io::Table table{.columns = {"digits", "solver", "steps", "f", "LU", "CPU ms", "/" + peer}, .rows = {}};
  for (int digits = 3; digits <= 10; ++digits) {
    const auto of_peer = cost_of(rows, peer, digits);
    std::vector<std::pair<Cost, std::string>> costs;
    for (const auto& name : solvers_of(rows))
      if (const auto cost = cost_of(rows, name, digits); cost && name != peer) costs.emplace_back(*cost, name);
    std::ranges::sort(costs, {}, [](const auto& c) { return c.first.seconds; });
    if (costs.size() > 3) costs.resize(3);
    if (of_peer) costs.emplace_back(*of_peer, peer);
    for (const auto& [cost, name] : costs)
      table.rows.push_back({static_cast<long>(digits), name, std::lround(cost.steps), std::lround(cost.f_calls),
                            std::lround(cost.factorisations), fmt::format("{:.3f}", 1e3 * cost.seconds),
                            of_peer ? fmt::format("{:.2f}", cost.seconds / of_peer->seconds) : ""});
  }
  return table;
}

/// At the digits RADAU5 has at 1e-6: steps beside its own; the ratio to the peer at 1e-6 beside its ratio, which is one to a
/// current build (ours times 3 to 4).
io::Table target_table(const std::vector<Row>& rows, const std::string& peer, const Target& target) {
  io::Table table{
      .columns = {"digits", "solver", "steps", "f", "LU", "CPU ms", "/" + peer + " digits", "/" + peer + " 1e-6"},
      .rows = {}};
  const auto of_peer = cost_of(rows, peer, target.digits);
  std::optional<double> peer_seconds;
  for (const Row& row : rows)
    if (row.solver == peer && !row.lost && std::abs(std::log(row.tolerance / 1e-6)) < 0.01) peer_seconds = row.seconds;
  for (const auto& name : solvers_of(rows))
    if (const auto cost = cost_of(rows, name, target.digits))
      table.rows.push_back({fmt::format("{:.1f}", target.digits), name, std::lround(cost->steps),
                            std::lround(cost->f_calls), std::lround(cost->factorisations),
                            fmt::format("{:.3f}", 1e3 * cost->seconds),
                            of_peer ? ratio(cost->seconds / of_peer->seconds) : "",
                            peer_seconds ? ratio(cost->seconds / *peer_seconds) : ""});
  table.rows.push_back({fmt::format("{:.1f}", target.digits), "(RADAU5)", target.steps, "", "", "", "",
                        target.ratio > 0 ? fmt::format("{:.2f} of a current build", target.ratio) : ""});
  return table;
}

io::Figure figure(const std::string& label, const std::vector<Row>& rows, const std::string& peer) {
  io::Panel panel{.y_label = "CPU time [s]", .y_scale = io::Scale::logarithmic, .height = 420};
  for (const auto& name : solvers_of(rows)) {
    io::Series series{.name = name, .stroke = name == peer ? io::Stroke::dashed : io::Stroke::solid, .markers = true};
    for (const Row& row : rows)
      if (row.solver == name && !row.lost) {
        series.x.push_back(std::pow(10, -row.digits));
        series.y.push_back(row.seconds);
      }
    if (!series.x.empty()) panel.series.push_back(std::move(series));
  }
  return {.title = "Work against precision: " + label,
          .subtitle = "tolerances 1e-3 ... 1e-9; Debian's SUNDIALS, 3 to 4 times slower than a current build",
          .x_label = "error at the end (the catalogue's measure)",
          .x_scale = io::Scale::logarithmic,
          .panels = {std::move(panel)}};
}

struct Arguments {
  std::string only = {}, output = "results/work_precision";
  int repeats = 3;
};

[[noreturn]] void usage(const std::string& problem) {
  fmt::print(stderr,
             "rubato_work_precision: {}\nusage: rubato_work_precision [--only NAME] [--repeats K] "
             "[--output FOLDER]\nnames:",
             problem);
  for (const Case& c : cases()) fmt::print(stderr, " {}", c.label);
  fmt::print(stderr, "\n");
  std::exit(2);
}

Arguments parsed(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 >= argc) usage(name + " needs a value");
    if (name == "--only") {
      arguments.only = argv[i + 1];
    } else if (name == "--output") {
      arguments.output = argv[i + 1];
    } else if (name == "--repeats") {
      arguments.repeats = std::atoi(argv[i + 1]);
      if (arguments.repeats < 1) usage("--repeats takes a number of at least 1");
    } else {
      usage("unknown option " + name);
    }
  }
  if (!arguments.only.empty() && std::ranges::find(cases(), arguments.only, &Case::label) == cases().end())
    usage("unknown problem " + arguments.only);
  return arguments;
}

void write(const std::string& file, const std::string& text) {
  if (const auto written = io::write_file(file, text); !written) {
    fmt::print(stderr, "{}\n", written.error().message);
    std::exit(1);
  }
}

int main(const Arguments& arguments) {
  fmt::print(
      "Work against precision\n{}"
      "            CVODE (BDF) and IDA, dense, the same f, B and exact Jacobian\n"
      "  time      CPU, set-up included, least of {} or more interleaved repetitions\n"
      "  Debian's packaged SUNDIALS takes 3 to 4 times as long as a current build with identical counters: judge by\n"
      "  the counters at equal digits; a ratio r to it is a ratio of about 3r to 4r to a current build.\n",
      circumstances(), arguments.repeats);
  if (const auto made = io::make_folder(arguments.output); !made) usage(made.error().message);
  std::string csv = "problem,solver,tolerance,digits,steps,rejected,f_calls,jacobians,factorisations,cpu_seconds\n";
  for (const Case& c : cases()) {
    if (!arguments.only.empty() && arguments.only != c.label) continue;
    const auto instance = instance_of(c);
    if (!instance) {
      fmt::print(stderr, "{}: {}\n", c.label, instance.error().message);
      return 1;
    }
    const std::string peer = is_plain_ode(instance->problem) ? "cvode" : "ida";
    const auto rows = measured(c, *instance, peer, arguments.repeats);
    fmt::print("\n== {}: {} unknowns, index {}, t_end = {}; digits: {}\n\n{}\n", c.label, instance->problem.dae->size(),
               instance->problem.dae->layout().index(), instance->problem.t_end, instance->measure.definition,
               io::render(runs_table(rows, peer), io::TableFormat::text));
    for (const auto& name : solvers_of(rows))
      for (const Row& row : rows)
        if (row.solver == name && row.lost &&
            (row.run.steps > 0 || !row.run.trouble.empty())) {  // the first of them tells why
          fmt::print("{} at {:.1e}: {}\n", name, row.tolerance,
                     row.run.trouble.empty() ? "no correct digit" : row.run.trouble);
          break;
        }
    fmt::print("\nTo reach so many digits (interpolated; our three fastest):\n\n{}",
               io::render(digits_table(rows, peer), io::TableFormat::text));
    if (c.target)
      fmt::print("\nTo reach the digits of RADAU5:\n\n{}",
                 io::render(target_table(rows, peer, *c.target), io::TableFormat::text));
    std::fflush(stdout);
    for (const Row& row : rows)
      if (!row.lost)
        csv += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", c.label, row.solver, row.tolerance, row.digits,
                           row.run.steps, row.run.rejected, row.run.f_calls, row.run.jacobians, row.run.factorisations,
                           row.seconds);
    write(arguments.output + "/" + c.label + ".svg", io::to_svg(figure(c.label, rows, peer)));
  }
  write(arguments.output + "/work_precision.csv", csv);
  fmt::print("\nCSV and pictures: {}/\n", arguments.output);
  return 0;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) { return rubato::bench::main(rubato::bench::parsed(argc, argv)); }
