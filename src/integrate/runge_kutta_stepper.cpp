#include "runge_kutta_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

/// rtol' = 0.1 rtol^((s+1)/(2s)), atol' = rtol' atol/rtol.
Tolerances mapped(const Tolerances& tolerances, int s) {
  const double exponent = (s + 1.0) / (2.0 * s);
  Tolerances result = tolerances;
  const double base = tolerances.rtol > 0 ? tolerances.rtol : tolerances.atol;
  const double factor = base > 0 ? 0.1 * std::pow(base, exponent) / base : 1;
  result.rtol *= factor;
  result.atol *= factor;
  for (auto& [name, atol] : result.atol_of) atol *= factor;
  return result;
}

/// Without error control the tolerances say nothing: the iteration goes on until hardly anything is left to correct.
constexpr double fixed_step_tolerance = 1e-10;

Tolerances for_steps(const IntegrateOptions& options, const RungeKuttaTable& table, int index) {
  if (options.step.fixed_step > 0) return {.rtol = fixed_step_tolerance, .atol = fixed_step_tolerance};
  const bool radau = table.family == RungeKuttaFamily::radau_iia;
  return options.runge_kutta.map_tolerances && radau && index < 3 ? mapped(options.tolerances, table.s)
                                                                  : options.tolerances;
}

StepOptions for_newton(StepOptions step, NewtonNorm norm, const Layout& layout) {
  if (norm == NewtonNorm::plain) step.h_scaling = false;
  if (norm != NewtonNorm::error) step.h_power_of.clear();
  if (norm == NewtonNorm::h_norm) {
    step.h_scaling = true;
    for (const Block& block : layout.blocks()) {
      if (block.unknown == ScaledUnknown::velocity) step.h_power_of.emplace_back(block.name, 1);
      if (block.unknown == ScaledUnknown::acceleration || block.unknown == ScaledUnknown::force)
        step.h_power_of.emplace_back(block.name, 2);
    }
  }
  return step;
}

double kappa(const IntegrateOptions& options, double rtol) {
  if (options.newton.tolerance > 0) return options.newton.tolerance;
  if (options.step.fixed_step > 0) return 1e-3;  // 1e-13 of the unknowns
  const double u = std::numeric_limits<double>::epsilon();
  return rtol > 0 ? std::max(10 * u / rtol, std::min(0.03, std::sqrt(rtol))) : 0.03;
}

/// The filter shares the factor of the real mode; where there is none, or another γ₀ was asked for, it has its own.
int filter_slot(const StageScheme& scheme) noexcept {
  const bool shared = !scheme.real.empty() && scheme.gamma0 == 1 / scheme.real.front().lambda;
  return shared ? 0 : static_cast<int>(scheme.real.size());
}

}  // namespace

Result<std::unique_ptr<Stepper>> RungeKuttaStepper::create(std::span<const RungeKuttaTable> tables, int first,
                                                           const InitialValueProblem& problem,
                                                           const IntegrateOptions& options) {
  std::vector<StageScheme> schemes;
  std::size_t pairs = 0;
  for (const auto& table : tables) {
    auto scheme = StageScheme::create(table);
    if (!scheme) return scheme.error();
    pairs = std::max(pairs, scheme->pairs.size());
    schemes.push_back(std::move(*scheme));
  }
  int reals = 1;
  for (auto& scheme : schemes) {
    if (options.runge_kutta.gamma0 > 0) scheme.gamma0 = options.runge_kutta.gamma0;
    reals = std::max({reals, static_cast<int>(scheme.real.size()), filter_slot(scheme) + 1});
  }
  auto system = SteppedSystem::create(problem, options, {.real = reals, .complex = static_cast<int>(pairs)});
  if (!system) return Error{fmt::format("method {}: {}", tables.front().name(), system.error().message)};
  return std::unique_ptr<Stepper>(
      new RungeKuttaStepper(std::move(schemes), first, problem, options, std::move(*system)));
}

