#include "rubato/io/duration.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/model_values.hpp"

namespace rubato::io {

Result<double> parse_duration(std::string_view text) {
  const auto value = quantity(text, "s", {});
  if (!value)
    return Error{fmt::format("'{}' is no time: {}; a number with a unit, e.g. 1ms", text, value.error().message)};
  if (!(*value > 0 && std::isfinite(*value)))
    return Error{fmt::format("'{}' is not allowed; a time > 0, e.g. 1ms", text)};
  return *value;
}

}  // namespace rubato::io
