#pragma once
/// Homogeneous states of incompressible materials: what test machines do, and where a law is stable in them.
///
/// All follow from `evaluate` of the law with F of the mode, det F = 1; the pressure is what leaves the free face without stress.
#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rubato/fem/material.hpp"

namespace rubato::fem {

enum class TestMode : std::uint8_t {
  uniaxial,     ///< F = diag(λ, λ^−½, λ^−½)
  equibiaxial,  ///< F = diag(λ, λ, λ^−2)
  pure_shear,   ///< F = diag(λ, λ^−1, 1): a wide strip, also called planar tension
  simple_shear  ///< F = I + γ e₁ ⊗ e₂
};
inline constexpr std::array<TestMode, 4> test_modes = {TestMode::uniaxial, TestMode::equibiaxial, TestMode::pure_shear,
                                                       TestMode::simple_shear};
[[nodiscard]] std::string_view name(TestMode mode) noexcept;  ///< "pure-shear"
[[nodiscard]] std::optional<TestMode> test_mode_from_name(std::string_view name) noexcept;

/// `stretch` is λ; in simple shear γ.
[[nodiscard]] Tensor deformation(TestMode mode, double stretch) noexcept;

/// Force per undeformed area: P₁₁ with the third face free (uniaxial, equibiaxial) or the second (pure shear); P₁₂ in simple
/// shear, on which the pressure has no influence.
[[nodiscard]] double nominal_stress(const Material& material, TestMode mode, double stretch) noexcept;

/// The second derivative of the energy with respect to the logarithmic principal stretches e_i, on the plane Σ de_i = 0 in the
/// basis (1, −1, 0)/√2, (1, 1, −2)/√6. Stresses do positive work on every further increment (dτ·de > 0; Drucker's and Hill's
/// condition) where it is positive definite. Any pressure drops out.
[[nodiscard]] Eigen::Matrix2d incremental_stiffness(const Material& material, TestMode mode, double stretch) noexcept;

struct StretchRange {
  double low = 1, high = 1;
  [[nodiscard]] bool contains(const StretchRange& other) const noexcept {
    return low <= other.low && other.high <= high;
  }
};
/// The longest interval around the undeformed state, inside `searched`, on which the incremental stiffness is positive definite. Both
/// ends are the undeformed state where not even that is stable. Not for simple shear: its states are those of pure shear,
/// λ − 1/λ = γ.
[[nodiscard]] StretchRange stable_range(const Material& material, TestMode mode, const StretchRange& searched);

}  // namespace rubato::fem
