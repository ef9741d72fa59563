// The viscoelastic plate of Wensch (2005) from 10 × 4 elements on, every refinement with twice as many each way: a sparse factor of the step
// matrix against Krylov spaces with the constraint preconditioner, whose only factor is that of g_z, or with cycles of multigrid.
//
//   rubato_krylov_plate [--levels 7] [--from 1] [--atol 1e-12] [--only TEXT]
//
// Level 7 has 640 × 256 elements and 822,000 unknowns. Each run is a process of its own: CPU time, and the most memory it held (after the start
// was made, which takes a factor of g_z). --only: solvers whose names contain the text.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::bench {
namespace {

struct Measured {
  double seconds = 0, megabytes = 0;
  long steps = 0, factorisations = 0, solves = 0, products = 0;
  double tip = 0;  ///< deflection, m
  int unknowns = 0;
  bool fine = false;
};

struct Solver {
  const char* name;
  bool krylov, eliminated;
  KrylovFactors factors = KrylovFactors::exact;
};
constexpr Solver solvers[] = {{"sparse factor", false, false},
                              {"Krylov, constraint preconditioner", true, false},
                              {"Krylov, constraints eliminated", true, true},
                              {"Krylov, multigrid", true, false, KrylovFactors::multigrid},
                              {"Krylov, eliminated by multigrid", true, true, KrylovFactors::multigrid}};

/// Of this process: the most it held since forget_peak().
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

double seconds_of(const rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Measured run(int level, double atol, const Solver& solver) {
  const int scale = 1 << (level - 1);
  const auto instance = catalogue::make_problem("viscoelastic-plate", {{"nx", 10.0 * scale}, {"ny", 4.0 * scale}});
  if (!instance) return {};
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-3, .atol = atol};
  options.step.initial_step = 1e-3;
  options.linear.krylov.use = solver.krylov;
  if (solver.eliminated) options.linear.krylov.matrix.constraints = KrylovConstraints::eliminated;
  options.linear.krylov.matrix.factors = solver.factors;
  if (solver.factors != KrylovFactors::exact) options.linear.krylov.coupling = KrylovCoupling::error;
  forget_peak();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const auto end = integrate(instance->problem, "rodas4", options);
  getrusage(RUSAGE_SELF, &after);
  if (!end || !completed(end->status)) return {};
  const Statistics& s = end->statistics;
  return {.seconds = seconds_of(after) - seconds_of(before),
          .megabytes = peak_megabytes(),
          .steps = s.steps,
          .factorisations = s.factorisations,
          .solves = s.solves,
          .products = s.krylov_products,
          .tip = end->x.cwiseAbs().maxCoeff(),
          .unknowns = static_cast<int>(end->x.size()),
          .fine = true};
}

/// In a process of its own.
Measured measured(int level, double atol, const Solver& solver) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Measured result = run(level, atol, solver);
    const auto written = write(channel[1], &result, sizeof result);
    _exit(written == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  close(channel[1]);
  Measured result;
  if (read(channel[0], &result, sizeof result) != static_cast<ssize_t>(sizeof result)) result = {};
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return result;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) {
  using namespace rubato::bench;
  int levels = 7, first = 1;
  double atol = 1e-12;
  std::string only;
  bool understood = argc % 2 == 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--only")
      only = argv[i + 1];
    else if (name == "--atol")
      atol = std::atof(argv[i + 1]);
    else if (name == "--levels" || name == "--from")
      (name == "--from" ? first : levels) = std::atoi(argv[i + 1]);
    else
      understood = false;
  }
  if (!understood || first < 1 || levels < first || levels > 8)
    return fmt::print(stderr, "usage: rubato_krylov_plate [--levels 1…8] [--from 1…8] [--atol A] [--only TEXT]\n"), 2;
  fmt::print(
      "| elements | unknowns | solver | CPU s | of factor's | MB | steps | LU | vectors per system | largest unknown "
      "|\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (int level = first; level <= levels; ++level) {
    double factor_seconds = 0;
    for (const Solver& solver : solvers) {
      if (std::string(solver.name).find(only) == std::string::npos) continue;
      const Measured m = measured(level, atol, solver);
      const int scale = 1 << (level - 1);
      if (!m.fine) {
        fmt::print("| {} × {} | | {} | did not end |\n", 10 * scale, 4 * scale, solver.name);
        continue;
      }
      if (!solver.krylov) factor_seconds = m.seconds;
      fmt::print("| {} × {} | {} | {} | {:.3g} | {:.2f} | {:.0f} | {} | {} | {:.1f} | {:.6g} |\n", 10 * scale,
                 4 * scale, m.unknowns, solver.name, m.seconds, m.seconds / factor_seconds, m.megabytes, m.steps,
                 m.factorisations,
                 m.solves == 0 ? 0.0 : static_cast<double>(m.products) / static_cast<double>(m.solves), m.tip);
      std::fflush(stdout);
    }
  }
  return 0;
}
