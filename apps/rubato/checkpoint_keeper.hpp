#pragma once
/// Checkpoints of `rubato run`: what is kept while a run goes on, and from what `--resume` continues.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "rubato/integrate/recorder.hpp"
#include "rubato/io/checkpoint_file.hpp"
#include "task.hpp"

namespace rubato::app {

/// What must agree for a run to be resumed: titles, pictures and file formats may change.
[[nodiscard]] std::string task_text(const Task& task);

/// The checkpoint of this task.
[[nodiscard]] Result<io::CheckpointFile> checkpoint_for(const std::filesystem::path& file, const Task& task);

/// Keeps the latest checkpoint; writes it once a second and at the end, so that small steps do not wait for the disk.
class CheckpointKeeper final : public Observer {
 public:
  CheckpointKeeper(std::filesystem::path file, std::string options, const Recorder& recorder,
                   const io::CheckpointFile* before);
  void on_checkpoint(double t, std::span<const std::byte> bytes) override;
  /// True when there is something to resume from.
  bool write();

 private:
  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  std::string options_;
  const Recorder& recorder_;
  const io::CheckpointFile* before_;  ///< the run was resumed from here
  double t_ = 0;
  std::vector<std::byte> state_;
  std::size_t rows_ = 0, steps_ = 0, events_ = 0;
  bool pending_ = false, written_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace rubato::app
