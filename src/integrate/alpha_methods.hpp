#pragma once
/// Newmark-type methods as entries of the method list.
#include <optional>
#include <string_view>
#include <vector>

#include "rubato/integrate/method.hpp"

namespace rubato {

/// Each with the parameter it has by default.
[[nodiscard]] std::vector<Method> alpha_methods();
/// "generalized-alpha:0.5", "hht-alpha:-0.2", "newmark:0.6"; nothing where the name is none of them.
[[nodiscard]] std::optional<Result<Method>> alpha_method(std::string_view name);

}  // namespace rubato
