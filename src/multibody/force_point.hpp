#pragma once
/// What force elements see.
#include <string>

#include "frame.hpp"

namespace rubato::multibody::detail {

template <class S>
struct ForcePoint {
  S t{};
  Bodies<S> bodies;
  std::span<const S> z = {};  ///< states of all elements
  In base = {};
  int mode = 0;
};

}  // namespace rubato::multibody::detail