RungeKuttaStepper::RungeKuttaStepper(std::vector<StageScheme> schemes, int first, const InitialValueProblem& problem,
                                     const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system)
    : schemes_(std::move(schemes)),
      level_(first),
      system_(std::move(system)),
      options_(options),
      norm_(problem.dae->layout(), for_steps(options, scheme().table, problem.dae->layout().index()), options.step),
      newton_norm_(problem.dae->layout(), for_steps(options, scheme().table, problem.dae->layout().index()),
                   for_newton(options.step, options.newton.norm, problem.dae->layout())),
      kappa_(kappa(options, for_steps(options, scheme().table, problem.dae->layout().index()).rtol)),
      detector_(options.stiffness, problem.dae->layout()),
      x_(problem.x),
      t_(problem.t_start),
      constant_mass_(problem.dae->constant_mass()) {
  const int n = system_->size();
  int s = 0;
  for (const auto& scheme : schemes_) {
    s = std::max(s, scheme.s);
    extra_rows_.push_back(scheme.table.c[0] > 0
                              ? Vector()
                              : embedded_lobatto(scheme.table, options.runge_kutta.alpha0, scheme.gamma0).row);
  }
  for (Vector* v : {&w_, &f0_, &start_, &trial_, &weights_, &stage_, &slope_, &rho_, &nu_, &first_nu_, &mu_})
    v->setZero(n);
  z_old_.setZero(n, s + 1);
  z_.setZero(n, s + 1);
  r_.setZero(n, s);
  k_.setZero(n, s);
  dz_.setZero(n, s);
  complex_rhs_.setZero(n);
  for (int i = 0; i < n; ++i) base_powers_.push_back(norm_.power(i));
}

StepStatus RungeKuttaStepper::restart(double t, In x, In w, In base, int mode) {
  const bool same_mode = mode == system_->mode();
  x_ = map(x);
  w_.setZero();
  if (w.size() == x.size()) w_ = map(w);
  t_ = t;
  if (!system_->restart(t, view(x_), base, mode)) return StepStatus::fatal;
  first_ = true;
  has_old_ = false;
  after_rejection_ = false;
  f0_valid_ = jacobian_current_ = false;
  jacobian_usable_ = jacobian_usable_ && same_mode;  // an event that changes little leaves J good enough
  if (!jacobian_usable_) factored_h_ = 0;
  if (detector_.looking()) {
    if (const StepStatus status = prepare_jacobian(t); status != StepStatus::ok) return status;
    const double h = options_.step.initial_step > 0 ? options_.step.initial_step : 0.1 * options_.step.reference_time;
    const Linearisation& l = system_->linearisation();
    detector_.choose_candidates(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass(), 1 / h);
    detector_.linearised(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass());
  }
  return StepStatus::ok;
}

/// f₀ and J.
StepStatus RungeKuttaStepper::prepare_jacobian(double t) noexcept {
  if (!f0_valid_) {
    if (const EvalStatus status = system_->f(t, view(x_), view(f0_)); status != EvalStatus::ok)
      return step_status(status);
    f0_valid_ = true;
  }
  if (jacobian_usable_) return StepStatus::ok;
  jacobian_current_ = false;
  factored_h_ = 0;
  if (const StepStatus status = system_->linearise(t, view(x_), view(w_), view(f0_)); status != StepStatus::ok)
    return status;
  jacobian_current_ = jacobian_usable_ = true;
  const Linearisation& l = system_->linearisation();
  detector_.linearised(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass());
  return StepStatus::ok;
}

/// f₀, J and the factors for this h and scheme.
StepStatus RungeKuttaStepper::prepare(double t, double h) noexcept {
  if (const StepStatus status = prepare_jacobian(t); status != StepStatus::ok) return status;
  if (factored_h_ == h && factored_level_ == level_) return StepStatus::ok;
  factored_h_ = 0;
  const StageScheme& s = scheme();
  for (std::size_t k = 0; k < s.real.size(); ++k)
    if (const StepStatus status = system_->factor(s.real[k].lambda / h, static_cast<int>(k)); status != StepStatus::ok)
      return status;
  for (std::size_t k = 0; k < s.pairs.size(); ++k)
    if (const StepStatus status = system_->factor(s.pairs[k].lambda / h, static_cast<int>(k)); status != StepStatus::ok)
      return status;
  if (const int slot = filter_slot(s); slot == static_cast<int>(s.real.size()) && options_.step.fixed_step == 0)
    if (const StepStatus status = system_->factor(1 / (s.gamma0 * h), slot); status != StepStatus::ok) return status;
  factored_h_ = h;
  factored_level_ = level_;
  return StepStatus::ok;
}

