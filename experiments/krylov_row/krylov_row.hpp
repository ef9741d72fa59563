#pragma once
/// Wensch 2005: a viscoelastic plate by RODAS with direct and with Krylov solvers.
#include "experiments/experiment.hpp"

namespace rubato::experiments {

[[nodiscard]] Experiment krylov_row();

namespace parabolic {
[[nodiscard]] Section products(const Control& control);
}

namespace plate {
[[nodiscard]] Section tables(const Control& control);
[[nodiscard]] Section preconditioned(const Control& control);
[[nodiscard]] Section dimensions(const Control& control);
[[nodiscard]] Section largest_dimension(const Control& control);
[[nodiscard]] Section residuals(const Control& control);
}  // namespace plate

}  // namespace rubato::experiments
