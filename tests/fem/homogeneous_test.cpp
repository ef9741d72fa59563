// Homogeneous states against closed formulas, and where laws lose stability in them.
#include "rubato/fem/homogeneous.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace rubato::fem {
namespace {

Material incompressible(std::variant<LinearElastic, SaintVenantKirchhoff, Polynomial, Ogden> law) {
  return {.name = "rubber", .density = 1, .law = std::move(law), .bulk = INFINITY};
}

/// Closed formulas of the incompressible states: Ogden with W = Σ 2μ/α² (Σ λ^α − 3) has P₁ = Σ 2μ/α (λ₁^α − λ_free^α)/λ₁; the shear
/// stress of Mooney-Rivlin in simple shear is 2 (c₁₀ + c₀₁) γ.
TEST(HomogeneousStates, FollowTheClosedFormulas) {
  const std::vector<Ogden::Term> terms = {{4.1e5, 1.3}, {3e3, 5}, {1e4, -2}};
  const Material ogden = incompressible(Ogden{terms}), mooney = incompressible(mooney_rivlin(2e5, 3e4));
  for (const double l : {0.5, 0.9, 1.0, 1.7, 4.0}) {
    double uniaxial = 0, biaxial = 0, planar = 0;
    for (const auto& [mu, a] : terms) {
      uniaxial += 2 * mu / a * (std::pow(l, a) - std::pow(l, -a / 2)) / l;
      biaxial += 2 * mu / a * (std::pow(l, a) - std::pow(l, -2 * a)) / l;
      planar += 2 * mu / a * (std::pow(l, a) - std::pow(l, -a)) / l;
    }
    const double scale = 1e-12 * (1e5 + std::abs(biaxial));
    EXPECT_NEAR(nominal_stress(ogden, TestMode::uniaxial, l), uniaxial, scale) << l;
    EXPECT_NEAR(nominal_stress(ogden, TestMode::equibiaxial, l), biaxial, scale) << l;
    EXPECT_NEAR(nominal_stress(ogden, TestMode::pure_shear, l), planar, scale) << l;
    EXPECT_NEAR(nominal_stress(mooney, TestMode::simple_shear, l), 4.6e5 * l, 1e-6);
  }
}

/// W = Σ 2μ/α² Σ λ^α gives ∂²W/∂e_i∂e_j = δ_ij Σ 2μ λ_i^α: exact, on the plane and with any pressure.
TEST(IncrementalStiffness, IsThatOfOgdensLaw) {
  const std::vector<Ogden::Term> terms = {{4.1e5, 1.3}, {3e3, 5}, {-1e4, -2}};
  Eigen::Matrix<double, 3, 2> plane;
  plane << 1 / std::sqrt(2), 1 / std::sqrt(6), -1 / std::sqrt(2), 1 / std::sqrt(6), 0, -2 / std::sqrt(6);
  for (const TestMode mode : {TestMode::uniaxial, TestMode::equibiaxial, TestMode::pure_shear})
    for (const double l : {0.5, 1.0, 2.5}) {
      const Tensor f = deformation(mode, l);
      Eigen::Vector3d h = Eigen::Vector3d::Zero();
      for (const auto& [mu, a] : terms)
        for (int i = 0; i < 3; ++i) h[i] += 2 * mu * std::pow(f[static_cast<std::size_t>(4 * i)], a);
      const Eigen::Matrix2d expected = plane.transpose() * h.asDiagonal() * plane;
      EXPECT_LT((incremental_stiffness(incompressible(Ogden{terms}), mode, l) - expected).norm(),
                1e-11 * expected.norm());
    }
}

/// Mooney-Rivlin with c₀₁ < 0 is Ogden with α = ±2: in equibiaxial tension the work on (1, 1, −2) vanishes where
/// c₁₀ (λ² + 2 λ⁻⁴) + c₀₁ (λ⁻² + 2 λ⁴) = 0. Uniaxial compression to λ⁻² is the same state.
TEST(StableRange, EndsWhereTheWorkOfAnIncrementVanishes) {
  const double l = 3, c10 = 2e5, c01 = -c10 * (l * l + 2 * std::pow(l, -4)) / (std::pow(l, -2) + 2 * std::pow(l, 4));
  const Material material = incompressible(mooney_rivlin(c10, c01));
  EXPECT_NEAR(stable_range(material, TestMode::equibiaxial, {0.9, 10}).high, l, 1e-9);
  EXPECT_NEAR(stable_range(material, TestMode::uniaxial, {0.02, 2}).low, 1 / (l * l), 1e-9);
  EXPECT_EQ(stable_range(material, TestMode::equibiaxial, {0.9, 2.5}).high, 2.5);
  const StretchRange none = stable_range(incompressible(mooney_rivlin(1e5, -2e5)), TestMode::uniaxial, {0.1, 10});
  EXPECT_EQ(none.low, 1);
  EXPECT_EQ(none.high, 1);
}

}  // namespace
}  // namespace rubato::fem