/// Starting values: the polynomial of the last step, continued.
void RungeKuttaStepper::predict(double h) noexcept {
  const StageScheme& s = scheme();
  if (!has_old_ || !options_.newton.extrapolate) {
    z_.setZero();
    return;
  }
  const StageScheme& old = schemes_[static_cast<std::size_t>(level_old_)];
  double weights[max_runge_kutta_stages + 1];
  for (int i = 0; i < s.s; ++i) {
    old.dense_weights(1 + s.table.c[i] * h / h_old_, weights, nullptr);
    weights[old.degree() - 1] -= 1;  // relative to the end of that step
    auto z = z_.col(i);
    z.setZero();
    for (int k = 0; k < old.degree(); ++k) z += weights[k] * z_old_.col(old.nodes[static_cast<std::size_t>(k)]);
  }
}

/// (1) into r_, K_i into k_.
StepStatus RungeKuttaStepper::residual(double t, double h) noexcept {
  const StageScheme& s = scheme();
  const double inverse_h = 1 / h;
  for (int i = 0; i < s.s; ++i) {
    auto k = k_.col(i);
    k = (inverse_h * s.A_inverse(i, 0)) * z_.col(0);
    for (int j = 1; j < s.s; ++j) k += (inverse_h * s.A_inverse(i, j)) * z_.col(j);
    stage_ = x_ + z_.col(i);
    const double ti = t + s.table.c[i] * h;
    if (const EvalStatus status = system_->f(ti, view(stage_), view(rho_)); status != EvalStatus::ok)
      return step_status(status);
    if (constant_mass_) {
      system_->matrix().add_B_times(view(rho_), -1, column(k_, i), column(r_, i));
    } else {
      if (const EvalStatus status = system_->mass_times(ti, view(stage_), column(k_, i), column(r_, i));
          status != EvalStatus::ok)
        return step_status(status);
      r_.col(i) = rho_ - r_.col(i);
    }
  }
  return StepStatus::ok;
}

/// ΔZ from r_: stage_scheme.hpp (2).
void RungeKuttaStepper::correct() noexcept {
  const StageScheme& s = scheme();
  dz_.leftCols(s.s).setZero();
  for (std::size_t m = 0; m < s.real.size(); ++m) {
    const auto& mode = s.real[m];
    rho_ = mode.from[0] * r_.col(0);
    for (int i = 1; i < s.s; ++i) rho_ += mode.from[i] * r_.col(i);
    system_->solve(view(std::as_const(rho_)), view(rho_), static_cast<int>(m));
    for (int i = 0; i < s.s; ++i) dz_.col(i) += mode.to[i] * rho_;
  }
  const auto n = static_cast<std::size_t>(complex_rhs_.size());
  for (std::size_t m = 0; m < s.pairs.size(); ++m) {
    const auto& mode = s.pairs[m];
    complex_rhs_ = mode.from[0] * r_.col(0);
    for (int i = 1; i < s.s; ++i) complex_rhs_ += mode.from[i] * r_.col(i);
    system_->solve(ComplexIn(complex_rhs_.data(), n), ComplexOut(complex_rhs_.data(), n), static_cast<int>(m));
    for (int i = 0; i < s.s; ++i)
      dz_.col(i) += mode.to[i].real() * complex_rhs_.real() - mode.to[i].imag() * complex_rhs_.imag();
  }
}

