#pragma once
/// Checkpoints of `rubato run`: what is kept while a run goes on, and from what `--resume` continues.
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rubato/integrate/integrate.hpp"
#include "rubato/io/animation.hpp"
#include "rubato/io/checkpoint_file.hpp"
#include "rubato/io/row_file.hpp"
#include "solid_report.hpp"
#include "task.hpp"

namespace rubato::app {

/// What must agree for a run to be resumed: titles, pictures and file formats may change.
[[nodiscard]] std::string task_text(const Task& task);

/// The checkpoint of this task.
[[nodiscard]] Result<io::CheckpointFile> checkpoint_for(const std::filesystem::path& file, const Task& task);

/// Keeps the state of the last barrier in memory. The clock decides when it is written: at the start (there is room now), after one second,
/// two more, four and so on, then once a minute; and the end of an unfinished run. What rows came before stands in the row file, which reaches the disk first.
class CheckpointKeeper final : public Observer {
 public:
  /// Who else keeps something along the run; null: nobody.
  struct Others {
    const LargestDisplacement* largest = nullptr;
    const io::AnimationWriter* animation = nullptr;
  };
  /// `before`: the checkpoint that the run continues from; without a state: it begins.
  CheckpointKeeper(std::filesystem::path file, std::string task, io::RowFileWriter& rows, io::CheckpointFile before,
                   Others others);
  void on_checkpoint(double t, std::span<const std::byte> bytes) override;
  /// True when there is something to resume from, rows and checkpoint: what somebody has removed is written once more.
  bool write();
  /// Makes the folder ready; false: nothing may be written there.
  std::function<bool()> before_write;

 private:
  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  io::RowFileWriter& rows_;
  Others others_;
  io::CheckpointFile latest_;
  bool pending_ = false, written_;
  Clock::duration pause_ = std::chrono::seconds(1);
  Clock::time_point next_ = Clock::now();
};

}  // namespace rubato::app
