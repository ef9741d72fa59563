#pragma once
/// Stiff mechanical systems with implicit Runge-Kutta methods: blended Lobatto methods, error estimates, h-scaling.
#include "experiments/experiment.hpp"

namespace rubato::experiments {

[[nodiscard]] Experiment stiff_irk();

/// One function per table or figure, one file per problem.
namespace stiff {
Section figure_3_1(const Control& control);
Section figure_3_2(const Control& control);
Section table_3_4(const Control& control);
Section figure_3_3(const Control& control);
Section figure_3_4(const Control& control);
Section figure_4_1(const Control& control);
Section figure_4_2(const Control& control);
Section figure_4_3(const Control& control);
Section table_5_1(const Control& control);
Section table_5_2(const Control& control);
Section figure_5_1(const Control& control);
Section figure_5_2(const Control& control);
Section table_5_3(const Control& control);
Section table_5_4(const Control& control);
Section table_5_5(const Control& control);
Section figure_5_3(const Control& control);
Section figure_5_4(const Control& control);
Section table_5_6(const Control& control);
Section table_5_7(const Control& control);
Section figure_5_6(const Control& control);
Section figure_5_7(const Control& control);
Section table_5_8(const Control& control);
Section figure_5_10(const Control& control);
Section figure_5_13(const Control& control);
Section figure_5_14(const Control& control);
}  // namespace stiff

}  // namespace rubato::experiments
