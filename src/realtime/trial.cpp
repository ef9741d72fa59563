#include "rubato/realtime/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rubato/realtime/runner.hpp"

namespace rubato::realtime {

namespace {

class Watch final : public StepObserver {
 public:
  Watch(TrialRun& run, const std::vector<int>& watched) : run_(run), watched_(watched) {
    run_.values.resize(watched.size());
  }
  void after_step(const RealtimeStepper& stepper, const StepReport& report, In /*y*/) override {
    for (std::size_t k = 0; k < watched_.size(); ++k)
      run_.values[k].push_back(stepper.state()[static_cast<std::size_t>(watched_[k])]);
    run_.largest_residual = std::max(run_.largest_residual, report.algebraic_residual);
  }

 private:
  TrialRun& run_;
  const std::vector<int>& watched_;
};

}  // namespace

Result<std::shared_ptr<const Trial>> Trial::create(const InitialValueProblem& problem, ModelStructure structure,
                                                   PlanOptions options, std::vector<int> watched) {
  for (const int i : watched)
    if (i < 0 || i >= problem.dae->size())
      return Error{fmt::format("trial: unknown {} of {} is to be watched", i, problem.dae->size())};
  if (watched.empty())
    for (std::size_t i = 0; i < structure.algebraic.size(); ++i)
      if (structure.algebraic[i] == 0) watched.push_back(static_cast<int>(i));
  if (watched.empty()) return Error{"trial: the model has no differential unknowns to compare"};
  if (!(options.step > 0 && options.step <= problem.t_end - problem.t_start))
    return Error{fmt::format("trial: a step of {} s; > 0 and at most the {} s of the run", options.step,
                             problem.t_end - problem.t_start)};
  if (!options.back_end) options.back_end = StaticKind::qr;
  const double step = options.step;
  const Keep all(static_cast<std::size_t>(structure.jacobian.nnz()), 1);
  std::shared_ptr<Trial> made(new Trial(problem, std::move(structure), std::move(options), std::move(watched)));
  const double dropping = std::exchange(made->options_.drop_below, 0);
  made->whole_ = made->run(all);
  made->options_.drop_below = dropping;
  if (!made->whole_.completed)
    return Error{fmt::format("trial: steps of {} s fail even with the whole Jacobian, after {} of them", step,
                             made->whole_.values.front().size())};
  return std::shared_ptr<const Trial>(std::move(made));
}

TrialRun Trial::run(const Keep& keep) const {
  TrialRun result;
  Watch watch(result, watched_);
  const Sample start = start_of(problem_);
  const auto plan = make_plan(*problem_.dae, structure_, keep, {start}, options_);
  if (!plan) return result;
  const auto stepper = RealtimeStepper::create(*problem_.dae, *plan, start);
  if (!stepper) return result;
  SignalLink link(problem_.input.get(), options_.step);
  const long n_steps = std::lround((problem_.t_end - problem_.t_start) / options_.step);
  result.completed =
      run_realtime(**stepper, link, {.n_steps = n_steps, .free_run = true, .warm_up = 0}, nullptr, &watch).failures ==
      0;
  return result;
}

double Trial::deviation(const TrialRun& run) const {
  if (!run.completed) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const std::vector<double>& here = whole_.values[k];
    const auto [low, high] = std::minmax_element(here.begin(), here.end());
    const double range = *high - *low;
    if (range <= 1e-9 * std::max({1.0, std::abs(*low), std::abs(*high)})) continue;
    for (std::size_t n = 0; n < here.size(); ++n)
      if (const double difference = std::abs(run.values[k][n] - here[n]); difference > 0)
        largest = std::max(largest, difference / range);
  }
  return largest;
}

std::function<bool(const Keep&)> deviation_at_most(std::shared_ptr<const Trial> trial, double limit) {
  return [trial = std::move(trial), limit](const Keep& keep) { return trial->deviation(keep) <= limit; };
}

}  // namespace rubato::realtime
