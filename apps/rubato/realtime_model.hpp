#pragma once
/// From names to a model that steps of constant work can take, and back from a plan to its model.
#include <filesystem>

#include "rubato/integrate/recorder.hpp"
#include "rubato/io/result_data.hpp"
#include "rubato/realtime/plan.hpp"
#include "rubato/realtime/runner.hpp"
#include "task.hpp"

namespace rubato::app {

struct RealtimeModel {
  Task task;
  realtime::ModelStructure structure;
  realtime::Sample start;  ///< consistent

  [[nodiscard]] const InitialValueProblem& problem() const noexcept { return task.instance.problem; }
  [[nodiscard]] const Dae& dae() const noexcept { return *problem().dae; }
};

[[nodiscard]] Result<RealtimeModel> realtime_model(const std::string& file_or_problem,
                                                   const std::vector<std::string>& settings);
/// The plan's model with its settings, then others. A file is looked for where it was, then beside the plan: under its path, under its
/// name.
[[nodiscard]] Result<RealtimeModel> realtime_model(const realtime::Plan& plan, const std::filesystem::path& plan_file,
                                                   const std::vector<std::string>& settings);

/// A stepper at the model's start. Refuses a plan that does not fit, and a plan that is unstable there or takes for constant what
/// is not, as one made for other parameters may be.
[[nodiscard]] Result<std::unique_ptr<realtime::RealtimeStepper>> stepper_at_start(const RealtimeModel& model,
                                                                                  const realtime::Plan& plan);

/// Per unknown: 1 where it is a coordinate of a chart (of a rotation), which is 0 after every step; the base holds the attitude.
[[nodiscard]] std::vector<char> chart_unknowns(const RealtimeModel& model);

/// Channels are the unknowns, then the outputs. Those of these names; without names those that the run file keeps, the outputs, or,
/// where there are none, the unknowns.
[[nodiscard]] Result<std::vector<std::size_t>> realtime_channels(const RealtimeModel& model,
                                                                 const std::vector<std::string>& names);

/// Channels after every so many steps and after the last one, in memory that is there before the first one.
class ChannelRecorder final : public realtime::StepObserver {
 public:
  ChannelRecorder(const Dae& dae, std::vector<std::size_t> channels, long n_steps, long every);
  void after_step(const realtime::RealtimeStepper& stepper, const realtime::StepReport& report, In y) override;
  [[nodiscard]] io::Trajectory trajectory() const;

 private:
  const Dae& dae_;
  std::vector<std::size_t> channels_;
  long every_, n_ = 0;
  std::size_t rows_ = 0;
  std::vector<double> times_, values_;
};

}  // namespace rubato::app
