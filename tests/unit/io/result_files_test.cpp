#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "rubato/io/csv.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/hdf5.hpp"
#include "rubato/io/row_file.hpp"
#include "rubato/io/summary.hpp"
#include "rubato/io/table.hpp"

namespace rubato::io {
namespace {

/// A folder that goes when the test goes.
class ResultFolder {
 public:
  ResultFolder()
      : path(std::filesystem::temp_directory_path() /
             ("rubato-io-" + std::to_string(getpid()) + "-" + std::to_string(next_++))) {
    std::filesystem::create_directories(path);
  }
  ~ResultFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  const std::filesystem::path path;

 private:
  static inline int next_ = 0;
};

RunResult example() {
  RunResult r;
  r.title = "Schwingung \"ε\"";
  r.problem = "pendulum";
  r.method = "ros3p";
  r.options = "[solver]\nrtol = 1e-4\n";
  r.version = "0.1.0";
  r.status = "finished";
  r.t_end = 1;
  r.t = 1;
  r.smallest_step = 1e-3;
  r.statistics.accepted = 372;
  r.statistics.f_calls = 744;
  r.statistics.seconds.total = 3.14;
  r.trajectory.names = {"q[0]", "name, with comma"};
  r.trajectory.units = {"m", ""};
  r.trajectory.times = {0, 0.1, 1};
  r.trajectory.values = {1, 0.1, 1.0 / 3, 1e-300, -0.0, 5e-324};
  r.trajectory.step_times = {0.5, 1};
  r.trajectory.step_sizes = {0.5, 0.5};
  r.trajectory.events = {{.t = 0.25, .roots = {}, .mode_before = 0, .mode_after = 1},
                         {.t = 0.5, .roots = {2, 0}, .mode_before = 1, .mode_after = 0}};
  return r;
}

std::string summary_of(const RunResult& r) { return summary_json(r, TrajectoryRows(r.trajectory)); }

TEST(Csv, NamesCarryUnitsAndNumbersReadBack) {
  EXPECT_EQ(to_csv(example().trajectory),
            "time [s],q[0] [m],\"name, with comma\"\n"
            "0,1,0.1\n"
            "0.1,0.3333333333333333,1e-300\n"
            "1,-0,5e-324\n");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
}

TEST(Hdf5, ReadsBackWhatWasWritten) {
  const ResultFolder folder;
  const RunResult r = example();
  ASSERT_TRUE(write_hdf5(folder.path / "a.h5", r).ok());
  const auto back = read_hdf5(folder.path / "a.h5");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->title, r.title);
  EXPECT_EQ(back->formulation, "");
  EXPECT_EQ(back->options, r.options);
  EXPECT_EQ(back->smallest_step, 1e-3);
  EXPECT_EQ(back->trajectory.names, r.trajectory.names);
  EXPECT_EQ(back->trajectory.units, r.trajectory.units);
  EXPECT_EQ(back->trajectory.times, r.trajectory.times);
  EXPECT_EQ(back->trajectory.values, r.trajectory.values);
  EXPECT_EQ(back->trajectory.step_sizes, r.trajectory.step_sizes);
  ASSERT_EQ(back->trajectory.events.size(), 2U);
  EXPECT_EQ(back->trajectory.events[1].roots, (std::vector<int>{2, 0}));
  EXPECT_EQ(back->trajectory.events[0].mode_after, 1);
  for (const auto& counter : counters)
    EXPECT_EQ(back->statistics.*counter.value, r.statistics.*counter.value) << counter.name;
}

// HDF5 keeps time stamps unless told not to; then the same run would not write the same bytes.
TEST(Hdf5, TheSameResultGivesTheSameBytes) {
  const ResultFolder folder;
  RunResult r = example();
  for (int i = 0; i < 20000; ++i) {  // large enough to be compressed
    r.trajectory.times.push_back(1 + i);
    r.trajectory.values.insert(r.trajectory.values.end(), {std::sin(i), std::cos(i)});
  }
  ASSERT_TRUE(write_hdf5(folder.path / "a.h5", r).ok());
  usleep(1'100'000);  // time stamps have seconds
  ASSERT_TRUE(write_hdf5(folder.path / "b.h5", r).ok());
  EXPECT_TRUE(*read_file(folder.path / "a.h5") == *read_file(folder.path / "b.h5"));
  EXPECT_EQ(read_hdf5(folder.path / "b.h5")->trajectory.values, r.trajectory.values);
}

/// Options hold the whole model: a thousand bodies are more than a classic attribute takes.
TEST(Hdf5, OptionsMayBeLong) {
  const ResultFolder folder;
  RunResult r;
  for (int i = 0; i < 20'000; ++i) r.options += "[[body]] # " + std::to_string(i) + "\n";
  ASSERT_TRUE(write_hdf5(folder.path / "a.h5", r).ok());
  ASSERT_TRUE(write_hdf5(folder.path / "b.h5", r).ok());
  EXPECT_TRUE(read_hdf5(folder.path / "a.h5")->options == r.options);
  EXPECT_TRUE(*read_file(folder.path / "a.h5") == *read_file(folder.path / "b.h5"));
}

TEST(Hdf5, AnEmptyTrajectoryIsAResultToo) {
  const ResultFolder folder;
  ASSERT_TRUE(write_hdf5(folder.path / "a.h5", RunResult{}).ok());
  const auto back = read_hdf5(folder.path / "a.h5");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->trajectory.rows(), 0U);
}

/// Rows that come one by one, not all in one trajectory.
TEST(ResultFiles, RowsFromARowFileGiveTheSameBytes) {
  const ResultFolder folder;
  for (const int n : {0, 3, 50'000}) {
    RunResult r = example();
    r.trajectory.times.clear();
    r.trajectory.values.clear();
    auto writer = RowFileWriter::create(folder.path / "rows.bin",
                                        {.task = 1, .names = r.trajectory.names, .units = r.trajectory.units});
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < n; ++i) {
      r.trajectory.times.push_back(0.1 * i);
      r.trajectory.values.insert(r.trajectory.values.end(), {std::sin(i), std::cos(i)});
      (*writer)->row(0.1 * i, std::vector{std::sin(i), std::cos(i)});
    }
    for (std::size_t i = 0; i < 2; ++i) (*writer)->step(r.trajectory.step_times[i], r.trajectory.step_sizes[i]);
    for (const auto& event : r.trajectory.events) (*writer)->event(event);
    ASSERT_TRUE((*writer)->flush());
    const auto rows = RowFile::open(folder.path / "rows.bin");
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    ASSERT_TRUE(write_hdf5(folder.path / "a.h5", r).ok());
    ASSERT_TRUE(write_hdf5(folder.path / "b.h5", r, *rows).ok());
    EXPECT_TRUE(*read_file(folder.path / "a.h5") == *read_file(folder.path / "b.h5")) << n;
    ASSERT_TRUE(write_csv(folder.path / "b.csv", *rows).ok());
    EXPECT_TRUE(to_csv(r.trajectory) == *read_file(folder.path / "b.csv")) << n;
    EXPECT_EQ(summary_of(r), summary_json(r, *rows));
    const SelectedRows second(*rows, {1});
    ASSERT_TRUE(write_csv(folder.path / "c.csv", second).ok());
    EXPECT_EQ(read_file(folder.path / "c.csv")->substr(0, 28), "time [s],\"name, with comma\"\n");
  }
}

/// A disk that is full, by the system's limit on the size of files: an Error, nothing left behind, and HDF5 works afterwards. (Its own
/// driver leaves a file open whose close failed, and the program crashes at its end.)
TEST(Hdf5, AFullDiskIsAnError) {
  const ResultFolder folder;
  RunResult r = example();
  for (int i = 0; i < 50'000; ++i) {
    r.trajectory.times.push_back(1 + i);
    r.trajectory.values.insert(r.trajectory.values.end(), {std::sin(i), std::cos(i)});
  }
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t bytes : {0, 100, 3000, 20'000, 100'000, 400'000}) {
    const rlimit small{.rlim_cur = bytes, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = write_hdf5(folder.path / "a.h5", r);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(written.ok()) << bytes;
    EXPECT_NE(written.error().message.find("File too large"), std::string::npos) << written.error().message;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
  }
  std::signal(SIGXFSZ, old);
  ASSERT_TRUE(write_hdf5(folder.path / "a.h5", r).ok());
  EXPECT_EQ(read_hdf5(folder.path / "a.h5")->trajectory.times, r.trajectory.times);
}

TEST(Hdf5, SaysWhatIsWrongWithAFile) {
  const ResultFolder folder;
  ASSERT_TRUE(write_file(folder.path / "text.h5", "not HDF5").ok());
  EXPECT_NE(read_hdf5(folder.path / "text.h5").error().message.find("cannot be read as an HDF5 file"),
            std::string::npos);
  EXPECT_NE(write_hdf5("/dev/null/a.h5", {}).error().message.find("cannot be written"), std::string::npos);
}

TEST(File, IsReplacedAsAWhole) {
  const ResultFolder folder;
  const auto file = folder.path / "a.txt";
  ASSERT_TRUE(write_file(file, "first").ok());
  ASSERT_TRUE(write_file(file, "second").ok());
  EXPECT_EQ(*read_file(file), "second");
  EXPECT_FALSE(write_file("/dev/null/a.txt", "x").ok());
  EXPECT_NE(read_file(folder.path).error().message.find("is a folder"), std::string::npos);
}

// A pipe without a writer, or a device without an end, would keep the reader for ever.
TEST(File, IsRefusedUnlessRegularAndOfBoundedSize) {
  const ResultFolder folder;
  const auto pipe = folder.path / "pipe", file = folder.path / "a.txt";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(read_file(pipe).error().message.find("is a named pipe, not a file"), std::string::npos);
  EXPECT_NE(read_file("/dev/zero").error().message.find("is a device, not a file"), std::string::npos);
  ASSERT_TRUE(write_file(file, "12345").ok());
  EXPECT_EQ(*read_file_up_to(file, 5), "12345");
  EXPECT_NE(read_file_up_to(file, 4).error().message.find("a.txt: 5 bytes; at most 4 are read"), std::string::npos);
  // Its length is only said: nothing is read of it, no memory taken for it.
  std::filesystem::resize_file(file, most_text_bytes + 1);
  EXPECT_NE(read_text_file(file).error().message.find("at most 67108864 are read"), std::string::npos);
  EXPECT_NE(read_file_up_to("/proc/self/maps", 10).error().message.find("at most 10 are read"), std::string::npos);
}

TEST(Summary, HoldsCountersAndNoSeconds) {
  const std::string json = summary_of(example());
  EXPECT_NE(json.find("\"f_calls\": 744"), std::string::npos);
  EXPECT_EQ(json.find("3.14"), std::string::npos);
  EXPECT_NE(timing_json(example().statistics, 4).find("3.14"), std::string::npos);
}

TEST(Summary, NamesWhatWasFoundStiff) {
  RunResult r = example();
  EXPECT_EQ(summary_text(r, 1).find("stiff"), std::string::npos);  // not looked for
  EXPECT_NE(summary_of(r).find("\"stiff\": null"), std::string::npos);
  r.stiff.emplace();
  EXPECT_NE(summary_text(r, 1).find("found stiff  nothing"), std::string::npos);
  r.stiff = {"q[5]", "q[6]"};
  EXPECT_NE(summary_text(r, 1).find("found stiff  q[5], q[6]"), std::string::npos);
  EXPECT_NE(summary_of(r).find("\"q[6]\""), std::string::npos);
}

TEST(Table, OneSetOfCellsFourFormats) {
  const Table t{{"name", "order", "stable"}, {{std::string("ros|3p"), 3L, true}, {std::string("ε"), 0.1, false}}};
  EXPECT_EQ(render(t, TableFormat::text),
            "name    order  stable\n"
            "──────  ─────  ──────\n"
            "ros|3p      3  yes\n"
            "ε         0.1  no\n");
  EXPECT_EQ(render(t, TableFormat::csv), "name,order,stable\nros|3p,3,true\nε,0.1,false\n");
  EXPECT_NE(render(t, TableFormat::json).find("\"order\": 3,\n    \"stable\": true"), std::string::npos);
  EXPECT_EQ(render(t, TableFormat::markdown),
            "| name | order | stable |\n| --- | ---: | --- |\n| ros\\|3p | 3 | yes |\n| ε | 0.1 | no |\n");
  EXPECT_FALSE(table_format("xml").ok());
}

}  // namespace
}  // namespace rubato::io
