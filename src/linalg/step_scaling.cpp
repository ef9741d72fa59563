#include "rubato/linalg/step_scaling.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato {

namespace {

/// D_R of (2) for one unknown.
double column_scale(const StepScaling& scaling, double abs_c, ScaledUnknown unknown) noexcept {
  if (scaling.mode == ScalingMode::none || scaling.mode == ScalingMode::left) return 1;
  const bool v = scaling.mode == ScalingMode::lambda_and_v;
  switch (unknown) {
    case ScaledUnknown::force: return scaling.dynamic_stiffness(abs_c);
    case ScaledUnknown::position_multiplier: return abs_c;
    case ScaledUnknown::velocity: return v ? abs_c : 1.0;
    case ScaledUnknown::acceleration: return v ? abs_c * abs_c : 1.0;
    case ScaledUnknown::position:
    case ScaledUnknown::plain: break;
  }
  return 1;
}

}  // namespace

void fill_scaling(const StepScaling& scaling, double abs_c, std::span<const ScaledUnknown> unknowns,
                  std::span<const ScaledEquation> equations, Out row_scale, Out col_scale) noexcept {
  const double s = scaling.dynamic_stiffness(abs_c);  // (1)
  RUBATO_ASSERT(unknowns.size() == col_scale.size() && equations.size() == row_scale.size(), "sizes disagree");
  RUBATO_ASSERT(scaling.mode == ScalingMode::none || (abs_c > 0 && s > 0), "scaling needs |c| > 0 and s > 0");
  for (std::size_t i = 0; i < unknowns.size(); ++i) col_scale[i] = column_scale(scaling, abs_c, unknowns[i]);
  std::fill(row_scale.begin(), row_scale.end(), 1.0);
  if (scaling.mode == ScalingMode::none) return;
  // Rows alone: Petzold & Lötstedt leave the dynamic row at 1/|c|, like the others. With columns: Bottasso, Bauchau, Cardona,
  // SIAM J. Sci. Comput. 29 (2007) 397, doi:10.1137/050638503, who multiply all rows by h first: their D_L = diag(1, 1/(sh),
  // 1/h) is this divided by h, up to the α₀ in c = α₀/h.
  const double dynamic = scaling.mode == ScalingMode::left ? 1 / abs_c : 1 / s;
  for (std::size_t i = 0; i < equations.size(); ++i) switch (equations[i]) {
      case ScaledEquation::kinematic: row_scale[i] = 1 / abs_c; break;
      case ScaledEquation::dynamic: row_scale[i] = dynamic; break;
      case ScaledEquation::velocity_constraint: row_scale[i] = 1 / abs_c; break;
      case ScaledEquation::acceleration_constraint: row_scale[i] = 1 / (abs_c * abs_c); break;
      case ScaledEquation::position_constraint:
      case ScaledEquation::plain: break;
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
