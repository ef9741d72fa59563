#pragma once
/// Which pressures exist for which elements: what `rubato list elements` shows and `build` accepts.
#include <span>
#include <string>

#include "rubato/fem/solid.hpp"

namespace rubato::fem {

struct MixedPair {
  Shape shape;  ///< of the displacements
  PressureSpace pressure;
  bool inf_sup_stable;  ///< false: pressures may oscillate from element to element
};
[[nodiscard]] std::span<const MixedPair> mixed_pairs() noexcept;

/// "quad9/quad4" has continuous pressures on the corners: "quad4"; "quad9/P1" and "quad4/P0" linear and constant ones in each element.
[[nodiscard]] std::string pressure_name(const MixedPair& pair);

}  // namespace rubato::fem
