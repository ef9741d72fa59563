// Equilibria of the rubber bushing in space: the time of an increment against that of a factorisation of the same matrix.
//
//   rubato_statics [--element-size 0.00122] [--increments 5] [--pressures]
//
// Mooney-Rivlin 0.4 and 0.1 MPa, bulk modulus 30 MPa, with pressures 2 GPa; the inner sleeve is moved along x in increments of 0.1 mm. CPU time.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/problem/equilibrium_solver.hpp"

namespace rubato::bench {
namespace {

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Result<std::shared_ptr<const fem::SolidSystem>> bushing_of(double element_size, bool pressures) {
  using namespace fem;
  auto mesh = fem::bushing({.element_size = element_size});
  if (!mesh) return mesh.error();
  SolidModel model;
  model.mesh = *std::move(mesh);
  model.materials = {
      {.name = "rubber", .density = 1100, .law = mooney_rivlin(0.4e6, 0.1e6), .bulk = pressures ? 2e9 : 30e6}};
  model.regions = {{.group = "rubber",
                    .material = "rubber",
                    .pressure = pressures ? PressureSpace::discontinuous : PressureSpace::none}};
  for (const bool inner : {true, false}) {
    Prescribed sleeve{.group = inner ? "inner" : "outer"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sleeve.displacement[axis].emplace(*function_of_time(inner && axis == 0 ? "1e-4*t" : "0"));
    model.prescribed.push_back(std::move(sleeve));
  }
  model.threads = 1;
  model.quasi_static = true;
  return build(std::move(model));
}

int run(double element_size, int increments, bool pressures) {
  const auto system = bushing_of(element_size, pressures);
  if (!system) return fmt::print(stderr, "{}\n", system.error().message), 1;
  const MechanicalSizes& n = (*system)->sizes();
  MechanicalState guess{.q = Vector::Zero(n.q), .v = Vector::Zero(n.v), .lambda = Vector::Zero(n.lambda)};
  double began = -1, factorising = 0;  // from the word "factorisation" to the next
  const auto watch = [&](const EquilibriumProgress& at) {
    const double now = cpu_seconds();
    if (began >= 0) factorising += now - began;
    began = std::string_view(at.doing) == "factorisation" ? now : -1;
    return true;
  };
  const double start = cpu_seconds();
  EquilibriumSolver solver(**system, {}, watch);
  fmt::print("{} unknowns\n| increment | CPU s | factorisations | corrections | CPU s of one factorisation | ratio |\n",
             n.v + n.lambda);
  double last = start;
  EquilibriumCounters before;
  PathOptions path;
  for (int i = 0; i <= increments; ++i) path.times.push_back(i);
  path.found = [&](const MechanicalState& state) {
    const EquilibriumCounters& now = solver.counters();
    const double seconds = cpu_seconds() - last, one = factorising / static_cast<double>(now.factorisations);
    fmt::print("| {} | {:.2f} | {} | {} | {:.2f} | {:.1f} |\n", state.t, seconds,
               now.factorisations - before.factorisations, now.corrections - before.corrections, one, seconds / one);
    std::fflush(stdout);
    last = cpu_seconds();
    before = now;
    return true;
  };
  const auto end = solver.path(guess, path);
  if (!end) return fmt::print(stderr, "{}\n", end.error().message), 1;
  fmt::print("analyses: {}, evaluations: {}\n", solver.counters().analyses, solver.counters().evaluations);
  return 0;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) {
  double element_size = 0.00122;
  int increments = 5;
  bool pressures = false;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--pressures") pressures = true;
    if (i + 1 == argc) break;
    if (name == "--element-size") element_size = std::stod(argv[i + 1]);
    if (name == "--increments") increments = std::stoi(argv[i + 1]);
  }
  return rubato::bench::run(element_size, increments, pressures);
}
