#include "experiments/stiff_irk/stiff_irk.hpp"

namespace rubato::experiments {

Experiment stiff_irk() {
  return {
      .name = "stiff-irk",
      .title = "Implicit Runge-Kutta methods for stiff mechanical systems",
      .source =
          "M. Schaub, Numerische Integration steifer mechanischer Systeme mit impliziten Runge-Kutta-Verfahren, "
          "doctoral thesis, TU München 2004; also Schaub & Simeon, Multibody Syst. Dyn. 8 (2002) 329 and ZAMM 83 "
          "(2003) 720.",
      .introduction =
          "Counters are NSTEPS/NACCPT/NREJCT/NCTF: attempts, accepted steps, rejections by the error test, failures "
          "of Newton's iteration. *published*: as printed; *rerun*: public RADAU5 or a prototype on the same set-up, "
          "where there was one; *ratio*: our attempts over the published ones; *NFCN*: our evaluations of the "
          "right-hand side. Errors are those at the end, against the reference of the catalogue.",
      .parts = {{"figure-3.1", "stability boundaries", stiff::figure_3_1, true},
                {"figure-3.2", "spectral radii", stiff::figure_3_2},
                {"table-3.4", "dispersion and dissipation orders", stiff::table_3_4},
                {"figure-3.3", "order stars", stiff::figure_3_3},
                {"figure-3.4", "damping ratio and period error", stiff::figure_3_4, true},
                {"figure-4.1", "error estimates of order 1 and 3", stiff::figure_4_1, true},
                {"figure-4.2", "tolerances asked for and reached", stiff::figure_4_2},
                {"figure-4.3", "maximum damping", stiff::figure_4_3},
                {"table-5.1", "linear DAE, standard form", stiff::table_5_1},
                {"table-5.2", "linear DAE, semi-explicit form", stiff::table_5_2},
                {"figure-5.1", "linear DAE, standard form", stiff::figure_5_1, true},
                {"figure-5.2", "linear DAE, semi-explicit form", stiff::figure_5_2, true},
                {"table-5.3", "stiff pendulum, standard form", stiff::table_5_3},
                {"table-5.4", "stiff pendulum, multiplier with differentiated constraint", stiff::table_5_4},
                {"table-5.5", "stiff pendulum, formulations in RADAU5", stiff::table_5_5},
                {"figure-5.3", "stiff pendulum, step sizes", stiff::figure_5_3, true},
                {"figure-5.4", "double pendulum with a torsion spring: energy", stiff::figure_5_4},
                {"table-5.6", "flexible slider crank, smooth start", stiff::table_5_6},
                {"table-5.7", "flexible slider crank, perturbed start", stiff::table_5_7},
                {"figure-5.6", "flexible slider crank, smooth start", stiff::figure_5_6, true},
                {"figure-5.7", "flexible slider crank, perturbed start", stiff::figure_5_7, true},
                {"table-5.8", "washing machine", stiff::table_5_8},
                {"figure-5.10", "washing machine, work and precision", stiff::figure_5_10, true},
                {"figure-5.13", "loading platform of a truck, modes that are not scaled", stiff::figure_5_13},
                {"figure-5.14", "loading platform of a truck, step sizes", stiff::figure_5_14}},
      .missing =
          "Figures 5.5, 5.8, 5.11 and 5.12 show the models, figure 5.9 the motion of the washing machine; the curves "
          "of figures 5.13 and 5.14 are "
          "lost with the figures."};
}

}  // namespace rubato::experiments
