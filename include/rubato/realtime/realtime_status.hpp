#pragma once
/// How a real-time step ended.
#include <cstdint>
#include <string_view>

#include "rubato/base/views.hpp"

namespace rubato::realtime {

enum class RealtimeStatus : std::uint8_t {
  ok,
  refused,             ///< the model cannot be evaluated, at the start of the step or where it leads
  singular,            ///< the step matrix, or that of a projection
  not_finite,          ///< a derivative, or a number of the new state or its square
  residual_too_large,  ///< LU: pivots chosen off line no longer serve
};
[[nodiscard]] std::string_view to_string(RealtimeStatus status) noexcept;

/// The numbers and their squares are finite. From ±∞, NaN or 1e300, as an input or in a state, no step leads back.
[[nodiscard]] bool usable(In numbers) noexcept;

}  // namespace rubato::realtime
