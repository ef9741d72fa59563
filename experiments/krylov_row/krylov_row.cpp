#include "experiments/krylov_row/krylov_row.hpp"

namespace rubato::experiments {

Experiment krylov_row() {
  return {
      .name = "krylov-row",
      .title = "A viscoelastic plate: Rosenbrock methods in Krylov spaces, constraints preconditioned",
      .source =
          "J. Wensch, Krylov-ROW methods for DAEs of index 1 with applications to viscoelasticity, Appl. Numer. "
          "Math. (2005).",
      .introduction =
          "The publication integrates a plate under shear (`viscoelastic-plate`, 10 × 4 elements, 120 viscous strains, "
          "110 "
          "displacements) by RODAS, its linear systems solved directly or by GMRES with three rules for the residual. "
          "Force, "
          "tolerances, norm, controller and start are not printed; ours: traction 1000, atol = rtol, Euclidean norm, "
          "h_new = h clamp(0.8 err^(−1/4), 0.2, 3), first step 0.1 rtol^(1/4). *Preconditioned*: our addition, which "
          "the "
          "publication leaves open.",
      .parts = {{"table-1-3", "errors, Krylov dimensions and steps of RODAS (tables 1 to 3)", plate::tables},
                {"table-preconditioned", "the same with the constraint preconditioner", plate::preconditioned},
                {"table-dimensions", "one linear system on several meshes: what the dimension consists of",
                 plate::dimensions},
                {"table-cap", "what a largest dimension of 30 does", plate::largest_dimension},
                {"figure-2", "residual over dimension", plate::residuals},
                {"table-parabolic", "products on a parabolic problem with few constraints", parabolic::products}},
      .missing = "Figure 1 (rheological models) is a drawing."};
}

}  // namespace rubato::experiments
