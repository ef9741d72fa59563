#pragma once
/// Numbers that many tests name.
#include <limits>
#include <numbers>

namespace rubato {

using std::numbers::pi;
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace rubato
