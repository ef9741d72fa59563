#pragma once
/// Implicit Runge-Kutta methods as entries of the method list.
#include <optional>
#include <string_view>
#include <vector>

#include "rubato/integrate/method.hpp"

namespace rubato {

/// Those with a name of their own, and one representative of each family.
[[nodiscard]] std::vector<Method> runge_kutta_methods();
/// Any table of runge_kutta_by_name(): "gauss-4", "lobatto-iiidc-3:0.25".
[[nodiscard]] Result<Method> runge_kutta_method(std::string_view name);

}  // namespace rubato
