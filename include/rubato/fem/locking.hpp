#pragma once
/// Volumetric locking: linear elements without pressures cannot deform at constant volume in most ways.
///
/// A fine mesh of quad4 has two displacements per element and four points of integration at which J = 1 is asked for as κ/μ grows: more
/// conditions than unknowns, and the solution comes out too stiff, by about 1 + c (κ/μ) (h/L)² while that is small.
/// Cook's membrane, quad4, 16 × 16, strain energy against that of quad9/P1: κ/μ = 2: −2 %, 10: −6 %, 20: −9 %, 50: −17 %,
/// 100: −26 %, 500: −48 %, 5000: −64 %; tri3 twice as bad; quad8 and quad9 without pressures −2 % at 5000.
#include <string>
#include <vector>

#include "rubato/fem/solid.hpp"

namespace rubato::fem {

/// κ/μ above which linear elements need pressures: a Poisson's ratio of 0.475.
inline constexpr double locking_ratio = 20;

/// A sentence for every region that locks, with the remedies by name. Plane stress does not lock: the thickness follows.
[[nodiscard]] std::vector<std::string> notes_on_locking(const SolidModel& model);

}  // namespace rubato::fem
