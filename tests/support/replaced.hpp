#pragma once
/// A text with one of its words replaced; the word must be there.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace rubato {

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace rubato
