#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "rubato/integrate/integrate.hpp"

namespace rubato::bench {

namespace {

constexpr double short_visit = 2e-3;  // s: shorter runs are repeated at once until this is reached
constexpr double long_run = 0.01;     // s: repeated once only
constexpr double only_once = 1;       // s: not repeated at all

std::string first_line(const char* command) {
  std::string text;
  if (FILE* pipe = popen(command, "r")) {
    char line[256];
    if (std::fgets(line, sizeof line, pipe)) text = line;
    pclose(pipe);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "unknown" : text;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

double cpu_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Run run_rubato(const InitialValueProblem& problem, const Method& method, const Accuracy& accuracy, long max_steps) {
  const auto summary = integrate(problem, method,
                                 {.tolerances = {.rtol = accuracy.rtol, .atol = accuracy.atol},
                                  .step = {.initial_step = accuracy.initial_step, .max_steps = max_steps}});
  if (!summary) return {.trouble = summary.error().message};
  const Statistics& s = summary->statistics;
  return {.completed = completed(summary->status),
          .trouble = completed(summary->status) ? "" : summary->reason,
          .x = summary->x,
          .steps = s.steps,
          .rejected = s.rejected + s.failed,
          .f_calls = s.f_calls + s.f_calls_jacobian,
          .jacobians = s.jacobians,
          .factorisations = s.factorisations};
}

void measure_in_turns(std::vector<Row>& rows, const std::vector<std::function<Run()>>& runs, int repeats,
                      const std::function<Judgement(const Row&)>& judge) {
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row& row = rows[i];
      if (repeat == 0 && i > 0 && rows[i - 1].solver == row.solver && rows[i - 1].hopeless)
        row.lost = row.hopeless = true;
      if (row.lost || (repeat > 1 && row.seconds > long_run) || (repeat > 0 && row.seconds > only_once)) continue;
      Run run;
      const double visit = cpu_seconds();
      do {
        const double begin = cpu_seconds();
        run = runs[i]();
        row.seconds = std::min(row.seconds, cpu_seconds() - begin);
      } while (cpu_seconds() - visit < short_visit);
      if (repeat > 0) continue;
      row.run = std::move(run);
      const Judgement judgement = judge(row);
      row.digits = row.run.completed ? judgement.digits : 0;
      row.lost = !(row.digits > 0);
      row.hopeless = judgement.hopeless;
    }
}

std::optional<Cost> cost_of(const std::vector<Row>& rows, const std::string& solver, double digits) {
  std::vector<const Row*> own;
  for (const Row& row : rows)
    if (row.solver == solver && !row.lost) own.push_back(&row);
  std::vector<double> sure(own.size());  // rising with i: own is in order of falling tolerances
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = own.size(); i-- > 0;) sure[i] = least = std::min(least, own[i]->digits);
  for (std::size_t i = 0; i + 1 < own.size(); ++i) {
    if (!(sure[i] <= digits && digits < sure[i + 1])) continue;
    const double theta = (digits - sure[i]) / (sure[i + 1] - sure[i]);
    const auto between = [&](double a, double b) { return std::exp((1 - theta) * std::log(a) + theta * std::log(b)); };
    const auto count = [&](long Run::*member) {
      return between(static_cast<double>(own[i]->run.*member), static_cast<double>(own[i + 1]->run.*member));
    };
    return Cost{.steps = count(&Run::steps),
                .f_calls = count(&Run::f_calls),
                .jacobians = count(&Run::jacobians),
                .factorisations = count(&Run::factorisations),
                .seconds = between(own[i]->seconds, own[i + 1]->seconds)};
  }
  return std::nullopt;
}

std::vector<std::string> solvers_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (names.empty() || names.back() != row.solver) names.push_back(row.solver);
  return names;
}

std::string circumstances() {
  return fmt::format("  machine   {}\n  compiler  GCC-compatible {}, {}\n  commit    {}\n  peers     SUNDIALS {}\n",
                     processor(), __VERSION__, RUBATO_BUILD_TYPE,
                     first_line("git -C \"" RUBATO_SOURCE_DIR "\" describe --always --dirty 2>/dev/null"),
                     sundials_version());
}

}  // namespace rubato::bench
