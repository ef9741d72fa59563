#pragma once
/// evolution() of deflation.hpp by entries: B has few of them, and so do the rows and columns that cover A.
#include <optional>

#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime {

/// M = V B⁻¹ U with A = U V. Empty where B is singular.
[[nodiscard]] std::optional<Matrix> sparse_evolution(const StepPencil& pencil, In jacobian_values, const Keep& keep);

}  // namespace rubato::realtime
