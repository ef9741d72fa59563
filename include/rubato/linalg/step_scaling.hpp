#pragma once
/// Scaling of step matrices that makes their condition independent of the step size.
///
/// In A(c) = cB − J with c ~ 1/h the blocks of a constrained mechanical system grow with different powers of c. With
///   s = k_ave + m_ave |c|²   (1)
/// (average stiffness and mass, so that s is the size of the dynamic stiffness c²M − c f_v − f_q) the scaled system
///   (D_L A D_R) y = D_L r,   x = D_R y                                                                          (2)
/// uses D_R: position 1, velocity |c|, acceleration |c|², force (λ) s, position multiplier (μ of GGL) |c|,
///      D_L: kinematic row (q' = v) 1/|c|, dynamic row 1/s, constraint on position 1, on velocity 1/|c|, on
///           acceleration 1/|c|²,
/// which leaves every block of the order of M, K and G. For index 3 after condensation this is D_L = diag(1/s, 1),
/// D_R = diag(1, s): Petzold & Lötstedt, SIAM J. Sci. Stat. Comput. 7 (1986) 720, doi:10.1137/0907049; Bottasso, Dopico,
/// Trainelli, Multibody Syst. Dyn. 19 (2008) 3, doi:10.1007/s11044-007-9051-9.
#include <cstdint>
#include <span>

#include "rubato/base/views.hpp"

namespace rubato {

/// none: ones; left: rows only; lambda: rows and the columns of forces and multipliers; lambda_and_v: all of (2).
enum class ScalingMode : std::uint8_t { none, left, lambda, lambda_and_v };

/// What an unknown and the equation of the same number are, for the purpose of scaling. `plain`: left alone.
enum class ScaledUnknown : std::uint8_t { position, velocity, acceleration, force, position_multiplier, plain };
enum class ScaledEquation : std::uint8_t {
  kinematic,
  dynamic,
  position_constraint,
  velocity_constraint,
  acceleration_constraint,
  plain
};

struct StepScaling {
  ScalingMode mode = ScalingMode::lambda_and_v;
  double k_ave = 0, m_ave = 1;

  /// s of (1).
  [[nodiscard]] double dynamic_stiffness(double abs_c) const noexcept { return k_ave + m_ave * abs_c * abs_c; }
};

/// Fills both vectors by (2); abs_c = |c| > 0 and s > 0.
void fill_scaling(const StepScaling& scaling, double abs_c, std::span<const ScaledUnknown> unknowns,
                  std::span<const ScaledEquation> equations, Out row_scale, Out col_scale) noexcept;

/// The usual reading of h-powers κ: differential κ = 0 position and kinematic row, κ ≥ 1 velocity and dynamic row;
/// algebraic κ = 2 force and constraint on position, κ = 1 force and constraint on velocity, κ = 0 plain.
[[nodiscard]] ScaledUnknown scaled_unknown(int h_power, bool algebraic) noexcept;
[[nodiscard]] ScaledEquation scaled_equation(int h_power, bool algebraic) noexcept;

}  // namespace rubato
