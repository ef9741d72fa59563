#pragma once
/// Which entries of a formulation's Jacobian may differ from zero, by the patterns of the model's tangents.
#include <optional>

#include "formulated_rows.hpp"

namespace rubato::detail {

/// Of f − B w, for forms whose values no tangents give (penalty, ε²λ differentiated, velocity and acceleration level): differences then
/// need as many evaluations as columns of a group touch, not as many as there are unknowns. Nothing where the model has no
/// tangents, M or the coordinates are not plain, or something is solved inside.
[[nodiscard]] std::optional<SparsePattern> structural_pattern(const MechanicalSystem& system,
                                                              const FormulationPlan& plan);

}  // namespace rubato::detail
