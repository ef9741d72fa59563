#include "motion_error.hpp"

namespace rubato {

MotionError::MotionError(const Layout& layout, const IntegrateOptions& options) {
  const StepOptions& step = options.step;
  if (step.fixed_step > 0 || !step.h_scaling || !step.h_power_of.empty()) return;
  for (const Block& block : layout.blocks())
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      if (block.unknown == ScaledUnknown::position) positions_.push_back(i);
      if (block.unknown == ScaledUnknown::velocity && block.h_power > 0) velocities_.push_back(i);
      if (block.kind == Kind::algebraic && block.h_power > 1) multipliers_.push_back(i);
    }
  if (positions_.size() != velocities_.size()) velocities_.clear();
}

void MotionError::set_powers(ErrorNorm& norm) const noexcept {
  for (const int i : velocities_) norm.set_power(i, 0);
}

void MotionError::mask(Out weights) const noexcept {
  for (const int i : multipliers_) weights[static_cast<std::size_t>(i)] = 0;
}

void MotionError::mask_velocities(Out weights) const noexcept {
  for (const int i : velocities_) weights[static_cast<std::size_t>(i)] = 0;
}

void MotionError::filter(SteppedSystem& system, double c, const Vector& d, Vector& work, Vector& e,
                         int slot) const noexcept {
  system.matrix().multiply_B(view(d), view(e));
  work.setZero();
  for (const int i : velocities_) work[i] = c * c * e[i];
  system.solve(view(std::as_const(work)), view(e), slot);
  work = d;
  for (std::size_t i = 0; i < velocities_.size(); ++i) work[velocities_[i]] = e[positions_[i]];
  e.swap(work);
}

void weigh_reactions_whole(const Layout& layout, const StepOptions& step, ErrorNorm& norm) noexcept {
  if (layout.index() != 1 || !step.h_scaling || !step.h_power_of.empty()) return;
  for (const Block& block : layout.blocks()) {
    const bool reaction = block.unknown == ScaledUnknown::force || block.unknown == ScaledUnknown::acceleration;
    if (!reaction || block.h_power != 1) continue;
    for (int i = block.offset; i < block.offset + block.size; ++i) norm.set_power(i, 0);
  }
}

}  // namespace rubato
