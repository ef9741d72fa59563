// The rubber bushing of Becker (2012): ROS3P, with fixed steps and with error control, against generalized-α with full and with modified
// Newton iteration and against other methods; same assembly, same solver, one process. Where the time goes, per step.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace {

using namespace rubato;

struct Run {
  std::string name, method;
  double tolerance = 0;
  bool full = false;
};

double measure(const Run& run, double bulk, double t_end) {
  auto instance = catalogue::make_problem("bushing", {{"bulk", bulk}, {"t_end", t_end}});
  if (!instance) return fmt::print("{}\n", instance.error().message), 0;
  IntegrateOptions options;
  if (run.tolerance > 0) {
    options.tolerances = {
        .rtol = run.tolerance, .atol = 1e-3 * run.tolerance, .atol_of = {{"lambda", 1e6 * run.tolerance}}};
    options.step.initial_step = 1e-3;
  } else {
    options.step.fixed_step = 3e-3;
    options.tolerances = {.rtol = 1e-6, .atol = 1e-9, .atol_of = {{"lambda", 1.0}}};
  }
  options.newton.full = run.full;
  options.timing = true;
  const auto end = integrate(instance->problem, run.method, options);
  if (!end) return fmt::print("{}\n", end.error().message), 0;
  const Statistics& s = end->statistics;
  const double per = 1e3 / static_cast<double>(s.accepted);
  const auto& t = s.seconds;
  fmt::print("{:34} {:7.2f} s {:5} {:5} {:5} {:6}   {:6.2f} {:6.2f} {:6.2f} {:6.2f}  {}\n", run.name, t.total, s.steps,
             s.jacobians, s.factorisations, s.newton_iterations, per * t.f, per * t.jacobian, per * t.factor,
             per * t.solve, completed(end->status) ? "" : end->reason);
  std::fflush(stdout);
  return t.total;
}

}  // namespace

int main(int argc, char** argv) {
  double t_end = 2;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--end") == 0) t_end = std::stod(argv[i + 1]);
  const Run runs[] = {{"ROS3P, 3 ms", "ros3p"},
                      {"generalized-alpha, full Newton", "generalized-alpha:0.8", 0, true},
                      {"generalized-alpha, modified Newton", "generalized-alpha:0.8"},
                      {"ROS3P, tolerance 1e-3", "ros3p", 1e-3},
                      {"RODAS4P, tolerance 1e-3", "rodas4p", 1e-3},
                      {"RODAS5P, tolerance 1e-3", "rodas5p", 1e-3},
                      {"Radau IIA 5, tolerance 1e-3", "radau5", 1e-3},
                      {"BDF, tolerance 1e-3", "bdf", 1e-3}};
  double ros3p[2] = {};
  for (int k = 0; k < 2; ++k) {
    const double bulk = k == 0 ? 30e6 : 3e11;
    fmt::print(
        "\nkappa = {:g} MPa, 2880 free displacements, 288 pressures, t = {} s\n{:34} {:>9} {:>5} {:>5} {:>5} {:>6}   "
        "{}\n",
        bulk / 1e6, t_end, "", "time", "steps", "J", "LU", "Newton", "ms per step: f, J, LU, solves");
    double first = 0;
    for (const Run& run : runs) {
      const double seconds = measure(run, bulk, t_end);
      if (first == 0)
        first = ros3p[k] = seconds;
      else if (run.tolerance == 0)
        fmt::print("{:34} ROS3P : this = {:.2f}\n", "", first / seconds);
      else if (run.method == "ros3p")
        fmt::print("{:34} this : fixed steps = {:.2f}\n", "", seconds / first);
    }
  }
  fmt::print("\nROS3P, kappa 300000 : 30 = {:.3f}\n", ros3p[1] / ros3p[0]);
}
