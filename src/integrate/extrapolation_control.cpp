#include "extrapolation_control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rubato/base/assert.hpp"

namespace rubato {

namespace {
constexpr double safety_of_error = 0.6, safety_of_step = 0.93;     // s₁, s₂
constexpr double lower_if_cheaper = 0.7, higher_if_cheaper = 0.9;  // work against that of the column at hand
constexpr double largest_growth = 10, strongest_cut = 0.1, cut_short = 0.7, worth_a_try = 2;
}  // namespace

ExtrapolationControl::ExtrapolationControl(std::span<const int> numbers, double rtol, const StepOptions& step,
                                           const Costs& costs) noexcept
    : n_columns_(static_cast<int>(numbers.size())),
      safety_(safety_of_step * step.safety / StepOptions{}.safety),
      shrink_limit_(step.shrink_limit > 0 ? step.shrink_limit : strongest_cut),
      growth_limit_(step.growth_limit > 0 ? step.growth_limit : largest_growth) {
  RUBATO_ASSERT(n_columns_ >= 3 && n_columns_ <= max_extrapolation_columns, "columns 2 to n − 1 are intended ones");
  double sum = costs.jacobian;
  for (int j = 1; j <= n_columns_; ++j) {
    const double n = number_[j] = numbers[static_cast<std::size_t>(j) - 1];
    // Rows share f at the start, but for time: counted once.
    cost_[j] = sum += (costs.factor_each_step ? n : 1) * costs.factor + (j == 1 ? n : n - 1) * costs.step;
  }
  first_column_ = std::clamp(static_cast<int>(1.5 - 0.6 * std::log10(std::max(rtol, 1e-16))), 2, n_columns_ - 1);
  restart();
}

void ExtrapolationControl::restart() noexcept { memory_ = {.column = first_column_}; }

void ExtrapolationControl::begin(double h) noexcept {
  h_ = h;
  trial_ = {};
  any_column_ = memory_.fresh || h < cut_short * memory_.wanted;
}

/// H_j/H of (1).
void ExtrapolationControl::allow(int j, double error) noexcept {
  const double relative = std::max(error, 1e-30) / safety_of_error;
  factor_[j] = std::clamp(safety_ * std::pow(relative, -1.0 / j), shrink_limit_, growth_limit_);
}

ExtrapolationControl::Verdict ExtrapolationControl::after(int j, double error) noexcept {
  allow(j, error);
  const int k = memory_.column, last = std::min(k + 1, n_columns_);
  if (error <= 1 && (any_column_ || j >= k - 1)) return accepted(j);
  const double before = std::exchange(error_, error);
  if (j < k - 1) return Verdict::go_on;
  const double ratio =
      std::min(number_[1] / number_[std::min(j + 1, n_columns_)], j > 2 ? error / before : 1.0);  // (2)
  if (j < last && error * std::pow(ratio, last - j) <= worth_a_try) return Verdict::go_on;
  for (int i = j + 1; i <= k; ++i) allow(i, error *= ratio);
  return rejected(std::max(j, k));
}

ExtrapolationControl::Verdict ExtrapolationControl::accepted(int j) noexcept {
  const int k = memory_.column, highest = std::max(n_columns_ - 1, 2);
  int best = j;
  if (j == 2) {
    best = memory_.after_rejection ? 2 : std::min(3, highest);
  } else {
    if (j > k) best = j - 1;
    if (best > 2 && work(best - 1) < lower_if_cheaper * work(best))
      best = best - 1;
    else if (j > k ? work(j) < higher_if_cheaper * work(best) : work(j) < higher_if_cheaper * work(j - 1))
      best = std::min(j > k ? j : j + 1, highest);
  }
  if (memory_.after_rejection) {
    best = std::min(best, j);
    trial_.factor = std::min(1.0, factor_[best]);
  } else {
    // A column that was not tried is expected to allow a step as much longer as it costs more.
    trial_.factor = best <= j ? factor_[best] : std::min(factor_[j] * cost_[best] / cost_[j], growth_limit_);
  }
  trial_.column = std::max(best, 2);
  trial_.accepted = trial_.judged = true;
  return Verdict::accept;
}

ExtrapolationControl::Verdict ExtrapolationControl::rejected(int j) noexcept {
  int best = std::min({memory_.column, j, std::max(n_columns_ - 1, 2)});
  if (best > 2 && work(best - 1) < lower_if_cheaper * work(best)) --best;
  trial_ = {.column = best, .factor = std::min(0.9, factor_[best]), .accepted = false, .judged = true};
  return Verdict::reject;
}

void ExtrapolationControl::commit() noexcept {
  memory_ = {.column = trial_.column, .wanted = trial_.factor * h_, .fresh = false, .after_rejection = false};
}

/// Number by number: what lies between them in memory is anything.
void ExtrapolationControl::save(ArchiveWriter& out) const {
  out.put(memory_.column);
  out.put(memory_.wanted);
  out.put(memory_.fresh);
  out.put(memory_.after_rejection);
}

void ExtrapolationControl::load(ArchiveReader& in) noexcept {
  in.get(memory_.column, 2, std::max(n_columns_ - 1, 2));
  in.get(memory_.wanted);
  in.get(memory_.fresh);
  in.get(memory_.after_rejection);
}

void ExtrapolationControl::discard() noexcept {
  if (!trial_.judged || trial_.accepted) return;
  memory_.column = trial_.column;
  memory_.after_rejection = true;
  memory_.wanted = trial_.factor * h_;
}

}  // namespace rubato
