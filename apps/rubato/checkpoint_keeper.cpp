#include "checkpoint_keeper.hpp"

#include <fmt/format.h>

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

CheckpointKeeper::CheckpointKeeper(std::filesystem::path file, std::string options, const Recorder& recorder,
                                   const io::CheckpointFile* before)
    : file_(std::move(file)), options_(std::move(options)), recorder_(recorder), before_(before) {}

void CheckpointKeeper::on_checkpoint(double t, std::span<const std::byte> bytes) {
  t_ = t;
  state_.assign(bytes.begin(), bytes.end());
  rows_ = recorder_.rows();
  steps_ = recorder_.step_times().size();
  events_ = recorder_.events().size();
  pending_ = true;
  if (Clock::now() >= next_) write();
}

bool CheckpointKeeper::write() {
  if (!pending_) return written_ || before_ != nullptr;
  pending_ = false;
  io::Trajectory fresh = io::trajectory_of(recorder_);
  fresh.times.resize(rows_);
  fresh.values.resize(rows_ * fresh.channels());
  fresh.step_times.resize(steps_);
  fresh.step_sizes.resize(steps_);
  fresh.events.resize(events_);
  io::CheckpointFile checkpoint{options_, t_, state_, before_ ? before_->trajectory : fresh};
  if (before_ != nullptr) io::append_after(checkpoint.trajectory, fresh, before_->t);
  if (const auto fine = io::write_checkpoint(file_, checkpoint); fine)
    written_ = true;
  else
    note(fine.error().message);
  next_ = Clock::now() + std::chrono::seconds(1);
  return written_ || before_ != nullptr;
}

Result<io::CheckpointFile> checkpoint_for(const std::filesystem::path& file, const Task& task) {
  auto checkpoint = io::read_checkpoint(file);
  if (!checkpoint) {
    if (!std::filesystem::exists(file))
      return Error{fmt::format(
          "--resume: {} does not exist: the run there was finished, never started, or has output.checkpoint_every = 0",
          file.string())};
    return Error{"--resume: " + checkpoint.error().message};
  }
  const std::string difference = io::first_difference(checkpoint->options, task_text(task));
  if (!difference.empty())
    return Error{fmt::format("--resume: {} belongs to another task: {}", file.string(), difference)};
  return checkpoint;
}

}  // namespace rubato::app
