#pragma once
/// How large the unknowns of a mechanism are, from its data alone: what absolute tolerances are measured against.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubato/multibody/mechanism.hpp"
#include "rubato/problem/layout.hpp"

namespace rubato::multibody {

/// L: the extent of bodies, their frames and contact radii at the start along the widest axis; 1 m where all is in one place.
/// V: the largest of √(|g| L), the speeds at the start and of prescribed motions, rates times L, and L per run.
/// F: the weight of all bodies or, where larger, m V²/L.
struct TypicalSizes {
  double length = 1;              ///< L, m
  double speed = 1;               ///< V, m/s
  double mass = 1, lightest = 1;  ///< of all bodies, of the lightest, kg
  double force = 1;               ///< F, N
  double bristle = 0;             ///< the smallest deflection μ_s/σ₀ of the bristles of a contact, m; 0: none
  double slip = 0;                ///< the smallest Stribeck speed v_s of a contact, m/s; 0: none
};
[[nodiscard]] TypicalSizes typical_sizes(const Mechanism& mechanism, double t_start, double t_end);

/// What counts as small of the unknowns of this layout: (block, or "*.rx" for a coordinate of every body, size). Times rtol these are
/// absolute tolerances.
///   lengths 10⁻³ L    speeds 10⁻² V, at most v_s    bristles μ_s/σ₀    forces 10⁻³ F    angles 10⁻² rad    rates 0.1 V/L
/// Rotation vectors in space are those of one step: rtol alone would ask nothing of them. Errors of speeds reach positions times h.
/// Positions of stiff elements need no finer ones: rtol |x| outweighs them unless the body is at the origin (a double wishbone with
/// rubber bushings of 8 kN/mm, rtol = 10⁻⁵: forces to 0.014 N of 2.1 kN; with 10⁻⁵ L to 0.004 N in three times the steps).
[[nodiscard]] std::vector<std::pair<std::string, double>> small_sizes(const TypicalSizes& sizes, const Layout& layout);

}  // namespace rubato::multibody
