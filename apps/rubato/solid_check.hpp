#pragma once
/// What `rubato check` says about a finite element model.
#include <string>
#include <utility>
#include <vector>

#include "rubato/fem/solid.hpp"

namespace rubato::app {

/// Lines: what was looked at, what was found.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> solid_words(const fem::SolidSystem& system);

}  // namespace rubato::app
