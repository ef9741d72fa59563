#include "event_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rubato/integrate/bracketing.hpp"

namespace rubato {

namespace {
constexpr std::array samples{0.2, 0.4, 0.6, 0.8, 1.0};
/// While a function is at zero, earlier ones as well: the side it leaves to decides what the next change means.
constexpr std::array early_samples{1e-4, 1e-3, 1e-2, 0.05, 0.1};

int sign(double value) noexcept { return value > 0 ? 1 : value < 0 ? -1 : 0; }
}  // namespace

EventFinder::EventFinder(const InitialValueProblem& problem)
    : problem_(problem),
      roots_(problem.dae->roots()),
      state_(roots_.size()),
      scratch_(problem.dae->scratch_bytes()),
      values_(roots_.size()),
      at_sample_(roots_.size()),
      x_(problem.dae->size()),
      u_(problem.dae->n_inputs()),
      rate_(problem.dae->n_inputs()) {
  fired_.reserve(roots_.size());
  crossed_.reserve(roots_.size());
}

bool EventFinder::terminal() const noexcept {
  return std::ranges::any_of(fired_, [&](int i) { return root(i).terminal; });
}

EventFinder::Outcome EventFinder::evaluate(double t, In x, In base, int mode, std::vector<double>& values) {
  if (problem_.input) problem_.input->at(t, view(u_), view(rate_));
  ++calls_;
  const At at{.t = t, .x = x, .u = view(std::as_const(u_)), .base = base, .mode = mode, .scratch = scratch_.scratch()};
  t_ = t;
  culprit_ = -1;
  if (problem_.dae->root_values(at, values) != EvalStatus::ok) return Outcome::model_refused;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i])) {
      culprit_ = static_cast<int>(i);
      return Outcome::not_finite;
    }
  return Outcome::none;
}

EventFinder::Outcome EventFinder::evaluate_within(const Stepper& stepper, double t, double h, double theta) {
  stepper.interpolate(theta, view(x_), {});
  return evaluate(t + theta * h, view(std::as_const(x_)), stepper.base(), stepper.mode(), values_);
}

EventFinder::Outcome EventFinder::restart(double t, In x, In base, int mode) {
  if (empty()) return Outcome::none;
  const Outcome outcome = evaluate(t, x, base, mode, values_);
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    Root& root = state_[i];
    const bool was_at_zero = root.side == 0 || std::ranges::find(fired_, static_cast<int>(i)) != fired_.end();
    const bool at_zero = was_at_zero && std::abs(values_[i]) <= root.band;
    root = {.side = at_zero ? 0 : sign(values_[i]), .band = at_zero ? root.band : 0, .value = values_[i]};
  }
  return outcome;
}

EventFinder::Outcome EventFinder::widen_bands(double t, In x_before, In x_after, In base, int mode) {
  if (empty()) return Outcome::none;
  Outcome outcome = evaluate(t, x_before, base, mode, at_sample_);
  if (outcome == Outcome::none) outcome = evaluate(t, x_after, base, mode, values_);
  for (const int i : fired_) {
    const auto k = static_cast<std::size_t>(i);
    if (std::abs(at_sample_[k]) <= state_[k].band) state_[k].band += 2 * std::abs(values_[k] - at_sample_[k]);
  }
  return outcome;
}

/// Whether root i, now on its side, makes an event by taking this value.
bool EventFinder::crosses(std::size_t i, double value) const noexcept {
  const int side = state_[i].side;
  if (side == 0 || sign(value) == side) return false;
  const Crossing wanted = roots_[i].crossing;
  return wanted == Crossing::any || (wanted == Crossing::falling) == (side > 0);
}

EventFinder::Outcome EventFinder::search(const Stepper& stepper, double t, double h, double tolerance) {
  fired_.clear();
  if (empty()) return Outcome::none;
  double theta_left = 0;
  const auto look_at = [&](double theta) -> Outcome {
    if (const Outcome outcome = evaluate_within(stepper, t, h, theta); outcome != Outcome::none) return outcome;
    std::ranges::copy(values_, at_sample_.begin());
    bool any = false;
    for (std::size_t i = 0; i < roots_.size(); ++i) any = any || crosses(i, at_sample_[i]);
    if (any) return locate(stepper, t, h, tolerance, theta_left, theta);
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      Root& root = state_[i];
      root.value = at_sample_[i];
      if (root.side == 0 && std::abs(root.value) <= root.band) continue;  // still at zero
      root.side = sign(root.value);
      root.band = 0;
    }
    theta_left = theta;
    return Outcome::none;
  };
  if (std::ranges::any_of(state_, [](const Root& root) { return root.side == 0; }))
    for (const double theta : early_samples)
      if (const Outcome outcome = look_at(theta); outcome != Outcome::none) return outcome;
  for (const double theta : samples)
    if (const Outcome outcome = look_at(theta); outcome != Outcome::none) return outcome;
  return Outcome::none;
}

EventFinder::Outcome EventFinder::locate(const Stepper& stepper, double t, double h, double tolerance,
                                         double theta_left, double theta_right) {
  crossed_.clear();
  const double width = tolerance / h;
  double first = theta_right;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (!crosses(i, at_sample_[i])) continue;
    Outcome outcome = Outcome::none;
    const Bracket b = shrunk({theta_left, theta_right, state_[i].value, at_sample_[i]}, width, [&](double theta) {
      outcome = evaluate_within(stepper, t, h, theta);
      return outcome == Outcome::none ? values_[i] : std::nan("");
    });
    if (outcome != Outcome::none) return outcome;
    crossed_.push_back({static_cast<int>(i), b.left, b.right, b.g_left, b.g_right});
    first = std::min(first, b.right);
  }
  theta_ = first;
  for (const Crossed& c : crossed_) {
    if (c.left > first + width) continue;  // an event of its own, later
    fired_.push_back(c.root);
    theta_ = std::max(theta_, c.right);  // all that fire have changed their sign there
  }
  const Outcome outcome = evaluate_within(stepper, t, h, theta_);
  for (const Crossed& c : crossed_) {
    // What |g| may be for no other reason than the width of the bracket. A function that is still large on a bracket this
    // narrow jumps: it is not at zero but on the other side already.
    const auto k = static_cast<std::size_t>(c.root);
    const double band = 2 * std::max({std::abs(c.g_left), std::abs(c.g_right), std::abs(values_[k])});
    const double before = std::max(std::abs(state_[k].value), std::abs(at_sample_[k]));
    const bool jumps = band > 1e-3 * before && theta_right - theta_left > 1e4 * width;
    state_[k].band = jumps ? 0 : band;
  }
  t_ = t + theta_ * h;
  return outcome == Outcome::none ? Outcome::found : outcome;
}

void EventFinder::save(ArchiveWriter& out) const {
  out.put<std::uint64_t>(state_.size());
  for (const Root& root : state_) {
    out.put(root.side);
    out.put(root.band);
    out.put(root.value);
  }
}

bool EventFinder::load(ArchiveReader& in) {
  std::uint64_t count = 0;
  in.get(count);
  if (count != state_.size()) return false;
  for (Root& root : state_) {
    in.get(root.side, -1, 1);
    in.get(root.band);
    in.get(root.value);
  }
  return in.ok();
}

}  // namespace rubato
