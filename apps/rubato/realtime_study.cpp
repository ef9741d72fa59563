#include "realtime_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "rubato/base/text.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/io/progress.hpp"

namespace rubato::app {

namespace {

constexpr long most_study_steps = 1'000'000, most_rows = 2000;
constexpr double accurate_tolerance = 1e-7;

/// Steps run off line, and of how many of them one is kept.
struct Rows {
  long n_steps, every;
};
Rows rows_of(const InitialValueProblem& problem, double step) {
  const double wanted = std::round((problem.t_end - problem.t_start) / step);
  const long n_steps = static_cast<long>(std::clamp(wanted, 1.0, static_cast<double>(most_study_steps)));
  return {n_steps, (n_steps + most_rows - 1) / most_rows};
}

struct SteppedRun {
  realtime::RunnerReport report;
  io::Trajectory motion;
};

Result<SteppedRun> stepped(const RealtimeModel& model, const realtime::Plan& plan, long n_steps, long every) {
  const auto stepper = realtime::RealtimeStepper::create(model.dae(), plan, model.start);
  if (!stepper) return stepper.error();
  std::vector<std::size_t> all(static_cast<std::size_t>(model.dae().size()) + model.dae().output_names().size());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
  ChannelRecorder recorder(model.dae(), std::move(all), n_steps, every);
  realtime::SignalLink link(model.problem().input.get(), plan.step);
  SteppedRun run;
  run.report = run_realtime(**stepper, link, {.n_steps = n_steps, .free_run = true, .warm_up = 0}, nullptr, &recorder);
  run.motion = recorder.trajectory();
  if (run.report.failures > 0)
    return Error{fmt::format("off line, step {} to t = {:.6g} s fails: {}", run.report.first_failed_step + 1,
                             (*stepper)->time(), to_string(run.report.first_failure.status))};
  return run;
}

constexpr std::string_view constraint_residual = "constraint.residual";

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

std::vector<Deviation> deviations(const RealtimeModel& model, const OfflineStudy& study) {
  std::vector<Deviation> found;
  const Layout& layout = model.dae().layout();
  const std::vector<char> charts = chart_unknowns(model);
  // 1/(atol + rtol |x|) of every unknown at its largest.
  std::vector<double> sizes(static_cast<std::size_t>(layout.size())), weights(sizes.size());
  for (std::size_t j = 0; j < std::min(sizes.size(), study.accurate_motion.channels()); ++j)
    for (const double x : study.accurate_motion.column(j)) sizes[j] = std::max(sizes[j], std::abs(x));
  const IntegrateOptions options = accurate_run(model.task).options;
  ErrorNorm(layout, options.tolerances, options.step).weights(sizes, std::numeric_limits<double>::infinity(), weights);
  for (std::size_t j = 0; j < study.plan_motion.channels(); ++j) {
    if (j < charts.size() && charts[j] != 0) continue;                // relative to a base that moves with each step
    if (study.plan_motion.names[j] == constraint_residual) continue;  // an error itself
    const std::vector<double> exact = study.accurate_motion.column(j), plan = study.plan_motion.column(j),
                              whole = study.whole_motion.column(j);
    const auto [low, high] = std::minmax_element(exact.begin(), exact.end());
    const double range = *high - *low, size = std::max(std::abs(*low), std::abs(*high));
    if (!(range > 1e-9 * std::max(1.0, size))) continue;  // constant
    const auto kind = static_cast<int>(j) >= layout.size()                          ? Deviation::Kind::output
                      : layout.kind(static_cast<int>(j)) == rubato::Kind::algebraic ? Deviation::Kind::algebraic
                                                                                    : Deviation::Kind::differential;
    found.push_back({.channel = study.plan_motion.names[j],
                     .kind = kind,
                     .range = range,
                     .size = size,
                     .plan_accurate = 100 * largest_difference(plan, exact) / range,
                     .plan_whole = 100 * largest_difference(plan, whole) / range,
                     .whole_accurate = 100 * largest_difference(whole, exact) / range,
                     .tolerance = j < weights.size() ? 1 / weights[j] : 0});
  }
  return found;
}

}  // namespace

Deviation OfflineStudy::worst(Deviation::Kind kind, double Deviation::*difference) const {
  Deviation worst{.kind = kind};
  for (const Deviation& deviation : deviations)
    if (deviation.kind == kind && (worst.channel.empty() || deviation.*difference > worst.*difference))
      worst = deviation;
  return worst;
}

AccurateRun accurate_run(const Task& task) {
  AccurateRun accurate{
      .method = task.method->info.embedded_order > 0 ? task.method->info.name : std::string(default_method),
      .options = task.config.options};
  IntegrateOptions& options = accurate.options;
  options.step.fixed_step = 0;
  const Tolerances given = options.tolerances;
  options.tolerances = tolerances_at(task, std::min(given.rtol, accurate_tolerance));
  options.tolerances.atol = std::min(given.atol, accurate_tolerance * task.instance.measure.atol_per_rtol);
  if (!(options.step.initial_step > 0)) options.step.initial_step = task.instance.suggested_initial_step;
  return accurate;
}

Result<io::Trajectory> accurate_motion(const RealtimeModel& model, double step) {
  InitialValueProblem problem = model.problem();
  const auto [n_steps, every] = rows_of(problem, step);
  std::vector<double> times;
  for (long n = every; n < n_steps + every; n += every)
    times.push_back(problem.t_start + static_cast<double>(std::min(n, n_steps)) * step);
  problem.t_end = times.back();
  const AccurateRun accurate = accurate_run(model.task);
  Recorder recorder(problem, times);
  io::Progress progress(problem.t_start, problem.t_end);
  Observer* const observers[] = {&recorder, &progress};
  const auto summary = integrate(problem, accurate.method, accurate.options, {.observers = observers});
  if (!summary) return Error{in_run_file_words(summary.error().message)};
  if (!completed(summary->status) || recorder.rows() != times.size())
    return Error{fmt::format("the accurate run with {} ends at t = {:.6g} s: {}", accurate.method, summary->t,
                             in_run_file_words(summary->reason))};
  return io::trajectory_of(recorder);
}

Result<OfflineStudy> study_off_line(const RealtimeModel& model, const realtime::Plan& plan, const realtime::Plan& whole,
                                    const io::Trajectory& accurate) {
  OfflineStudy study;
  const auto [n_steps, every] = rows_of(model.problem(), plan.step);
  study.n_steps = n_steps;
  auto ours = stepped(model, plan, study.n_steps, every);
  if (!ours) return ours.error();
  auto theirs = stepped(model, whole, study.n_steps, every);
  if (!theirs) return Error{"with the whole Jacobian, " + theirs.error().message};
  study.plan = std::move(ours->report);
  study.plan_motion = std::move(ours->motion);
  study.whole_motion = std::move(theirs->motion);
  study.accurate_motion = accurate;
  study.deviations = deviations(model, study);
  return study;
}

std::optional<double> OfflineStudy::residual(const io::Trajectory& motion) {
  const auto at = std::ranges::find(motion.names, constraint_residual);
  if (at == motion.names.end() || motion.rows() == 0) return std::nullopt;
  return std::ranges::max(motion.column(static_cast<std::size_t>(at - motion.names.begin())));
}

std::vector<Deviation> OfflineStudy::states_off(double percent, double tolerances) const {
  std::vector<Deviation> found;
  for (const Deviation& d : deviations)
    if (d.kind == Deviation::Kind::differential && d.plan_accurate > percent &&
        0.01 * d.plan_accurate * d.range > tolerances * d.tolerance)
      found.push_back(d);
  std::ranges::sort(found, std::ranges::greater{}, &Deviation::plan_accurate);
  return found;
}

Result<void> follows(const OfflineStudy& study) {
  const auto off = study.states_off(100, 100);
  if (off.empty()) return {};
  const Deviation& worst = off.front();
  return Error{fmt::format("off line, {} is off the accurate run by {:.4g} % of its range, at most 100 %",
                           worst.channel, worst.plan_accurate)};
}

std::string warning_of(const OfflineStudy& study) {
  constexpr std::size_t most_named = 5;
  const auto off = study.states_off(10, 10);
  if (off.empty()) return {};
  std::vector<std::string> words;
  for (std::size_t k = 0; k < std::min(off.size(), most_named); ++k)
    words.push_back(fmt::format("{} {:.4g} %", off[k].channel, off[k].plan_accurate));
  return fmt::format("WARNING: {} of the plan {} more than 10 % of {} range off an accurate run: {}{}",
                     off.size() == 1 ? "a state" : fmt::format("{} states", off.size()), off.size() == 1 ? "is" : "are",
                     off.size() == 1 ? "its" : "their", joined(words), off.size() > most_named ? ", …" : "");
}

}  // namespace rubato::app
