// What one space for all stages of a step saves on the class of problems for which the publication recommends Krylov methods.
#include <fmt/format.h>

#include <array>

#include "experiments/krylov_row/krylov_row.hpp"
#include "experiments/krylov_row/parabolic_run.hpp"

namespace rubato::experiments::parabolic {

Section products(const Control& control) {
  Section section{
      .setting =
          "`reaction-diffusion`, 30 × 30 points and 120 walls, t ≤ 1 s, rtol = atol = 10⁻⁵, constraints "
          "preconditioned. Products with the "
          "Jacobian in the whole run: GMRES restarted after 20 vectors, GMRES, one space for all stages of a step.",
      .values = {{"method", "residual", "steps", "restarted", "GMRES", "shared space", "restarted / shared",
                  "GMRES / shared", "error restarted", "error GMRES", "error shared"},
                 {}},
      .difference =
          "The publication recommends this class of problems and has no numbers for it. Residuals relative to "
          "right-hand sides ask as much of "
          "a stage that hardly changes the solution as of the others; measured by the error they cause (`error`, ours) "
          "later stages find "
          "most of what they need in the space."};
  struct Rule {
    KrylovCoupling coupling;
    const char* name;
  };
  for (const char* method : {"rodas4p", "grk4t", "ros3p"})
    for (const Rule& rule : {Rule{KrylovCoupling::tenth, "0.1 rtol"}, Rule{KrylovCoupling::error, "error"}}) {
      if (control.stopped()) return section;
      if (control.say) control.say(fmt::format("{}, residual {}", method, rule.name));
      const std::array all = {run(method, 30, KrylovProcess::gmres, 20, rule.coupling, control),
                              run(method, 30, KrylovProcess::gmres, 0, rule.coupling, control),
                              run(method, 30, KrylovProcess::multiple_arnoldi, 0, rule.coupling, control)};
      std::vector<io::Cell> row = {method, rule.name, all[2].accepted};
      for (const Outcome& one : all) row.push_back(one.products);
      for (const Outcome& one : {all[0], all[1]})
        row.push_back(fmt::format("{:.2f}", static_cast<double>(one.products) / static_cast<double>(all[2].products)));
      for (const Outcome& one : all)
        row.push_back(one.trouble.empty() ? fmt::format("{:.1e}", one.error) : one.trouble);
      section.values.rows.push_back(std::move(row));
    }
  return section;
}

}  // namespace rubato::experiments::parabolic
