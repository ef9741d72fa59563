#include "rubato/integrate/runge_kutta_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rubato {
namespace {

using F = RungeKuttaFamily;

TEST(RungeKuttaTable, RadauIIAWithThreeStagesHasThePublishedCoefficients) {
  const auto table = runge_kutta_table(F::radau_iia, 3);
  const double w = std::sqrt(6.0);
  Matrix expected(3, 3);
  expected << (88 - 7 * w) / 360, (296 - 169 * w) / 1800, (-2 + 3 * w) / 225, (296 + 169 * w) / 1800,
      (88 + 7 * w) / 360, (-2 - 3 * w) / 225, (16 - w) / 36, (16 + w) / 36, 1.0 / 9;
  EXPECT_LT((table.A - expected).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((table.b.transpose() - expected.row(2)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_NEAR(table.c[0], (4 - w) / 10, 1e-16);
  EXPECT_TRUE(table.stiffly_accurate());
}

TEST(RungeKuttaTable, LobattoMembersWithThreeStagesHaveThePublishedCoefficients) {
  const auto expect = [](F family, std::initializer_list<double> twenty_fourths) {
    const auto table = runge_kutta_table(family, 3);
    auto value = twenty_fourths.begin();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(table.A(i, j), *value++ / 24, 1e-15) << table.name() << i << j;
  };
  expect(F::lobatto_iiia, {0, 0, 0, 5, 8, -1, 4, 16, 4});
  expect(F::lobatto_iiib, {4, -4, 0, 4, 8, 0, 4, 20, 0});
  expect(F::lobatto_iiic, {4, -8, 4, 4, 10, -2, 4, 16, 4});
  expect(F::lobatto_iiid, {2, -4, 2, 5, 8, -1, 2, 20, 2});
  expect(F::lobatto_iiic_star, {0, 0, 0, 6, 6, 0, 0, 24, 0});
}

TEST(RungeKuttaTable, BlendsAreConvexCombinations) {
  const double theta = 0.37;
  const auto member = [](F family, double t = 0) { return runge_kutta_table(family, 4, t).A; };
  const Matrix ab = 0.5 * (member(F::lobatto_iiia) + member(F::lobatto_iiib));
  const auto blend = [&](const Matrix& x, const Matrix& y) { return Matrix(theta * x + (1 - theta) * y); };
  const auto close = [](const Matrix& x, const Matrix& y) { return (x - y).cwiseAbs().maxCoeff() < 1e-15; };
  EXPECT_TRUE(close(member(F::lobatto_iiiab, theta), blend(member(F::lobatto_iiia), member(F::lobatto_iiib))));
  EXPECT_TRUE(close(member(F::lobatto_iiiac, theta), blend(member(F::lobatto_iiia), member(F::lobatto_iiic))));
  EXPECT_TRUE(close(member(F::lobatto_iiiabc, theta), blend(ab, member(F::lobatto_iiic))));
  EXPECT_TRUE(close(member(F::lobatto_iiidc, theta), blend(member(F::lobatto_iiid), member(F::lobatto_iiic))));
  EXPECT_TRUE(close(member(F::lobatto_iiiabd, theta), blend(ab, member(F::lobatto_iiid))));
}

TEST(RungeKuttaTable, KnowsItsNames) {
  EXPECT_EQ(runge_kutta_by_name("radau-iia-5")->name(), "radau-iia-5");
  EXPECT_EQ(runge_kutta_by_name("lobatto-iiic")->name(), "lobatto-iiic-3");
  EXPECT_EQ(runge_kutta_by_name("lobatto-iiidc-4:0.25")->name(), "lobatto-iiidc-4:0.25");
  EXPECT_FALSE(runge_kutta_by_name("lobatto-iiidc-4:1.25"));
  EXPECT_FALSE(runge_kutta_by_name("lobatto-iiic-1"));
  EXPECT_FALSE(runge_kutta_by_name("gauss:0.5"));
  EXPECT_NE(runge_kutta_by_name("lobatto-iiie").error().message.find("lobatto-iiia"), std::string::npos);
}

TEST(RungeKuttaTable, SingularMembersSaySo) {
  for (int s = 2; s <= 7; ++s) {
    EXPECT_FALSE(runge_kutta_table(F::lobatto_iiia, s).invertible());
    EXPECT_FALSE(runge_kutta_table(F::lobatto_iiib, s).invertible());
    EXPECT_FALSE(runge_kutta_table(F::lobatto_iiiac, s, 1).invertible());
    for (const F family : {F::gauss, F::radau_ia, F::radau_iia, F::lobatto_iiic, F::lobatto_iiid, F::lobatto_iiidc})
      EXPECT_TRUE(runge_kutta_table(family, s).invertible());
  }
}

}  // namespace
}  // namespace rubato
