#pragma once
/// A deformed solid with its fields as frames of an animation: displacement, velocity, pressure, Cauchy stress (xx, yy, zz, xy, yz,
/// xz), von Mises stress, energy per undeformed volume, ratio of volumes J.
#include "rubato/fem/solid.hpp"
#include "rubato/io/animation.hpp"
#include "rubato/io/vtu.hpp"

namespace rubato::io {

class SolidGrid final : public FrameSource {
 public:
  explicit SolidGrid(const fem::SolidSystem& system) : system_(system) {}
  [[nodiscard]] const VtuGrid& at(const MechanicalState& state, In y) override;

 private:
  const fem::SolidSystem& system_;
  VtuGrid grid_;
};

/// The fields at a state of the system.
[[nodiscard]] fem::SolidFields fields_at(const fem::SolidSystem& system, const MechanicalState& state);

}  // namespace rubato::io
