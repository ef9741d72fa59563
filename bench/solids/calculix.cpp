// Against CalculiX: a cube of compressible rubber, the same mesh, material, load and steps of implicit dynamics (HHT-α with the same α);
// CalculiX as Debian packages it, with its default solver (SPOOLES) and tolerances. Besides, ROS3P with the same steps.
//
//   rubato_calculix [--divisions 16] [--steps 20] [--folder results/calculix] [--bulk 5e6] [--threads 2]
//
// Every run is a process of its own, set-up, reading and writing included. CPU time (user + system) is what to judge by on a busy machine.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubber_block.hpp"

namespace rubato::bench {
namespace {

/// Displacement of the corner at the end of every step.
class Watch final : public Observer {
 public:
  explicit Watch(int coordinate) : coordinate_(coordinate) {}
  void on_step(const StepView& step) override { y.push_back(step.x[static_cast<std::size_t>(coordinate_)]); }
  std::vector<double> y;

 private:
  int coordinate_;
};

/// Fixed steps are iterated to 1e-10 of (1 m + displacement) times this: 0.1 µm, 2e-6 of the largest displacement here. CalculiX stops at
/// a correction of 1 % of the largest increment, 0.1 mm; the next would be some 0.1 µm.
constexpr double newton_tolerance = 1e3;

/// Our run, for a process of its own: statistics, then the motion, to a file.
int solve(const RubberBlock& block, const std::string& method, const std::string& newton, int threads,
          const std::string& file) {
  const auto system = *fem::build(model_of(block, threads));
  const auto dae = *formulate(system, *formulation_by_name("eps-lambda"));
  MechanicalState rest;  // no load at t = 0: at rest, and no acceleration
  rest.q = rest.v = rest.a = Vector::Zero(system->sizes().q);
  InitialValueProblem problem{.dae = dae, .t_end = block.end()};
  dae->pack(rest, problem.x, problem.w);
  problem.base = dae->base_of(rest);
  IntegrateOptions options;
  options.step.fixed_step = block.step;
  options.newton.tolerance = newton_tolerance;
  options.newton.full = newton == "full";
  if (newton == "kept") options.newton.reuse_jacobian = 0.1;
  options.linear.back_end = BackEnd::mumps;
  options.timing = true;
  Watch watch(system->coordinate(corner_of(block, system->model().mesh), 1));
  Observer* const observers[] = {&watch};
  const auto end = integrate(problem, method, options, {.observers = observers});
  if (!end || !completed(end->status)) {
    fmt::print(stderr, "{}: {}\n", method, end ? end->reason : end.error().message);
    return 1;
  }
  const Statistics& s = end->statistics;
  std::ofstream out(file);
  out << fmt::format("{} {} {}  {} {} {} {} {}\n", s.newton_iterations, s.jacobians, s.factorisations, s.seconds.f,
                     s.seconds.jacobian, s.seconds.factor, s.seconds.solve, s.seconds.total);
  for (const double y : watch.y) out << fmt::format("{:.9g}\n", y);
  return 0;
}

struct Usage {
  double wall = 0, cpu = 0;  ///< s
};

/// Runs a program to its end with so many threads, its output in a file. Nothing: it could not be started or failed.
std::optional<Usage> run(std::vector<std::string> command, int threads, const std::string& log) {
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  std::fflush(stdout);  // or the child prints it again
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "CCX_NPROC_STIFFNESS", "CCX_NPROC_RESULTS",
                             "CCX_NPROC_EQUATION_SOLVER"})
      setenv(name, std::to_string(threads).c_str(), 1);
    if (!std::freopen(log.c_str(), "w", stdout)) _exit(126);
    execvp(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return Usage{.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
               .cpu = seconds(used.ru_utime) + seconds(used.ru_stime)};
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : std::nan("");
}

double peak(const std::vector<double>& y) {
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The largest difference of two motions over the largest displacement of the first.
double difference(const std::vector<double>& reference, const std::vector<double>& y) {
  if (reference.size() != y.size()) return std::nan("");
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(y[i] - reference[i]));
  return largest / peak(reference);
}

/// What a run left: time, motion and, of ours, where the time went.
struct Row {
  Usage usage = {};
  Motion motion = {};
  long jacobians = 0, factorisations = 0;
  Statistics::Seconds seconds = {};
};

std::optional<Row> run_calculix(const RubberBlock& block, int threads, const std::string& folder) {
  const std::string job = fmt::format("{}/calculix_{}", folder, threads);
  std::ofstream(job + ".inp") << calculix_deck(block);
  for (const char* old : {".dat", ".sta"}) std::filesystem::remove(job + old);
  const auto usage = run({"ccx", "-i", job}, threads, job + ".log");
  if (!usage) return std::nullopt;
  Row row{.usage = *usage, .motion = read_calculix(job)};
  if (row.motion.y.size() != static_cast<std::size_t>(block.steps)) return std::nullopt;
  return row;
}

std::optional<Row> run_ours(const RubberBlock& block, const std::string& method, const std::string& newton, int threads,
                            const std::string& folder) {
  const std::string file = folder + "/rubato.txt";
  const auto usage = run({"/proc/self/exe", "--solve", method, "--newton", newton, "--threads", std::to_string(threads),
                          "--divisions", std::to_string(block.divisions), "--steps", std::to_string(block.steps),
                          "--bulk", std::to_string(block.bulk), "--file", file},
                         threads, folder + "/rubato.log");
  if (!usage) return std::nullopt;
  Row row{.usage = *usage};
  std::ifstream in(file);
  in >> row.motion.iterations >> row.jacobians >> row.factorisations >> row.seconds.f >> row.seconds.jacobian >>
      row.seconds.factor >> row.seconds.solve >> row.seconds.total;
  for (double y = 0; in >> y;) row.motion.y.push_back(y);
  return row;
}

void print(const std::string& name, int threads, const Row& row, const Row& reference, int steps) {
  const double per_step = 1.0 / steps;
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.4f} | {:.2f} % |", name, threads,
             row.usage.cpu, row.usage.wall, 1e3 * per_step * row.usage.cpu, reference.usage.cpu / row.usage.cpu,
             reference.usage.wall / row.usage.wall, per_step * static_cast<double>(row.motion.iterations),
             1e3 * peak(row.motion.y), 100 * difference(reference.motion.y, row.motion.y));
  if (row.seconds.total > 0) {
    const double ms = 1e3 * per_step * row.usage.cpu / row.usage.wall;  // CPU time, split as wall time is
    fmt::print(" {} | {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n", row.jacobians, row.factorisations,
               ms * row.seconds.f, ms * row.seconds.jacobian, ms * row.seconds.factor, ms * row.seconds.solve);
  } else {
    fmt::print("  |  |  |  |  |  |\n");
  }
  std::fflush(stdout);
}

