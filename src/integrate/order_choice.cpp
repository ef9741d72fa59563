#include "order_choice.hpp"

#include <algorithm>
#include <cmath>

namespace rubato {

namespace {

constexpr double worth_rising = 1.15, worth_falling = 2.5;
constexpr double order_safety = 0.9, largest_growth = 5;
constexpr int fewest_stages = 3;  // two are for iterations that hardly converge, not for speed

}  // namespace

int lower_degree(int stages) noexcept { return stages <= 3 ? stages - 1 : stages - 2; }

int starting_stages(double tolerance) noexcept { return tolerance <= 1e-9 ? 7 : tolerance <= 1e-6 ? 5 : 3; }

int next_level(std::span<const OrderLevel> levels, int level, const OrderEvidence& step) noexcept {
  const int s = levels[static_cast<std::size_t>(level)].stages;
  const double log_error = std::log(std::max(step.error, 1e-12));
  const double log_lower = std::log(std::max(step.lower_error, 1e-12));
  const double per_degree = (log_error - log_lower) / (s - step.lower_degree);
  const double theta = std::max(step.contraction, 1e-4);
  const double reduction = std::clamp(step.iterations * std::log(theta), -25.0, -3.0);
  const auto rate = [&](const OrderLevel& candidate) {
    const double log_e = log_error + (candidate.stages - s) * per_degree;  // (1)
    const double by_error = order_safety * std::exp(-log_e / (candidate.stages + 1));
    const double factor = std::min({by_error, step.largest_factor, largest_growth});  // (2)
    const double iterations = std::max(2.0, reduction / std::log(std::min(theta * factor, 0.9)));
    const auto systems = static_cast<double>(candidate.systems);
    return factor / (iterations * (candidate.stages + 0.5 * systems) + 2 * systems + 3);  // (3)
  };
  const double here = rate(levels[static_cast<std::size_t>(level)]);
  if (level + 1 < static_cast<int>(levels.size()) && per_degree < 0 &&
      rate(levels[static_cast<std::size_t>(level) + 1]) > worth_rising * here)
    return level + 1;
  if (level > 0 && levels[static_cast<std::size_t>(level) - 1].stages >= fewest_stages &&
      rate(levels[static_cast<std::size_t>(level) - 1]) > worth_falling * here)
    return level - 1;
  return level;
}

}  // namespace rubato
