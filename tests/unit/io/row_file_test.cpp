// Row files: what was written is read, also while writing goes on; damage is found; a run goes on at a place between two blocks.
#include "rubato/io/row_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "rubato/io/file.hpp"

namespace rubato::io {
namespace {

class RowFiles : public testing::Test {
 protected:
  RowFiles() { std::filesystem::create_directories(folder_); }
  ~RowFiles() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("rubato-rows-" + std::to_string(getpid()));
  const std::filesystem::path file_ = folder_ / "rows.bin";
  const RowFileHeader header_{.task = 18, .names = {"x", "y, z", ""}, .units = {"m", "", "s"}};
};

/// As write_file, without waiting for the disk.
void spill(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

void put(RowFileWriter& writer, int from, int to) {
  for (int i = from; i < to; ++i) {
    writer.row(i, std::vector{1.0 * i, 2.0 * i, 1.0 / i});
    writer.step(i, 0.5);
    if (i % 10 == 0) writer.event({.t = 1.0 * i, .roots = {i, 1}, .mode_before = 0, .mode_after = i});
  }
}

std::vector<double> times_of(const RowSource& rows) {
  std::vector<double> times;
  const auto read = rows.each_row([&](double t, In values) {
    times.push_back(t);
    EXPECT_EQ(values.size(), 3u);
    EXPECT_EQ(values[1], 2 * t);
    return true;
  });
  EXPECT_TRUE(read.ok()) << read.error().message;
  return times;
}

TEST_F(RowFiles, CanBeReadWhileTheyAreWritten) {
  auto writer = RowFileWriter::create(file_, header_);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(RowFile::open(file_)->n_rows, 0u);
  put(**writer, 1, 31);
  ASSERT_TRUE((*writer)->flush());
  const auto first = RowFile::open(file_);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->names, header_.names);
  EXPECT_EQ(first->units, header_.units);
  EXPECT_EQ(first->task(), 18u);
  EXPECT_EQ(first->n_steps, 30u);
  ASSERT_EQ(first->events.size(), 3u);
  EXPECT_EQ(first->events[2].roots, (std::vector<int>{30, 1}));
  put(**writer, 31, 41);
  ASSERT_TRUE((*writer)->flush());
  EXPECT_EQ(times_of(*first).size(), 30u) << "a reader keeps to what it found when it was opened";
  EXPECT_EQ(times_of(*RowFile::open(file_)).back(), 40);
}

/// However the file is cut short: whole blocks are read, and nothing else.
// A pipe in the place of rows.bin would keep `--resume` waiting for ever.
TEST_F(RowFiles, AreRegularFiles) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_NE(RowFile::open(file_).error().message.find("is a named pipe, not a file"), std::string::npos);
  EXPECT_NE(RowFile::open(folder_).error().message.find("is a folder, not a file"), std::string::npos);
  EXPECT_NE(RowFile::open(folder_ / "none").error().message.find("cannot be read: No such file"), std::string::npos);
}

TEST_F(RowFiles, EndAtTheLastWholeBlock) {
  {
    auto writer = RowFileWriter::create(file_, header_);
    for (int i = 1; i < 20; ++i) {
      put(**writer, i, i + 1);
      ASSERT_TRUE((*writer)->flush());
    }
  }
  const std::string bytes = *read_file(file_);
  std::size_t before = 0;
  for (std::size_t n = 120; n < bytes.size(); ++n) {
    spill(file_, bytes.substr(0, n));
    const auto rows = RowFile::open(file_);
    ASSERT_TRUE(rows.ok()) << n << rows.error().message;
    const auto times = times_of(*rows);
    EXPECT_GE(times.size(), before);
    before = times.size();
  }
  EXPECT_EQ(before, 19u);
}

/// Any damage to a block is found where the block is read; the worst that damage to a length may do is to end the file early, and then
/// fewer rows are found than a checkpoint counts.
TEST_F(RowFiles, DamageIsFoundBeforeARunGoesOn) {
  RowFilePlace place;
  {
    auto writer = RowFileWriter::create(file_, header_);
    put(**writer, 1, 200);
    place = (*writer)->cut();
    put(**writer, 200, 210);
  }
  const std::string bytes = *read_file(file_);
  ASSERT_LT(place.bytes, bytes.size());
  std::mt19937 random(18);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = bytes;
    const std::size_t at = random() % place.bytes, width = std::min<std::size_t>(1 + random() % 8, place.bytes - at);
    for (std::size_t k = 0; k < width; ++k) damaged[at + k] = static_cast<char>(random());
    damaged[at] = static_cast<char>(bytes[at] ^ (1 + random() % 255));
    spill(file_, damaged);
    EXPECT_FALSE(RowFileWriter::append(file_, 18, place).ok()) << "byte " << at;
    if (const auto rows = RowFile::open(file_); rows) (void)times_of(*rows);
  }
  spill(file_, bytes);
  EXPECT_FALSE(RowFileWriter::append(file_, 17, place).ok()) << "another task";
  for (auto wrong : {place, place, place}) {
    --wrong.rows;
    EXPECT_FALSE(RowFileWriter::append(file_, 18, wrong).ok());
  }
  EXPECT_FALSE(RowFileWriter::append(folder_ / "nothing.bin", 18, place).ok());
  EXPECT_FALSE(RowFileWriter::append(folder_, 18, place).ok());
}

