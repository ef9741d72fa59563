#include "src/integrate/order_choice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rubato {
namespace {

const std::vector<OrderLevel> radau = {{3, 2}, {5, 3}, {7, 4}};

// Errors that fall by 10³ from degree to degree leave room for longer steps of a higher order.
TEST(OrderChoice, RisesWhereErrorsFallFastWithTheDegree) {
  const OrderEvidence smooth{
      .error = 0.5, .lower_error = 500, .lower_degree = 2, .contraction = 1e-3, .iterations = 2, .largest_factor = 10};
  EXPECT_EQ(next_level(radau, 0, smooth), 1);
}

// Errors that hardly fall: a higher order would cost more and reach no further.
TEST(OrderChoice, StaysWhereTheDegreeDoesNotMatter) {
  const OrderEvidence rough{
      .error = 0.5, .lower_error = 0.7, .lower_degree = 2, .contraction = 1e-3, .iterations = 2, .largest_factor = 10};
  EXPECT_EQ(next_level(radau, 0, rough), 0);
  const OrderEvidence at_nine{
      .error = 0.5, .lower_error = 4, .lower_degree = 3, .contraction = 1e-3, .iterations = 2, .largest_factor = 10};
  EXPECT_EQ(next_level(radau, 1, at_nine), 1) << "a lower order would need much smaller steps";
}

// Where the iteration, not the error, holds the step, many stages are in vain.
TEST(OrderChoice, FallsWhereNewtonHoldsTheStep) {
  const OrderEvidence held{
      .error = 1e-9, .lower_error = 1e-7, .lower_degree = 5, .contraction = 0.3, .iterations = 6, .largest_factor = 1};
  EXPECT_EQ(next_level(radau, 2, held), 2) << "5 stages cost 0.7 of 7: not 2.5 times better";
  EXPECT_EQ(next_level(radau, 0, held), 0);
}

TEST(OrderChoice, StartsHighWhereMuchIsAsked) {
  EXPECT_EQ(starting_stages(1e-3), 3);
  EXPECT_EQ(starting_stages(1e-6), 5);
  EXPECT_EQ(starting_stages(1e-10), 7);
}

}  // namespace
}  // namespace rubato
