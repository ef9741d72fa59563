#pragma once
/// Where the equations of a mechanical system are evaluated, from a state that somebody else keeps.
#include "rubato/base/views.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato {

[[nodiscard]] inline MechanicalPoint<double> point_at(const MechanicalState& state, Scratch scratch,
                                                      In u = {}) noexcept {
  return {.t = state.t,
          .q = view(state.q),
          .v = view(state.v),
          .z = view(state.z),
          .lambda = view(state.lambda),
          .nu = view(state.nu),
          .u = u,
          .base = view(state.base),
          .mode = state.mode,
          .scratch = scratch,
          .shared = {}};
}

}  // namespace rubato
