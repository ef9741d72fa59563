#include "alpha_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hermite.hpp"
#include "newton_norm.hpp"
#include "rubato/problem/consistent.hpp"
#include "second_order_form.hpp"

namespace rubato {

namespace {

// Of Newton's iteration under error control, as a fraction of the tolerance. Of order 2 steps are many and their errors near the
// tolerance at any rtol: √rtol, as for methods of high order, would ask for digits that nobody sees.
constexpr double own_alpha_kappa = 0.01;
// Of errors over two steps, as a fraction of those over one: below, they alternate.
constexpr double alternates = 0.3;
// Corrections of a few rounding errors are no corrections.
constexpr double roundings_left = 4;

double alpha_kappa(const IntegrateOptions& options) {
  const bool given = options.newton.tolerance > 0 || options.step.fixed_step > 0;
  return given ? newton_kappa(options, step_tolerances(options).rtol) : own_alpha_kappa;
}

}  // namespace

Result<std::unique_ptr<Stepper>> AlphaStepper::create(const MethodInfo& info, const AlphaCoefficients& method,
                                                      const InitialValueProblem& problem,
                                                      const IntegrateOptions& options) {
  const auto form = second_order_form(info.name, *problem.dae);
  if (!form) return form.error();
  SecondOrderForm mine = *form;
  mine.positions.weight = method.gamma * method.gamma * (1 - method.alpha_f) / (method.beta * (1 - method.alpha_m));
  auto system = SteppedSystem::create(problem, options, {.real = 1, .complex = 0});
  if (!system) return Error{fmt::format("method {}: {}", info.name, system.error().message)};
  (*system)->set_position_rows(mine.positions);
  return std::unique_ptr<Stepper>(new AlphaStepper(method, problem, options, mine, std::move(*system)));
}

AlphaStepper::AlphaStepper(const AlphaCoefficients& method, const InitialValueProblem& problem,
                           const IntegrateOptions& options, const SecondOrderForm& form,
                           std::unique_ptr<SteppedSystem> system)
    : method_(method),
      problem_(problem),
      positions_(form.positions),
      form_(form),
      system_(std::move(system)),
      options_(options),
      norm_(problem.dae->layout(), step_tolerances(options), options.step),
      newton_norm_(problem.dae->layout(), step_tolerances(options),
                   newton_norm_options(options.step, options.newton.norm, problem.dae->layout())),
      kappa_(alpha_kappa(options)),
      jacobian_reuse_(jacobian_reuse(options)),
      constant_mass_(problem.dae->constant_mass()),
      x_(problem.x),
      t_(problem.t_start) {
  const int n = system_->size();
  for (Vector* v : {&w_, &a_, &jerk_, &smooth_jerk_, &chart_, &start_, &w_start_, &x0_, &a0_, &trial_, &trial_w_,
                    &trial_a_, &f_, &r_, &dx_, &error_, &weights_, &work_})
    v->setZero(n);
  for (int i = 0; i < n; ++i) {
    const bool algebraic = problem.dae->layout().kind(i) == Kind::algebraic;
    const bool position = i >= positions_.q && i < positions_.q + positions_.n;
    algebraic_.push_back(algebraic);
    first_order_.push_back(!algebraic && !position);
  }
  // v is measured whole where the layout gives it a power of h for the sake of constraints, and the run does not choose.
  const Block* const v = problem.dae->layout().find("v");
  whole_velocities_ = positions_.n > 0 && v->h_power > 0 && options.step.h_power_of.empty();
  // With fixed steps Newton goes on to rounding, which in v is that of q divided by h.
  const bool in_newton = options.newton.norm == NewtonNorm::error && !(options.step.fixed_step > 0);
  for (int i = 0; whole_velocities_ && i < positions_.n; ++i) {
    norm_.set_power(positions_.v + i, 0);
    if (in_newton) newton_norm_.set_power(positions_.v + i, 0);
  }
  rates_.setZero(form_.n_lambda);
  constraints_.reserve(static_cast<std::size_t>(form_.n_lambda));
}

void AlphaStepper::find_constraints(In base) noexcept {
  constraints_.clear();
  const In left_out = form_.formulated != nullptr ? form_.formulated->left_out(base) : In{};
  for (int i = 0; i < form_.n_lambda; ++i)
    if (left_out.empty() || left_out[static_cast<std::size_t>(i)] == 0) constraints_.push_back(form_.lambda + i);
}

StepStatus AlphaStepper::restart(double t, In x, In w, In base, int mode) {
  x_ = map(x);
  w_.setZero();
  if (w.size() == x.size()) w_ = map(w);
  t_ = t;
  if (!system_->restart(t, view(x_), base, mode)) return StepStatus::fatal;
  find_constraints(base);
  if (!system_->base().empty()) system_->rebase(view(x_));
  first_ = true;
  h_before_ = 0;
  jacobian_usable_ = false;
  factored_h_ = 0;
  jerk_.setZero();
  chart_.setZero();
  InitialValueProblem here = problem_;
  here.t_start = t_;
  here.x = x_;
  here.w = w_;
  here.base = map(system_->base());
  here.mode = mode;
  differentiate_start(here);
  smooth_jerk_ = jerk_;
  for (int i = 0; i < w_.size(); ++i)
    if (algebraic_[static_cast<std::size_t>(i)]) w_[i] = 0;
  a_ = w_;
  return StepStatus::ok;
}

/// w and its derivative: two consistent x', a moment apart. Where the model allows none, w stays and its derivative is taken
/// as zero: an error O(h) of a₀, felt as O(h²) in q and v.
void AlphaStepper::differentiate_start(const InitialValueProblem& problem) {
  const ConsistentOptions in_place{.project_positions = false, .project_velocities = false};
  InitialValueProblem now = problem;
  if (!make_consistent(now, in_place) || now.w.size() != w_.size() || !now.w.allFinite()) return;
  w_ = now.w;
  double h = options_.step.fixed_step > 0 ? options_.step.fixed_step : options_.step.initial_step;
  if (!(h > 0)) h = 1e-4 * (problem.t_end - problem_.t_start);
  const double moment = std::max(1e-5 * h, 1e4 * std::numeric_limits<double>::epsilon() * std::abs(problem.t_start));
  InitialValueProblem later = problem;
  later.t_start += moment;
  later.t_end = std::max(later.t_end, later.t_start + moment);
  for (int i = 0; i < w_.size(); ++i)
    if (!algebraic_[static_cast<std::size_t>(i)]) later.x[i] += moment * w_[i];
  later.w = w_;
  if (!make_consistent(later, in_place) || later.w.size() != w_.size() || !later.w.allFinite()) return;
  jerk_ = (later.w - w_) / moment;
  for (int i = 0; i < jerk_.size(); ++i)
    if (!first_order_[static_cast<std::size_t>(i)]) jerk_[i] = 0;
}

/// v̈ at a start says nothing where it belongs to a vibration the step does not resolve.
bool AlphaStepper::resolved(double h) const noexcept {
  double jerk = 0, size = 0;
  for (int i = 0; i < jerk_.size(); ++i) {
    if (!first_order_[static_cast<std::size_t>(i)]) continue;
    jerk = std::max(jerk, std::abs(jerk_[i]));
    size = std::max({size, std::abs(x_[i]), h * std::abs(w_[i])});
  }
  return h * h * jerk <= size;
}

/// a₀ of (2), and x₀ without its correction.
void AlphaStepper::begin(double h) noexcept {
  x0_ = x_;
  a0_ = a_;
  if (first_ && !resolved(h)) return;
  a0_ += (method_.shift() * (h - h_before_)) * smooth_jerk_;
}

/// a₁ and λ₁ continued from the last step.
void AlphaStepper::predict(double h) noexcept {
  const bool extrapolates = options_.newton.extrapolate && !(first_ && !resolved(h));
  for (int i = 0; i < x_.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (algebraic_[k]) trial_[i] = x_[i] + (extrapolates ? h * w_[i] : 0);
    if (first_order_[k]) trial_a_[i] = a0_[i] + (extrapolates ? h * jerk_[i] : 0);
  }
  follow(h);
}

/// x₁ and v̇₁, ż₁ of the present a₁.
void AlphaStepper::follow(double h) noexcept {
  const AlphaCoefficients& m = method_;
  for (int i = 0; i < x_.size(); ++i) {
    if (!first_order_[static_cast<std::size_t>(i)]) continue;
    trial_[i] = x0_[i] + h * ((1 - m.gamma) * a0_[i] + m.gamma * trial_a_[i]);
    trial_w_[i] = ((1 - m.alpha_m) * trial_a_[i] + m.alpha_m * a0_[i] - m.alpha_f * w_[i]) / (1 - m.alpha_f);
  }
  for (int i = 0; i < positions_.n; ++i) {
    const int q = positions_.q + i, v = positions_.v + i;
    trial_[q] = x_[q] + h * x0_[v] + h * h * ((0.5 - m.beta) * a0_[v] + m.beta * trial_a_[v]);
    trial_w_[q] = 0;  // not a row of (1)
  }
}

/// J at the predicted end of the step, and the factor for h.
StepStatus AlphaStepper::prepare(double t, double h) noexcept {
  begin(h);
  predict(h);
  if (!jacobian_usable_) {
    factored_h_ = 0;
    if (const StepStatus status = system_->linearise(t + h, view(trial_), view(trial_w_), {}); status != StepStatus::ok)
      return status;
    jacobian_usable_ = true;
  }
  if (factored_h_ != h) {
    factored_h_ = 0;
    if (const StepStatus status = system_->factor(c_v(h)); status != StepStatus::ok) return status;
    factored_h_ = h;
  }
  const bool other_size = std::abs(h - h_before_) > 1e-6 * h;  // more than rounding
  if (!constraints_.empty() && other_size && !(first_ && !resolved(h))) {
    if (const StepStatus status = chart_rates(t, h); status != StepStatus::ok) return status;
    if (const StepStatus status = correct_velocities(t, h); status != StepStatus::ok) return status;
    predict(h);
  }
  return StepStatus::ok;
}

/// At a start chart_ has no step behind it: taken from the predicted one.
StepStatus AlphaStepper::chart_rates(double t, double h) noexcept {
  if (!first_ || system_->base().empty()) return StepStatus::ok;
  if (const EvalStatus status = system_->f(t + h, view(trial_), view(f_)); status != EvalStatus::ok)
    return step_status(status);
  q_part(chart_) = (q_part(f_) - v_part(trial_)) / (3 * h * h);
  return StepStatus::ok;
}

/// v₀ of (2): the step matrix with −(G(v₀ − h²S) + g_t) in the rows of constraints gives the shortest way there, in the
/// norm of M, in its part for q.
StepStatus AlphaStepper::correct_velocities(double t, double h) noexcept {
  work_ = x0_;
  v_part(work_) -= (h * h) * (method_.position_error() * v_part(smooth_jerk_) + q_part(chart_));
  const At& at = system_->at(t, view(std::as_const(work_)));
  const auto n = static_cast<std::size_t>(positions_.n);
  const MechanicalPoint<double> point{.t = t,
                                      .q = at.x.subspan(static_cast<std::size_t>(positions_.q), n),
                                      .v = at.x.subspan(static_cast<std::size_t>(positions_.v), n),
                                      .z = {},
                                      .lambda = at.x.subspan(static_cast<std::size_t>(form_.lambda), rates_.size()),
                                      .nu = {},
                                      .u = at.u,
                                      .base = at.base,
                                      .mode = at.mode,
                                      .scratch = at.scratch};
  if (const EvalStatus status = form_.constrained->constraint_rate(point, view(rates_)); status != EvalStatus::ok)
    return step_status(status);
  r_.setZero();
  for (const int i : constraints_) r_[i] = -rates_[i - form_.lambda];
  system_->solve(view(std::as_const(r_)), view(dx_));
  v_part(x0_) -= q_part(dx_);
  return StepStatus::ok;
}

/// Right minus left of (1); Newmark's formulas hold exactly.
StepStatus AlphaStepper::residual(double t) noexcept {
  if (const EvalStatus status = system_->f(t, view(trial_), view(f_)); status != EvalStatus::ok)
    return step_status(status);
  if (constant_mass_) {
    system_->matrix().add_B_times(view(std::as_const(f_)), -1, view(std::as_const(trial_w_)), view(r_));
  } else {
    if (const EvalStatus status = system_->mass_times(t, view(trial_), view(trial_w_), view(work_));
        status != EvalStatus::ok)
      return step_status(status);
    r_ = f_ - work_;
  }
  q_part(r_).setZero();
  return StepStatus::ok;
}

/// What rounding errors of q₁ and z₁ leave of a correction: those of q are c_q times larger in v, where constraints bring them there.
/// Increments of charts are small themselves, what they turn is not.
double AlphaStepper::rounding(double h) noexcept {
  constexpr double u = std::numeric_limits<double>::epsilon();
  work_ = u * x_.cwiseAbs();
  if (positions_.n > 0) {
    const double q = u * std::max(q_part(x_).lpNorm<Eigen::Infinity>(), system_->base().empty() ? 0.0 : 1.0);
    q_part(work_).setConstant(q);
    if (!constraints_.empty()) v_part(work_).array() += c_q(h) * q;
  }
  return newton_norm_.weighted(view(work_), view(weights_));
}

StepStatus AlphaStepper::iterate(double t, double h, Attempt& attempt) noexcept {
  const bool patient = options_.step.fixed_step > 0;
  const int k_max = options_.newton.max_iterations > 0 ? options_.newton.max_iterations : patient ? 50 : 7;
  newton_weights(*system_, newton_norm_, view(x_), h, view(weights_));
  const double kappa = patient ? kappa_ : std::max(kappa_, roundings_left * rounding(h));
  newton_.start(k_max, kappa, first_ || patient, patient);
  const double per_a = 1 / (h * method_.gamma);
  for (;;) {
    if (const StepStatus status = residual(t + h); status != StepStatus::ok) {
      attempt.retry_factor = 0.5;
      return status;
    }
    if (options_.newton.full && newton_.iterations() > 0) {
      if (const StepStatus status = system_->linearise(t + h, view(trial_), view(trial_w_), {});
          status != StepStatus::ok)
        return status;
      if (const StepStatus status = system_->factor(c_v(h)); status != StepStatus::ok) return status;
    }
    system_->solve(view(std::as_const(r_)), view(dx_));
    ++system_->counters.newton_iterations;
    const double d = newton_norm_.weighted(view(dx_), view(weights_));
    const auto verdict = newton_.after(d);
    if (!std::isfinite(d) && !r_.allFinite()) {  // the model's doing, not the iteration's
      attempt.retry_factor = 0.5;
      return StepStatus::not_finite;
    }
    if (verdict == NewtonControl::Verdict::diverged || verdict == NewtonControl::Verdict::slow) {
      attempt.retry_factor = newton_.retry_factor(verdict);
      return StepStatus::newton_diverged;
    }
    for (int i = 0; i < x_.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (algebraic_[k]) trial_[i] += dx_[i];
      if (first_order_[k]) trial_a_[i] += per_a * dx_[i];
    }
    follow(h);
    if (verdict == NewtonControl::Verdict::converged) break;
  }
  attempt.caution = std::min(1.0, (2.0 * k_max + 1) / (2.0 * k_max + newton_.iterations()));
  return StepStatus::ok;
}

/// (3). Velocities normal to constraints at position level are no errors of the motion, those along them are, whole: they
/// are filtered as positions are, F of (4).
void AlphaStepper::filter(double h) noexcept {
  system_->matrix().multiply_B(view(std::as_const(error_)), view(r_));
  r_ *= c_v(h);
  if (positions_.n > 0) q_part(r_) = c_q(h) * q_part(error_) - v_part(error_);
  if (!whole_velocities_) {
    system_->solve(view(std::as_const(r_)), view(error_));
    return;
  }
  work_.setZero();
  v_part(work_) = (c_q(h)) * v_part(r_);
  system_->solve(view(std::as_const(r_)), view(error_));
  system_->solve(view(std::as_const(work_)), view(dx_));
  v_part(error_) = q_part(dx_);
}

/// d_q and d_v, or with (5) in place of a₁ − a₀.
void AlphaStepper::find_defects(double h, bool of_two_steps) noexcept {
  const double d = method_.first_velocity_error() * h, e = method_.velocity_error() * 2 * h * h * h / (h + h_before_);
  const auto change = [&](int i) {
    const double one = trial_a_[i] - a0_[i];
    return of_two_steps ? h * (one + h_before_ * jerk_[i]) / (h + h_before_) : one;
  };
  const Vector& before = of_two_steps ? smooth_jerk_ : jerk_;
  error_.setZero();
  for (int i = 0; i < x_.size(); ++i)
    if (first_order_[static_cast<std::size_t>(i)]) error_[i] = d * change(i) + e * (change(i) / h - before[i]);
  for (int i = 0; i < positions_.n; ++i)
    error_[positions_.q + i] = method_.position_error() * h * h * change(positions_.v + i);
}

/// (3) in the error norm.
void AlphaStepper::estimate(double h, Attempt& attempt) noexcept {
  attempt.error_order = method_.second_order() ? 3 : 2;
  if (options_.step.fixed_step > 0) return;
  const auto size = [&] { return norm_(view(error_), view(x_), view(trial_), h); };
  const bool filters = options_.runge_kutta.estimate != ErrorEstimate::plain;
  find_defects(h, filters && whole_velocities_);
  if (filters) filter(h);
  if (filters && whole_velocities_) {
    const double over_two = size();
    find_defects(h, false);
    filter(h);
    if (over_two < alternates * size()) filter(h);
  }
  attempt.error = std::max(size(), 1e-10);
  if (first_ && attempt.error > 1) attempt.retry_factor = 0.1;
}

Attempt AlphaStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  has_trial_ = diverged_ = false;
  bool old_jacobian = false;
  do {  // once more where J was an old one
    old_jacobian = jacobian_usable_;
    result.status = prepare(t, h);
    if (result.status != StepStatus::ok) result.retry_factor = 0.5;
    if (result.status == StepStatus::ok) result.status = iterate(t, h, result);
    if (result.status != StepStatus::ok) jacobian_usable_ = false;
  } while (result.status == StepStatus::newton_diverged && old_jacobian);
  diverged_ = result.status == StepStatus::newton_diverged;
  if (result.status != StepStatus::ok) return result;
  result.retry_factor = 0;
  has_trial_ = true;
  estimate(h, result);
  if (!trial_.allFinite()) result.status = StepStatus::not_finite;
  if (options_.newton.limit_growth) result.largest_factor = newton_limit_.largest_factor(h, newton_.contraction());
  result.keeps_factor = newton_.contraction() <= jacobian_reuse_;
  return result;
}

