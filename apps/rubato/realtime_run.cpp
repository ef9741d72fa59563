// rubato realtime run: a plan against the clock.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "command.hpp"
#include "interrupts.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "realtime_model.hpp"
#include "realtime_pictures.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/csv.hpp"
#include "rubato/io/duration.hpp"
#include "rubato/io/manifest.hpp"
#include "rubato/io/plan_file.hpp"
#include "rubato/io/realtime_report.hpp"
#include "rubato/realtime/shared_memory_link.hpp"
#include "rubato/realtime/udp_link.hpp"

namespace rubato::app {

namespace {
namespace fs = std::filesystem;

constexpr double most_steps = 1e9;
constexpr double most_numbers = 2e7;  ///< kept of a run; more steps: every second one, every third …

/// Inputs from one link, which gets chosen channels instead of the outputs.
class ChannelLink final : public realtime::Link {
 public:
  ChannelLink(std::unique_ptr<realtime::Link> inner, const realtime::RealtimeStepper& stepper,
              std::vector<std::size_t> channels)
      : inner_(std::move(inner)), stepper_(stepper), channels_(std::move(channels)), values_(channels_.size()) {}
  void read(long n, double t, Out u) noexcept override { inner_->read(n, t, u); }
  void write(long n, double t, realtime::RealtimeStatus status, In y) noexcept override {
    const In x = stepper_.state();
    for (std::size_t k = 0; k < channels_.size(); ++k)
      values_[k] = channels_[k] < x.size() ? x[channels_[k]] : y[channels_[k] - x.size()];
    inner_->write(n, t, status, values_);
  }
  const char* ended() const noexcept override { return inner_->ended(); }
  realtime::LinkReport report() const noexcept override { return inner_->report(); }

