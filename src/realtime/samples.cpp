#include "rubato/realtime/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"

namespace rubato::realtime {

std::vector<double> sample_times(const InitialValueProblem& problem, int count) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  const double length = problem.t_end - problem.t_start;
  for (int k = 0; k < count; ++k)
    times.push_back(k > 0 && k + 1 == count ? problem.t_end : problem.t_start + length * k / std::max(1, count - 1));
  double jump = problem.input ? problem.input->next_break(problem.t_start) : problem.t_end;
  while (jump < problem.t_end) {
    times.push_back(jump);
    jump = problem.input->next_break(jump);
  }
  std::sort(times.begin(), times.end());
  const double same = 1e-9 * length;
  times.erase(std::unique(times.begin(), times.end(), [&](double a, double b) { return b - a < same; }), times.end());
  return times;
}

namespace {

class Keeper final : public Observer {
 public:
  Keeper(std::vector<Sample>& samples, const InitialValueProblem& problem)
      : samples_(samples), same_(1e-9 * (problem.t_end - problem.t_start)) {}

  /// The state after a jump replaces the one before it.
  void on_restart(double t, In x, In /*w*/, In base, int /*mode*/) override {
    for (Sample& sample : samples_)
      if (std::abs(sample.t - t) <= same_) {
        sample.x = map(x);
        sample.base = map(base);
      }
  }
  void on_step(const StepView& step) override {
    for (Sample& sample : samples_) {
      if (sample.t <= step.t_begin + same_ || sample.t > step.t_end + same_) continue;
      sample.x.resize(static_cast<Eigen::Index>(step.x.size()));
      step.interpolate(std::min(sample.t, step.t_end), view(sample.x), {});
      sample.base = map(step.base);
    }
  }

 private:
  std::vector<Sample>& samples_;
  double same_;
};

}  // namespace

Result<std::vector<Sample>> sample_run(const InitialValueProblem& problem, std::vector<double> times,
                                       std::string_view method, const IntegrateOptions& options) {
  std::sort(times.begin(), times.end());
  std::vector<Sample> samples;
  for (const double t : times) {
    if (!(t >= problem.t_start && t <= problem.t_end))
      return Error{fmt::format("samples: t = {} is outside the run from {} to {}", t, problem.t_start, problem.t_end)};
    const bool first = t <= problem.t_start;
    samples.push_back({t, first ? problem.x : Vector(), {}, first ? problem.base : Vector()});
  }
  Keeper keeper(samples, problem);
  Observer* const observers[] = {&keeper};
  const auto run = integrate(problem, method, options, {.observers = observers});
  if (!run) return run.error();
  if (!completed(run->status))
    return Error{fmt::format("samples: the run ended at t = {} ({}); {}", run->t, to_string(run->status), run->reason)};
  ScratchMemory memory(problem.dae->scratch_bytes());
  for (Sample& sample : samples) {
    if (sample.x.size() == 0) return Error{fmt::format("samples: the run ended before t = {}", sample.t)};
    if (problem.input) {
      sample.u.resize(problem.input->size());
      Vector rate(problem.input->size());
      problem.input->at(sample.t, view(sample.u), view(rate));
    }
    InitialValueProblem there = problem;
    there.t_start = sample.t;
    there.x = sample.x;
    there.w = {};
    there.base = sample.base;
    there.mode = point_of(*problem.dae, sample, memory.scratch()).mode;
    if (const auto consistent = make_consistent(there); !consistent)
      return Error{fmt::format("samples: at t = {}: {}", sample.t, consistent.error().message)};
    sample.x = there.x;
    sample.base = there.base;
  }
  return samples;
}

}  // namespace rubato::realtime
