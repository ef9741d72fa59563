#pragma once
/// From a model file to something that runs.
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "rubato/io/run_file.hpp"

namespace rubato::app {

/// The model of a configuration, built, with consistent start values, in this formulation (empty: index-3) and t = 0 … 1 s.
/// `notes` receives what was found out on the way.
[[nodiscard]] Result<catalogue::Instance> model_instance(const io::RunConfig& config, std::string_view formulation,
                                                         std::vector<std::string>& notes);

/// Relative tolerance of mechanisms where nobody chose one. The cases of docs/model-file.md, `radau`: forces of stiff bushings to 10⁻⁵,
/// all impacts of a cam; 10⁻⁴ misses some of them, 10⁻⁶ costs a third more.
inline constexpr double default_model_rtol = 1e-5;

/// rtol, and absolute tolerances that fit the size of the mechanism, where none were given; a note says which.
void choose_tolerances(io::RunConfig& config, const InitialValueProblem& problem, std::vector<std::string>& notes);

}  // namespace rubato::app
