#pragma once
/// The robot of the publication: its samples, the structures found for it, and what the steps with them do.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "experiments/experiment.hpp"
#include "rubato/realtime/sparsing.hpp"
#include "rubato/realtime/static_solver.hpp"
#include "rubato/realtime/trial.hpp"

namespace rubato::experiments::sparsing {

/// The forms in the order of the publication; `noisy` is "ode" whose nine rows of accelerations are declared dense.
inline constexpr std::string_view full = "dae-354", torn = "dae-117", ode = "ode", noisy = "ode, nine dense rows";

struct Robot {
  catalogue::Instance instance;
  realtime::ModelStructure structure;
  std::vector<realtime::Sample> samples;               ///< 13 of the first second
  std::vector<std::vector<double>> jacobians;          ///< at these
  std::vector<std::vector<double>> jacobians_between;  ///< at 12 states in the middle between them: for checking

  [[nodiscard]] realtime::StepPencil pencil(double step) const {
    return {structure.jacobian, structure.mass, structure.mass_values, step};
  }
  [[nodiscard]] realtime::Keep all() const {
    return realtime::Keep(static_cast<std::size_t>(structure.jacobian.nnz()), 1);
  }
};

/// Made once. A model of the catalogue that cannot be made is our mistake: it ends the program.
[[nodiscard]] const Robot& robot(std::string_view form);

/// One second with the steps of the clock, the relative angle of gear 1 watched. Made once.
[[nodiscard]] std::shared_ptr<const realtime::Trial> trial(std::string_view form, double step);

/// At 1 ms and above, where a run takes milliseconds, structures are accepted up to this deviation of the angle from the run with the whole Jacobian.
inline constexpr double largest_deviation = 0.06;

/// What a structure must pass: eigenvalues always, at 1 ms and above a run as well.
enum class Judge : std::uint8_t { eigenvalues, run };

/// The structure for a step and ρ, ρ_m = ρ/100, found once: from the one of the next smaller ρ of the tables, so that entries only become fewer.
[[nodiscard]] const realtime::Sparsing& sparsed(std::string_view form, double step, double rho, const Control& control,
                                                Judge judge = Judge::run);

/// The values of ρ of the tables, ascending.
[[nodiscard]] std::vector<double> tabulated_rho();

/// What a factorisation of the kept entries needs.
[[nodiscard]] realtime::StaticFacts facts(const Robot& robot, const realtime::Keep& keep, double step,
                                          realtime::StaticKind kind);

}  // namespace rubato::experiments::sparsing
