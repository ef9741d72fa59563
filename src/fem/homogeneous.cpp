#include "rubato/fem/homogeneous.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace rubato::fem {

namespace {
constexpr std::array<std::string_view, 4> names = {"uniaxial", "equibiaxial", "pure-shear", "simple-shear"};

bool stable_at(const Material& material, TestMode mode, double stretch) {
  const Eigen::Matrix2d h = incremental_stiffness(material, mode, stretch);
  const double middle = 0.5 * h.trace(), radius = std::hypot(0.5 * (h(0, 0) - h(1, 1)), h(0, 1));
  // Of two eigenvalues far apart the smaller one is known up to the rounding of the larger one only.
  return middle > 0 && middle - radius > -1e-12 * (middle + radius);
}

/// Steps from λ = 1 towards `end`, then bisection: the last stable stretch before the first unstable one.
double stable_end(const Material& material, TestMode mode, double end) {
  constexpr int steps = 600;
  double good = 1;
  for (int k = 1; k <= steps; ++k) {
    const double next = k == steps ? end : std::pow(end, static_cast<double>(k) / steps);
    if (stable_at(material, mode, next)) {
      good = next;
      continue;
    }
    double bad = next;
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = 0.5 * (good + bad);
      (stable_at(material, mode, middle) ? good : bad) = middle;
    }
    break;
  }
  return good;
}
}  // namespace

std::string_view name(TestMode mode) noexcept { return names[static_cast<std::size_t>(mode)]; }

std::optional<TestMode> test_mode_from_name(std::string_view text) noexcept {
  for (const TestMode mode : test_modes)
    if (name(mode) == text) return mode;
  return std::nullopt;
}

Tensor deformation(TestMode mode, double stretch) noexcept {
  const double l = stretch;
  switch (mode) {
    case TestMode::uniaxial: return {l, 0, 0, 0, 1 / std::sqrt(l), 0, 0, 0, 1 / std::sqrt(l)};
    case TestMode::equibiaxial: return {l, 0, 0, 0, l, 0, 0, 0, 1 / (l * l)};
    case TestMode::pure_shear: return {l, 0, 0, 0, 1 / l, 0, 0, 0, 1};
    default: return {1, l, 0, 0, 1, 0, 0, 0, 1};
  }
}

double nominal_stress(const Material& material, TestMode mode, double stretch) noexcept {
  const Tensor f = deformation(mode, stretch);
  const Tensor p = evaluate_stress(material, f);
  if (mode == TestMode::simple_shear) return p[1];
  // P_AA + p/λ_A = 0 on the free face.
  const std::size_t free = mode == TestMode::pure_shear ? 4 : 8;
  return p[0] - p[free] * f[free] / f[0];
}

Eigen::Matrix2d incremental_stiffness(const Material& material, TestMode mode, double stretch) noexcept {
  const Tensor f = deformation(mode, stretch);
  const PointResponse at = evaluate(material, f);
  // ∂²W/∂e_i∂e_j = λ_i λ_j ∂²W/∂λ_i∂λ_j + δ_ij λ_i ∂W/∂λ_i
  Eigen::Matrix3d h;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      h(static_cast<int>(i), static_cast<int>(j)) =
          f[4 * i] * f[4 * j] * at.tangent[4 * i][4 * j] + (i == j ? f[4 * i] * at.stress[4 * i] : 0);
  Eigen::Matrix<double, 3, 2> plane;
  plane << std::sqrt(1.0 / 2), std::sqrt(1.0 / 6), -std::sqrt(1.0 / 2), std::sqrt(1.0 / 6), 0, -2 * std::sqrt(1.0 / 6);
  return plane.transpose() * h * plane;
}

StretchRange stable_range(const Material& material, TestMode mode, const StretchRange& searched) {
  if (!stable_at(material, mode, 1)) return {1, 1};
  return {stable_end(material, mode, searched.low), stable_end(material, mode, searched.high)};
}

}  // namespace rubato::fem
