#include "rubato/base/archive.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rubato {
namespace {

/// What is read back from one written value.
template <class Written, class Read>
bool readable(Written written, Read& value, Read low, Read high) {
  ArchiveWriter out;
  out.put(written);
  ArchiveReader in(out.bytes());
  in.get(value, low, high);
  return in.ok();
}

TEST(Archive, NumbersOutsideTheirRangeAreRefusedAndLeaveTheValue) {
  int count = 3;
  EXPECT_TRUE(readable(7, count, 0, 7));
  EXPECT_EQ(count, 7);
  EXPECT_FALSE(readable(8, count, 0, 7));
  EXPECT_FALSE(readable(-1, count, 0, 7));
  EXPECT_EQ(count, 7);
  double t = 0.5;
  EXPECT_FALSE(readable(std::numeric_limits<double>::quiet_NaN(), t, 0.0, 1.0));
  EXPECT_FALSE(readable(1.5, t, 0.0, 1.0));
  EXPECT_EQ(t, 0.5);
}

TEST(Archive, ABoolIsZeroOrOne) {
  for (const int byte : {0, 1, 2, 255}) {
    ArchiveWriter out;
    out.put(static_cast<std::uint8_t>(byte));
    ArchiveReader in(out.bytes());
    bool value = false;
    in.get(value);
    EXPECT_EQ(in.ok(), byte <= 1) << byte;
    EXPECT_EQ(value, byte == 1) << byte;
  }
}

}  // namespace
}  // namespace rubato
