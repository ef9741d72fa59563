#pragma once
/// Times on the command line: "1ms", "0.5 s", "500us", "1e-3".
#include <string_view>

#include "rubato/base/result.hpp"

namespace rubato::io {

/// In seconds, which a plain number means. Refuses units that measure no time and what is not positive and finite.
[[nodiscard]] Result<double> parse_duration(std::string_view text);

}  // namespace rubato::io
