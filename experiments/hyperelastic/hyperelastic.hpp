#pragma once
/// Becker (2012): Rosenbrock methods against generalized-α on a nearly incompressible rubber bushing.
#include "experiments/experiment.hpp"

namespace rubato::experiments {

[[nodiscard]] Experiment hyperelastic();

namespace bushing {
Section static_curve(const Control& control);
Section table_5_1(const Control& control);
Section table_5_3(const Control& control);
Section adaptive(const Control& control);
Section methods(const Control& control);
}  // namespace bushing

}  // namespace rubato::experiments
