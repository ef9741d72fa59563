#pragma once
/// Consistent states along an off-line run: where a real-time plan is made for.
#include <string_view>
#include <vector>

#include "rubato/integrate/options.hpp"
#include "rubato/problem/initial_value_problem.hpp"
#include "rubato/realtime/model_structure.hpp"

namespace rubato::realtime {

/// `count` equal distances from the start to the end, both included, and the times in between at which inputs jump.
[[nodiscard]] std::vector<double> sample_times(const InitialValueProblem& problem, int count);

/// Runs the problem with a method of the library and keeps the states at these times. Where an input jumps the state is the one right
/// after it: algebraic unknowns are solved for again. Refuses times outside the run and runs that do not reach their end.
[[nodiscard]] Result<std::vector<Sample>> sample_run(const InitialValueProblem& problem, std::vector<double> times,
                                                     std::string_view method, const IntegrateOptions& options);

}  // namespace rubato::realtime
