#include "realtime_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "channels.hpp"
#include "rubato/base/text.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/realtime/magnitude.hpp"
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

/// What was constant when the plan was made is evaluated once: it has to be constant with the values of now, too.
Result<void> constants_hold(const RealtimeModel& model, const realtime::Plan& plan) {
  if (std::ranges::find(plan.constant, 1) == plan.constant.end()) return {};
  const auto jacobians =
      realtime::sampled_jacobians(model.dae(), model.structure, realtime::with_neighbours({model.start}));
  if (!jacobians) return jacobians.error();
  const auto constant = realtime::constant_entries(*jacobians);
  const SparsePattern& pattern = model.structure.jacobian;
  const auto names = model.dae().layout().component_names();
  for (int j = 0; j < pattern.cols(); ++j)
    for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
      if (plan.constant[p] != 0 && constant[p] == 0)
        return Error{fmt::format(
            "the plan does not fit the model: the derivative of equation {} by {} was constant when the plan was made, "
            "and is not now; analyse the model as it is now",
            names[pattern.row_indices()[p]], names[j])};
  return {};
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
  if (name.ends_with(".toml") && !fs::exists(name, ignored))
    for (const fs::path& beside : {plan_file.parent_path() / name, plan_file.parent_path() / fs::path(name).filename()})
      if (fs::exists(beside, ignored)) {
        name = beside.string();
        break;
      }
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
  realtime::Keep keep = plan.keep;
  if (plan.drop_below > 0)
    keep = realtime::kept_above(realtime::drop_limits(plan.structure, plan.step, plan.drop_below, plan.sizes), keep,
                                jacobians->front());
  const auto spectra = realtime::sample_spectra(pencil, keep, *jacobians);
  if (!spectra) return spectra.error();
  const double allowed = std::max(1 + usual_growth, (1 + 1e-6) * plan.spectral_radius.value_or(1));
  if (const double radius = spectra->front().radius(); !(radius <= allowed))
    return Error{fmt::format(
        "the plan does not fit the model: at the start its step of {} s is unstable, spectral radius {:.6g}, "
        "at most {:.6g}; analyse the model as it is now",
        shortest(plan.step), radius, allowed)};
  if (const auto fine = constants_hold(model, plan); !fine) return fine.error();
  return stepper;
}

std::vector<char> chart_unknowns(const RealtimeModel& model) {
  Vector x = Vector::Constant(model.dae().size(), 1e-3), base = model.start.base;
  model.dae().rebase(view(x), view(base));
  std::vector<char> charts;
  for (const double value : x) charts.push_back(value == 0 ? 1 : 0);
  return charts;
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
      times_(static_cast<std::size_t>((n_steps + every - 1) / every)),
      values_(times_.size() * channels_.size()) {}

void ChannelRecorder::after_step(const realtime::RealtimeStepper& stepper, const realtime::StepReport& /*report*/,
                                 In y) {
  const std::size_t row = static_cast<std::size_t>(n_ / every_);  // until the next one takes its place
  if (row == times_.size()) return;
  ++n_;
  rows_ = row + 1;
  const In x = stepper.state();
  times_[row] = stepper.time();
  double* value = values_.data() + row * channels_.size();
  for (const std::size_t j : channels_) *value++ = j < x.size() ? x[j] : y[j - x.size()];
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
