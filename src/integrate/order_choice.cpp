#include "order_choice.hpp"

#include <algorithm>
#include <cmath>

namespace rubato {

namespace {

constexpr double worth_rising = 1.15, worth_falling = 2.5;
constexpr double worth_falling_when_held = 1.3, held = 1.5, far_below = 0.01;
constexpr double order_safety = 0.9, largest_growth = 5, growth_with_order = 2;
constexpr int fewest_stages = 3;  // two are for iterations that hardly converge, not for speed

/// K_j of (1).
constexpr double defect_constant(int j) {
  double k = 1.0 / (j + 1);
  for (int i = j; i <= 2 * j - 1; ++i) k /= i;
  return k;
}
static_assert(defect_constant(1) == 1.0 / 2);      // c = 1: 1/2!
static_assert(defect_constant(2) == 1.0 / 3 / 6);  // c = 1/3, 1: (1/3)/3!

/// (2).
class ErrorsByOrder {
 public:
  explicit ErrorsByOrder(const OrderEvidence& step, int stages) noexcept
      : stages_(stages),
        lower_(step.lower_degree),
        log_error_(std::log(std::max(step.error, 1e-12))),
        log_lower_(std::log(std::max(step.lower_error, 1e-12))),
        slope_((log_error_ - log_lower_ - constants(stages, lower_)) / (stages - lower_)) {}

  [[nodiscard]] bool fall_with_the_degree() const noexcept { return log_error_ < log_lower_; }
  [[nodiscard]] double log_of(int j) const noexcept {
    return j == lower_ ? log_lower_ : log_error_ + constants(j, stages_) + (j - stages_) * slope_;
  }

 private:
  /// log K_j/K_i.
  static double constants(int j, int i) noexcept { return std::log(defect_constant(j) / defect_constant(i)); }

  int stages_, lower_;
  double log_error_, log_lower_, slope_;  ///< slope_: μ
};

/// log a_j of (3).
double log_allowance(double tolerance, int s, int j) noexcept {
  if (!(tolerance > 0)) return 0;
  return std::log(tolerance) * ((j + 1.0) / (2.0 * j) - (s + 1.0) / (2.0 * s));
}

}  // namespace

int lower_degree(int stages) noexcept { return stages <= 3 ? stages - 1 : stages - 2; }

int starting_stages(double tolerance) noexcept { return tolerance <= 1e-8 ? 7 : tolerance <= 1e-4 ? 5 : 3; }

OrderChoice next_level(std::span<const OrderLevel> levels, int level, const OrderEvidence& step) noexcept {
  const auto member = [&](int l) -> const OrderLevel& { return levels[static_cast<std::size_t>(l)]; };
  const int s = member(level).stages;
  const ErrorsByOrder errors(step, s);
  const double theta = std::max(step.contraction, 1e-4);
  const double reduction = std::clamp(step.iterations * std::log(theta), -25.0, -3.0);
  const auto by_error = [&](int j, double log_allowed) {
    return order_safety * std::exp((log_allowed - errors.log_of(j)) / (j + 1));
  };
  const auto rate = [&](const OrderLevel& candidate) {
    const int j = candidate.stages;
    const double factor =
        std::min({by_error(j, log_allowance(step.tolerance, s, j)), step.largest_factor, largest_growth});  // (4)
    const double iterations = std::max(2.0, reduction / std::log(std::min(theta * factor, 0.9)));
    const auto systems = static_cast<double>(candidate.systems);
    return factor / (iterations * (j + 0.5 * systems) + 2 * systems + 3);  // (5)
  };
  const auto change_to = [&](int l) -> OrderChoice {
    return {.level = l, .factor = std::min(growth_with_order, by_error(member(l).stages, 0))};
  };
  const double here = rate(member(level));
  if (level + 1 < static_cast<int>(levels.size()) && errors.fall_with_the_degree() &&
      rate(member(level + 1)) > worth_rising * here)
    return change_to(level + 1);
  const bool newton_holds = step.largest_factor <= held && step.lower_error <= far_below;
  if (level > 0 && member(level - 1).stages >= fewest_stages &&
      rate(member(level - 1)) > (newton_holds ? worth_falling_when_held : worth_falling) * here)
    return change_to(level - 1);
  return {.level = level};
}

}  // namespace rubato
