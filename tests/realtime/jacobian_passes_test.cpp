#include "rubato/realtime/jacobian_passes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stepper_models.hpp"

namespace rubato::realtime {
namespace {

Sample chain_state() {
  Sample sample{0, Vector(12), Vector()};
  for (int i = 0; i < 12; ++i) sample.x[i] = 0.1 * std::sin(1.0 + i);
  return sample;
}

/// Whatever is needed: the values are those of the whole Jacobian, because what is not needed keeps away from it.
TEST(JacobianPasses, YieldWhatTheWholeJacobianHolds) {
  const auto dae = test_models::chain();
  const Sample sample = chain_state();
  const auto structure = model_structure(*dae, sample);
  ASSERT_TRUE(structure.ok());
  const auto whole = sampled_jacobians(*dae, *structure, {sample});
  ASSERT_TRUE(whole.ok());
  std::mt19937 random(5);
  for (const int percent : {100, 60, 30, 5}) {
    std::vector<unsigned char> needed;
    for (int p = 0; p < structure->jacobian.nnz(); ++p) needed.push_back(static_cast<int>(random() % 100) < percent);
    JacobianPasses passes(*dae, structure->jacobian, needed);
    std::vector<double> f(12), exact(12), values(needed.size(), -7.0);
    At at;
    at.x = view(sample.x);
    ASSERT_EQ(passes.evaluate(at, f, values), EvalStatus::ok);
    ASSERT_EQ(dae->f(at, exact), EvalStatus::ok);
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], exact[i], 1e-14 * (1 + std::abs(exact[i])));
    for (std::size_t p = 0; p < needed.size(); ++p)
      EXPECT_EQ(values[p], needed[p] != 0 ? whole->front()[p] : -7.0) << percent << ' ' << p;
  }
}

/// [x x; . x] with (0, 1) not needed: columns 0 and 1 meet in row 0, where (0, 0) is needed.
TEST(JacobianPasses, EntriesThatAreLeftOutKeepColumnsApart) {
  const auto pattern = SparsePattern::from_entries(2, 2, {{0, 0}, {0, 1}, {1, 1}});
  EXPECT_EQ(needed_groups(pattern, {1, 0, 1}).size(), 2U);
  EXPECT_EQ(needed_groups(pattern, {0, 1, 1}).size(), 1U);  // column 0 is not asked for
  EXPECT_EQ(needed_groups(pattern, {0, 0, 0}).size(), 0U);
  // Rows in which nothing is needed separate nothing.
  const auto dense_row = SparsePattern::from_entries(3, 2, {{0, 0}, {1, 0}, {0, 1}, {2, 1}});
  EXPECT_EQ(needed_groups(dense_row, {0, 1, 0, 1}).size(), 1U);
  EXPECT_EQ(needed_groups(dense_row, {1, 1, 0, 1}).size(), 2U);
}

TEST(ConstantEntries, AreThoseThatNeverChange) {
  const auto dae = test_models::chain();
  const auto structure = model_structure(*dae, chain_state());
  const auto values = sampled_jacobians(*dae, *structure, with_neighbours({chain_state()}));
  ASSERT_TRUE(values.ok());
  const auto constant = constant_entries(*values);
  for (int col = 0; col < 12; ++col)
    for (const int row : structure->jacobian.column(col)) {
      const int place = structure->jacobian.index_of(row, col);
      EXPECT_EQ(constant[static_cast<std::size_t>(place)] != 0, row < 6) << row << ' ' << col;
    }
}

}  // namespace
}  // namespace rubato::realtime
