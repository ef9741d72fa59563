#include "src/integrate/order_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace rubato {
namespace {

const std::vector<OrderLevel> radau = {{3, 2}, {5, 3}, {7, 4}};

// Errors that fall by 10³ from degree to degree leave room for longer steps of a higher order.
TEST(OrderChoice, RisesWhereErrorsFallFastWithTheDegree) {
  const OrderEvidence smooth{
      .error = 0.5, .lower_error = 500, .lower_degree = 2, .contraction = 1e-3, .iterations = 2, .largest_factor = 10};
  const OrderChoice choice = next_level(radau, 0, smooth);
  EXPECT_EQ(choice.level, 1);
  EXPECT_DOUBLE_EQ(choice.factor, 2) << "a new order does not begin with more than twice the step";
}

// Errors that hardly fall: a higher order would cost more and reach no further.
TEST(OrderChoice, StaysWhereTheDegreeDoesNotMatter) {
  const OrderEvidence rough{
      .error = 0.5, .lower_error = 0.7, .lower_degree = 2, .contraction = 1e-3, .iterations = 2, .largest_factor = 10};
  EXPECT_EQ(next_level(radau, 0, rough).level, 0);
  const OrderEvidence at_nine{
      .error = 0.5, .lower_error = 4, .lower_degree = 3, .contraction = 1e-3, .iterations = 2, .largest_factor = 10};
  EXPECT_EQ(next_level(radau, 1, at_nine).level, 1) << "a lower order would need much smaller steps";
}

// Where the iteration, not the error, holds the step, many stages are in vain if it would hold that of the lower order as well: the flexible
// arm that spins up (spinning_beam) kept order 13 with errors of 5e-5 of the tolerance at 1.4 times the work of order 9.
TEST(OrderChoice, FallsWhereNewtonHoldsTheStepsOfBothOrders) {
  OrderEvidence held{.error = 4.6e-5,
                     .lower_error = 6.5e-5,
                     .lower_degree = 5,
                     .contraction = 0.19,
                     .iterations = 7,
                     .largest_factor = 1.1};
  EXPECT_EQ(next_level(radau, 2, held).level, 1);
  EXPECT_EQ(next_level(radau, 0, held).level, 0);
  held.lower_error = 0.1;
  EXPECT_EQ(next_level(radau, 2, held).level, 2) << "order 9 would soon be held by its error";
  held.lower_error = 6.5e-5;
  held.largest_factor = 2;
  EXPECT_EQ(next_level(radau, 2, held).level, 2) << "5 stages cost 0.7 of 7: not 2.5 times better";
}

// For exp(ωt) the estimates of 3 and 2 stages tell that of 5: errors by (1), at the ω where 5 stages reach their tolerance with 2.2 steps of 3.
TEST(OrderChoice, KnowsTheErrorOfTheNextOrderForExponentials) {
  const auto error = [](int s, double h_omega) {
    return std::exp(std::lgamma(s) - std::lgamma(2 * s) - std::log(s + 1) + s * std::log(h_omega));
  };
  const double h_omega = 1.5, unit = error(3, h_omega) / 0.5;  // the tolerance: half of it is reached
  const OrderEvidence step{.error = error(3, h_omega) / unit,
                           .lower_error = error(2, h_omega) / unit,
                           .lower_degree = 2,
                           .contraction = 1e-3,
                           .iterations = 3,
                           .largest_factor = 100};
  const OrderChoice choice = next_level(radau, 0, step);
  EXPECT_EQ(choice.level, 1);
  EXPECT_NEAR(choice.factor, std::min(2.0, 0.9 * std::pow(error(5, h_omega) / unit, -1.0 / 6)), 1e-12);
}

// The estimate of a higher order understates its accuracy, the more the finer the tolerance: what does not pay for the estimate pays then.
// The slider crank at 1e-8 stayed at order 9, where order 13 takes 0.7 times the work at equal digits.
TEST(OrderChoice, RisesForTheAccuracyBeyondTheEstimate) {
  OrderEvidence step{
      .error = 0.2, .lower_error = 6, .lower_degree = 3, .contraction = 2e-3, .iterations = 3, .largest_factor = 100};
  for (const auto& [tolerance, level] : {std::pair{0.0, 1}, {1e-4, 1}, {1e-8, 2}}) {
    step.tolerance = tolerance;
    EXPECT_EQ(next_level(radau, 1, step).level, level) << tolerance;
  }
}

TEST(OrderChoice, StartsHighWhereMuchIsAsked) {
  EXPECT_EQ(starting_stages(1e-3), 3);
  EXPECT_EQ(starting_stages(1e-4), 5);
  EXPECT_EQ(starting_stages(1e-8), 7);
}

}  // namespace
}  // namespace rubato
