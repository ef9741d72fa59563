#pragma once
/// A material as the kernels want it.
#include "element_kernel.hpp"
#include "rubato/fem/material.hpp"

namespace rubato::fem::detail {

/// mixed: the pressure is an unknown of its own.
[[nodiscard]] LawData law_data(const Material& material, bool mixed) noexcept;

}  // namespace rubato::fem::detail
