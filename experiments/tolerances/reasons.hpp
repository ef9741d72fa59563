#pragma once
/// Why a run misses a goal, in words: what numbers show by themselves, and what a look at the run has shown.
#include <string>

#include "experiments/tolerances/goals.hpp"

namespace rubato::experiments::tolerances {

/// Empty: not known.
[[nodiscard]] std::string reason_of(const Miss& miss);

}  // namespace rubato::experiments::tolerances
