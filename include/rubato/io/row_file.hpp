#pragma once
/// rows.bin: what a run has yielded so far, kept on disk while it goes on. Results are made from it, at the end and after a failure; a
/// resumed run cuts it back to its checkpoint and goes on writing.
///
///   16 bytes "rubato rows 1\n" and two zeros, then blocks of {type, length, checksum, length bytes}, three 32-bit numbers and the payload;
///   the checksum (CRC-32) covers type, length and payload. The first block is the header. Numbers are those of the machine.
///
///   type 0  header: task (64 bits), names, units: a count and so many texts each, a text being a length and so many bytes
///   type 1  rows: {t, values}, 1 + channels doubles each
///   type 2  steps: {t, h}, two doubles each
///   type 3  events: {t, mode before, mode after, n, n roots}: a double, then 32-bit numbers
///
/// Blocks are only appended, so that the file can be read while the run goes on: a block that is not whole yet is the end.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "rubato/io/row_source.hpp"

namespace rubato::io {

struct RowFileHeader {
  std::uint64_t task = 0;  ///< the same for the checkpoint of the same run
  std::vector<std::string> names, units;
};

/// A place between two blocks, and what comes before it.
struct RowFilePlace {
  std::uint64_t bytes = 0, rows = 0, steps = 0, events = 0;
  bool operator==(const RowFilePlace&) const = default;
};

/// Never fails at once: the first trouble (a full disk) is kept, told to `on_trouble`, and what comes after is dropped. What stands in the
/// file then still consists of whole blocks.
class RowFileWriter final : public RowSink {
 public:
  /// A new file in place of an old one.
  [[nodiscard]] static Result<std::unique_ptr<RowFileWriter>> create(const std::filesystem::path& file,
                                                                     const RowFileHeader& header);
  /// Goes on at a place of the file of the same task, after all up to there has been read and found whole; drops the rest.
  [[nodiscard]] static Result<std::unique_ptr<RowFileWriter>> append(const std::filesystem::path& file,
                                                                     std::uint64_t task, const RowFilePlace& place);
  RowFileWriter(const RowFileWriter&) = delete;
  RowFileWriter& operator=(const RowFileWriter&) = delete;
  ~RowFileWriter() override;

  void row(double t, In values) override;
  void step(double t, double h) override;
  void event(const EventRecord& event) override;

  /// Ends the blocks begun, for the place after them.
  [[nodiscard]] RowFilePlace cut();
  /// All up to here reaches the file; false: there was trouble.
  bool flush();
  /// And the disk. A file that no longer stands under its name, since somebody has removed its folder, is written there once more.
  bool sync();
  /// The file stands under its name.
  [[nodiscard]] bool in_place() const noexcept;
  /// A name under which the file can be read, also where somebody has removed it.
  [[nodiscard]] std::filesystem::path readable() const;
  [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }
  std::function<void()> on_trouble;

 private:
  RowFileWriter(std::filesystem::path file, int descriptor, const RowFilePlace& place);
  void frame(std::uint32_t type, std::vector<std::byte>& payload);
  void write();
  void restore();
  void fail(const std::string& what);
  [[nodiscard]] std::size_t waiting() const noexcept { return rows_.size() + steps_.size() + events_.size(); }

  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  int descriptor_;
  RowFilePlace place_;         ///< behind all blocks, written or waiting in out_
  std::uint64_t on_disk_ = 0;  ///< bytes
  std::vector<std::byte> rows_, steps_, events_, out_;
  Clock::time_point written_ = Clock::now();
  std::optional<Error> trouble_;
};

/// Reads all whole blocks, when it is opened and in every pass.
class RowFile final : public RowSource {
 public:
  /// Up to a number of bytes at most. An Error where a block is damaged, not where the last one is not whole.
  [[nodiscard]] static Result<RowFile> open(const std::filesystem::path& file,
                                            std::uint64_t most_bytes = ~std::uint64_t{0});
  [[nodiscard]] Result<void> each_row(const TakeRow& take) const override;
  [[nodiscard]] Result<void> each_step(const TakeStep& take) const override;

  [[nodiscard]] std::uint64_t task() const noexcept { return task_; }
  [[nodiscard]] const RowFilePlace& end() const noexcept { return end_; }

 private:
  RowFile() = default;
  std::filesystem::path file_;
  std::uint64_t task_ = 0;
  RowFilePlace end_;
};

}  // namespace rubato::io
