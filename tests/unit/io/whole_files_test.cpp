// What is written is whole, durable and alone: part files, the lock of a folder, the manifest of a set.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "rubato/io/file.hpp"
#include "rubato/io/folder_lock.hpp"
#include "rubato/io/hdf5.hpp"
#include "rubato/io/manifest.hpp"
#include "rubato/io/result_folder.hpp"

namespace rubato::io {
namespace {

namespace fs = std::filesystem;

class WholeFiles : public testing::Test {
 protected:
  WholeFiles() { fs::create_directories(folder); }
  ~WholeFiles() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  /// Names in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  const fs::path folder = fs::temp_directory_path() / ("rubato-whole-" + std::to_string(getpid()));
};

/// Runs in a process of its own; its exit code.
template <class Work>
int in_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(WholeFiles, PartsHaveNamesOfTheirOwnAndGo) {
  const fs::path file = folder / "a.txt";
  ASSERT_TRUE(write_file(file, "before").ok());
  {
    auto first = PartFile::beside(file), second = PartFile::beside(file);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_NE(first->path(), second->path());
    ASSERT_TRUE(first->write("one").ok() && second->write("tw").ok() && second->write("o").ok());
    EXPECT_EQ(*read_file(file), "before");
    ASSERT_TRUE(second->finish().ok());
    EXPECT_EQ(*read_file(file), "two");
  }
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});  // the first was never finished
}

/// A link under the name of a part is somebody's trap: the file at its other end stays as it is.
TEST_F(WholeFiles, LinksAreNotFollowed) {
  ASSERT_TRUE(write_file(folder / "victim", "whole").ok());
  ASSERT_TRUE(write_file(folder / "probe", "").ok());
  const auto next = PartFile::beside(folder / "a.txt");
  ASSERT_TRUE(next.ok());
  std::string name = next->path().filename().string();  // a.txt.PROCESS-NUMBER.part: the next number is known
  const auto dash = name.rfind('-'), dot = name.rfind('.');
  name = name.substr(0, dash + 1) + std::to_string(std::stoi(name.substr(dash + 1, dot - dash - 1)) + 1) + ".part";
  fs::create_symlink("victim", folder / name);
  ASSERT_TRUE(write_file(folder / "a.txt", "mine").ok());
  EXPECT_EQ(*read_file(folder / "victim"), "whole");
  EXPECT_EQ(*read_file(folder / "a.txt"), "mine");
  EXPECT_TRUE(fs::is_symlink(folder / name));
}

TEST_F(WholeFiles, AFolderThatHasGoneIsMadeAgain) {
  ASSERT_TRUE(write_file(folder / "a" / "b" / "c.txt", "x").ok());
  fs::remove_all(folder);
  ASSERT_TRUE(write_file(folder / "a" / "b" / "c.txt", "y").ok());
  EXPECT_EQ(*read_file(folder / "a" / "b" / "c.txt"), "y");
}

/// Beyond the limit of the size of files writes fail with EFBIG, as on a full disk with ENOSPC.
TEST_F(WholeFiles, AFailedWriteKeepsTheFileBefore) {
  const fs::path file = folder / "a.txt";
  ASSERT_TRUE(write_file(file, "before").ok());
  const int code = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto outcome = write_file(file, std::string(5000, 'x'));
    return !outcome && outcome.error().message == file.string() + ": cannot be written: File too large" ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(*read_file(file), "before");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
}

TEST_F(WholeFiles, PartsOfDeadProcessesAreRemoved) {
  fs::path left;
  const pid_t child = ::fork();
  if (child == 0) {
    auto part = PartFile::beside(folder / "a.txt");
    (void)part;
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(names().size(), 1U);
  const auto mine = PartFile::beside(folder / "a.txt");  // a living writer's
  ASSERT_TRUE(write_file(folder / "score.part", "violin").ok() && write_file(folder / "a.1-x.part", "no number").ok());
  remove_stale_parts(folder);
  const std::vector<std::string> expected = {"a.1-x.part", mine->path().filename().string(), "score.part"};
  EXPECT_EQ(names(), expected);
}

TEST_F(WholeFiles, OneWriterPerFolder) {
  {
    const auto lock = FolderLock::take(folder);
    ASSERT_TRUE(lock.ok());
    ASSERT_EQ(lock->state(), FolderLock::State::held);
    EXPECT_EQ(in_child([&] {
                const auto other = FolderLock::take(folder);
                return other && other->state() == FolderLock::State::busy && other->holder() == getppid() ? 0 : 1;
              }),
              0);
    EXPECT_TRUE(lock->in_force());
  }
  EXPECT_TRUE(names().empty());
  EXPECT_EQ(in_child([&] {  // a process that dies leaves the file, not the lock
              const auto other = FolderLock::take(folder);
              if (other && other->state() == FolderLock::State::held) raise(SIGKILL);
              return 1;
            }),
            128 + SIGKILL);
  const auto again = FolderLock::take(folder);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->state(), FolderLock::State::held);
  fs::remove_all(folder);
  EXPECT_FALSE(again->in_force());
}

