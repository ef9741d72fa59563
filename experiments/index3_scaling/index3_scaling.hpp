#pragma once
/// Constraints of index 3 whose Newton matrices do not become ill-conditioned as h shrinks: scaling by powers of h.
#include "experiments/experiment.hpp"

namespace rubato::experiments {

[[nodiscard]] Experiment index3_scaling();

namespace scaling {
Section table_1(const Control& control);   ///< orders of bounds and conditions
Section figure_1(const Control& control);  ///< Newton's corrections that no longer shrink
Section table_2(const Control& control);   ///< last decreasing corrections: figures 2, 5, 7
Section figure_3(const Control& control);  ///< by field
Section table_3(const Control& control);   ///< condition numbers: figures 4, 6, 8
Section table_4(const Control& control);   ///< s of a stiff system
Section table_5(const Control& control);   ///< the contact problem: figures 10, 11
}  // namespace scaling

}  // namespace rubato::experiments
