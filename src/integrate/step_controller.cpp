#include "rubato/integrate/step_controller.hpp"

#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"

namespace rubato {

namespace {
constexpr double smallest_previous_error = 1e-2;
constexpr double smallest_error = 1e-12;  // keeps 1/ẽ finite; any growth limit acts long before
constexpr double largest_rejected_factor = 1 / 1.05;
constexpr double failed_factor = 1.0 / 5;
constexpr double comparable = 0.5;  // a step that counts in (9) is at least this fraction of the last one

/// x^(1/p): square roots as far as p is even. Order 4 of radau5 takes no power at all.
double root_of(double x, int p) noexcept {
  for (; p % 2 == 0; p /= 2) x = std::sqrt(x);
  return p == 1 ? x : std::pow(x, 1.0 / p);
}

}  // namespace

StepController::StepController(const StepOptions& options) noexcept
    : kind_(options.controller),
      safety_(options.safety),
      shrink_limit_(options.shrink_limit > 0 ? options.shrink_limit : default_shrink_limit),
      growth_limit_(options.growth_limit > 0 ? options.growth_limit : default_growth_limit) {}

void StepController::restart() noexcept { memory_ = {}; }

/// (3); root = ẽ^(1/p).
double StepController::predictive_factor(double h, double root, int error_order, double caution) const noexcept {
  // ẽ₋^(1/p) is known already where that step had the same order and its error was not raised to the smallest that counts.
  const auto& last = memory_.constants[0];
  const bool known = last.order == error_order && memory_.error > smallest_previous_error;
  const double root_before = known ? last.root * last.h : root_of(memory_.error, error_order);
  return safety_ * std::min(caution / root, (h / memory_.h) * root_before / (root * root));
}

/// Whether C turned, from rising to falling or back, within the last four steps, and has not risen twice since.
bool StepController::swings(double constant, int error_order) const noexcept {
  double later = constant, direction = 0;
  for (const auto& before : memory_.constants) {
    if (before.order != error_order) break;
    const double change = later - before.root;
    if (change * direction < 0) return true;
    if (change > 0 && direction > 0) return false;
    direction = change;
    later = before.root;
  }
  return false;
}

double StepController::steady_factor(double h, double constant, double caution, int error_order) const noexcept {
  double largest = constant;
  for (const auto& before : {memory_.constants[0], memory_.constants[1]})
    if (before.order == error_order && before.h >= comparable * h) largest = std::max(largest, before.root);
  return caution * safety_ / (largest * h);
}

double StepController::accepted(double h, double error, int error_order, double caution) noexcept {
  RUBATO_ASSERT(error_order > 0 && h > 0 && error >= 0, "an accepted step has a size, an error and its order");
  const double p = error_order;
  const double e = std::max(error, smallest_error);
  const double e_before = memory_.error, ratio = h / memory_.h;
  const auto target = [&] { return std::pow(safety_, p); };
  const double root = root_of(e, error_order), constant = root / h;
  double factor = 1;
  switch (memory_.has_previous ? kind_ : Controller::elementary) {
    case Controller::elementary: factor = caution * safety_ / root; break;                                   // (1)
    case Controller::pi: factor = std::pow(target() / e, 0.3 / p) * std::pow(e_before / e, 0.4 / p); break;  // (2)
    case Controller::predictive: factor = predictive_factor(h, root, error_order, caution); break;           // (3)
    case Controller::steady:                                                                                 // (9)
      factor = swings(constant, error_order) ? steady_factor(h, constant, caution, error_order)
                                             : predictive_factor(h, root, error_order, caution);
      break;
    case Controller::digital_filter:  // (4)
      factor = std::pow((target() / e) * (target() / e_before), 1 / (4 * p)) * std::pow(ratio, -0.25);
      break;
  }
  factor = std::clamp(factor, shrink_limit_, growth_limit_);    // (5)
  if (memory_.after_rejection) factor = std::min(factor, 1.0);  // (7)
  memory_ = {.h = h,
             .error = std::max(error, smallest_previous_error),
             .has_previous = true,
             .after_rejection = false,
             .constants = {{{h, constant, error_order}, memory_.constants[0], memory_.constants[1]}}};
  return factor * h;
}

double StepController::rejected(double h, double error, int error_order, double caution, double advice) noexcept {
  RUBATO_ASSERT(error_order > 0 && h > 0 && error > 1, "a rejected step has an error above 1");
  memory_.after_rejection = true;
  if (advice > 0) return h * advice;
  const double factor = caution * safety_ / root_of(error, error_order);
  return h * std::max(std::min(factor, largest_rejected_factor), shrink_limit_);  // (6)
}

double StepController::failed(double h, double advice) noexcept {
  memory_.after_rejection = true;
  return h * (advice > 0 ? advice : failed_factor);  // (8)
}

void StepController::save(ArchiveWriter& out) const {
  out.put(memory_.h);
  out.put(memory_.error);
  out.put(memory_.has_previous);
  out.put(memory_.after_rejection);
  for (const auto& constant : memory_.constants) {
    out.put(constant.h);
    out.put(constant.root);
    out.put(constant.order);
  }
}

bool StepController::load(ArchiveReader& in) noexcept {
  constexpr int most_order = 1000;  // no method has more
  in.get(memory_.h);
  in.get(memory_.error);
  in.get(memory_.has_previous);
  in.get(memory_.after_rejection);
  for (auto& constant : memory_.constants) {
    in.get(constant.h);
    in.get(constant.root);
    in.get(constant.order, 0, most_order);
  }
  return in.ok();
}

}  // namespace rubato
