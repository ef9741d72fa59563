#include "checkpoint_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace rubato::app {

std::string task_text(const Task& task) {
  io::RunConfig config = task.config;
  config.title.clear();
  config.output.formats = {"csv"};
  if (config.solid == nullptr) {  // where these decide what is recorded
    config.output.channels.clear();
    config.output.plot.clear();
  }
  config.output.time_axis = io::Scale::linear;
  config.options.step.max_steps = 0;  // says only when to give up
  return fmt::format("# rubato {}\n{}", RUBATO_VERSION, io::to_toml(config));
}

CheckpointKeeper::CheckpointKeeper(std::filesystem::path file, std::string task, io::RowFileWriter& rows,
                                   io::CheckpointFile before, Others others)
    : file_(std::move(file)),
      rows_(rows),
      others_(others),
      latest_(std::move(before)),
      written_(!latest_.state.empty()) {
  latest_.task = std::move(task);
}

void CheckpointKeeper::on_checkpoint(double t, std::span<const std::byte> bytes) {
  if (others_.animation != nullptr && !others_.animation->whole())
    return;  // to resume behind a missing frame would leave it out for good
  io::CheckpointFile next{.t = t, .state = {bytes.begin(), bytes.end()}, .rows = rows_.cut()};
  if (others_.largest != nullptr) {
    ArchiveWriter out;
    others_.largest->save(out);
    next.watched = out.bytes();
  }
  // All at once: where there is no memory for all of it, the one before stays.
  static_assert(std::is_nothrow_move_assignable_v<io::CheckpointFile>);
  next.task = std::move(latest_.task);
  latest_ = std::move(next);
  pending_ = true;
  if (Clock::now() >= next_) write();
}

bool CheckpointKeeper::write() {
  if (before_write && !before_write()) return written_ = false;
  const bool rows_there = rows_.sync();
  std::error_code ignored;
  if (written_ && !std::filesystem::exists(file_, ignored)) written_ = false, pending_ = true;
  if (pending_ && rows_there) {  // else the checkpoint before this one stays, whose rows are there
    if (const auto fine = io::write_checkpoint(file_, latest_); fine) {
      written_ = true;
      pending_ = false;
    } else {
      note(fine.error().message);
    }
  }
  next_ = Clock::now() + pause_;
  pause_ = std::min<Clock::duration>(2 * pause_, std::chrono::seconds(60));
  return written_ && rows_.in_place();
}

Result<io::CheckpointFile> checkpoint_for(const std::filesystem::path& file, const Task& task) {
  auto checkpoint = io::read_checkpoint(file);
  if (!checkpoint) {
    if (!std::filesystem::exists(file))
      return Error{fmt::format(
          "--resume: {} does not exist: the run there ended or was never started, or has output.checkpoint_every = 0",
          file.string())};
    return Error{"--resume: " + checkpoint.error().message};
  }
  const std::string difference = io::first_difference(checkpoint->task, task_text(task));
  if (!difference.empty())
    return Error{fmt::format("--resume: {} belongs to another task: {}", file.string(), difference)};
  return checkpoint;
}

}  // namespace rubato::app
