#pragma once
/// checkpoint.bin: from which an interrupted run continues and ends with the same bytes as if it had not been interrupted.
#include <filesystem>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/io/result_data.hpp"

namespace rubato::io {

struct CheckpointFile {
  std::string options;           ///< what the run was asked: only the same task can be resumed
  double t = 0;                  ///< s
  std::vector<std::byte> state;  ///< of the driver, see Observer::on_checkpoint
  Trajectory trajectory;         ///< what was recorded until then
};

[[nodiscard]] Result<void> write_checkpoint(const std::filesystem::path& file, const CheckpointFile& checkpoint);
[[nodiscard]] Result<CheckpointFile> read_checkpoint(const std::filesystem::path& file);

/// The first line in which two texts of options differ, as "was `a`, is `b`"; empty when they are equal.
[[nodiscard]] std::string first_difference(const std::string& was, const std::string& is);

}  // namespace rubato::io
