#include "experiments/realtime_sparsing/realtime_sparsing.hpp"

namespace rubato::experiments {

Experiment realtime_sparsing() {
  return {
      .name = "realtime-sparsing",
      .title = "A robot in real time: which entries of the Jacobian the linearly implicit Euler method needs",
      .source = "A. Schiela, Sparsing in Real Time Simulation, diploma thesis, TU München and DLR (2002).",
      .introduction =
          "The publication leaves entries of the Jacobian out as long as no eigenvalue λ of a step moves by more than "
          "r = max(ρ(1 − |λ|), ρ_m) at states along a run (5.1). Its robot is the Manutec r3 (`robot-r3`; states and "
          "data by "
          "inference, friction smooth), as a DAE with 354 and 117 unknowns and as an ODE with 78. *prototype*: numbers "
          "of a first "
          "program for the specification, which followed the publication's search. Operation counts are compared, "
          "times stand in "
          "`bench/realtime`.",
      .parts = {{"table-6.1", "DAE with 354 unknowns", sparsing::table_full},
                {"table-6.2", "DAE with 117 unknowns", sparsing::table_torn},
                {"table-6.3", "ODE with 78 unknowns", sparsing::table_ode},
                {"table-6.3-noise", "ODE whose accelerations are declared dense", sparsing::table_noisy},
                {"table-6.4", "ODE with other steps", sparsing::table_steps},
                {"table-operations", "what a solution costs", sparsing::operations},
                {"table-evaluations", "what a Jacobian costs", sparsing::evaluations},
                {"table-inline", "comparison with inline integration", sparsing::inline_integration},
                {"table-magnitude", "sparsing by magnitude", sparsing::magnitude},
                {"table-counterexample", "why magnitude misleads (4.1)", sparsing::counterexample},
                {"figure-5.1", "damping of algebraic unknowns", sparsing::damping},
                {"figure-6.1", "eigenvalues before and after", sparsing::eigenvalues, true},
                {"figure-6.2", "deviation of the angle of gear 1", sparsing::deviations, true},
                {"figure-6.3-to-6.11", "structures", sparsing::structures, true}},
      .missing =
          "Figures 3.1 and 3.2 (images under 1/(1 − z)) are drawings. Times in milliseconds on a machine of 2002 are "
          "not repeated; "
          "ratios of operations stand for them. The tables of orders of extrapolation with inexact Jacobians are "
          "tests."};
}

}  // namespace rubato::experiments
