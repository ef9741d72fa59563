#pragma once
/// Quasi-linear problems with a constant mass matrix: B(t,x) x' = f(t,x) becomes
///   x' = w,   0 = f(t,x) − B(t,x) w                                                       (1)
/// for methods that need a constant B. Algebraic unknowns keep their rows and get no w. The w are local unknowns of the
/// step matrix, so nothing larger than the original system is factorised.
#include <memory>

#include "rubato/base/result.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato {

/// x is followed by w (blocks named "x'" after the block they belong to). Events, outputs, invariants and charts are
/// those of the original.
[[nodiscard]] std::shared_ptr<const Dae> with_derivative_unknowns(std::shared_ptr<const Dae> dae);

/// The same for a whole problem; its start derivative becomes the start value of the new unknowns and must be given.
[[nodiscard]] Result<InitialValueProblem> with_derivative_unknowns(const InitialValueProblem& problem);

}  // namespace rubato