StepStatus RungeKuttaStepper::iterate(double t, double h, Attempt& attempt) noexcept {
  const StageScheme& s = scheme();
  const bool patient = options_.step.fixed_step > 0;
  const int own = patient ? 50 : 7 + 5 * std::max(s.s - 3, 0) / 2;
  const int k_max = options_.newton.max_iterations > 0 ? options_.newton.max_iterations : own;
  newton_norm_.weights(view(x_), h, view(weights_));
  newton_.start(k_max, kappa_, first_ || patient, patient);
  for (;;) {
    if (const StepStatus status = residual(t, h); status != StepStatus::ok) {
      attempt.retry_factor = 0.5;
      return status;
    }
    correct();
    ++system_->counters.newton_iterations;
    double squares = 0;
    for (int i = 0; i < s.s; ++i) {
      const double d = newton_norm_.weighted(column(dz_, i), view(weights_));
      squares += d * d;
    }
    const auto verdict = newton_.after(std::sqrt(squares / s.s));
    if (verdict == NewtonControl::Verdict::diverged || verdict == NewtonControl::Verdict::slow) {
      attempt.retry_factor = newton_.retry_factor(verdict);
      return StepStatus::newton_diverged;
    }
    z_.leftCols(s.s) += dz_.leftCols(s.s);
    if (verdict == NewtonControl::Verdict::converged) break;
  }
  attempt.caution = std::min(1.0, (2.0 * k_max + 1) / (2.0 * k_max + newton_.iterations()));
  return StepStatus::ok;
}

/// ρ of (2) or (3) into rho_, the state moved by `shift` (empty: not).
EvalStatus RungeKuttaStepper::estimate_residual(double t, double h, In shift) noexcept {
  const StageScheme& s = scheme();
  const Vector& row = extra_rows_[static_cast<std::size_t>(level_)];
  EvalStatus status = EvalStatus::ok;
  slope_.setZero();
  stage_ = x_;
  if (!shift.empty()) stage_ += map(shift);
  if (row.size() == 0) {
    for (int k = 0; k < s.degree(); ++k) slope_ += (s.powers(k, 0) / h) * z_.col(s.nodes[static_cast<std::size_t>(k)]);
    if (shift.empty())
      rho_ = f0_;
    else
      status = system_->f(t, view(stage_), view(rho_));
  } else {
    for (int j = 0; j < s.s; ++j) {
      slope_ += (s.A_inverse(0, j) / h) * z_.col(j);
      const double weight = row.dot(s.A_inverse.col(j));  // Z₀ = Σ_i row_i Σ_j (A⁻¹)_ij Z_j
      if (weight != 0) stage_ += weight * z_.col(j);
    }
    status = system_->f(t, view(stage_), view(rho_));
  }
  if (status != EvalStatus::ok) return status;
  if (constant_mass_) {
    system_->matrix().add_B_times(view(rho_), -1, view(slope_), view(rho_));
  } else {
    status = system_->mass_times(t, view(x_), view(slope_), view(stage_));
    rho_ -= stage_;
  }
  return status;
}

StepStatus RungeKuttaStepper::estimate(double t, double h, Attempt& attempt) noexcept {
  const StageScheme& s = scheme();
  attempt.error_order = extra_rows_[static_cast<std::size_t>(level_)].size() == 0 ? s.degree() + 1 : s.s + 1;
  if (options_.step.fixed_step > 0) return StepStatus::ok;
  const int slot = filter_slot(s);
  if (const EvalStatus status = estimate_residual(t, h, {}); status != EvalStatus::ok) return step_status(status);
  system_->solve(view(std::as_const(rho_)), view(nu_), slot);
  if (detector_.looking()) {
    mu_ = (s.gamma0 * h) * rho_;
    first_nu_ = nu_;
    if (!options_.stiffness.accepted_only) observe(false);
  }
  const bool plain = options_.runge_kutta.estimate == ErrorEstimate::plain;
  if (plain) nu_ = (s.gamma0 * h) * rho_;
  double error = norm_(view(nu_), view(x_), view(trial_), h);
  if (error > 1 && !plain && (first_ || after_rejection_) && std::isfinite(error) &&
      estimate_residual(t, h, view(nu_)) == EvalStatus::ok) {
    system_->solve(view(std::as_const(rho_)), view(nu_), slot);
    error = norm_(view(nu_), view(x_), view(trial_), h);
  }
  attempt.error = std::max(error, 1e-10);
  if (first_ && error > 1) attempt.retry_factor = 0.1;
  return StepStatus::ok;
}

