#include "rubato/integrate/recorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rubato {

Recorder::Recorder(const InitialValueProblem& problem, std::vector<double> times, std::vector<std::size_t> channels)
    : problem_(problem),
      scratch_(problem.dae->scratch_bytes()),
      every_step_(times.empty()),
      wanted_(std::move(times)),
      names_(problem.dae->layout().component_names()),
      n_outputs_(problem.dae->output_names().size()),
      n_invariants_(problem.dae->invariant_names().size()),
      channels_(std::move(channels)),
      derived_(n_outputs_ + n_invariants_),
      x_(problem.dae->size()),
      w_(problem.dae->size()),
      u_(problem.dae->n_inputs()),
      rate_(problem.dae->n_inputs()) {
  std::ranges::sort(wanted_);
  for (int i = 0; i < problem.dae->size(); ++i) units_.push_back(problem.dae->layout().unit(i));
  for (auto names : {problem.dae->output_names(), problem.dae->invariant_names()})
    names_.insert(names_.end(), names.begin(), names.end());
  units_.resize(names_.size());  // outputs and invariants have no declared unit
  if (channels_.empty()) return;
  for (std::size_t k = 0; k < channels_.size(); ++k) {  // ascending: k ≤ channels_[k]
    std::swap(names_[k], names_[channels_[k]]);
    std::swap(units_[k], units_[channels_[k]]);
  }
  names_.resize(channels_.size());
  units_.resize(channels_.size());
}

void Recorder::continue_after(double t) noexcept {
  resumed_ = true;
  while (next_ < wanted_.size() && wanted_[next_] <= t) ++next_;
}

void Recorder::on_restart(double t, In x, In w, In base, int mode) {
  if (std::exchange(resumed_, false)) return;
  if (problem_.input) problem_.input->at(t, view(u_), view(rate_));
  if (every_step_) return record(t, x, w, base, view(std::as_const(u_)), mode);
  while (next_ < wanted_.size() && wanted_[next_] < t) ++next_;  // before the run
  for (; next_ < wanted_.size() && wanted_[next_] == t; ++next_) record(t, x, w, base, view(std::as_const(u_)), mode);
}

void Recorder::on_step(const StepView& step) {
  if (sink_ != nullptr) {
    sink_->step(step.t_end, step.h);
  } else {
    step_times_.push_back(step.t_end);
    step_sizes_.push_back(step.h);
  }
  if (every_step_) {
    step.interpolate(step.t_end, view(x_), view(w_));
    return record(step.t_end, step.x, view(std::as_const(w_)), step.base, step.u, step.mode);
  }
  for (; next_ < wanted_.size() && wanted_[next_] <= step.t_end; ++next_) {
    const double t = wanted_[next_];
    step.interpolate(t, view(x_), view(w_));
    const bool at_end = t == step.t_end;  // step.u: the input from the left, should it jump there
    if (!at_end && problem_.input) problem_.input->at(t, view(u_), view(rate_));
    record(t, at_end ? step.x : view(std::as_const(x_)), view(std::as_const(w_)), step.base,
           at_end ? step.u : view(std::as_const(u_)), step.mode);
  }
}

void Recorder::on_event(const EventRecord& event) {
  if (sink_ != nullptr) return sink_->event(event);
  events_.push_back(event);
}

void Recorder::record(double t, In x, In w, In base, In u, int mode) {
  const Out outputs = Out(derived_).first(n_outputs_), invariants = Out(derived_).subspan(n_outputs_);
  const auto at = [&]() -> At {
    return {.t = t, .x = x, .u = u, .base = base, .mode = mode, .scratch = scratch_.scratch()};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!outputs.empty() && problem_.dae->outputs(at(), w, outputs) != EvalStatus::ok) std::ranges::fill(outputs, nan);
  if (!invariants.empty() && problem_.dae->invariants(at(), invariants) != EvalStatus::ok)
    std::ranges::fill(invariants, nan);
  std::vector<double>& to = sink_ != nullptr ? row_ : values_;
  if (sink_ != nullptr) row_.clear();
  if (channels_.empty()) {
    to.insert(to.end(), x.begin(), x.end());
    to.insert(to.end(), derived_.begin(), derived_.end());
  }
  for (const std::size_t j : channels_) to.push_back(j < x.size() ? x[j] : derived_[j - x.size()]);
  if (sink_ != nullptr) return sink_->row(t, row_);
  times_.push_back(t);
}

In Recorder::row(std::size_t i) const noexcept { return In(values_).subspan(i * names_.size(), names_.size()); }

std::vector<double> Recorder::column(std::size_t j) const {
  std::vector<double> values(rows());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values_[i * names_.size() + j];
  return values;
}

}  // namespace rubato