TEST_F(RowFiles, ARunGoesOnWithTheSameBytes) {
  RowFilePlace place;
  {
    auto writer = RowFileWriter::create(file_, header_);
    put(**writer, 1, 20);
    place = (*writer)->cut();
    put(**writer, 20, 40);
  }
  const std::string whole = *read_file(file_);
  {
    auto writer = RowFileWriter::append(file_, 18, place);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    put(**writer, 20, 40);
    EXPECT_EQ((*writer)->cut().rows, 39u);
  }
  EXPECT_TRUE(*read_file(file_) == whole);
}

/// Who removes the folder meanwhile loses nothing of a run that goes on; what others have put there stays.
TEST_F(RowFiles, AreWrittenOnceMoreWhereTheyWereRemoved) {
  auto writer = RowFileWriter::create(file_, header_);
  put(**writer, 1, 20'000);
  ASSERT_TRUE((*writer)->sync());
  const std::string whole = *read_file(file_);
  std::filesystem::remove_all(folder_);
  EXPECT_FALSE((*writer)->in_place());
  EXPECT_TRUE(RowFile::open((*writer)->readable()).ok());
  std::filesystem::create_directories(folder_);
  ASSERT_TRUE((*writer)->sync());
  EXPECT_TRUE((*writer)->in_place());
  EXPECT_TRUE(*read_file(file_) == whole);
  put(**writer, 20'000, 20'010);
  const RowFilePlace place = (*writer)->cut();
  ASSERT_TRUE((*writer)->sync());
  EXPECT_EQ(RowFile::open(file_)->end(), place);
  EXPECT_TRUE(RowFileWriter::append(file_, 18, place).ok());

  std::filesystem::remove(file_);
  spill(file_, "of another run");
  EXPECT_EQ(RowFile::open((*writer)->readable())->end(), place);
  EXPECT_FALSE((*writer)->sync());
  EXPECT_FALSE((*writer)->in_place());
  ASSERT_TRUE((*writer)->trouble().has_value());
  EXPECT_NE((*writer)->trouble()->message.find("File exists"), std::string::npos);
  EXPECT_EQ(*read_file(file_), "of another run");
}

/// Memory and blocks are bounded: a long run is many blocks.
TEST_F(RowFiles, ABlockIsNeverLargerThanTheBuffer) {
  auto writer = RowFileWriter::create(file_, header_);
  put(**writer, 1, 100'000);
  EXPECT_GT(std::filesystem::file_size(file_), 4'000'000u) << "most of it has reached the file without flush()";
  ASSERT_TRUE((*writer)->flush());
  EXPECT_EQ(times_of(*RowFile::open(file_)).size(), 99'999u);
}

/// A full disk, by the system's limit on the size of files.
TEST_F(RowFiles, AFullDiskLeavesWholeBlocks) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  int told = 0;
  {
    auto writer = RowFileWriter::create(file_, header_);
    (*writer)->on_trouble = [&] { ++told; };
    const rlimit small{.rlim_cur = 600'000, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    put(**writer, 1, 100'000);
    EXPECT_FALSE((*writer)->flush());
    ASSERT_TRUE((*writer)->trouble().has_value());
    EXPECT_NE((*writer)->trouble()->message.find("File too large"), std::string::npos);
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(told, 1);
  const auto rows = RowFile::open(file_);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows->end().bytes, std::filesystem::file_size(file_));
  EXPECT_EQ(times_of(*rows).size(), rows->n_rows);
  EXPECT_GT(rows->n_rows, 1000u);
}

}  // namespace
}  // namespace rubato::io
