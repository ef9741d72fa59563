#pragma once
/// Forces that act on one side only, over all scalars.
#include <type_traits>

#include "jet.hpp"

namespace rubato::multibody::detail {

template <class S>
inline constexpr bool is_tracer = std::is_same_v<S, Tracer>;

/// x or zero. Patterns hold for both.
template <class S>
S where(bool acts, const S& x) {
  return acts ? x : S(0.0);
}
inline Tracer where(bool acts, const Tracer& x) { return {acts ? x.value : 0.0, x.set}; }

}  // namespace rubato::multibody::detail
