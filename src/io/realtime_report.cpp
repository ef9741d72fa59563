#include "rubato/io/realtime_report.hpp"

#include <fmt/format.h>

#include "rubato/base/text.hpp"

namespace rubato::io {

std::string missed_csv(const realtime::RunnerReport& report, double t_start, double step) {
  std::string text = "step,due [s],late [us]\n";
  for (const auto& miss : report.misses)
    text += fmt::format("{},{},{}\n", miss.step, shortest(t_start + static_cast<double>(miss.step + 1) * step),
                        shortest(1e-3 * static_cast<double>(miss.late_ns)));
  return text;
}

}  // namespace rubato::io
