#pragma once
/// Events: roots of functions of the state, and times. What happens then is the model's business (`on_event`).
#include <cstdint>
#include <span>
#include <string>

#include "rubato/base/views.hpp"

namespace rubato {

enum class Crossing : std::uint8_t { any, rising, falling };

struct RootInfo {
  std::string name;
  Crossing crossing = Crossing::any;
  bool terminal = false;  ///< the run ends there
};

/// What has happened: the roots that fired (empty for a pure time event), and where.
struct EventContext {
  double t = 0;
  std::span<const int> roots;
  int mode = 0;
  In base;
  In u;
};

/// What the model makes of it. A reset state is written to the x handed to on_event.
struct EventEffect {
  int mode = 0;
  bool state_changed = false;  ///< x was reset, or the equations changed so that algebraic unknowns jump
  bool terminate = false;
};

}  // namespace rubato