Attempt RungeKuttaStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  has_trial_ = false;
  result.status = prepare(t, h);
  if (result.status == StepStatus::singular_matrix) result.retry_factor = 0.5;
  if (result.status != StepStatus::ok) return result;
  predict(h);
  result.status = iterate(t, h, result);
  if (result.status != StepStatus::ok) return result;
  const StageScheme& s = scheme();
  auto end = z_.col(s.s);
  end.setZero();
  for (int i = 0; i < s.s; ++i)
    if (s.d[i] != 0) end += s.d[i] * z_.col(i);
  trial_ = x_ + end;
  has_trial_ = true;
  result.status = estimate(t, h, result);
  if (result.status == StepStatus::ok && !trial_.allFinite()) result.status = StepStatus::not_finite;
  if (options_.newton.limit_growth) result.largest_factor = newton_limit_.largest_factor(h, newton_.contraction());
  result.keeps_factor = newton_.contraction() <= options_.newton.reuse_jacobian;
  return result;
}

/// Shows the last attempt to the detector.
void RungeKuttaStepper::observe(bool accepted) noexcept {
  norm_.shares(view(first_nu_), view(x_), view(trial_), h_, view(stage_));
  const int error_order = scheme().s + 1;
  if (detector_.observe({.mu = view(mu_),
                         .nu = view(first_nu_),
                         .shares = view(stage_),
                         .h = h_,
                         .gamma0 = scheme().gamma0,
                         .scale = norm_.scale(h_),
                         .error_order = error_order,
                         .accepted = accepted}))
    apply_stiffness();
}

/// One more power of h for the velocities (and accelerations) of stiff coordinates, in the error and in Newton's norm.
void RungeKuttaStepper::apply_stiffness() noexcept {
  const auto raise = [&](int i, bool stiff) {
    if (i < 0) return;
    norm_.set_power(i, std::min(base_powers_[static_cast<std::size_t>(i)] + (stiff ? 1 : 0), 7));
    if (options_.newton.norm == NewtonNorm::error) newton_norm_.set_power(i, norm_.power(i));
  };
  for (const auto& q : detector_.coordinates()) {
    raise(q.velocity, q.stiff);
    if (options_.stiffness.accelerations) raise(q.acceleration, q.stiff);
  }
}

void RungeKuttaStepper::commit() noexcept {
  if (options_.stiffness.accepted_only && detector_.looking()) observe(true);
  start_.swap(x_);
  x_.swap(trial_);
  z_old_.swap(z_);
  t_ += h_;
  const double ratio = has_old_ ? h_ / h_old_ : 1;
  h_old_ = h_;
  level_old_ = level_;
  has_old_ = true;
  newton_.commit();
  newton_limit_.accepted(newton_.contraction());
  if (!constant_mass_) interpolate(1, view(trial_), view(w_));
  f0_valid_ = jacobian_current_ = false;
  jacobian_usable_ = newton_.contraction() <= options_.newton.reuse_jacobian;
  if (schemes_.size() > 1 && options_.step.fixed_step == 0) choose_order(ratio);
  first_ = after_rejection_ = false;
}

void RungeKuttaStepper::discard() noexcept {
  jacobian_usable_ = jacobian_usable_ && jacobian_current_;
  after_rejection_ = true;
  if (!has_trial_) newton_limit_.failed(h_);
  (has_trial_ ? unexpected_rejection_ : unexpected_failure_) = !first_;
}

