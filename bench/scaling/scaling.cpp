// What one step of an implicit method costs as the model grows: chains of rigid links (index 2) and elastic beams of the
// catalogue with RADAU IIA (three stages), chains of rods of the modeller (planar bodies and pins, index 3) with BDF and with
// RADAU IIA; fixed steps, so that only the linear algebra and the model grow.
//
//   rubato_scaling [--largest N] [--output FOLDER] [--only irk_scaling|rod_chain_scaling]
//
// Two paths: condensed and sparse (what runs by default at this size), and, for the smaller models of the catalogue, dense
// without condensation: what a code for full matrices does. Printed: CPU time per step, per body and step, and per Newton
// iteration, the set-up of a run apart (model, sparsity, colouring, first step), and the slope of log time over log size.
// With fixed steps Newton iterates to rounding, more often than with error control. The links of a long chain move faster: its
// step is 10 ms divided by their number, so that the number of iterations stays about the same.
// Not shown: accuracy (bench/work_precision, bench/mechanisms), variable steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/mechanisms/models.hpp"
#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/io/table.hpp"

namespace rubato::bench {

namespace {

constexpr int rounds = 3;     // over all sizes, so that a disturbance of the machine does not meet all runs of one
constexpr int repeats = 3;    // in each round
constexpr double enough = 3;  // s: a longer run is not repeated
constexpr int first_steps = 8, steps = 100;
constexpr int largest_dense = 160;

struct Model {
  std::string name, method;
  std::function<Result<InitialValueProblem>(int size)> problem;
  double h;  ///< s, at the smallest size
  bool
      faster_larger;  ///< the motion gets faster with the number of parts: h shrinks like 1/size, the iteration stays the same
  bool dense;         ///< also without sparsity
  std::vector<int> sizes;
  [[nodiscard]] double step(int size) const noexcept { return faster_larger ? h * sizes.front() / size : h; }
};

/// One picture each.
struct Group {
  std::string file, title;
  std::vector<Model> models;
};

std::function<Result<InitialValueProblem>(int)> of_catalogue(const char* name, const char* size_name) {
  return [name, size_name](int size) -> Result<InitialValueProblem> {
    auto instance = catalogue::make_problem(name, {{size_name, static_cast<double>(size)}});
    if (!instance) return instance.error();
    return instance->problem;
  };
}

const std::vector<Group>& groups() {
  const auto rods = [](int links) { return problem_of(rod_chain(links), "index-3", 1); };
  static const std::vector<int> links{10, 20, 50, 100, 200, 500, 1000};
  static const std::vector<Group> all{{.file = "irk_scaling",
                                       .title = "One step of radau5 as the model grows",
                                       .models = {{.name = "chain",
                                                   .method = "radau5",
                                                   .problem = of_catalogue("chain", "links"),
                                                   .h = 1e-3,
                                                   .faster_larger = true,
                                                   .dense = true,
                                                   .sizes = {10, 20, 50, 100, 200, 500, 1000, 2000}},
                                                  {.name = "beam",
                                                   .method = "radau5",
                                                   .problem = of_catalogue("beam", "n"),
                                                   .h = 1e-3,
                                                   .faster_larger = false,
                                                   .dense = true,
                                                   .sizes = {10, 20, 40, 80, 160, 400, 1000, 2000, 4000}}}},
                                      {.file = "rod_chain_scaling",
                                       .title = "One step of a chain of rods of the modeller, index 3",
                                       .models = {{.name = "rods, bdf",
                                                   .method = "bdf",
                                                   .problem = rods,
                                                   .h = 1e-3,
                                                   .faster_larger = true,
                                                   .dense = false,
                                                   .sizes = links},
                                                  {.name = "rods, radau5",
                                                   .method = "radau5",
                                                   .problem = rods,
                                                   .h = 1e-3,
                                                   .faster_larger = true,
                                                   .dense = false,
                                                   .sizes = links}}}};
  return all;
}

double cpu_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timed {
  double seconds = HUGE_VAL;
  Statistics statistics = {};
};

/// The fastest of several runs over so many steps.
std::optional<Timed> timed(InitialValueProblem problem, const std::string& method, const LinearOptions& linear,
                           int n_steps, double h) {
  problem.t_end = problem.t_start + n_steps * h;
  const IntegrateOptions options{.step = {.fixed_step = h}, .linear = linear};
  Timed best;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double begin = cpu_seconds();
    const auto summary = integrate(problem, method, options);
    const double seconds = cpu_seconds() - begin;
    if (!summary || !completed(summary->status)) {
      fmt::print(stderr, "{}\n", summary ? summary->reason : summary.error().message);
      return std::nullopt;
    }
    best.seconds = std::min(best.seconds, seconds);
    best.statistics = summary->statistics;
    if (seconds > enough) break;
  }
  return best;
}

struct Row {
  int size = 0, unknowns = 0;
  double per_step = 0, set_up = 0, total = 0;  ///< s
  double iterations = 0, factorisations = 0;
};

std::optional<Row> measured(const Model& model, int size, const LinearOptions& linear) {
  const auto problem = model.problem(size);
  if (!problem) {
    fmt::print(stderr, "{}\n", problem.error().message);
    return std::nullopt;
  }
  Row row{.size = size, .unknowns = problem->dae->size()};
  // The first step, and with BDF those of its start, belong to the set-up.
  const auto one = timed(*problem, model.method, linear, first_steps, model.step(size)),
             all = timed(*problem, model.method, linear, first_steps + steps, model.step(size));
  if (!one || !all) return std::nullopt;
  row.set_up = one->seconds;
  row.total = all->seconds;
  const auto share = [&](long Statistics::*member) {
    return static_cast<double>(all->statistics.*member - one->statistics.*member) / steps;
  };
  row.iterations = share(&Statistics::newton_iterations);
  row.factorisations = share(&Statistics::factorisations);
  return row;
}

const LinearOptions& options_of(bool sparse) {
  static const LinearOptions condensed{}, dense{.back_end = BackEnd::dense, .condense = false};
  return sparse ? condensed : dense;
}

/// The least times of all rounds, by path and size.
using Rows = std::map<std::pair<bool, int>, Row>;
bool measure_round(const Model& model, int largest, Rows& rows) {
  for (const bool sparse : {true, false})
    for (const int size : model.sizes) {
      if (size > (sparse ? largest : model.dense ? std::min(largest, largest_dense) : 0)) break;
      const auto row = measured(model, size, options_of(sparse));
      if (!row) return false;
      Row& best = rows.try_emplace({sparse, size}, *row).first->second;
      best.set_up = std::min(best.set_up, row->set_up);
      best.total = std::min(best.total, row->total);
      best.per_step = (best.total - best.set_up) / steps;
    }
  return true;
}

struct Panels {
  io::Panel per_step{.y_label = "CPU time per step [s]", .y_scale = io::Scale::logarithmic, .height = 320};
  io::Panel per_iteration{.y_label = "per Newton iteration [s]", .y_scale = io::Scale::logarithmic, .height = 320};
};

/// Adds the curves of a model to its picture.
io::Table shown(const Model& model, const Rows& rows, Panels& panels) {
  io::Table table{.columns = {model.name, "path", "unknowns", "ms/step", "slope", "us/body/step", "Newton/step",
                              "LU/step", "us/iteration", "slope per iteration", "set-up ms"},
                  .rows = {}};
  for (const bool sparse : {true, false}) {
    const char* path = sparse ? "condensed" : "dense, full";
    io::Series steps_series{.name = fmt::format("{}, {}", model.name, path),
                            .stroke = sparse ? io::Stroke::solid : io::Stroke::dashed,
                            .markers = true};
    io::Series iterations_series = steps_series;
    const Row* before = nullptr;
    for (const int size : model.sizes) {
      const auto found = rows.find({sparse, size});
      if (found == rows.end()) break;
      const Row* row = &found->second;
      const auto slope = [&](double now, double then) {
        const double growth = static_cast<double>(row->unknowns) / before->unknowns;
        return fmt::format("{:.2f}", std::log(now / then) / std::log(growth));
      };
      const double iteration = row->per_step / row->iterations;
      table.rows.push_back({static_cast<long>(size), path, static_cast<long>(row->unknowns),
                            fmt::format("{:.3f}", 1e3 * row->per_step),
                            before ? slope(row->per_step, before->per_step) : "",
                            fmt::format("{:.2f}", 1e6 * row->per_step / size), fmt::format("{:.1f}", row->iterations),
                            fmt::format("{:.2f}", row->factorisations), fmt::format("{:.1f}", 1e6 * iteration),
                            before ? slope(iteration, before->per_step / before->iterations) : "",
                            fmt::format("{:.2f}", 1e3 * row->set_up)});
      steps_series.x.push_back(row->unknowns);
      steps_series.y.push_back(row->per_step);
      iterations_series.x.push_back(row->unknowns);
      iterations_series.y.push_back(iteration);
      before = row;
    }
    if (steps_series.x.empty()) continue;
    if (sparse && panels.per_step.slopes.empty()) {
      panels.per_step.slopes.push_back({1, steps_series.x.front(), 0.4 * steps_series.y.front(), "slope 1"});
      panels.per_iteration.slopes.push_back(
          {1, iterations_series.x.front(), 0.2 * iterations_series.y.front(), "slope 1"});
    }
    panels.per_step.series.push_back(std::move(steps_series));
    panels.per_iteration.series.push_back(std::move(iterations_series));
  }
  return table;
}

bool run(const Group& group, int largest, const std::string& folder) {
  std::vector<Rows> rows(group.models.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!measure_round(group.models[i], largest, rows[i])) return false;
  Panels panels;
  for (std::size_t i = 0; i < rows.size(); ++i)
    fmt::print("\n{}\n", io::render(shown(group.models[i], rows[i], panels), io::TableFormat::markdown));
  std::fflush(stdout);
  const io::Figure figure{.title = group.title,
                          .subtitle = "fixed steps, linear algebra condensed and sparse, or dense without condensation",
                          .x_label = "unknowns",
                          .x_scale = io::Scale::logarithmic,
                          .panels = {std::move(panels.per_step), std::move(panels.per_iteration)}};
  const std::string file = folder + "/" + group.file + ".svg";
  if (const auto written = io::write_file(file, io::to_svg(figure)); !written) {
    fmt::print(stderr, "{}\n", written.error().message);
    return false;
  }
  fmt::print("Picture: {}\n", file);
  return true;
}

int main(int largest, const std::string& folder, const std::string& only) {
  if (const auto made = io::make_folder(folder); !made) {
    fmt::print(stderr, "{}\n", made.error().message);
    return 1;
  }
  for (const Group& group : groups())
    if ((only.empty() || only == group.file) && !run(group, largest, folder)) return 1;
  return 0;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) {
  int largest = 4000;
  std::string output = "results/scaling", only;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 < argc && name == "--largest") {
      largest = std::atoi(argv[i + 1]);
    } else if (i + 1 < argc && name == "--output") {
      output = argv[i + 1];
    } else if (i + 1 < argc && name == "--only") {
      only = argv[i + 1];
    } else {
      fmt::print(stderr,
                 "usage: rubato_scaling [--largest N] [--output FOLDER] [--only irk_scaling|rod_chain_scaling]\n");
      return 2;
    }
  }
  return rubato::bench::main(largest, output, only);
}
