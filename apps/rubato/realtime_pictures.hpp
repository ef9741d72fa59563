#pragma once
/// Pictures of a plan and of a run with it.
#include "realtime_study.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::app {

/// Where eigenvalues of the step are, at all samples: with the whole Jacobian, and with what the plan keeps.
[[nodiscard]] io::Figure eigenvalue_figure(const std::string& title, const std::vector<realtime::StepSpectrum>& whole,
                                           const std::vector<realtime::StepSpectrum>& kept);

/// Entries of a matrix and, of another colour, those that are left out of a larger one; null: of none.
[[nodiscard]] io::Figure spy_figure(const std::string& title, const SparsePattern& kept, const SparsePattern* whole);

/// R, or L and U together, of a plan's step matrix, rows and columns in the order of work.
[[nodiscard]] SparsePattern factor_pattern(const realtime::Plan& plan);

/// The channel that deviates most: plan, whole Jacobian, accurate run.
[[nodiscard]] io::Figure deviation_figure(const std::string& title, const OfflineStudy& study,
                                          const std::string& channel);

/// How often steps took how long.
[[nodiscard]] io::Figure times_figure(const std::string& title, const realtime::RunnerReport& report, double step);

}  // namespace rubato::app
