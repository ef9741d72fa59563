// Embedded formulas: their order by all rooted trees of the augmented tableau, their published coefficients, and where they
// degenerate.
#include "rubato/integrate/runge_kutta_embedded.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/rooted_trees.hpp"

namespace rubato {
namespace {

using F = RungeKuttaFamily;

// A10. The estimator of Radau IIA with three stages is the published one, with the factor 1/3 that the print lacks.
TEST(RungeKuttaEmbedded, RadauWithThreeStagesIsThePublishedFormula) {
  const auto table = runge_kutta_table(F::radau_iia, 3);
  const EmbeddedRadau embedded = embedded_radau(table);
  EXPECT_NEAR(embedded.gamma0, 0.27488882959567736775, 1e-15);
  const double w = std::sqrt(6.0);
  const Eigen::Vector3d expected = embedded.gamma0 / 3 * Eigen::Vector3d(-13 - 7 * w, -13 + 7 * w, -1);
  EXPECT_LT((embedded.e - expected).cwiseAbs().maxCoeff(), 1e-13);
  const Tableau tableau = augmented(table, embedded);
  const double g = embedded.gamma0;
  const Eigen::Vector4d weights(g, table.b[0] - (2 + 3 * w) * g / 6, table.b[1] - (2 - 3 * w) * g / 6,
                                table.b[2] - g / 3);
  EXPECT_LT((tableau.b - weights).cwiseAbs().maxCoeff(), 1e-14);
}

// A10. s nodes and a fixed weight at 0 reach order s, neither less nor more; the choice of γ₀ does not matter.
TEST(RungeKuttaEmbedded, RadauAndGaussHaveOrderS) {
  for (int s = 1; s <= max_runge_kutta_stages; ++s)
    for (const F family : {F::radau_iia, F::gauss})
      for (const double gamma0 : {0.0, 0.3, 1.0}) {
        const auto embedded = embedded_radau(runge_kutta_table(family, s), gamma0);
        EXPECT_EQ(embedded.order, s) << runge_kutta_table(family, s).name() << " gamma0 " << gamma0;
      }
}

// A10. (IIIAC)^ and (IIIDC)^ have order 3 exactly, and the published rows.
TEST(RungeKuttaEmbedded, LobattoWithThreeStagesHasThePublishedRows) {
  const Eigen::Vector3d second(1, -2, 1);
  for (const double theta : {0.0, 0.37, 0.6, 1.0})
    for (const double alpha0 : {0.5, 1.0, 2.0}) {
      const auto ac = embedded_lobatto(runge_kutta_table(F::lobatto_iiiac, 3, theta), alpha0);
      EXPECT_LT((ac.row - alpha0 * (2 - theta) / 4 * second).cwiseAbs().maxCoeff(), 1e-15);
      EXPECT_EQ(ac.order, 3);
      EXPECT_NEAR(ac.leading, ac.gamma0 / 48 * (6 * alpha0 - 3 * alpha0 * theta + 2 * theta - 2), 1e-15);
      const auto dc = embedded_lobatto(runge_kutta_table(F::lobatto_iiidc, 3, theta), alpha0);
      EXPECT_LT((dc.row + alpha0 * (2 - theta) * second).cwiseAbs().maxCoeff(), 1e-15);
      EXPECT_EQ(dc.order, 3);
      EXPECT_NEAR(dc.leading, -dc.gamma0 / 48 * (12 * alpha0 + 1) * (2 - theta), 1e-15);
    }
  EXPECT_EQ(embedded_lobatto(runge_kutta_table(F::lobatto_iiiac, 3, 0), 0.25).order, 3);
  EXPECT_EQ(embedded_lobatto(runge_kutta_table(F::lobatto_iiiac, 3, 1), 0.25).order, 3);
  // At α₀ = 1, θ = 0 (IIIDC)^ is 52 times (IIIAC)^ with α₀ = ¼.
  const auto large = embedded_lobatto(runge_kutta_table(F::lobatto_iiidc, 3, 0), 1);
  const auto small = embedded_lobatto(runge_kutta_table(F::lobatto_iiiac, 3, 0), 0.25);
  EXPECT_NEAR(large.leading / small.leading, 52, 1e-12);
}

// Beyond the published formulas: every family with a stage at c = 0, any number of stages, order s exactly.
TEST(RungeKuttaEmbedded, EveryMethodWithAStageAtZeroHasOrderS) {
  for (const auto& info : runge_kutta_families()) {
    if (info.family == F::gauss || info.family == F::radau_iia) continue;
    for (int s = 2; s <= max_runge_kutta_stages; ++s)
      for (const double theta : {0.0, 0.37, 1.0}) {
        const auto table = runge_kutta_table(info.family, s, theta);
        const auto embedded = embedded_lobatto(table);
        EXPECT_EQ(embedded.order, s) << table.name();
        EXPECT_FALSE(degenerate(table, embedded)) << table.name();
      }
  }
}

// With α₀ = 0 the extra stage is x₀ itself where the stage order is s − 1.
TEST(RungeKuttaEmbedded, TheDefaultForOtherStageNumbersComparesWithTheStart) {
  for (const int s : {2, 4, 5})
    for (const F family : {F::lobatto_iiic, F::lobatto_iiid, F::lobatto_iiidc})
      EXPECT_EQ(embedded_lobatto(runge_kutta_table(family, s, 0.3)).row.cwiseAbs().maxCoeff(), 0);
}

// They see all conditions of order 4 but the two with F_x x‴: a difference of two values of F at the same time cannot see
// pure quadrature errors.
TEST(RungeKuttaEmbedded, LobattoIsBlindToQuadrature) {
  const RootedTrees& trees = rooted_trees();
  for (const F family : {F::lobatto_iiiac, F::lobatto_iiidc}) {
    const auto table = runge_kutta_table(family, 3, 0.37);
    const Tableau tableau = augmented(table, embedded_lobatto(table));
    const Vector a = b_series(tableau.A, tableau.b, 4);
    for (int u = trees.begin(4); u < trees.end(4); ++u)
      EXPECT_EQ(std::abs(a[u] - 1) > tree_tolerance, trees[u].children.size() == 1) << trees.text(u);
  }
}

// A11. α₀ = ¼ kills (IIIAC)^ at θ = 2/5; the default never does, and neither does any α₀ > 1/3.
TEST(RungeKuttaEmbedded, ADegenerateEstimateIsFlagged) {
  const auto table = runge_kutta_table(F::lobatto_iiiac, 3, 0.4);
  const auto embedded = embedded_lobatto(table, 0.25);
  EXPECT_TRUE(degenerate(table, embedded));
  EXPECT_LT(std::abs(embedded.leading), 1e-16);
  EXPECT_GT(embedded.order, 3);  // the estimate is zero: x̂₁ = x₁
  const auto refused = checked_alpha0(table, 0.25);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("alpha0 = 0.25 makes the error estimate vanish"), std::string::npos);
  EXPECT_TRUE(checked_alpha0(runge_kutta_table(F::lobatto_iiiac, 3, 0), 0.25));
  EXPECT_TRUE(checked_alpha0(runge_kutta_table(F::lobatto_iiiac, 3, 1), 0.25));
  EXPECT_FALSE(checked_alpha0(table, std::nan("")));
  for (int i = 0; i <= 100; ++i) {
    const auto blend = runge_kutta_table(F::lobatto_iiiac, 3, i / 100.0);
    EXPECT_FALSE(degenerate(blend, embedded_lobatto(blend)));
    for (const double alpha0 : {0.35, 0.7, 3.0}) EXPECT_FALSE(degenerate(blend, embedded_lobatto(blend, alpha0)));
  }
  for (const double alpha0 : {0.0, 0.1, 0.2, 0.3}) {  // in [0, 1/3] some θ is lost
    const double theta = 2 * (3 * alpha0 - 1) / (3 * alpha0 - 2);
    const auto blend = runge_kutta_table(F::lobatto_iiiac, 3, theta);
    EXPECT_TRUE(degenerate(blend, embedded_lobatto(blend, alpha0)));
  }
}

// A10. SPARK3's d̂ = (4/5, 2/5, 4/5) has order 1 exactly.
TEST(RungeKuttaEmbedded, SparkHasOrderOne) {
  for (const F family : {F::lobatto_iiic, F::lobatto_iiid, F::lobatto_iiia, F::lobatto_iiidc}) {
    const auto table = runge_kutta_table(family, 3, 0.37);
    const Tableau tableau = spark_tableau(table);
    EXPECT_EQ(order_by_trees(tableau.A, tableau.b, 3), 1) << table.name();
    EXPECT_NEAR(tableau.b.dot(table.c), 0.9 / 2, 1e-15);  // Σ d̂ c² = 9/10
  }
}

// The real eigenvalue where there is one that filters, 1/s elsewhere.
TEST(RungeKuttaEmbedded, DefaultsOfGamma) {
  EXPECT_NEAR(default_gamma0(runge_kutta_table(F::lobatto_iiic, 3)), 0.3808338772072650364, 1e-14);
  EXPECT_NEAR(default_gamma0(runge_kutta_table(F::lobatto_iiid, 3)), 0.31326914663539986557, 1e-14);
  EXPECT_NEAR(default_gamma0(runge_kutta_table(F::lobatto_iiiac, 3, 0.5)), 0.3013433, 1e-7);
  EXPECT_NEAR(default_gamma0(runge_kutta_table(F::lobatto_iiiac, 3, 0.75)), 0.1958040, 1e-7);
  EXPECT_EQ(default_gamma0(runge_kutta_table(F::lobatto_iiiac, 3, 1)), 1.0 / 3);
  EXPECT_EQ(default_gamma0(runge_kutta_table(F::lobatto_iiic, 4)), 0.25);
  EXPECT_EQ(default_gamma0(runge_kutta_table(F::radau_iia, 2)), 0.5);
}

}  // namespace
}  // namespace rubato
