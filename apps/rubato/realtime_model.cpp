#include "realtime_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "channels.hpp"
#include "rubato/base/text.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::app {

namespace {
namespace fs = std::filesystem;

/// A little growth is allowed where the samples of the plan had it.
constexpr double usual_growth = 1e-4;

std::vector<std::string> unknowns_and_outputs(const Dae& dae) {
  std::vector<std::string> names = dae.layout().component_names();
  const auto outputs = dae.output_names();
  names.insert(names.end(), outputs.begin(), outputs.end());
  return names;
}

}  // namespace

Result<RealtimeModel> realtime_model(const std::string& file_or_problem, const std::vector<std::string>& settings) {
  auto config = named_config(file_or_problem, settings);
  if (!config) return config.error();
  auto task = make_task(std::move(*config));
  if (!task) return task.error();
  RealtimeModel model{.task = std::move(*task), .structure = {}, .start = {}};
  InitialValueProblem& problem = model.task.instance.problem;
  auto structure = realtime::model_structure(model.dae(), realtime::start_of(problem));
  if (!structure) return model.task.config.at("problem", structure.error().message);
  model.structure = std::move(*structure);
  if (const auto fine = make_consistent(problem); !fine) return model.task.config.at("problem", fine.error().message);
  model.start = realtime::start_of(problem);
  return model;
}

Result<RealtimeModel> realtime_model(const realtime::Plan& plan, const fs::path& plan_file,
                                     const std::vector<std::string>& settings) {
  std::vector<std::string> all = plan.settings;
  all.insert(all.end(), settings.begin(), settings.end());
  std::string name = plan.model;
  std::error_code ignored;
  if (const fs::path beside = plan_file.parent_path() / name;
      name.ends_with(".toml") && !fs::exists(name, ignored) && fs::exists(beside, ignored))
    name = beside.string();
  auto model = realtime_model(name, all);
  if (!model) return Error{fmt::format("{}: {}", plan_file.string(), model.error().message)};
  return model;
}

Result<std::unique_ptr<realtime::RealtimeStepper>> stepper_at_start(const RealtimeModel& model,
                                                                    const realtime::Plan& plan) {
  auto stepper = realtime::RealtimeStepper::create(model.dae(), plan, model.start);
  if (!stepper) return stepper.error();
  const auto jacobians = realtime::sampled_jacobians(model.dae(), model.structure, {model.start});
  if (!jacobians) return jacobians.error();
  const realtime::StepPencil pencil(model.structure.jacobian, model.structure.mass, model.structure.mass_values,
                                    plan.step);
  const auto spectra = realtime::sample_spectra(pencil, plan.keep, *jacobians);
  if (!spectra) return spectra.error();
  const double allowed = std::max(1 + usual_growth, (1 + 1e-6) * plan.spectral_radius.value_or(1));
  if (const double radius = spectra->front().radius(); !(radius <= allowed))
    return Error{fmt::format(
        "the plan does not fit the model: at the start its step of {} s is unstable, spectral radius {:.6g}, "
        "at most {:.6g}; analyse the model as it is now",
        shortest(plan.step), radius, allowed)};
  return stepper;
}

Result<std::vector<std::size_t>> realtime_channels(const RealtimeModel& model, const std::vector<std::string>& names) {
  const Dae& dae = model.dae();
  const auto all = unknowns_and_outputs(dae);
  const auto& wanted = names.empty() ? model.task.config.output.channels : names;
  std::vector<std::size_t> channels;
  if (wanted.empty()) {
    const auto n = static_cast<std::size_t>(dae.size());
    for (std::size_t j = all.size() > n ? n : 0; j < all.size(); ++j) channels.push_back(j);
    return channels;
  }
  for (const auto& name : wanted) {
    bool known = false;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!means_channel(name, dae.layout(), j, all[j])) continue;
      known = true;
      if (std::ranges::find(channels, j) == channels.end()) channels.push_back(j);
    }
    if (!known)
      return Error{
          fmt::format("{}: {}", names.empty() ? "output.channels" : "--channels", unknown_name("channel", name, all))};
  }
  return channels;
}

ChannelRecorder::ChannelRecorder(const Dae& dae, std::vector<std::size_t> channels, long n_steps, long every)
    : dae_(dae),
      channels_(std::move(channels)),
      every_(every),
      times_(static_cast<std::size_t>(n_steps / every)),
      values_(times_.size() * channels_.size()) {}

void ChannelRecorder::after_step(const realtime::RealtimeStepper& stepper, const realtime::StepReport& /*report*/,
                                 In y) {
  if (++n_ % every_ != 0 || rows_ == times_.size()) return;
  const In x = stepper.state();
  times_[rows_] = stepper.time();
  double* value = values_.data() + rows_ * channels_.size();
  for (const std::size_t j : channels_) *value++ = j < x.size() ? x[j] : y[j - x.size()];
  ++rows_;
}

io::Trajectory ChannelRecorder::trajectory() const {
  io::Trajectory kept;
  const auto all = unknowns_and_outputs(dae_);
  for (const std::size_t j : channels_) {
    kept.names.push_back(all[j]);
    kept.units.push_back(j < static_cast<std::size_t>(dae_.size()) ? dae_.layout().unit(static_cast<int>(j)) : "");
  }
  kept.times.assign(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(rows_));
  kept.values.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(rows_ * channels_.size()));
  return kept;
}

}  // namespace rubato::app
