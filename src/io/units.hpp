#pragma once
/// Units of mechanics: "kN/mm", "kg*m^2", "rpm" as a factor to SI and a dimension. Angles are numbers, rad = 1.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// Powers of metre, kilogram and second.
using Dimension = std::array<int, 3>;

struct Unit {
  double factor = 1;  ///< SI value of one
  Dimension dimension{};
};

/// Names with powers, joined by *, · or a blank, and /, which divides by the next name only. "" and "1": a plain number.
[[nodiscard]] Result<Unit> parse_unit(std::string_view text);

[[nodiscard]] std::vector<std::string> unit_names();

}  // namespace rubato::io
