// Checkpoint files: read back, and any damage refused.
#include "rubato/io/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rubato/base/archive.hpp"
#include "rubato/io/checksum.hpp"

namespace rubato::io {
namespace {

CheckpointFile example_checkpoint() {
  CheckpointFile checkpoint{.task = "# rubato\nrtol = 1\n", .t = 0.5, .rows = {1000, 20, 30, 2}};
  for (int i = 0; i < 900; ++i) checkpoint.state.push_back(static_cast<std::byte>(7 * i));
  checkpoint.watched = {std::byte{3}};
  return checkpoint;
}

TEST(Checkpoint, ReadsBack) {
  const CheckpointFile written = example_checkpoint();
  const auto back = parse_checkpoint(checkpoint_bytes(written), "a");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->task, written.task);
  EXPECT_EQ(back->t, written.t);
  EXPECT_EQ(back->state, written.state);
  EXPECT_EQ(back->watched, written.watched);
  EXPECT_EQ(back->rows, written.rows);
  EXPECT_EQ(first_difference("a\nb\n", "a\nc\n"), "was `b`, is `c`");
  EXPECT_EQ(first_difference("a\n", "a\n"), "");
}

TEST(Checkpoint, ThousandDamagesAreRefused) {
  const auto bytes = checkpoint_bytes(example_checkpoint());
  std::mt19937 random(18);
  for (int round = 0; round < 1000; ++round) {
    auto damaged = bytes;
    switch (round % 4) {
      case 0:  // a byte
        damaged[random() % bytes.size()] ^= static_cast<std::byte>(1 + random() % 255);
        break;
      case 1: {  // a piece, of noise
        const std::size_t at = random() % (bytes.size() - 64);
        for (std::size_t k = 0; k < 64; ++k) damaged[at + k] = static_cast<std::byte>(random());
        break;
      }
      case 2: damaged.resize(random() % bytes.size()); break;
      default: damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), std::byte{0});
    }
    EXPECT_FALSE(parse_checkpoint(damaged, "a").ok()) << round;
  }
}

TEST(Checkpoint, SaysWhatIsWrong) {
  auto bytes = checkpoint_bytes(example_checkpoint());
  bytes[14] = std::byte{'1'};
  EXPECT_NE(parse_checkpoint(bytes, "a").error().message.find("another version"), std::string::npos);
  bytes[0] = std::byte{'R'};
  EXPECT_EQ(parse_checkpoint(bytes, "a").error().message, "a: not a checkpoint");
}

/// Lengths are held against the file even where somebody made the checksum right.
TEST(Checkpoint, LengthsAskForNoMoreThanThereIs) {
  const auto bytes = checkpoint_bytes(example_checkpoint());
  constexpr std::size_t head = 28;
  for (std::size_t at = head; at + 8 < bytes.size(); ++at) {
    auto forged = bytes;
    const std::uint64_t large = 1ULL << 62;
    std::memcpy(forged.data() + at, &large, sizeof large);
    const std::uint32_t sum = checksum(std::span(forged).subspan(head));
    std::memcpy(forged.data() + head - 4, &sum, sizeof sum);
    (void)parse_checkpoint(forged, "a");  // a state may hold any bytes
    std::memcpy(forged.data() + head, &large, sizeof large);
    const std::uint32_t again = checksum(std::span(forged).subspan(head));
    std::memcpy(forged.data() + head - 4, &again, sizeof again);
    EXPECT_FALSE(parse_checkpoint(forged, "a").ok());
  }
}

}  // namespace
}  // namespace rubato::io
