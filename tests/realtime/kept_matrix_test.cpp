#include "rubato/realtime/kept_matrix.hpp"

#include <gtest/gtest.h>

namespace rubato::realtime {
namespace {

TEST(KeptMatrix, HoldsTheMassAndTheKeptEntries) {
  // Df = [2 3; 5 7], L = diag(1, 0), step 0.1; the entry 3 is left out.
  const SparsePattern jacobian = SparsePattern::dense(2, 2), mass = SparsePattern::from_entries(2, 2, {{0, 0}});
  const std::vector<double> l = {1}, df = {2, 5, 3, 7};
  const KeptMatrix a(jacobian, {1, 1, 0, 1}, mass, l, 0.1);
  EXPECT_EQ(a.pattern(), SparsePattern::from_entries(2, 2, {{0, 0}, {1, 0}, {1, 1}}));
  std::vector<double> values(3);
  for (int again = 0; again < 2; ++again) a.fill(df, values);
  EXPECT_DOUBLE_EQ(values[0], 1 - 0.1 * 2);
  EXPECT_DOUBLE_EQ(values[1], -0.1 * 5);
  EXPECT_DOUBLE_EQ(values[2], -0.1 * 7);
}

TEST(KeptMatrix, KeepsPlacesOfTheMassWithoutAJacobian) {
  const SparsePattern nothing = SparsePattern::from_entries(2, 2, {}), mass = SparsePattern::identity(2);
  const std::vector<double> l = {4, 9};
  const KeptMatrix a(nothing, {}, mass, l, 1);
  std::vector<double> values(2);
  a.fill({}, values);
  EXPECT_EQ(values, l);
}

}  // namespace
}  // namespace rubato::realtime
