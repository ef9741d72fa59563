#pragma once
/// Where a model is evaluated. A model is a pure function of what stands here: no hidden history.
#include <span>

#include "rubato/base/dual.hpp"
#include "rubato/base/scratch.hpp"
#include "rubato/base/status.hpp"
#include "rubato/base/tracer.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

/// (t, x, u, mode) over the scalar S, the base of the charts and scratch memory for the callee.
template <class S>
struct Point {
  S t{};
  std::span<const S> x;  ///< flat unknowns; for charts the increment δ over `base`
  std::span<const S> u;  ///< inputs
  In base;               ///< base points of the charts, empty for plain models
  int mode = 0;          ///< discrete state, changed by events only
  Scratch scratch;
};

using At = Point<double>;

namespace detail {
/// A model function may return void (always fine) or an EvalStatus.
template <class Call>
EvalStatus status_of(Call&& call) noexcept {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return EvalStatus::ok;
  } else {
    return call();
  }
}
}  // namespace detail

}  // namespace rubato