void AlphaStepper::commit() noexcept {
  start_.swap(x_);
  w_start_.swap(w_);
  x_.swap(trial_);
  w_.swap(trial_w_);
  const double old_share = first_ ? 0.5 : h_before_ / (h_before_ + h_);
  smooth_jerk_ = old_share * jerk_;
  jerk_ = (trial_a_ - a0_) / h_;
  a_.swap(trial_a_);
  for (int i = 0; i < x_.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (algebraic_[k]) w_[i] = (x_[i] - start_[i]) / h_;
    if (!first_order_[k]) jerk_[i] = 0;
  }
  smooth_jerk_ += (1 - old_share) * jerk_;
  if (positions_.n > 0) {
    q_part(w_) = system_->base().empty() ? v_part(x_) : q_part(f_);
    q_part(chart_) = (q_part(w_) - v_part(x_)) / (3 * h_ * h_);
  }
  t_ += h_;
  h_before_ = h_last_ = h_;
  newton_.commit();
  newton_limit_.accepted(h_, newton_.contraction());
  jacobian_usable_ = !options_.newton.full && newton_.contraction() <= jacobian_reuse_;
  first_ = false;
}

void AlphaStepper::discard() noexcept {
  jacobian_usable_ = jacobian_usable_ && has_trial_ && newton_.contraction() <= jacobian_reuse_;
  if (!has_trial_) newton_limit_.failed(h_);
}

