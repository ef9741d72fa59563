#include "growth_watch.hpp"

#include <algorithm>
#include <cmath>

#include "rubato/problem/formulation.hpp"

namespace rubato {

namespace {

constexpr double beyond_every_scale = 1e8;

double largest(const Vector& x, const Block& block) {
  return block.size > 0 && x.size() > 0 ? x.segment(block.offset, block.size).cwiseAbs().maxCoeff() : 0;
}

}  // namespace

GrowthWatch::GrowthWatch(const InitialValueProblem& problem, const Tolerances& tolerances) {
  if (dynamic_cast<const FormulatedDae*>(problem.dae.get()) == nullptr) return;
  const double interval = problem.t_end - problem.t_start;
  const Layout& layout = problem.dae->layout();
  const double per_rtol = tolerances.rtol > 0 ? tolerances.atol / tolerances.rtol : 1;
  double q = 0, speed = std::max(per_rtol, 1.0);  // m/s, rad/s: loads may come later
  for (const Block& block : layout.blocks()) {
    if (block.unknown == ScaledUnknown::position) q = std::max(q, largest(problem.x, block));
    if (block.unknown == ScaledUnknown::velocity)
      speed = std::max({speed, largest(problem.x, block), largest(problem.w, block) * interval});
  }
  speed = std::max(speed, q / interval);
  for (const Block& block : layout.blocks()) {
    const bool position = block.unknown == ScaledUnknown::position;
    if (!position && block.unknown != ScaledUnknown::velocity) continue;
    bounds_.push_back({.begin = block.offset,
                       .end = block.offset + block.size,
                       .size = beyond_every_scale * (position ? std::max(q, speed * interval) : speed)});
  }
}

int GrowthWatch::beyond(In x) const noexcept {
  for (const Bound& bound : bounds_)
    for (int i = bound.begin; i < bound.end; ++i)
      if (std::abs(x[static_cast<std::size_t>(i)]) > bound.size) return i;
  return -1;
}

}  // namespace rubato
