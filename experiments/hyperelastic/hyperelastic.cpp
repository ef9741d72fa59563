#include "experiments/hyperelastic/hyperelastic.hpp"

namespace rubato::experiments {

Experiment hyperelastic() {
  return {.name = "hyperelastic",
          .title = "A rubber bushing, nearly incompressible: Rosenbrock methods against generalized-α",
          .source =
              "U. Becker, Efficient time integration and nonlinear model reduction for incompressible hyperelastic "
              "materials, "
              "dissertation, TU Kaiserslautern (2012), section 5.3.",
          .introduction =
              "The publication prints counters, CPU times and differences of one run; geometry of the rings, mesh, "
              "direction, ρ∞ and "
              "Newton's tolerance are not printed. Ours (`bushing`): radii 8, 10, 25 and 27 mm, 48 × (1 + 5 + 2) "
              "elements, which gives "
              "its 3264 displacements and 288 pressures. *prototype*: an independent program on the same geometry, "
              "written before this "
              "one. Times are not part of this page: `docs/benchmarks.md` has them.",
          .parts = {{"figure-static", "force over displacement of the inner ring", bushing::static_curve},
                    {"table-5.1", "counters at h = 3 ms (tables 5.1 and 5.2)", bushing::table_5_1},
                    {"table-5.3", "difference between both methods", bushing::table_5_3},
                    {"table-adaptive", "ROS3P with error control, tolerance 10⁻³", bushing::adaptive},
                    {"table-methods", "other methods on the same task", bushing::methods}},
          .missing =
              "Figures 5.2 to 5.5 show the deformed bushing and curves of single nodes. Model reduction (chapters 6 "
              "and 7) is not "
              "here."};
}

}  // namespace rubato::experiments