/// Hairer & Wanner, J. Comput. Appl. Math. 111 (1999) 93, doi:10.1016/S0377-0427(99)00134-X: a higher order while the
/// iteration contracts fast and the steps hardly change; a lower one where it is slow, or after trouble. Ten steps at least
/// before the order rises again. They go from 5 to 13 and call 0.002 fast; over the catalogue 0.03 takes a seventh fewer steps
/// at equal accuracy. Order 3 is our addition, for iterations that hardly converge.
void RungeKuttaStepper::choose_order(double step_ratio) noexcept {
  constexpr double slow = 0.8, largest_ratio = 1.2, smallest_ratio = 0.8;
  const bool order_3 = scheme().s == 2;  // for trouble only: left soon
  const double fast = order_3 ? 0.1 : 0.03;
  const long patience = order_3 ? 3 : 10;
  ++steps_at_level_;
  contraction_ = std::min(10.0, std::max(newton_.contraction(), contraction_ / 2));
  const int last = static_cast<int>(schemes_.size()) - 1;
  int next = level_;
  if (newton_.iterations() > 1 && contraction_ <= fast && step_ratio < largest_ratio && step_ratio > smallest_ratio &&
      steps_at_level_ > patience)
    next = std::min(level_ + 1, last);
  if (unexpected_rejection_ && scheme().s > 3) next = level_ - 1;
  if (contraction_ >= slow || (steps_at_level_ > 1 && unexpected_failure_)) next = std::max(level_ - 1, 0);
  unexpected_rejection_ = unexpected_failure_ = false;
  if (next == level_) return;
  level_ = next;
  steps_at_level_ = 1;
}

void RungeKuttaStepper::interpolate(double theta, Out x, Out w) const noexcept {
  const StageScheme& s = schemes_[static_cast<std::size_t>(level_old_)];
  double weights[max_runge_kutta_stages + 1], slopes[max_runge_kutta_stages + 1];
  s.dense_weights(theta, weights, slopes);
  if (theta == 1) std::fill_n(weights, s.degree() - 1, 0.0), weights[s.degree() - 1] = 1;  // exactly
  map(x) = start_;
  if (!w.empty()) map(w).setZero();
  for (int k = 0; k < s.degree(); ++k) {
    const auto z = z_old_.col(s.nodes[static_cast<std::size_t>(k)]);
    map(x) += weights[k] * z;
    if (!w.empty()) map(w) += (slopes[k] / h_old_) * z;
  }
}

void RungeKuttaStepper::rebase() noexcept {
  if (system_->base().empty()) return;
  system_->rebase(view(x_));
  f0_valid_ = false;
}

void RungeKuttaStepper::renew() {
  system_->renew(t_, view(x_));
  f0_valid_ = jacobian_current_ = jacobian_usable_ = false;
  factored_h_ = 0;
}

void RungeKuttaStepper::save(ArchiveWriter& out) const {
  out.put(view(x_));
  out.put(view(w_));
  out.put(In(z_old_.data(), static_cast<std::size_t>(z_old_.size())));
  system_->save(out);
  newton_.save(out);
  out.put(newton_limit_);
  detector_.save(out);
  for (const double value : {t_, h_old_, contraction_}) out.put(value);
  for (const int value : {level_, level_old_}) out.put(value);
  for (const bool value : {first_, has_old_, after_rejection_, unexpected_rejection_, unexpected_failure_})
    out.put(value);
  out.put(steps_at_level_);
}

bool RungeKuttaStepper::load(ArchiveReader& in) {
  in.get(view(x_));
  in.get(view(w_));
  in.get(Out(z_old_.data(), static_cast<std::size_t>(z_old_.size())));
  system_->load(in);
  newton_.load(in);
  in.get(newton_limit_);
  detector_.load(in);
  for (double* value : {&t_, &h_old_, &contraction_}) in.get(*value);
  for (int* value : {&level_, &level_old_}) in.get(*value);
  for (bool* value : {&first_, &has_old_, &after_rejection_, &unexpected_rejection_, &unexpected_failure_})
    in.get(*value);
  in.get(steps_at_level_);
  if (!in.ok()) return false;
  apply_stiffness();
  renew();
  return true;
}

int RungeKuttaStepper::worst_component() const noexcept {
  return has_trial_ && options_.step.fixed_step == 0 ? norm_.worst(view(nu_), view(x_), view(trial_), h_) : -1;
}

std::vector<int> RungeKuttaStepper::stiff_components() const {
  std::vector<int> found;
  for (const auto& q : detector_.coordinates())
    if (q.stiff) found.push_back(q.position);
  return found;
}

}  // namespace rubato
