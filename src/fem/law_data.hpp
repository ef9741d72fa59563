#pragma once
/// A material as the kernels want it.
#include "element_kernel.hpp"
#include "rubato/fem/material.hpp"

namespace rubato::fem::detail {

/// mixed: the pressure is an unknown of its own.
[[nodiscard]] LawData law_data(const Material& material, bool mixed) noexcept;

/// U(1 + h(p)): what a mixed law stores in changes of volume.
[[nodiscard]] double volumetric_energy(const LawData& law, double pressure) noexcept;

}  // namespace rubato::fem::detail