/// Cubic from values and derivatives at both ends; algebraic unknowns linear.
void AlphaStepper::interpolate(double theta, Out x, Out w) const noexcept {
  for (int i = 0; i < x_.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Hermite cubic{.x0 = start_[i], .x1 = x_[i], .w0 = w_start_[i], .w1 = w_[i], .h = h_last_};
    const bool linear = algebraic_[k] != 0 && theta != 1;
    x[k] = linear ? start_[i] + theta * (x_[i] - start_[i]) : cubic.value(theta);
    if (!w.empty()) w[k] = linear ? (x_[i] - start_[i]) / h_last_ : cubic.slope(theta);
  }
}

void AlphaStepper::rebase() noexcept {
  if (system_->base().empty()) return;
  system_->rebase(view(x_));
  if (positions_.n > 0) q_part(w_) = v_part(x_);
}

void AlphaStepper::renew() {
  system_->renew(t_, view(x_));
  jacobian_usable_ = false;
  factored_h_ = 0;
}

void AlphaStepper::save(ArchiveWriter& out) const {
  for (const Vector* v : {&x_, &w_, &a_, &jerk_, &smooth_jerk_, &chart_}) out.put(view(*v));
  system_->save(out);
  newton_.save(out);
  newton_limit_.save(out);
  for (const double value : {t_, h_before_}) out.put(value);
  out.put(first_);
}

bool AlphaStepper::load(ArchiveReader& in) {
  for (Vector* v : {&x_, &w_, &a_, &jerk_, &smooth_jerk_, &chart_}) in.get(view(*v));
  system_->load(in);
  newton_.load(in);
  newton_limit_.load(in);
  for (double* value : {&t_, &h_before_}) in.get(*value);
  in.get(first_);
  if (!in.ok()) return false;
  find_constraints(system_->base());
  renew();
  return true;
}

int AlphaStepper::worst_component() const noexcept {
  if (diverged_) return largest_share(view(dx_), view(weights_));
  return has_trial_ && options_.step.fixed_step == 0 ? norm_.worst(view(error_), view(x_), view(trial_), h_) : -1;
}

}  // namespace rubato
