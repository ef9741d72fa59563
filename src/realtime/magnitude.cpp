#include "rubato/realtime/magnitude.hpp"

#include <cmath>

namespace rubato::realtime {

Keep keep_by_magnitude(const StepPencil& pencil, In jacobian_values, double sigma, const MagnitudeScale& scale) {
  Keep keep(jacobian_values.size(), 0);
  for (std::size_t at = 0; at < keep.size(); ++at) {
    const auto row = static_cast<std::size_t>(pencil.places()[at].row),
               col = static_cast<std::size_t>(pencil.places()[at].col);
    const double factor = (scale.cols.empty() ? 1 : scale.cols[col]) / (scale.rows.empty() ? 1 : scale.rows[row]);
    keep[at] = pencil.step() * std::abs(jacobian_values[at]) * factor >= sigma;
  }
  return keep;
}

Keep keep_by_magnitude(const StepPencil& pencil, std::span<const std::vector<double>> samples, double sigma,
                       const MagnitudeScale& scale) {
  Keep keep(pencil.places().size(), 0);
  for (const auto& values : samples) {
    const Keep here = keep_by_magnitude(pencil, values, sigma, scale);
    for (std::size_t at = 0; at < keep.size(); ++at)
      if (here[at] != 0) keep[at] = 1;
  }
  return keep;
}

}  // namespace rubato::realtime
