// Constraint rows that depend on each other: left out for good, exchanged, taken back, or for an instant in a singular position.
#include <fmt/format.h>

#include <algorithm>

#include "rubato/base/text.hpp"
#include "rubato/problem/state_point.hpp"
#include "run.hpp"

namespace rubato::detail {

namespace {

constexpr long steps_between_looks = 8;
constexpr double at_singularity = 1e-6;  ///< σ of a start in a singular position
/// Ahead::closest of singular positions: rounding and Taylor's remainder are below.
constexpr double surely_singular = 0.05;
constexpr double perhaps_singular = 0.3;  ///< … of those worth a look from nearby
constexpr double reach = 1.6;             ///< of a step: behind it the next one would find σ below a third
constexpr double smallest_clearance = 0.02;
constexpr double tolerances_off = 10;  ///< what taking rows back may move, in tolerances
/// What rows left out may be off, in tolerances and in what others are: they follow from those with factors of ten and more.
constexpr double residuals_off = 100;

/// The distance from which a step over a position has an error below the tolerance, by one from a distance of τ.
double passable(double tau, const Attempt& attempt) {
  return tau * std::clamp(0.8 * std::pow(attempt.error, -1.0 / attempt.error_order), 0.2, 2.0);
}

/// The largest tolerance among unknowns first … first + n − 1.
double largest_tolerance(const Vector& weights, int first, int n) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = first; i < first + n; ++i) smallest = std::min(smallest, weights[i]);
  return smallest > 0 ? 1 / smallest : std::numeric_limits<double>::infinity();
}

}  // namespace

// --- rows left out ----------------------------------------------------------------------------------------------------

bool Run::rows_due() const noexcept {
  if (mechanics_ == nullptr) return false;
  const auto n = static_cast<long>(mechanics_->left_out(base()).size());
  const long every = 16 + n * n / 1024;
  const bool early = rank_watch_ && (count_.accepted == 1 || count_.accepted == 4);  // starts in a singular position
  return n > 0 && (early || count_.accepted % every == 0);
}

bool Run::exchange_rows() {
  if (mechanics_ == nullptr) return false;
  const LeftOut state = left_out_state(*mechanics_, here());
  if (state == LeftOut::serve) return false;
  const Vector x_before = x_, w_before = w_, base_before = base_;
  const auto go_back = [&] {
    x_ = x_before;
    w_ = w_before;
    base_ = base_before;
  };
  if (const auto made = make_consistent_here({}); !made) {
    if (state != LeftOut::independent || !left_out_off()) return false;
    end_for_rows(names_of(mechanics_->left_out(base()), {}), "no longer holds: " + made.error().message);
    return true;
  }
  const In before = mechanics_->left_out(view(base_before)), now = mechanics_->left_out(base());
  if (std::ranges::equal(before, now)) {
    go_back();
    return false;
  }
  if (std::ranges::count(now, 0.0) == std::ranges::count(before, 0.0)) {
    if (exchanges_++ == 0) first_exchange_ = t_;
  } else {
    // They hold to tolerance, or they forbid what the motion did without them.
    Vector change = x_;
    const bool comparable = base_.size() == 0 || dae_.transport(base(), view(std::as_const(base_before)), view(change));
    change -= x_before;
    for (int i = 0; i < dae_.size(); ++i)
      if (dae_.layout().kind(i) == Kind::algebraic) change[i] = 0;
    const std::string names = names_of(before, now);
    if (comparable && norm_(view(std::as_const(change)), view(x_before), x(), infinity) > tolerances_off) {
      go_back();
      end_for_rows(names, "cannot be taken back without a jump of the motion");
      return true;
    }
    if (rows_back_++ == 0) first_row_back_ = t_;
  }
  if (looked(events_.restart(t_, x(), base(), mode_)) && restart_stepper()) tell_restart();
  return true;
}

std::string Run::names_of(In marked, In unless) const {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < marked.size(); ++row)
    if (marked[row] != 0 && (unless.empty() || unless[row] == 0))
      names.push_back(constraint_name(mechanics_->system(), static_cast<int>(row)));
  return joined(names);
}

