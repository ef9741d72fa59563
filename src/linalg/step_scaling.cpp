#include "rubato/linalg/step_scaling.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato {

void fill_scaling(const StepScaling& scaling, double abs_c, std::span<const ScaledUnknown> unknowns,
                  std::span<const ScaledEquation> equations, Out row_scale, Out col_scale) noexcept {
  const double s = scaling.dynamic_stiffness(abs_c);  // (1)
  RUBATO_ASSERT(unknowns.size() == col_scale.size() && equations.size() == row_scale.size(), "sizes disagree");
  RUBATO_ASSERT(scaling.mode == ScalingMode::none || (abs_c > 0 && s > 0), "scaling needs |c| > 0 and s > 0");
  std::fill(row_scale.begin(), row_scale.end(), 1.0);
  std::fill(col_scale.begin(), col_scale.end(), 1.0);
  if (scaling.mode == ScalingMode::none) return;
  for (std::size_t i = 0; i < equations.size(); ++i) switch (equations[i]) {
      case ScaledEquation::kinematic: row_scale[i] = 1 / abs_c; break;
      case ScaledEquation::dynamic: row_scale[i] = 1 / s; break;
      case ScaledEquation::velocity_constraint: row_scale[i] = 1 / abs_c; break;
      case ScaledEquation::acceleration_constraint: row_scale[i] = 1 / (abs_c * abs_c); break;
      case ScaledEquation::position_constraint:
      case ScaledEquation::plain: break;
    }
  if (scaling.mode == ScalingMode::left) return;
  const bool v = scaling.mode == ScalingMode::lambda_and_v;
  for (std::size_t i = 0; i < unknowns.size(); ++i) switch (unknowns[i]) {
      case ScaledUnknown::force: col_scale[i] = s; break;
      case ScaledUnknown::position_multiplier: col_scale[i] = abs_c; break;
      case ScaledUnknown::velocity: col_scale[i] = v ? abs_c : 1.0; break;
      case ScaledUnknown::acceleration: col_scale[i] = v ? abs_c * abs_c : 1.0; break;
      case ScaledUnknown::position:
      case ScaledUnknown::plain: break;
    }
}

ScaledUnknown scaled_unknown(int h_power, bool algebraic) noexcept {
  if (algebraic) return h_power >= 1 ? ScaledUnknown::force : ScaledUnknown::plain;
  return h_power >= 1 ? ScaledUnknown::velocity : ScaledUnknown::position;
}

ScaledEquation scaled_equation(int h_power, bool algebraic) noexcept {
  if (algebraic)
    return h_power >= 2   ? ScaledEquation::position_constraint
           : h_power == 1 ? ScaledEquation::velocity_constraint
                          : ScaledEquation::plain;
  return h_power >= 1 ? ScaledEquation::dynamic : ScaledEquation::kinematic;
}

}  // namespace rubato
