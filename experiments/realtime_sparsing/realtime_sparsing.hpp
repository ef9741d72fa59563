#pragma once
/// Schiela 2002: entries of the Jacobian left out of the linearly implicit Euler method, for a robot in real time.
#include "experiments/experiment.hpp"

namespace rubato::experiments {

[[nodiscard]] Experiment realtime_sparsing();

namespace sparsing {
[[nodiscard]] Section table_full(const Control& control);
[[nodiscard]] Section table_torn(const Control& control);
[[nodiscard]] Section table_ode(const Control& control);
[[nodiscard]] Section table_steps(const Control& control);
[[nodiscard]] Section table_noisy(const Control& control);
[[nodiscard]] Section operations(const Control& control);
[[nodiscard]] Section evaluations(const Control& control);
[[nodiscard]] Section inline_integration(const Control& control);
[[nodiscard]] Section magnitude(const Control& control);
[[nodiscard]] Section counterexample(const Control& control);
[[nodiscard]] Section damping(const Control& control);
[[nodiscard]] Section eigenvalues(const Control& control);
[[nodiscard]] Section deviations(const Control& control);
[[nodiscard]] Section structures(const Control& control);
}  // namespace sparsing

}  // namespace rubato::experiments
