// Nonlinear stability of the Runge-Kutta tables: algebraic stability, symplecticity, coercivity (checks A7, A8).
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "rubato/integrate/runge_kutta_analysis.hpp"

namespace rubato {
namespace {

using F = RungeKuttaFamily;

// A7. M of IIIDC and IIIABC is positive semidefinite, that of IIIAC is not for θ > 0, that of IIIABD is zero.
TEST(RungeKuttaNonlinear, AlgebraicStability) {
  for (int s = 2; s <= 6; ++s)
    for (const double theta : {0.0, 0.1, 0.37, 0.8, 1.0}) {
      const auto smallest = [&](F family) {
        const Matrix m = symplecticity_matrix(runge_kutta_table(family, s, theta));
        return Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues().minCoeff();
      };
      EXPECT_GT(smallest(F::lobatto_iiidc), -1e-15 * s);
      EXPECT_GT(smallest(F::lobatto_iiiabc), -1e-15 * s);
      EXPECT_EQ(smallest(F::lobatto_iiiac) < -1e-6, theta > 0) << s << theta;
      EXPECT_LT(symplecticity_matrix(runge_kutta_table(F::lobatto_iiiabd, s, theta)).cwiseAbs().maxCoeff(), 1e-15);
    }
  for (const F family : {F::gauss, F::radau_ia, F::radau_iia, F::lobatto_iiic, F::lobatto_iiid})
    EXPECT_TRUE(runge_kutta_properties(runge_kutta_table(family, 4)).algebraically_stable);
  for (const F family : {F::lobatto_iiia, F::lobatto_iiib, F::lobatto_iiic_star})
    EXPECT_FALSE(runge_kutta_properties(runge_kutta_table(family, 4)).algebraically_stable);
}

// IIIDC: M = (1 − θ) M^C; with three stages M^C = (1, −2, 1)ᵀ(1, −2, 1)/36.
TEST(RungeKuttaNonlinear, TheMatrixOfIIIDC) {
  const Eigen::Vector3d v(1, -2, 1);
  for (const double theta : {0.0, 0.37, 1.0}) {
    const Matrix m = symplecticity_matrix(runge_kutta_table(F::lobatto_iiidc, 3, theta));
    EXPECT_LT((m - (1 - theta) / 36 * v * v.transpose()).cwiseAbs().maxCoeff(), 1e-16);
  }
}

// With B(2s−2), C(s−1), D(s−1) and b > 0: algebraically stable exactly if |R(∞)| ≤ 1. IIIC* is the counterexample.
TEST(RungeKuttaNonlinear, StabilityAtInfinityDecides) {
  for (int s = 2; s <= 6; ++s)
    for (const F family : {F::lobatto_iiic, F::lobatto_iiid, F::lobatto_iiidc, F::lobatto_iiic_star}) {
      const auto p = runge_kutta_properties(runge_kutta_table(family, s, 0.37));
      EXPECT_EQ(p.algebraically_stable, std::abs(p.r_infinity) <= 1 + 1e-12);
    }
}

// A8. Closed forms of the literature; the blends of IIIA and IIIC, and of IIIAB and IIIC, are exchanged in the source's lemma.
TEST(RungeKuttaNonlinear, Coercivity) {
  const auto alpha = [](F family, int s, double theta = 0) { return coercivity(runge_kutta_table(family, s, theta)); };
  EXPECT_NEAR(alpha(F::radau_iia, 1), 1, 1e-8);
  EXPECT_NEAR(alpha(F::lobatto_iiia, 2), 2, 1e-8);
  EXPECT_NEAR(alpha(F::lobatto_iiib, 2), 2, 1e-8);
  EXPECT_NEAR(alpha(F::lobatto_iiic, 2), 1, 1e-8);
  for (int s = 2; s <= 6; ++s) {
    const Vector gauss = runge_kutta_table(F::gauss, s).c, radau = runge_kutta_table(F::radau_iia, s).c;
    double smallest = 1e9;
    for (const double c : gauss) smallest = std::min(smallest, 1 / (2 * c * (1 - c)));
    EXPECT_NEAR(alpha(F::gauss, s), smallest, 1e-8) << s;
    EXPECT_NEAR(alpha(F::radau_iia, s), 1 / (2 * radau[s - 2]), 1e-8) << s;
    EXPECT_NEAR(alpha(F::radau_ia, s), alpha(F::radau_iia, s), 1e-8) << s;
    if (s == 2) continue;
    const Vector c = runge_kutta_table(F::lobatto_iiia, s).c;
    EXPECT_NEAR(alpha(F::lobatto_iiia, s), 1 / c[s - 2], 1e-8) << s;
    EXPECT_NEAR(alpha(F::lobatto_iiib, s), 1 / (1 - c[1]), 1e-8) << s;
    EXPECT_NEAR(alpha(F::lobatto_iiic, s), 0, 1e-8) << s;
    EXPECT_NEAR(alpha(F::lobatto_iiid, s), 0, 1e-8) << s;
  }
  EXPECT_NEAR(alpha(F::radau_iia, 3), 0.77525512860841, 1e-8);
  for (const double t : {0.1, 0.3, 0.6, 0.9}) {
    EXPECT_NEAR(alpha(F::lobatto_iiiabc, 3, t), 4. / 3 * t * t / (t * t - 8 * t + 8), 1e-8) << t;
    EXPECT_NEAR(alpha(F::lobatto_iiiac, 3, t), 0, 1e-8) << t;
    EXPECT_NEAR(alpha(F::lobatto_iiidc, 3, t), 0, 1e-8) << t;
  }
  EXPECT_NEAR(alpha(F::lobatto_iiiabc, 3, 0.6), 0.134831, 1e-6);
  EXPECT_NEAR(alpha(F::lobatto_iiiabc, 3, 0.9), 0.670807, 1e-6);
}

// The scalings that attain these values, D = diag(f², −4f, 1) for IIIABC and diag(1, 4(1−θ), 1−θ) for IIIAC.
TEST(RungeKuttaNonlinear, CoercivityIsAttained) {
  const auto smallest = [](const RungeKuttaTable& table, const Eigen::Vector3d& d) {
    const Matrix S = d.cwiseSqrt().asDiagonal() * Matrix(table.A.inverse()) * d.cwiseSqrt().cwiseInverse().asDiagonal();
    return Eigen::SelfAdjointEigenSolver<Matrix>((S + S.transpose()) / 2).eigenvalues().minCoeff();
  };
  for (const double t : {0.1, 0.6, 0.9}) {
    const auto abc = runge_kutta_table(F::lobatto_iiiabc, 3, t), ac = runge_kutta_table(F::lobatto_iiiac, 3, t);
    const double f = (t * t + 12 * t - 24) / (t * t - 24 * t + 24);
    EXPECT_NEAR(smallest(abc, {f * f, -4 * f, 1}), coercivity(abc), 1e-8);
    EXPECT_NEAR(smallest(ac, {1, 4 * (1 - t), 1 - t}), 0, 1e-8);
  }
}

}  // namespace
}  // namespace rubato
