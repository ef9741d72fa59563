#pragma once
/// What a run against the clock leaves behind. summary.json: the same bytes for the same steps; timing.json: nanoseconds and all else
/// that the clock decides.
#include <string>
#include <vector>

#include "rubato/realtime/plan.hpp"
#include "rubato/realtime/runner.hpp"

namespace rubato::io {

struct RealtimeResult {
  std::string plan = {};  ///< the file
  std::string status = {}, reason = {};
  double t = 0;                            ///< s, where the run ended
  std::vector<std::string> channels = {};  ///< what was sent and kept
  std::string version = {};
};

[[nodiscard]] std::string realtime_summary_json(const realtime::Plan& plan, const RealtimeResult& result,
                                                const realtime::RunnerReport& report);
[[nodiscard]] std::string realtime_timing_json(const realtime::RunnerReport& report);
/// One line for each deadline missed, up to RunnerReport::most_misses: step, when it was due, how late it was.
[[nodiscard]] std::string missed_csv(const realtime::RunnerReport& report, double t_start, double step);

}  // namespace rubato::io