 private:
  std::unique_ptr<realtime::Link> inner_;
  const realtime::RealtimeStepper& stepper_;
  std::vector<std::size_t> channels_;
  std::vector<double> values_;
};

/// "5001:5002".
Result<std::pair<int, int>> ports_of(const std::string& text) {
  const auto colon = text.find(':');
  std::pair<int, int> ports{0, 0};
  const auto number = [](std::string_view digits, int& value) {
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return status == std::errc{} && end == digits.data() + digits.size() && value >= 1 && value <= 65535;
  };
  const std::string_view all(text);
  if (colon == std::string::npos || !number(all.substr(0, colon), ports.first) ||
      !number(all.substr(colon + 1), ports.second))
    return Error{fmt::format("--udp: '{}' is not IN:OUT, two ports 1 … 65535, e.g. 5001:5002", text)};
  return ports;
}

Result<std::unique_ptr<realtime::Link>> link_of(const RealtimeRunArguments& arguments, const RealtimeModel& model,
                                                const realtime::RealtimeStepper& stepper,
                                                const std::vector<std::size_t>& channels) {
  const int n_inputs = model.structure.n_inputs, n_outputs = static_cast<int>(channels.size());
  if (!arguments.shared_memory.empty() && !arguments.udp.empty())
    return Error{"--shared-memory and --udp: one controller at a time"};
  if (arguments.udp_from && (arguments.udp.empty() || *arguments.udp_from < 1 || *arguments.udp_from > 65535))
    return Error{fmt::format("--udp-from: {}: a port 1 … 65535, together with --udp", *arguments.udp_from)};
  if (arguments.shared_memory.empty() && arguments.udp.empty())
    return std::unique_ptr<realtime::Link>(
        std::make_unique<realtime::SignalLink>(model.problem().input.get(), stepper.plan().step));
  Result<std::unique_ptr<realtime::Link>> made = Error{};
  if (arguments.udp.empty()) {
    made = realtime::shared_memory_link(arguments.shared_memory, n_inputs, n_outputs);
  } else {
    const auto ports = ports_of(arguments.udp);
    if (!ports) return ports.error();
    made = realtime::udp_link(ports->first, ports->second, n_inputs, n_outputs, arguments.udp_from.value_or(0));
  }
  if (!made) return made.error();
  return std::unique_ptr<realtime::Link>(std::make_unique<ChannelLink>(std::move(*made), stepper, channels));
}

Result<long> steps_of(const RealtimeRunArguments& arguments, const RealtimeModel& model, double step) {
  double duration = model.problem().t_end - model.problem().t_start;
  if (arguments.steps && !arguments.duration.empty()) return Error{"--steps and --duration: give one of them"};
  if (arguments.steps && *arguments.steps < 1)
    return Error{fmt::format("--steps: {} is not allowed; at least 1", *arguments.steps)};
  if (arguments.steps) duration = static_cast<double>(*arguments.steps) * step;
  if (!arguments.duration.empty()) {
    const auto given = io::parse_duration(arguments.duration);
    if (!given) return Error{"--duration: " + given.error().message};
    duration = *given;
  }
  const double steps = std::round(duration / step);
  if (!(steps >= 1 && steps <= most_steps))
    return Error{fmt::format("{:.4g} steps of {} s are not allowed; 1 … {:g} (--steps, --duration)", steps,
                             shortest(step), most_steps)};
  return static_cast<long>(steps);
}

/// Numbers that make no sense are refused, not repaired.
Result<void> check_numbers(const RealtimeRunArguments& arguments, double step) {
  constexpr double shortest_step = 1e-6, longest_step = 1e6;
  if (arguments.every && *arguments.every < 1)
    return Error{fmt::format("--every: {} is not allowed; at least 1", *arguments.every)};
  if (arguments.cpu && *arguments.cpu < 0)
    return Error{fmt::format("--cpu: {} is not allowed; processors count from 0", *arguments.cpu)};
  if (arguments.priority && (*arguments.priority < 1 || *arguments.priority > 99))
    return Error{fmt::format("--priority: {} is outside 1 … 99", *arguments.priority)};
  if (!arguments.free_run && !(step >= shortest_step && step <= longest_step))
    return Error{fmt::format("steps of {} s are none for a clock: {} … {:g} s; --free-run goes without", shortest(step),
                             shortest_step, longest_step)};
  return {};
}

/// Names of those that are coordinates of rotations.
std::string charts_among(const RealtimeModel& model, const std::vector<std::size_t>& channels) {
  const std::vector<char> charts = chart_unknowns(model);
  const auto names = model.dae().layout().component_names();
  std::vector<std::string> found;
  for (const std::size_t j : channels)
    if (j < charts.size() && charts[j] != 0) found.push_back(names[j]);
  return joined(found);
}

std::string distribution(const realtime::StepTimes& times) {
  const auto us = [](double ns) { return fmt::format("{:.1f}", 1e-3 * ns); };
  return fmt::format("median {}, 99 % {}, 99.9 % {}, 99.99 % {}, longest {} µs", us(times.quantile(0.5)),
                     us(times.quantile(0.99)), us(times.quantile(0.999)), us(times.quantile(0.9999)),
                     us(static_cast<double>(times.longest())));
}

void print_report(const realtime::RunnerReport& report, const io::RealtimeResult& result, const realtime::Plan& plan,
                  bool free_run) {
  say("ended", result.reason.empty() ? fmt::format("{} at t = {:.10g} s", result.status, result.t) : result.reason);
  say("steps",
      fmt::format("{}{}{}", report.steps,
                  report.failures > 0 ? fmt::format(", {} failed and held", report.failures) : "",
                  report.warnings > 0 ? fmt::format(", {} with an error estimate above 1", report.warnings) : ""));
  if (report.times.count() > 0) say("step times", distribution(report.times));
  if (report.wake_up.count() > 0) say("woken late", distribution(report.wake_up));
  say("deadlines", fmt::format("{} of {} {}", report.missed, report.steps,
                               free_run ? fmt::format("steps took longer than {:.6g} µs", 1e6 * plan.step) : "missed"));
  say("largest", fmt::format("error estimate {:.3g}, algebraic residual {:.3g}{}{}", report.largest_error,
                             report.largest_algebraic_residual,
                             plan.back_end == realtime::StaticKind::lu
                                 ? fmt::format(", backward error {:.1e}", report.largest_backward_error)
                                 : "",
                             plan.damping ? fmt::format(", smallest damping {:.3g}", report.smallest_damping) : ""));
  if (const auto& link = report.link; link.not_finite + link.malformed + link.foreign + link.late > 0)
    say("messages",
        fmt::format("{} with inputs taken; left aside: {} with numbers that are not finite or too large to be "
                    "squared (the last inputs were held), {} of another size or beginning, {} of another "
                    "sender, {} overtaken",
                    link.messages, link.not_finite, link.malformed, link.foreign, link.late));
  for (const auto& sentence : report.not_got) say("not got", sentence);
}

Result<std::vector<double>> first_inputs_of(const RealtimeRunArguments& arguments, const RealtimeModel& model) {
  const auto n = static_cast<std::size_t>(model.dae().n_inputs());
  const auto& given = arguments.first_inputs;
  if (given.empty()) return std::vector<double>(model.start.u.begin(), model.start.u.end());
  if (given.size() != 1 && given.size() != n)
    return Error{
        fmt::format("--first-inputs: {} numbers; one for all or one for each of the {} inputs", given.size(), n)};
  if (!std::ranges::all_of(given, [](double u) { return std::isfinite(u); }))
    return Error{"--first-inputs: every number must be finite"};
  return given.size() == n ? given : std::vector<double>(n, given.front());
}

/// results/NAME; of plans that are all called plan.toml NAME is that of their folder.
fs::path usual_folder(const fs::path& plan) {
  const fs::path parent = plan.parent_path().filename();
  return fs::path("results") / (plan.stem() == "plan" && !parent.empty() && parent != "." ? parent : plan.stem());
}

}  // namespace

int realtime_run(const RealtimeRunArguments& arguments) {
  const auto plan = io::read_plan_file(arguments.plan);
  if (!plan) return complain(plan.error());
  const auto model = realtime_model(*plan, arguments.plan, arguments.set);
  if (!model) return complain(model.error());
  const auto stepper = stepper_at_start(*model, *plan);
  if (!stepper) return complain(Error{fmt::format("{}: {}", arguments.plan, stepper.error().message)});
  const auto n_steps = steps_of(arguments, *model, plan->step);
  if (!n_steps) return complain(n_steps.error());
  const auto channels = realtime_channels(*model, arguments.channels);
  if (!channels) return complain(channels.error());
  if (const auto fine = check_numbers(arguments, plan->step); !fine) return complain(fine.error());
  if (const std::string charts = charts_among(*model, *channels); !arguments.channels.empty() && !charts.empty())
    note(fmt::format(
        "{}: relative to an attitude that moves with every step, and 0 after each; outputs hold the attitude", charts));
  const auto link = link_of(arguments, *model, **stepper, *channels);
  if (!link) return complain(link.error());
  auto first_inputs = first_inputs_of(arguments, *model);
  if (!first_inputs) return complain(first_inputs.error());
  OutputFolder folder(arguments.folder.empty() ? usual_folder(arguments.plan) : fs::path(arguments.folder));
  if (const int code = folder.open(); code != done) return code;
  if (const auto fine = io::invalidate_manifest(folder.path()); !fine) return complain(fine.error()), not_written;

  const double numbers = static_cast<double>(*n_steps) * static_cast<double>(channels->size() + 1);
  const long every = arguments.every ? *arguments.every : std::lround(std::ceil(numbers / most_numbers));
  ChannelRecorder recorder(model->dae(), *channels, *n_steps, every);
  io::RealtimeResult result{.plan = fs::path(arguments.plan).filename().string(), .version = RUBATO_VERSION};
  result.channels = recorder.trajectory().names;
  catch_interrupts();
  print_err("{}\n", plan->model);
  say("running", fmt::format("{} steps of {} s, {}, {} unknowns, {} of {} entries{}{}", *n_steps, shortest(plan->step),
                             to_string(plan->back_end), model->dae().size(), std::ranges::count(plan->keep, 1),
                             plan->keep.size(), plan->drop_below > 0 ? ", small ones dropped" : "",
                             arguments.free_run ? ", as fast as it goes" : ""));
  const realtime::RunnerReport report = run_realtime(**stepper, **link,
                                                     {.n_steps = *n_steps,
                                                      .free_run = arguments.free_run,
                                                      .lock_memory = arguments.lock_memory,
                                                      .cpu = arguments.cpu.value_or(-1),
                                                      .fifo_priority = arguments.priority.value_or(0),
                                                      .stop_at_failure = !arguments.continue_on_failure,
                                                      .first_inputs = std::move(*first_inputs)},
                                                     &stop_flag(), &recorder);
  result.t = (*stepper)->time();
  const bool failed = report.failures > 0;
  const bool cut_off = !report.link_ended.empty();
  result.status = report.interrupted ? "interrupted" : failed || cut_off ? "failed" : "finished";
  if (cut_off) result.reason = fmt::format("after {} steps: {}", report.steps, report.link_ended);
  if (failed)
    result.reason =
        fmt::format("step {} to t = {:.6g} s: {}", report.first_failed_step + 1,
                    (*stepper)->time() - static_cast<double>(report.steps - 1 - report.first_failed_step) * plan->step,
                    to_string(report.first_failure.status));
  const std::string title = fmt::format("{}: steps of {} ms", plan->model, shortest(1e3 * plan->step));
  const std::pair<const char*, std::string> files[] = {
      {"solution.csv", io::to_csv(recorder.trajectory())},
      {"summary.json", io::realtime_summary_json(*plan, result, report)},
      {"timing.json", io::realtime_timing_json(report)},
      {"missed.csv", io::missed_csv(report, model->start.t, plan->step)},
      {"times.svg", io::to_svg(times_figure(title, report, plan->step))}};
  for (const auto& [name, bytes] : files) folder.write(name, bytes);
  folder.seal(RUBATO_VERSION, {"timing.json", "missed.csv", "times.svg"});
  print_report(report, result, *plan, arguments.free_run);
  say("results", folder.written());
  return folder.outcome(report.interrupted ? interrupted : failed || cut_off ? numerical_failure : done);
}

}  // namespace rubato::app