TEST_F(WholeFiles, ALockBehindALinkIsRefused) {
  fs::create_symlink("elsewhere", folder / ".rubato.lock");
  const auto lock = FolderLock::take(folder);
  ASSERT_FALSE(lock.ok());
  EXPECT_NE(lock.error().message.find("is a link"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
}

class ManifestOfAFolder : public WholeFiles {
 protected:
  void SetUp() override {
    fs::create_directories(folder / "motion");
    Manifest manifest{.version = "1", .files = {{.name = "timing.json", .content = {}}}};
    for (const auto* name : {"solution.csv", "motion/frame_00000.vtu"}) {
      ASSERT_TRUE(write_file(folder / name, name).ok());
      manifest.files.push_back({.name = name, .content = digest(name)});
    }
    ASSERT_TRUE(write_file(folder / "timing.json", "fast").ok());
    ASSERT_TRUE(write_manifest(folder, manifest).ok());
  }
  [[nodiscard]] std::string complaint() const {
    const auto found = verify_folder(folder);
    return found ? "" : found.error().message;
  }
};

TEST_F(ManifestOfAFolder, AcceptsItsFiles) {
  EXPECT_EQ(complaint(), "");
  ASSERT_TRUE(write_file(folder / "timing.json", "slowly").ok());  // times differ from run to run
  ASSERT_TRUE(write_file(folder / "notes.txt", "my own").ok());
  EXPECT_EQ(complaint(), "");
  EXPECT_TRUE(verify_file(folder / "solution.csv").ok());
  EXPECT_EQ(*read_file(folder / "manifest.json"), R"({
  "rubato": "1",
  "files": [
    {
      "name": "motion/frame_00000.vtu",
      "bytes": 22,
      "crc32": "03e64d47"
    },
    {
      "name": "solution.csv",
      "bytes": 12,
      "crc32": "c45e2446"
    },
    {
      "name": "timing.json"
    }
  ]
}
)");
}

TEST_F(ManifestOfAFolder, NamesWhatDoesNotBelong) {
  ASSERT_TRUE(write_file(folder / "solution.csv", "solution.csV").ok());
  EXPECT_NE(complaint().find("solution.csv: has the checksum"), std::string::npos);
  EXPECT_FALSE(verify_file(folder / "solution.csv").ok());
  ASSERT_TRUE(write_file(folder / "solution.csv", "solution").ok());
  EXPECT_NE(complaint().find("solution.csv: has 8 bytes, not the 12"), std::string::npos);
  fs::remove(folder / "solution.csv");
  EXPECT_NE(complaint().find("solution.csv: missing"), std::string::npos);
  ASSERT_TRUE(write_file(folder / "solution.h5", "of another run").ok());
  EXPECT_NE(verify_file(folder / "solution.h5").error().message.find("belongs to another run"), std::string::npos);
}

TEST_F(ManifestOfAFolder, NoManifestNoSet) {
  ASSERT_TRUE(invalidate_manifest(folder).ok());
  ASSERT_TRUE(invalidate_manifest(folder).ok());
  EXPECT_NE(complaint().find("has no manifest.json"), std::string::npos);
}

/// A folder is read as one set: an HDF5 file that is whole but of another run is refused.
TEST_F(ManifestOfAFolder, ResultsOfTwoRunsAreNotMixed) {
  EXPECT_NE(read_results(folder).error().message.find("has written no solution.h5"), std::string::npos);
  RunResult result;
  result.title = "one";
  ASSERT_TRUE(write_hdf5(folder / "solution.h5", result).ok());
  ASSERT_TRUE(write_manifest(folder, {.version = "1",
                                      .files = {{.name = "solution.h5", .content = *digest_of(folder / "solution.h5")},
                                                {.name = "solution.csv", .content = digest("solution.csv")}}})
                  .ok());
  const auto read = read_results(folder);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->title, "one");
  result.title = "two";
  ASSERT_TRUE(write_hdf5(folder / "solution.h5", result).ok());
  EXPECT_NE(read_results(folder).error().message.find("belongs to another run"), std::string::npos);
}

/// Whatever stands in the file: a sentence, or files that are what it says.
TEST_F(ManifestOfAFolder, DamagedManifestsAreRefused) {
  const std::string whole = *read_file(folder / "manifest.json");
  for (std::size_t n = 0; n + 2 < whole.size(); n += 5) {  // without the last brace
    ASSERT_TRUE(write_file(folder / "manifest.json", whole.substr(0, n)).ok());
    EXPECT_FALSE(verify_folder(folder).ok()) << n;
  }
  for (const char* text : {"[]", "7", R"({"rubato": 1, "files": []})", R"({"rubato": "1", "files": [7]})",
                           R"({"rubato": "1", "files": [{"name": "../a"}]})",
                           R"({"rubato": "1", "files": [{"name": "/dev/zero", "bytes": 1, "crc32": "0"}]})",
                           R"({"rubato": "1", "files": [{"name": "solution.csv", "bytes": -1, "crc32": "0"}]})",
                           R"({"rubato": "1", "files": [{"name": "solution.csv", "bytes": 12, "crc32": "zz"}]})"}) {
    ASSERT_TRUE(write_file(folder / "manifest.json", text).ok());
    EXPECT_NE(complaint().find("not a manifest"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace rubato::io
