#include "rubato/io/checksum.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rubato::io {
namespace {

/// The check value of every table of CRCs: that of the nine digits.
TEST(Checksum, AgreesWithTheStandard) {
  EXPECT_EQ(checksum("123456789"), 0xCBF43926U);
  EXPECT_EQ(checksum(""), 0U);
}

TEST(Checksum, TakesDataInPieces) {
  const std::string text = "stiff and constrained mechanical systems";
  for (std::size_t n = 0; n <= text.size(); ++n)
    EXPECT_EQ(checksum(std::string_view(text).substr(n), checksum(std::string_view(text).substr(0, n))),
              checksum(text));
  EXPECT_EQ(checksum(std::span<const std::byte>{}, 7), 7U);  // nothing added
}

/// Any change within 32 neighbouring bits is found; here every bit alone.
TEST(Checksum, FindsEveryBit) {
  std::string bytes(1000, '\0');
  const auto before = checksum(bytes);
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    bytes[i / 8] ^= static_cast<char>(1 << i % 8);
    EXPECT_NE(checksum(bytes), before) << i;
    bytes[i / 8] ^= static_cast<char>(1 << i % 8);
  }
}

}  // namespace
}  // namespace rubato::io
