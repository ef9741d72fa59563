#pragma once
/// checkpoint.bin: from which an interrupted run continues and ends with the same bytes as if it had not been interrupted.
///
///   16 bytes "rubato resume 2\n", the length of what follows the checksum (64 bits), its checksum (CRC-32), then task, t, state, watched
///   and the place in the row file. What the run yielded until then stands there (row_file.hpp): a checkpoint costs what the state costs.
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/io/row_file.hpp"

namespace rubato::io {

struct CheckpointFile {
  std::string task = {};                ///< what the run was asked: only the same task can be resumed
  double t = 0;                         ///< s
  std::vector<std::byte> state = {};    ///< of the driver, see Observer::on_checkpoint
  std::vector<std::byte> watched = {};  ///< of observers that keep something for the end
  RowFilePlace rows = {};
};

/// The number by which a row file and a checkpoint know that they belong to the same task.
[[nodiscard]] std::uint64_t task_number(std::string_view task) noexcept;

[[nodiscard]] std::vector<std::byte> checkpoint_bytes(const CheckpointFile& checkpoint);
[[nodiscard]] Result<void> write_checkpoint(const std::filesystem::path& file, const CheckpointFile& checkpoint);
/// Any change of any byte, and any other length, is an Error. `name` is that of the file in its sentence.
[[nodiscard]] Result<CheckpointFile> parse_checkpoint(std::span<const std::byte> bytes, std::string_view name);
[[nodiscard]] Result<CheckpointFile> read_checkpoint(const std::filesystem::path& file);

/// The first line in which two texts of options differ, as "was `a`, is `b`"; empty when they are equal.
[[nodiscard]] std::string first_difference(const std::string& was, const std::string& is);

}  // namespace rubato::io
