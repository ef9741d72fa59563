#pragma once
/// How a real-time step ended.
#include <cstdint>
#include <string_view>

namespace rubato::realtime {

enum class RealtimeStatus : std::uint8_t {
  ok,
  refused,             ///< the model cannot be evaluated, at the start of the step or where it leads
  singular,            ///< the step matrix, or that of a projection
  not_finite,          ///< a derivative or a number of the new state
  residual_too_large,  ///< LU: pivots chosen off line no longer serve
};
[[nodiscard]] std::string_view to_string(RealtimeStatus status) noexcept;

}  // namespace rubato::realtime
