// Constraint rows that depend on each other: left out for good, exchanged, taken back, or for an instant in a singular position.
#include <fmt/format.h>

#include <algorithm>

#include "rubato/base/text.hpp"
#include "rubato/problem/state_point.hpp"
#include "run.hpp"

namespace rubato::detail {

namespace {

constexpr long steps_between_looks = 8;
constexpr int searches = 8;              ///< for a zero of σ
constexpr double at_singularity = 1e-6;  ///< σ of a start in a singular position
/// Ahead::closest of singular positions: rounding and Taylor's remainder are below.
constexpr double surely_singular = 0.05;
constexpr double perhaps_singular = 0.3;  ///< … of those worth a look from nearby
constexpr double reach = 1.6;             ///< of a step: behind it the next one would find σ below a third
constexpr double smallest_clearance = 0.02;
constexpr int most_passage_failures = 8;   ///< in a row
constexpr double smallest_landing = 0.25;  ///< σ behind a passage, as a fraction of that before it
constexpr double tolerances_off = 10;      ///< what taking rows back may move, in tolerances
/// What rows left out may be off, in tolerances and in what others are: they follow from those with factors of ten and more.
constexpr double residuals_off = 100;

/// The distance from which a step over a position has an error below the tolerance, by one from a distance of τ.
double passable(double tau, const Attempt& attempt) {
  return tau * std::clamp(0.8 * std::pow(attempt.error, -1.0 / attempt.error_order), 0.2, 2.0);
}

/// Of σ that falls by σ' per time, the faster the faster the motion: |v| grows like 1 + ρ t, ρ = v·a/|v|², and
///   σ + σ' (t + ρ t²/2) = 0.
double time_to_zero(const RankWatch::Margin& margin, const MechanicalState& state) {
  const double steady = -margin.sigma / margin.rate, square = state.v.squaredNorm();
  const double growth = square > 0 ? std::max(state.v.dot(state.a) / square, 0.0) : 0;
  return 2 * steady / (1 + std::sqrt(1 + 2 * growth * steady));
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

/// σ falls by steep_ times the travel at most, as far as one look can tell.
bool Run::rank_look_due() const noexcept {
  if (!rank_watch_ || look_step_ == count_.accepted) return false;
  if (steep_ < 0 || count_.accepted - look_step_ >= steps_between_looks) return true;
  return (travel_ + reach * speed_ * usual_step()) * steep_ >= sigma_;
}

double Run::speed(In x) const noexcept {
  const Block& v = *moving_;
  return rank_watch_->speed(x.subspan(static_cast<std::size_t>(v.offset), static_cast<std::size_t>(v.size)),
                            v.name == "p");
}

bool Run::look_at_rows(const MechanicalState& state) {
  margin_ = rank_watch_->look(state, view(std::as_const(u_)), mechanics_->left_out(base()));
  if (!margin_.known) return false;
  sigma_ = margin_.sigma;
  travel_ = 0;
  speed_ = speed(x());
  // s' vanishes where σ is largest: there other rows say how soon it will not.
  const double pace = std::max(margin_.pace, 0.5 * margin_.turn);
  steep_ = speed_ > 0 ? std::max(pace / speed_, 0.7 * steep_) : -1;
  return true;
}

bool Run::stepped_over() {
  MechanicalState state;
  if (mechanics_->unpack(here(), view(std::as_const(w_)), state) != EvalStatus::ok) return false;
  const bool seen = look_step_ == -count_.accepted - 2;  // by crossed()
  look_step_ = count_.accepted;
  if (!seen && !look_at_rows(state)) return false;
  const auto margin = margin_;
  if (!(margin.rate < 0)) passage_failures_ = 0;  // the motion leads away
  if (margin.sigma < at_singularity && fresh_ && margin.pace > 0) {
    const double h = h_;
    for (double size = 0.1; size > 1e-4; size *= 0.4)
      if (h_ = size / margin.pace; passed(0) || !running_) return true;
    h_ = h;
    return false;
  }
  // From as far as a step over the position may be possible: near by, 1/σ times the errors of positions are those of velocities.
  sigma_mark_ = std::max(sigma_mark_, margin.sigma);
  const double far = std::max(4 * usual_step(), passage_tau_);
  const bool near = margin.rate < 0 && time_to_zero(margin, state) < far;
  if (!near && !(margin.rate < 0 && margin.sigma <= 0.5 * sigma_mark_)) return false;
  sigma_mark_ = margin.sigma;
  const auto ahead = singular_ahead(state, margin);
  if (!ahead || ahead->closest > (near ? perhaps_singular : surely_singular) || ahead->of_kept) return false;
  const double tau = ahead->tau;
  if (near && tau > far) return false;
  if (ahead->closest > surely_singular || (passage_tau_ > 0 && tau > 1.1 * passage_tau_ && !fixed())) {
    const double aim = ahead->closest > surely_singular ? 0.5 * tau : passage_tau_;
    h_ = std::min(h_, std::max(tau - aim, 0.3 * tau));
    return false;
  }
  return passed(tau);
}

bool Run::crossed(double h) {
  const double now = speed(stepper_->x());
  travel_ += h * std::max(now, speed_);
  speed_ = now;
  if (steep_ >= 0 && travel_ * steep_ <= sigma_) return false;
  const double t_begin = t_;
  MechanicalState state;
  const auto state_at = [&](double theta) {
    looked_ = false;
    t_ = t_begin + theta * h;
    look(theta);
    return mechanics_->unpack(here(), view(std::as_const(w_)), state) == EvalStatus::ok;
  };
  const auto at_end = [&] {
    t_ = t_begin;
    looked_ = false;
    return false;
  };
  if (!state_at(1) || !look_at_rows(state)) return at_end();
  look_step_ = -(count_.accepted + 1) - 2;
  const RankWatch::Margin end = margin_;
  if (!(end.rate * h > end.sigma)) return at_end();  // it did not vanish, or not in this step
  if (!state_at(0)) return at_end();
  const In left_out = mechanics_->left_out(base());
  const auto at_begin = rank_watch_->look(state, view(std::as_const(u_)), left_out);
  if (!at_begin.known) return at_end();
  const double begin = at_begin.sigma;
  double theta = 1 - end.sigma / (end.rate * h), closest = infinity, best = 0;
  for (int k = 0; k < searches && state_at(theta); ++k) {
    const auto found = rank_watch_->look(state, view(std::as_const(u_)), left_out);
    if (found.known && found.sigma < closest) {
      closest = found.sigma;
      best = theta;
    }
    const double change = found.rate == 0 ? 0 : -found.sigma / (found.rate * h);
    if (!found.known || std::abs(change) < 1e-2 * theta) break;
    theta = std::clamp(theta + change, 0.0, 1.0);
  }
  const double smaller = std::min(begin, end.sigma);
  // Passages of fixed size have no error control: only where the position is certain, and if one fits before the next stop.
  const double limit = fixed() ? surely_singular : perhaps_singular;
  t_ = t_begin;
  const bool fits = !fixed() || passage_step(best * h) > 0;
  if (!fits || closest > limit * smaller || (state_at(best) && of_kept(state, closest + 0.15 * smaller))) {
    (void)state_at(1);
    (void)look_at_rows(state);  // what the next look starts from
    return at_end();
  }
  sigma_ = begin;
  go_back(t_begin, best * h, h);
  return true;
}

void Run::go_back(double t, double tau, double h) {
  ++count_.rejected;
  looked_ = false;
  t_ = t;
  look(0);
  steep_ = -1;
  look_step_ = -1;
  const bool fresh = fresh_;
  (void)make_consistent_here({});
  if (!restart_stepper()) return;
  fresh_ = fresh;
  if (passed(tau) || !running_) return;
  if (fixed())
    return end(
        RunStatus::newton_diverged,
        fmt::format("at t = {} a step of {:.3g} crosses a singular position, at t = {:.6g}, in which {} depend on "
                    "each other, and no step over it succeeded",
                    t_, h, t_ + tau, rank_watch_->names()));
  h_ = std::min(h_, 0.5 * tau);
  tell_restart();
}

bool Run::of_kept(const MechanicalState& state, double below) {
  const In left_out = mechanics_->left_out(base());
  const auto n_left_out = std::ssize(left_out) - std::ranges::count(left_out, 0.0);
  return n_left_out > 0 && rank_watch_->dependent_rows(state, view(std::as_const(u_)), below) <= n_left_out;
}

std::optional<Run::Ahead> Run::singular_ahead(const MechanicalState& state, const RankWatch::Margin& margin) {
  const MechanicalSystem& system = mechanics_->system();
  ScratchMemory memory(system.scratch_bytes());
  Ahead ahead{.tau = time_to_zero(margin, state), .closest = 1};
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
  if (ahead.closest < perhaps_singular) ahead.of_kept = of_kept(best, (ahead.closest + 0.15) * margin.sigma);
  return ahead;
}

double Run::passage_step(double tau) {
  if (!passage_) passage_ = std::make_unique<PassageStepper>(problem_, *mechanics_, norm_);
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

double Run::sigma_on_passage(double theta, double h) {
  Vector x(dae_.size()), w(dae_.size());
  passage_->interpolate(theta, view(x), view(w));
  MechanicalState state;
  At at = here();
  at.t = t_ + theta * h;
  inputs(at.t, u_);
  at.x = view(std::as_const(x));
  at.base = passage_->base();
  if (mechanics_->unpack(at, view(std::as_const(w)), state) != EvalStatus::ok) return infinity;
  const auto margin = rank_watch_->look(state, at.u, mechanics_->left_out(at.base));
  return margin.known ? margin.sigma : infinity;
}

/// Far ahead Taylor's polynomial may find a position that the motion never reaches. σ falls about linearly to one that it does.
bool Run::meets_position(double tau, double h) {
  constexpr int samples = 10;
  if (sigma_on_passage(tau / h, h) <= perhaps_singular * sigma_) return true;
  for (int k = 1; k < samples; ++k)
    if (sigma_on_passage(static_cast<double>(k) / samples, h) <= perhaps_singular * sigma_) return true;
  return false;
}

bool Run::passed(double tau) {
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
  const bool found = attempt.status == StepStatus::ok && (fixed() || attempt.error <= 1) && tau > 0;
  const bool beside = !fixed() && found && sigma_on_passage(1, h) < smallest_landing * sigma_;
  if (found && !meets_position(tau, h)) {  // an ordinary step then
    ++count_.rejected;
    x_ = x_before;
    w_ = w_before;
    base_ = base_before;
    return false;
  }
  if (beside || attempt.status != StepStatus::ok || !std::isfinite(attempt.error) || (!fixed() && attempt.error > 1)) {
    if (begun) ++(attempt.status == StepStatus::ok ? count_.rejected : count_.failed);
    x_ = x_before;
    w_ = w_before;
    base_ = base_before;
    // Closer to the position a shorter step passes it.
    passage_tau_ = beside ? 0.7 * tau : attempt.status == StepStatus::ok ? passable(tau, attempt) : 0.4 * tau;
    if (tau > 0 && ++passage_failures_ > most_passage_failures) {
      end(RunStatus::newton_diverged,
          fmt::format("at t = {} no step over a singular position, at t = {:.6g}, in which {} depend on each other, "
                      "succeeded: the last, of {:.3g}, {}",
                      t_, t_ + tau, rows, h,
                      beside ? std::string("ends beside another one")
                      : attempt.status == StepStatus::ok
                          ? fmt::format("has an error {:.3g} times the tolerance", attempt.error)
                          : fmt::format("failed: {}", to_string(attempt.status))));
      return false;
    }
    if (!fixed() && tau > 0) h_ = std::min(h_, std::max(tau - passage_tau_, 0.3 * tau));
    steep_ = -1;
    return false;
  }
  if (passages_++ == 0) {
    first_passage_ = t_ + tau;
    passage_rows_ = rows;
  }
  passage_tau_ = passable(tau, attempt);
  passage_failures_ = 0;
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
  if (looked(events_.restart(t_, x(), base(), mode_)) && restart_stepper()) tell_restart();
}

}  // namespace rubato::detail