bool Run::left_out_off() {
  if (!rank_watch_) return false;
  const In left_out = mechanics_->left_out(base());
  if (std::ranges::count(left_out, 0.0) == std::ssize(left_out)) return false;
  MechanicalState state;
  if (mechanics_->unpack(here(), {}, state) != EvalStatus::ok) return false;
  const auto r = rank_watch_->residuals(state, view(std::as_const(u_)), left_out);
  Vector weights(dae_.size());
  norm_.weights(x(), infinity, view(weights));
  const double tolerance = largest_tolerance(weights, 0, mechanics_->system().sizes().q);
  return r.known && r.left_out > residuals_off * std::max(tolerance, r.kept);
}

void Run::end_for_rows(const std::string& rows, const std::string& what) {
  end(RunStatus::inconsistent,
      fmt::format(
          "at t = {} {}, left out at the start because the others implied it there, {}: the start is a singular "
          "position, in which the constraints allow no motion or do not determine it; start beside it, with a "
          "velocity, or without the surplus constraint",
          t_, rows, what));
}

// --- singular positions -----------------------------------------------------------------------------------------------

/// Steps shrink before a singular position: the largest of late, a tenth forgotten with every step.
double Run::usual_step() const noexcept {
  return fixed() ? options_.step.fixed_step : std::min(std::max(h_, wide_step_), options_.step.max_step);
}

bool Run::rank_look_due() const noexcept {
  if (!rank_watch_ || look_step_ == count_.accepted) return false;
  const double h = usual_step();
  return t_ + reach * h >= t_look_ || count_.accepted - look_step_ >= steps_between_looks;
}

bool Run::stepped_over() {
  look_step_ = count_.accepted;
  MechanicalState state;
  const At at = here();
  if (mechanics_->unpack(at, view(std::as_const(w_)), state) != EvalStatus::ok) return false;
  const auto margin = rank_watch_->look(state, at.u, mechanics_->left_out(base()));
  if (!margin.known) return false;
  const double slope = std::max(2 * std::abs(margin.rate), margin.pace);
  t_look_ = slope > 0 ? t_ + margin.sigma / slope : infinity;
  if (margin.sigma < at_singularity && fresh_ && margin.pace > 0) {
    const double h = h_;
    for (double size = 0.1; size > 1e-4; size *= 0.4)
      if (h_ = size / margin.pace; passed(0) || !running_) return true;
    h_ = h;
    return false;
  }
  const double far = std::max(4 * usual_step(), passage_tau_);
  if (!(-margin.rate * far > margin.sigma)) return false;
  const auto ahead = singular_ahead(state, margin);
  if (!ahead || ahead->closest > perhaps_singular || ahead->tau > far) return false;
  if (ahead->of_kept) return false;
  const double tau = ahead->tau;
  if (ahead->closest > surely_singular || (passage_tau_ > 0 && tau > 1.1 * passage_tau_ && !fixed())) {
    const double aim = ahead->closest > surely_singular ? 0.5 * tau : passage_tau_;
    h_ = std::min(h_, std::max(tau - aim, 0.3 * tau));
    return false;
  }
  return passed(ahead->tau);
}

