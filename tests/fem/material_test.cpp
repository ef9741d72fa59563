// Material laws: stress and tangent against differences, objectivity, symmetry, the moduli of small strains, homogeneous states.
#include "rubato/fem/material.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "fem/solid_support.hpp"
#include "support/numbers.hpp"

namespace rubato::fem {
namespace {

std::vector<Material> laws() {
  std::vector<Material> list = {
      {.name = "linear", .density = 1, .law = LinearElastic{.young = 3, .poisson = 0.3}},
      {.name = "Saint Venant-Kirchhoff", .density = 1, .law = SaintVenantKirchhoff{.young = 3, .poisson = 0.3}},
      {.name = "neo-Hooke", .density = 1, .law = neo_hooke(1.3), .bulk = 5},
      {.name = "Mooney-Rivlin", .density = 1, .law = mooney_rivlin(0.4, 0.1), .bulk = 30},
      {.name = "Yeoh", .density = 1, .law = yeoh(0.5, -0.02, 0.003), .bulk = 8},
      {.name = "polynomial",
       .density = 1,
       .law = Polynomial{.terms = {{1, 0, 0.3}, {0, 1, 0.2}, {1, 1, 0.05}, {0, 2, 0.04}, {2, 1, 0.01}, {0, 3, 0.003}}},
       .bulk = 8},
      {.name = "Ogden", .density = 1, .law = Ogden{.terms = {{0.6, 1.3}, {0.1, 5.0}, {0.2, -2.0}}}, .bulk = 6},
      {.name = "incompressible", .density = 1, .law = mooney_rivlin(0.4, 0.1), .bulk = infinity},
      {.name = "incompressible Ogden",
       .density = 1,
       .law = Ogden{.terms = {{0.6, 1.3}, {0.2, -2.0}}},
       .bulk = infinity},
  };
  for (const auto volume : {VolumetricLaw::simo_miehe, VolumetricLaw::ogden}) {
    list.push_back({.name = "neo-Hooke, other volume",
                    .density = 1,
                    .law = neo_hooke(1.3),
                    .volumetric = volume,
                    .bulk = 5,
                    .beta = 4});
    list.push_back({.name = "Ogden, other volume",
                    .density = 1,
                    .law = Ogden{.terms = {{0.6, 1.3}}},
                    .volumetric = volume,
                    .bulk = 5,
                    .beta = 4});
  }
  return list;
}

using test::Mat3, test::tensor;

Mat3 random_gradient(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  Mat3 f = Mat3::Identity();
  do {
    f = Mat3::Identity();
    for (int c = 0; c < 9; ++c) f.data()[c] += uniform(random);
  } while (f.determinant() < 0.2);
  return f;
}

TEST(Materials, StressIsTheDerivativeOfTheEnergyAndTangentThatOfTheStress) {
  std::mt19937 random(3);
  for (const Material& m : laws())
    for (int trial = 0; trial < 20; ++trial) {
      const Mat3 f = random_gradient(random, 0.4);
      const PointResponse at = evaluate(m, tensor(f));
      EXPECT_EQ(evaluate_stress(m, tensor(f)), at.stress) << m.name;
      double largest = 0;
      for (const Tensor& row : at.tangent)
        for (const double v : row) largest = std::max(largest, std::abs(v));
      for (int c = 0; c < 9; ++c) {
        const double step = 1e-5;
        Mat3 less = f, more = f;
        less.data()[c] -= step;
        more.data()[c] += step;
        const PointResponse low = evaluate(m, tensor(less)), high = evaluate(m, tensor(more));
        EXPECT_NEAR(at.stress[c], (high.energy - low.energy) / (2 * step), 1e-7 * largest) << m.name << ' ' << c;
        for (int d = 0; d < 9; ++d) {
          EXPECT_NEAR(at.tangent[d][c], (high.stress[d] - low.stress[d]) / (2 * step), 1e-6 * largest) << m.name;
          EXPECT_NEAR(at.tangent[d][c], at.tangent[c][d], 1e-13 * largest) << m.name;
        }
      }
    }
}

/// W(QF) = W(F) and P(QF) = Q P(F); isotropy: W(FQ) = W(F). The linear law is none of that, by construction.
TEST(Materials, AreObjectiveAndIsotropic) {
  std::mt19937 random(4);
  for (const Material& m : laws()) {
    if (std::holds_alternative<LinearElastic>(m.law)) continue;
    for (int trial = 0; trial < 10; ++trial) {
      const Mat3 f = random_gradient(random, 0.4);
      const Mat3 q = Eigen::Quaterniond::UnitRandom().toRotationMatrix();
      const PointResponse here = evaluate(m, tensor(f)), turned = evaluate(m, tensor(q * f)),
                          before = evaluate(m, tensor(f * q));
      const double scale = std::abs(here.energy) + Eigen::Map<const Mat3>(here.stress.data()).norm();
      EXPECT_NEAR(turned.energy, here.energy, 1e-12 * scale) << m.name;
      EXPECT_NEAR(before.energy, here.energy, 1e-12 * scale) << m.name;
      const Mat3 rotated = q * Eigen::Map<const Mat3>(here.stress.data());
      EXPECT_LT((rotated - Eigen::Map<const Mat3>(turned.stress.data())).norm(), 1e-11 * scale) << m.name;
    }
  }
}

TEST(Materials, HaveTheirModuliAtSmallStrains) {
  for (const Material& m : laws()) {
    const PointResponse rest = evaluate(m, tensor(Mat3::Identity()));
    for (const double p : rest.stress) EXPECT_NEAR(p, 0, 1e-14) << m.name;
    EXPECT_NEAR(rest.tangent[1][1], shear_modulus(m), 1e-12) << m.name;  // P₁₂ over F₁₂
    EXPECT_NEAR(rest.tangent[1][3], shear_modulus(m), 1e-12) << m.name;
    const double bulk = std::isinf(bulk_modulus(m)) ? 0 : bulk_modulus(m);
    EXPECT_NEAR(rest.tangent[0][0], bulk + 4.0 / 3 * shear_modulus(m), 1e-11) << m.name;
    EXPECT_NEAR(rest.tangent[0][4], bulk - 2.0 / 3 * shear_modulus(m), 1e-11) << m.name;
  }
}

/// Two and three equal stretches: the formulas of Ogden's tangent meet there. α = 2 is neo-Hooke.
TEST(Materials, OgdenWithAlphaTwoIsNeoHooke) {
  const Material ogden{.name = "o", .density = 1, .law = Ogden{.terms = {{1.3, 2}}}, .bulk = 7};
  const Material neo{.name = "n", .density = 1, .law = neo_hooke(1.3), .bulk = 7};
  for (const double gap : {0.0, 1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-2}) {
    const Mat3 f = Eigen::Vector3d(1.2, 1.2 * (1 + gap), 0.8).asDiagonal();
    const PointResponse a = evaluate(ogden, tensor(f)), b = evaluate(neo, tensor(f));
    for (int c = 0; c < 9; ++c)
      for (int d = 0; d < 9; ++d) EXPECT_NEAR(a.tangent[c][d], b.tangent[c][d], 1e-9) << gap;
  }
}

/// The homogeneous states of the incompressible Mooney-Rivlin law, the pressure eliminated by a free face.
TEST(Materials, MooneyRivlinInHomogeneousStates) {
  const double c10 = 0.4, c01 = 0.1;
  const Material m{.name = "rubber", .density = 1, .law = mooney_rivlin(c10, c01), .bulk = infinity};
  const auto nominal = [&](const Eigen::Vector3d& stretch, int loaded, int free) {
    const PointResponse r = evaluate(m, tensor(Mat3(stretch.asDiagonal())));
    // P_AA + p/λ_A = 0 on the free face.
    const double p = -r.stress[4 * free] * stretch[free];
    return r.stress[4 * loaded] + p / stretch[loaded];
  };
  for (const double l : {0.6, 1.1, 2.0, 3.0}) {
    EXPECT_NEAR(nominal({l, 1 / std::sqrt(l), 1 / std::sqrt(l)}, 0, 1), 2 * (l - 1 / (l * l)) * (c10 + c01 / l), 1e-12);
    EXPECT_NEAR(nominal({l, l, 1 / (l * l)}, 0, 2), 2 * (l - std::pow(l, -5)) * (c10 + c01 * l * l), 1e-11);
    EXPECT_NEAR(nominal({l, 1 / l, 1}, 0, 1), 2 * (l - std::pow(l, -3)) * (c10 + c01), 1e-12);
    Mat3 sheared = Mat3::Identity();
    sheared(0, 1) = l;
    EXPECT_NEAR(evaluate(m, tensor(sheared)).stress[1], 2 * (c10 + c01) * l, 1e-12);
  }
}

TEST(Materials, ThatCannotBeAreRefused) {
  const auto refused = [](const Material& m) {
    const auto ok = check(m);
    return ok ? std::string() : ok.error().message;
  };
  for (const Material& m : laws()) EXPECT_EQ(refused(m), "") << m.name;
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains(refused({.name = "steel", .density = 1, .law = LinearElastic{-1, 0.3}}), "steel\": young = -1"));
  EXPECT_TRUE(contains(refused({.name = "s", .density = 1, .law = LinearElastic{1, 0.6}}), "poisson = 0.6"));
  EXPECT_TRUE(contains(refused({.name = "s", .density = -1, .law = LinearElastic{1, 0.3}}), "density = -1"));
  EXPECT_TRUE(
      contains(refused({.name = "r", .density = 1, .law = mooney_rivlin(0.1, -0.2), .bulk = 1}), "shear modulus"));
  EXPECT_TRUE(contains(refused({.name = "r", .density = 1, .law = Ogden{{{0.1, 0}}}, .bulk = 1}), "alpha"));
  EXPECT_TRUE(
      contains(refused({.name = "r", .density = 1, .law = Ogden{{{0.1, 2}, {-0.3, 4}}}, .bulk = 1}), "shear modulus"));
  EXPECT_TRUE(contains(refused({.name = "r", .density = 1, .law = neo_hooke(1), .bulk = 0}), "bulk = 0"));
}

}  // namespace
}  // namespace rubato::fem
