#pragma once
/// Which unknowns of a Dae are positions and velocities, for methods that treat q'' as a whole.
#include <string_view>

#include "rubato/base/result.hpp"
#include "rubato/problem/formulation.hpp"
#include "stepped_system.hpp"

namespace rubato {

struct SecondOrderForm {
  SteppedSystem::PositionRows positions;          ///< n = 0: none, every differential unknown is one of first order
  const MechanicalSystem* constrained = nullptr;  ///< rigid constraints at position level: 0 = g(t,q) …
  const FormulatedDae* formulated = nullptr;      ///< … by this Dae
  int lambda = 0, n_lambda = 0;                   ///< … in these rows
};

/// Refuses velocities that are not rates of the coordinates, and rotations without velocities.
[[nodiscard]] Result<SecondOrderForm> second_order_form(std::string_view method, const Dae& dae);

}  // namespace rubato
