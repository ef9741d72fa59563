#pragma once
/// What a method does not take: a formulation of lower index instead, or a refusal that names what suits.
#include <functional>
#include <string>
#include <vector>

#include "task.hpp"

namespace rubato::app {

/// The problem of the run in another formulation; appends what is to be said about the model.
using MakeInstance =
    std::function<Result<catalogue::Instance>(const std::string& formulation, std::vector<std::string>& notes)>;

/// "method … is meant for index ≤ …", or nothing where the index of the problem is not too high.
[[nodiscard]] std::string index_warning(const MethodInfo& info, const Dae& dae);

/// The instance where the method takes its index. Else, where nobody chose the formulation, the same problem in the first of these that the method
/// takes: semi-explicit (methods that need a constant mass matrix), index-2, index-1, state-space; a note says so. Where the formulation was chosen:
/// an error. Evidence for the order: docs/methods.md, "Index 3" of the Rosenbrock methods.
[[nodiscard]] Result<catalogue::Instance> suited_to_index(const io::RunConfig& config, const Method& method,
                                                          catalogue::Instance instance, const MakeInstance& make,
                                                          std::vector<std::string>& notes);

}  // namespace rubato::app
