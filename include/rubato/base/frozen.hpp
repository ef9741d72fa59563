#pragma once
/// A number without its derivatives: what a model wants to enter with its value only.
///
/// The use: y = y(x) solves F(x, y) = 0. With y₀ and M₀ ≈ ∂F/∂y frozen at the solution,
///   y = y₀ − M₀⁻¹ F(x, y₀)                                                                            (1)
/// has the value y₀ and, by the implicit function theorem, the derivative −M₀⁻¹ ∂F/∂x: nothing needs to be differentiated
/// through the solution of the equation. First derivatives only.
#include "rubato/base/elementary.hpp"
#include "rubato/base/tracer.hpp"

namespace rubato {

constexpr double frozen(double x) noexcept { return x; }
template <Differentiated X>
constexpr double frozen(const X& x) noexcept {
  return value_of(x);
}
/// The dependencies stay: a factor that happens to be zero where a pattern is traced must not remove what it multiplies.
inline Tracer frozen(const Tracer& x) noexcept { return x; }

/// What frozen(x) is: plain arithmetic for numbers with derivatives.
template <class S>
using Frozen = decltype(frozen(S{}));

}  // namespace rubato