std::optional<Run::Ahead> Run::singular_ahead(const MechanicalState& state, const RankWatch::Margin& margin) {
  constexpr int searches = 8;
  const MechanicalSystem& system = mechanics_->system();
  ScratchMemory memory(system.scratch_bytes());
  Ahead ahead{.tau = -margin.sigma / margin.rate, .closest = 1};
  const double first = ahead.tau;
  double tau = first;
  MechanicalState best = state;
  Vector rate(state.q.size());
  for (int k = 0; k < searches; ++k) {
    MechanicalState there = state;
    const Vector mean = state.v + (tau / 2) * state.a;
    inputs(t_ + tau, u_);
    if (system.kinematics(point_at(state, memory.scratch(), view(std::as_const(u_))), view(mean), view(rate)) !=
        EvalStatus::ok)
      return {};
    there.q += tau * rate;
    there.v += tau * state.a;
    there.t += tau;
    const auto found = rank_watch_->look(there, view(std::as_const(u_)), mechanics_->left_out(base()));
    if (!found.known) return {};
    if (found.sigma < ahead.closest * margin.sigma) {
      ahead = {.tau = tau, .closest = found.sigma / margin.sigma};
      best = there;
    }
    const double change = found.rate == 0 ? 0 : -found.sigma / found.rate;
    if (ahead.closest < 1e-2 || std::abs(change) < 1e-2 * tau) break;
    tau = std::clamp(tau + change, 0.3 * first, 4 * first);
  }
  const In left_out = mechanics_->left_out(base());
  const auto n_left_out = std::ssize(left_out) - std::ranges::count(left_out, 0.0);
  if (n_left_out > 0 && ahead.closest < perhaps_singular) {
    const double below = (ahead.closest + 0.15) * margin.sigma;
    ahead.of_kept = rank_watch_->dependent_rows(best, view(std::as_const(u_)), below) <= n_left_out;
  }
  return ahead;
}

double Run::passage_step(double tau) const noexcept {
  const double left = t_stop_ - t_;
  const auto serves = [&](double h) { return h > tau && passage_->clearance(tau / h) >= smallest_clearance; };
  if (fixed()) {  // as far behind the position as the next step is long, and a half
    const double step = options_.step.fixed_step;
    for (int k = 1; k <= 12; ++k)
      if (const double h = k * step; h < left && h - tau >= 1.5 * step && serves(h)) return h;
    return 0;
  }
  const double h = tau > 0 ? tau / passage_->best_fraction() : h_;
  if (h < 0.9 * left) return h;
  const double to_stop = may_jump_at_stop_ ? left - 4 * ulp(t_stop_) : left;
  return serves(to_stop) ? to_stop : 0;
}

bool Run::passed(double tau) {
  if (!passage_) passage_ = std::make_unique<PassageStepper>(problem_, *mechanics_, norm_);
  const double h = passage_step(tau);
  if (h == 0) return false;
  const std::string rows = rank_watch_->names();
  const Vector x_before = x_, w_before = w_, base_before = base_;
  const bool begun = (tau == 0 || make_consistent_here({})) &&
                     passage_->restart(t_, x(), view(std::as_const(w_)), base(), mode_) == StepStatus::ok;
  Attempt attempt{.status = StepStatus::newton_diverged};
  if (begun) {
    ++count_.steps;
    attempt = passage_->attempt(t_, h);
  }
  if (attempt.status != StepStatus::ok || !std::isfinite(attempt.error) || (!fixed() && attempt.error > 1)) {
    if (begun) ++(attempt.status == StepStatus::ok ? count_.rejected : count_.failed);
    x_ = x_before;
    w_ = w_before;
    base_ = base_before;
    // Closer to the position a shorter step passes it.
    passage_tau_ = attempt.status == StepStatus::ok ? passable(tau, attempt) : 0.4 * tau;
    if (!fixed() && tau > 0) h_ = std::min(h_, std::max(tau - passage_tau_, 0.3 * tau));
    t_look_ = t_;
    return false;
  }
  if (passages_++ == 0) {
    first_passage_ = t_ + tau;
    passage_rows_ = rows;
  }
  passage_tau_ = passable(tau, attempt);
  stepping_ = passage_.get();
  step_beyond_ = std::min(tau == 0 ? infinity : h_, 0.9 * (h - tau));
  if (fixed()) step_of_segment_ += std::lround(h / options_.step.fixed_step) - 1;
  attempt.next_factor = 1;
  accepted(attempt, {h, t_ + h >= t_stop_ - 4 * ulp(t_stop_)});
  return true;
}

void Run::continue_beyond() {
  look();
  if (const auto made = make_consistent_here({}); !made)
    return end(RunStatus::inconsistent,
               fmt::format("at t = {} no consistent state was found behind a singular position: {}", t_,
                           made.error().message));
  if (!fixed()) h_ = step_beyond_;
  t_look_ = t_;
  if (looked(events_.restart(t_, x(), base(), mode_)) && restart_stepper()) tell_restart();
}

}  // namespace rubato::detail
