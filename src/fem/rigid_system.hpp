#pragma once
/// A solid some of whose nodes belong to rigid parts.
#include "rigid_body.hpp"

namespace rubato::fem::detail {

[[nodiscard]] Result<std::shared_ptr<const SolidSystem>> make_rigid_system(SolidParts parts);

}  // namespace rubato::fem::detail
