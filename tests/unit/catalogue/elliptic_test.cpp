// Elliptic functions against identities and the tabulated motion of the pendulum.
#include "catalogue/elliptic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/numbers.hpp"

namespace rubato::catalogue {
namespace {

TEST(EllipticK, MeetsKnownValues) {
  EXPECT_NEAR(complete_elliptic_k(0), pi / 2, 1e-16);
  // K(1/√2) = Γ(1/4)² / (4√π)
  EXPECT_NEAR(complete_elliptic_k(1 / std::sqrt(2.0)), std::pow(std::tgamma(0.25), 2) / (4 * std::sqrt(pi)), 1e-15);
  for (const double k : {0.1, 0.5, 0.9, 0.999}) EXPECT_NEAR(complete_elliptic_k(k), std::comp_ellint_1(k), 1e-14 * 5);
}

TEST(Jacobi, InvertsTheIncompleteIntegral) {
  for (const double k : {0.0, 0.3, 0.7, 0.95})
    for (const double phi : {-1.2, 0.4, 1.0, 1.5}) {
      const double u = std::ellint_1(k, phi);
      const auto [sn, cn, dn] = jacobi(u, k);
      EXPECT_NEAR(sn, std::sin(phi), 1e-14);
      EXPECT_NEAR(cn, std::cos(phi), 1e-14);
      EXPECT_NEAR(dn * dn + k * k * sn * sn, 1, 1e-15);
      EXPECT_NEAR(jacobi(u + 40 * complete_elliptic_k(k), k).sn, sn, 1e-12);  // ten periods on
    }
}

TEST(Swing, ObeysThePendulumEquation) {
  // θ'' = −ω² sin θ by central differences of the rate; error h²/6 |θ⁗| ≈ 1e-8.
  const double omega = 1.7, h = 1e-4;
  for (const double theta0 : {-1.0, 0.2, 2.9})
    for (const double t : {0.0, 0.37, 2.0, 11.0}) {
      const double acceleration = (swing(theta0, omega, t + h).rate - swing(theta0, omega, t - h).rate) / (2 * h);
      EXPECT_NEAR(acceleration, -omega * omega * std::sin(swing(theta0, omega, t).angle), 2e-7);
    }
}

}  // namespace
}  // namespace rubato::catalogue