int compare(const RubberBlock& block, int most_threads, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const int n = block.divisions;
  fmt::print(
      "\n{}³ hex8, {} unknowns, bulk : shear modulus = {:g}, {} steps of {:g} ms; load of the machine {:.1f}\n\n", n,
      3 * n * (n + 1) * (n + 1), block.bulk / block.shear, block.steps, 1e3 * block.step, load_average());
  fmt::print(
      "| | threads | CPU s | wall s | CPU ms/step | CalculiX / it, CPU | wall | iterations/step | corner, largest mm | "
      "difference | J | LU | CPU ms/step: f | J | LU | solves |\n");
  fmt::print("|{}\n", [] {
    std::string rule;
    for (int column = 0; column < 16; ++column) rule += " --- |";
    return rule;
  }());
  const auto reference = run_calculix(block, 1, folder);
  if (!reference) {
    fmt::print(stderr, "CalculiX (ccx, package calculix-ccx) did not start or did not finish: see {}/calculix_1.log\n",
               folder);
    return 1;
  }
  print("CalculiX", 1, *reference, *reference, block.steps);
  for (int threads = 2; threads <= most_threads; ++threads)
    if (const auto row = run_calculix(block, threads, folder))
      print("CalculiX", threads, *row, *reference, block.steps);
  const std::string hht = fmt::format("hht-alpha:{}", block.alpha);
  for (int threads = 1; threads <= most_threads; ++threads)
    for (const auto& [name, method, newton] :
         {std::tuple{"HHT-α, new J and LU in every iteration", hht, "full"},
          std::tuple{"HHT-α, in every step", hht, "step"}, std::tuple{"HHT-α, kept while Θ ≤ 0.1", hht, "kept"},
          std::tuple{"ROS3P", std::string("ros3p"), "step"}}) {
      const auto row = run_ours(block, method, newton, threads, folder);
      if (!row) return 1;
      print(name, threads, *row, *reference, block.steps);
    }
  fmt::print("\nload of the machine at the end {:.1f}\n", load_average());
  return 0;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) {
  rubato::bench::RubberBlock block;
  std::string folder = "results/calculix", method, newton, file;
  int threads = 2;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--divisions" && !value.empty()) {
      block.divisions = std::stoi(value);
    } else if (name == "--steps" && !value.empty()) {
      block.steps = std::stoi(value);
    } else if (name == "--bulk" && !value.empty()) {
      block.bulk = std::stod(value);
    } else if (name == "--folder" && !value.empty()) {
      folder = value;
    } else if (name == "--solve" && !value.empty()) {
      method = value;
    } else if (name == "--newton" && !value.empty()) {
      newton = value;
    } else if (name == "--threads" && !value.empty()) {
      threads = std::stoi(value);
    } else if (name == "--file" && !value.empty()) {
      file = value;
    } else {
      fmt::print(stderr,
                 "usage: rubato_calculix [--divisions N] [--steps N] [--bulk PA] [--threads N] [--folder FOLDER]\n");
      return 2;
    }
  }
  return method.empty() ? rubato::bench::compare(block, threads, folder)
                        : rubato::bench::solve(block, method, newton, threads, file);
}
