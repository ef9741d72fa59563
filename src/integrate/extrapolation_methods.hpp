#pragma once
/// Extrapolated linearly implicit Euler methods as entries of the method list.
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rubato/integrate/method.hpp"

namespace rubato {

/// "extrapolated-euler" of variable order, and some of fixed order.
[[nodiscard]] std::vector<Method> extrapolation_methods();
/// extrapolated-euler[-COLUMNS][:FIRST], with the step numbers FIRST, FIRST + 1, …; nothing where the name is none of them.
[[nodiscard]] std::optional<Result<Method>> extrapolation_method(std::string_view name);

/// α of A(α)-stability of the last entry of the tableau with these numbers, rad; π/2: A-stable.
[[nodiscard]] double extrapolation_stability_angle(std::span<const int> numbers);

}  // namespace rubato
