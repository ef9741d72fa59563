#pragma once
/// From a finite element model to something that runs.
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/io/run_file.hpp"

namespace rubato::app {

/// The method where nobody chose one and the index allows it: one factorisation per step, stiffly accurate. The bushing of examples/ takes rodas4p 280 steps,
/// ros3p 825, radau 280 with six times the work, at rtol = 1e-3.
inline constexpr std::string_view default_solid_method = "rodas4p";

/// The model of a configuration, built, at rest or in equilibrium, in this formulation (empty: eps-lambda where pressures have a
/// finite bulk modulus, else index-3) and t = 0 … 1 s.
[[nodiscard]] Result<catalogue::Instance> solid_instance(const io::RunConfig& config, std::string_view formulation,
                                                         std::vector<std::string>& notes);

/// The body at rest, undeformed.
[[nodiscard]] MechanicalState state_at_rest(const MechanicalSystem& system, double t);

/// Absolute tolerances that fit the size of the body and its stiffness, where none were given; a note says which.
void choose_tolerances(io::RunConfig& config, const fem::SolidSystem& system, const Layout& layout,
                       std::vector<std::string>& notes);

}  // namespace rubato::app
