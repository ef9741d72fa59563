#include "experiments/krylov_row/parabolic_run.hpp"

#include <cmath>

#include "catalogue/catalogue.hpp"

namespace rubato::experiments::parabolic {

Outcome run(const char* method, int n, KrylovProcess process, int restart, KrylovCoupling coupling,
            const Control& control) {
  const auto instance = catalogue::make_problem("reaction-diffusion", {{"n", double(n)}});
  if (!instance) return {.trouble = instance.error().message};
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-5, .atol = 1e-5};
  options.any_index = true;  // GRK4T
  options.linear.krylov = {.use = true,
                           .matrix = {.process = process,
                                      .preconditioner = KrylovPreconditioner::constraint,
                                      .max_dimension = process == KrylovProcess::gmres ? 2000 : 300,
                                      .restart = restart},
                           .coupling = coupling};
  const auto end = integrate(instance->problem, method, options, {.stop = control.stop});
  if (!end) return {.trouble = end.error().message};
  return {.accepted = end->statistics.accepted,
          .solves = end->statistics.solves,
          .products = end->statistics.krylov_products,
          .error = std::pow(10, -*catalogue::digits(*instance, view(end->x))),
          .trouble = completed(end->status) ? std::string{} : end->reason};
}

}  // namespace rubato::experiments::parabolic
