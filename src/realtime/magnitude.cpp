#include "rubato/realtime/magnitude.hpp"

#include <algorithm>
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

std::vector<double> sizes_at(const std::vector<Sample>& samples) {
  std::vector<double> sizes;
  for (const Sample& sample : samples) {
    sizes.resize(static_cast<std::size_t>(sample.x.size()), 1e-3);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::max(sizes[i], std::abs(sample.x[static_cast<Eigen::Index>(i)]));
  }
  return sizes;
}

std::vector<double> drop_limits(const ModelStructure& structure, double step, double sigma, In sizes) {
  std::vector<double> momenta(sizes.size(), 0.0), limits;
  const auto each = [](const SparsePattern& pattern, const auto& visit) {
    for (int j = 0; j < pattern.cols(); ++j)
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
        visit(static_cast<std::size_t>(pattern.row_indices()[p]), static_cast<std::size_t>(j),
              static_cast<std::size_t>(p));
  };
  each(structure.mass, [&](std::size_t i, std::size_t k, std::size_t p) {
    momenta[i] += std::abs(structure.mass_values[p]) * sizes[k];
  });
  each(structure.jacobian, [&](std::size_t i, std::size_t j, std::size_t) {
    limits.push_back(sigma * momenta[i] / (step * sizes[j]));  // (1)
  });
  return limits;
}

Keep kept_above(In limits, const Keep& keep, In jacobian_values) {
  Keep kept = keep;
  for (std::size_t p = 0; p < kept.size(); ++p)
    if (std::abs(jacobian_values[p]) < limits[p]) kept[p] = 0;
  return kept;
}

}  // namespace rubato::realtime
