#pragma once
/// Where functions are not smooth, by looking at both sides of a point.
#include "rubato/base/function.hpp"

namespace rubato {

/// Whether f or one of its first n derivatives (n ≤ 2) differs on the two sides of x.
[[nodiscard]] bool jumps(const Function& f, double x, int n) noexcept;

}  // namespace rubato
