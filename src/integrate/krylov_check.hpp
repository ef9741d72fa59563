#pragma once
/// What goes with Krylov spaces, and what does not.
#include "rubato/integrate/method.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato {

/// Residuals of all rows make one number, so these must be of one kind, and g_z must be regular; unless errors are measured instead, which
/// takes a factor of the whole matrix. For options with krylov.use.
[[nodiscard]] Result<void> krylov_checked(const InitialValueProblem& problem, const Method& method,
                                          const IntegrateOptions& options);

}  // namespace rubato
