// The rubber bushing in space (fem/generate.hpp), hex8, displacement form: where the time of a ROS3P step goes.
//
//   rubato_bushing_3d [--element-size 0.003] [--steps 5] [--threads 1]
//
// Mooney-Rivlin 0.4 and 0.1 MPa, bulk modulus 30 MPa, 1100 kg/m³; the outer sleeve is held, the inner one moved by 5 sin²(5πt) mm along y, in
// steps of 3 ms. Elements of 1.22 mm (the default of the mesh) give 106,692 coordinates of nodes, of 3 mm 9,828; those of the sleeves are
// prescribed. CPU time is split among the phases as wall time is: with one thread that holds on a busy machine, too.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/formulation.hpp"

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

Result<std::shared_ptr<const fem::SolidSystem>> bushing_of(double element_size, int threads) {
  using namespace fem;
  auto mesh = fem::bushing({.element_size = element_size});
  if (!mesh) return mesh.error();
  SolidModel model;
  model.mesh = *std::move(mesh);
  model.materials = {{.name = "rubber", .density = 1100, .law = mooney_rivlin(0.4e6, 0.1e6), .bulk = 30e6}};
  model.regions = {{.group = "rubber", .material = "rubber"}};
  for (const bool inner : {true, false}) {
    Prescribed sleeve{.group = inner ? "inner" : "outer"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sleeve.displacement[axis].emplace(*function_of_time(inner && axis == 1 ? "0.005*sin(5*pi*t)^2" : "0"));
    model.prescribed.push_back(std::move(sleeve));
  }
  model.threads = threads;
  return build(std::move(model));
}

struct Setup {
  const char* name;
  BackEnd back_end;
  bool old_factor;  ///< as preconditioner of Krylov spaces
  KrylovFactors factors = KrylovFactors::exact;
  KrylovProducts products = KrylovProducts::matrix;
};

int run(double element_size, int steps, int threads) {
  const auto system = bushing_of(element_size, threads);
  if (!system) return fmt::print(stderr, "{}\n", system.error().message), 1;
  const auto dae = *formulate(*system, *formulation_by_name("eps-lambda"));
  MechanicalState rest;
  rest.q = rest.v = rest.a = Vector::Zero((*system)->sizes().q);
  fmt::print("{} elements, {} coordinates, {} steps of ROS3P, h = 3 ms\n",
             (*system)->model().mesh.find_group("rubber")->elements.size(), (*system)->sizes().q, steps);
  fmt::print(
      "| | CPU s, analysis included | LU | products | CPU ms/step: f | J | LU | solves | difference |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  Vector first;
  for (const Setup& setup :
       {Setup{"MUMPS", BackEnd::mumps, false},
        {"MUMPS, old factors", BackEnd::mumps, true},
        {"MUMPS, old factors, J with them only", BackEnd::mumps, true, KrylovFactors::exact,
         KrylovProducts::differences},
        {"multigrid", BackEnd::mumps, true, KrylovFactors::multigrid},
        {"multigrid, J with it only", BackEnd::mumps, true, KrylovFactors::multigrid, KrylovProducts::differences},
        {"CHOLMOD", BackEnd::cholmod, false},
        {"CHOLMOD, old factors", BackEnd::cholmod, true}}) {
    if (!available(setup.back_end)) continue;
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-3, .atol = 1e-6};
    options.step.fixed_step = 3e-3;
    options.linear.back_end = setup.back_end;
    options.linear.krylov.use = setup.old_factor;
    options.linear.krylov.matrix.preconditioner = KrylovPreconditioner::factor;
    options.linear.krylov.matrix.factors = setup.factors;
    options.linear.krylov.products = setup.products;
    options.linear.krylov.coupling = KrylovCoupling::error;
    options.timing = true;
    InitialValueProblem problem{.dae = dae, .t_end = steps * options.step.fixed_step};
    dae->pack(rest, problem.x, problem.w);
    problem.base = dae->base_of(rest);
    const double before = cpu_seconds();
    const auto end = integrate(problem, "ros3p", options);
    if (!end || !completed(end->status)) return fmt::print(stderr, "{}\n", end ? end->reason : end.error().message), 1;
    const auto& s = end->statistics.seconds;
    const double cpu = cpu_seconds() - before, ms = 1e3 / steps * cpu / s.total;
    if (first.size() == 0) first = end->x;
    fmt::print("| {} | {:.2f} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1e} |\n", setup.name, cpu,
               end->statistics.factorisations, end->statistics.krylov_products, ms * s.f, ms * s.jacobian,
               ms * s.factor, ms * s.solve, (end->x - first).cwiseAbs().maxCoeff() / first.cwiseAbs().maxCoeff());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace rubato::bench

int main(int argc, char** argv) {
  double element_size = 0.003;
  int steps = 5, threads = 1;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--element-size" && !value.empty()) {
      element_size = std::stod(value);
    } else if (name == "--steps" && !value.empty()) {
      steps = std::stoi(value);
    } else if (name == "--threads" && !value.empty()) {
      threads = std::stoi(value);
    } else {
      fmt::print(stderr, "usage: rubato_bushing_3d [--element-size M] [--steps N] [--threads N]\n");
      return 2;
    }
  }
  return rubato::bench::run(element_size, steps, threads);
}
