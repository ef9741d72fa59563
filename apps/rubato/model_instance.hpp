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

}  // namespace rubato::app
