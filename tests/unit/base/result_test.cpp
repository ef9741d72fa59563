// A Result holds a value or a sentence, and asking for the wrong one is our mistake: it stops the program.
#include "rubato/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rubato {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{"half: " + std::to_string(number) + " is odd"};
  return number / 2;
}

Result<void> positive(double number) {
  if (!(number > 0)) return Error{"not positive"};
  return {};
}

TEST(Result, HoldsAValueOrASentence) {
  EXPECT_EQ(*half(6), 3);
  EXPECT_EQ(half(7).error().message, "half: 7 is odd");
  EXPECT_TRUE(positive(1));
  EXPECT_FALSE(positive(-1));
  EXPECT_EQ(positive(-1).error().message, "not positive");
}

TEST(Result, HandsOnWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> owner = std::make_unique<int>(4);
  const std::unique_ptr<int> taken = *std::move(owner);
  EXPECT_EQ(*taken, 4);
}

// Also the proof that the test builds have their assertions switched on.
TEST(ResultDeathTest, AskingForTheWrongOneStopsTheProgram) {
  EXPECT_DEATH(static_cast<void>(half(7).value()), "result.hpp.*value\\(\\) of a Result that holds an error");
  EXPECT_DEATH(static_cast<void>(half(6).error()), "error\\(\\) of a Result that holds a value");
}

}  // namespace
}  // namespace rubato
