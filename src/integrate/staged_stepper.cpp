#include "staged_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine.hpp"
#include "newton_norm.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

// Looked into: a step this much longer than those looked into before, and one whose estimated error is this small (steps that are as long as they
// may be have about 0.3; less where something else holds them, or where the estimate sees nothing).
constexpr double much_grown = 1.2, vanishing = 1e-3;
constexpr double fast_enough_to_keep_h = 1e-3;  // Θ: a step that may grow a little keeps its size, and so the factors

/// rtol' = 0.1 rtol^((s+1)/(2s)), atol' = rtol' atol/rtol.
Tolerances mapped(const Tolerances& tolerances, int s) {
  const double exponent = (s + 1.0) / (2.0 * s);
  Tolerances result = tolerances;
  const double base = main_tolerance(tolerances);
  const double factor = base > 0 ? 0.1 * std::pow(base, exponent) / base : 1;
  result.rtol *= factor;
  result.atol *= factor;
  for (auto& [name, atol] : result.atol_of) atol *= factor;
  return result;
}

bool are_mapped(const IntegrateOptions& options, const RungeKuttaTable& table, int index) {
  const bool mappable = table.family == RungeKuttaFamily::radau_iia && index < 3 && !(options.step.fixed_step > 0);
  return options.runge_kutta.map_tolerances && mappable;
}

Tolerances for_steps(const IntegrateOptions& options, const RungeKuttaTable& table, int index) {
  const Tolerances given = step_tolerances(options);
  return are_mapped(options, table, index) ? mapped(given, table.s) : given;
}

}  // namespace

StagedStepper::StagedStepper(const InitialValueProblem& problem, const IntegrateOptions& options,
                             const RungeKuttaTable& table, int max_stages, std::unique_ptr<SteppedSystem> system)
    : system_(std::move(system)),
      options_(options),
      norm_(problem.dae->layout(), for_steps(options, table, problem.dae->layout().index()), options.step),
      newton_norm_(problem.dae->layout(), for_steps(options, table, problem.dae->layout().index()),
                   newton_norm_options(options.step, options.newton.norm, problem.dae->layout())),
      kappa_(newton_kappa(options, for_steps(options, table, problem.dae->layout().index()).rtol)),
      jacobian_reuse_(jacobian_reuse(options, 1e-2)),
      detector_(options.stiffness, problem.dae->layout()),
      motion_(problem.dae->layout(), options),
      x_(problem.x),
      old_base_(problem.base),
      t_(problem.t_start),
      constant_mass_(problem.dae->constant_mass()),
      maps_tolerances_(are_mapped(options, table, problem.dae->layout().index())) {
  const int n = system_->size();
  for (Vector* v : {&w_, &f0_, &start_, &trial_, &weights_, &stage_, &rho_, &nu_, &first_nu_, &mu_, &spark_, &defect_})
    v->setZero(n);
  z_old_.setZero(n, max_stages + 1);
  z_.setZero(n, max_stages + 1);
  r_.setZero(n, max_stages);
  dz_.setZero(n, max_stages);
  weigh_reactions_whole(problem.dae->layout(), options.step, norm_);
  if (options.newton.norm == NewtonNorm::error)
    weigh_reactions_whole(problem.dae->layout(), options.step, newton_norm_);
  for (int i = 0; i < n; ++i) newton_powers_.push_back(newton_norm_.power(i));
  motion_.set_powers(norm_);
  for (int i = 0; i < n; ++i) base_powers_.push_back(norm_.power(i));
  relaxed_ = motion_.applies() && options.newton.norm == NewtonNorm::error && !(options.newton.tolerance > 0) &&
             options.tolerances.rtol > 0;
  if (relaxed_ && !(options.step.fixed_step > 0)) kappa_ *= 10;  // see kappa()
  StagedStepper::apply_stiffness();                              // those declared
}

StepStatus StagedStepper::restart(double t, In x, In w, In base, int mode) {
  const bool same_mode = mode == system_->mode();
  x_ = map(x);
  w_.setZero();
  if (w.size() == x.size()) w_ = map(w);
  t_ = t;
  if (!system_->restart(t, view(x_), base, mode)) return StepStatus::fatal;
  first_ = true;
  has_old_ = false;
  looked_h_ = 0;
  blind_ = false;
  after_rejection_ = false;
  guard_.forget();
  f0_valid_ = jacobian_current_ = false;
  jacobian_usable_ = jacobian_usable_ && same_mode;  // an event that changes little leaves J good enough
  if (!jacobian_usable_) {
    factored_h_ = 0;
    structure_changed();
  }
  if (detector_.looking()) {
    if (const StepStatus status = evaluate_start(t); status != StepStatus::ok) return status;
    const double h = options_.step.initial_step > 0 ? options_.step.initial_step : 0.1 * options_.step.reference_time;
    const Linearisation& l = system_->linearisation();
    detector_.choose_candidates(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass(), 1 / h);
    detector_.linearised(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass());
  }
  return StepStatus::ok;
}

/// f₀ and, where the old one no longer serves, J.
StepStatus StagedStepper::evaluate_start(double t) noexcept {
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
  if (const StepStatus status = linearised(t); status != StepStatus::ok) return status;
  const Linearisation& l = system_->linearisation();
  guard_.find(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass());
  detector_.linearised(l.jacobian_pattern(), l.jacobian(), l.mass_pattern(), l.mass());
  jacobian_current_ = jacobian_usable_ = true;
  return StepStatus::ok;
}

StepStatus StagedStepper::prepare(double t, double h) noexcept {
  if (const StepStatus status = evaluate_start(t); status != StepStatus::ok) return status;
  before_step(h);
  if (factored_h_ == h) return StepStatus::ok;
  factored_h_ = 0;
  if (const StepStatus status = factor(h); status != StepStatus::ok) return status;
  factored_h_ = h;
  return StepStatus::ok;
}

/// Where velocities are weighted with h (index 3, ε²λ), the iteration is measured in that norm, in which it contracts. But what it leaves
/// in velocities adds up from step to step, as at index 2, where they count whole: κ h/T_ref, with ten times κ (κ as elsewhere
/// takes more work at equal digits). Rounding errors of q/h stay in v: not less than 2u/rtol. With κ alone the chain at 1e-3 ended 21 tolerances
/// off, 0.5 so.
double StagedStepper::kappa(double h) const noexcept {
  if (!relaxed_) return kappa_;
  return std::max(2 * rounding(), kappa_ * newton_norm_.scale(h));
}

/// u in units of the tolerance, which is not zero where this is asked.
double StagedStepper::rounding() const noexcept {
  return std::numeric_limits<double>::epsilon() / options_.tolerances.rtol;
}

/// Starting values: the polynomial of the last step, continued.
void StagedStepper::predict(double h) noexcept {
  if (!has_old_ || !options_.newton.extrapolate) {
    z_.setZero();
    return;
  }
  const DenseStages& old = old_dense();
  const Vector& c = table().c;
  const auto s = static_cast<int>(c.size());
  if (z_.cols() > s + 1)
    z_.rightCols(z_.cols() - s - 1).setZero();  // nothing of a higher order is left: checkpoints hold all columns
  double weights[max_runge_kutta_stages * (max_runge_kutta_stages + 1)];
  old.continuation(c, h / h_old_, weights);
  detail::combine_columns(s, old.nodes, weights, z_old_.data(), z_.data(), z_.rows());
}

StepStatus StagedStepper::iterate(double t, double h, Attempt& attempt) noexcept {
  const int s = table().s;
  const bool patient = options_.step.fixed_step > 0;
  const int own = patient ? 50 : (relaxed_ ? 10 : 7) + 5 * std::max(s - 3, 0) / 2;  // relaxed_: further to go
  const int k_max = options_.newton.max_iterations > 0 ? options_.newton.max_iterations : own;
  newton_weights(*system_, newton_norm_, view(x_), h, view(weights_));
  newton_.start(k_max, kappa(h), first_ || patient, patient, options_.newton.limit_growth,
                relaxed_ ? newton_noise(options_.tolerances.rtol) : 0);
  for (;;) {
    double size = 0;
    if (const StepStatus status = correct(t, h, size); status != StepStatus::ok) {
      attempt.retry_factor = 0.5;
      return status;
    }
    ++system_->counters.newton_iterations;
    const auto verdict = newton_.after(size);
    if (!std::isfinite(size) && !r_.leftCols(s).allFinite()) {  // the model's doing, not the iteration's
      attempt.retry_factor = 0.5;
      return StepStatus::not_finite;
    }
    if (verdict == NewtonControl::Verdict::diverged || verdict == NewtonControl::Verdict::slow) {
      attempt.retry_factor = newton_.retry_factor(verdict);
      return StepStatus::newton_diverged;
    }
    if (verdict == NewtonControl::Verdict::converged) break;
  }
  attempt.caution = std::min(1.0, (2.0 * k_max + 1) / (2.0 * k_max + newton_.iterations()));
  return StepStatus::ok;
}

/// Right-hand side of (1) into rho_.
EvalStatus StagedStepper::spark_residual(double t, double h) noexcept {
  constexpr double weights[] = {4.0 / 5, 2.0 / 5, 4.0 / 5};  // d̂
  spark_ = -z_.col(table().s);
  for (int i = 0; i < 3; ++i) spark_ += weights[i] * z_.col(i);
  spark_ = spark_.cwiseAbs2() / (gamma0() * h);
  if (!constant_mass_) return system_->mass_times(t, view(x_), view(spark_), view(rho_));
  rho_.setZero();
  system_->matrix().add_B_times(view(rho_), 1, view(spark_), view(rho_));
  return EvalStatus::ok;
}

void StagedStepper::watch_quadratures(double h) noexcept {
  double at_stages[max_runge_kutta_stages];
  for (const int row : guard_.rows()) {
    slopes(row, h, at_stages);
    nu_[row] = std::max(std::abs(nu_[row]), guard_.error(row, at_stages, h, has_old_ ? h_old_ : 0));
  }
}

/// Of nu_, in the error norm: velocities along constraints whole, as at index 2 (motion_error.hpp). Weighted with h they were let off so far that
/// the slider crank at index 3 ended 20 to 90 times further away than at index 2, the elastic double pendulum in ε²λ form 400 to 8000 times further than
/// as penalty; work at equal error is 0.92 times that with the weight (radau; radau5 1.05).
double StagedStepper::error_of(double h, int slot) noexcept {
  watch_quadratures(h);
  if (motion_.applies()) {
    motion_.filter(*system_, 1 / (gamma0() * h), nu_, stage_, spark_, slot);
    nu_.swap(spark_);
  }
  return norm_(view(nu_), view(x_), view(trial_), h);
}

/// The estimate of collocation methods with c_1 > 0 is what the polynomial p of the step leaves of the equations at its beginning. Of a stiff
/// model at rest that is nothing, whatever shakes it later: a bushing was passed in steps of 0.4 s over periods of 0.33 s, right at the ends of
/// the steps and wrong between. Steps longer than those before, and those whose estimate vanishes, are looked into:
///   (B/(hγ₀) − J) e = f(p(θ)) − B p'(θ),   θ in the middle of the widest gap between nodes.
/// Where the estimate sees the solution, this is Π|θ − c_i| / Π c_i of it (Radau IIA, s = 3: 0.36). Where it is larger, it is the estimate, and
/// the next attempt is looked into as well. Algebraic rows count: in GGL form μ and λ absorb what the polynomials of q and v miss of a prescribed motion.
/// Methods with c_1 = 0 have estimates of another order, which this would overrule without need. Not finite where the model cannot be evaluated there.
double StagedStepper::defect_inside(double t, double h, int slot) noexcept {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const DenseStages& p = dense();
  double weights[max_runge_kutta_stages + 1], slopes[max_runge_kutta_stages + 1];
  p.dense_weights(p.widest, weights, slopes);
  for (int k = 0; k < p.degree(); ++k) slopes[k] /= h;
  const double inside = t + p.widest * h;
  detail::add_combined_columns(view(x_), p.nodes, weights, z_.data(), view(stage_));
  detail::combine_columns(1, p.nodes, slopes, z_.data(), spark_.data(), z_.rows());
  if (system_->f(inside, view(stage_), view(rho_)) != EvalStatus::ok) return unknown;
  if (system_->mass_times(inside, view(std::as_const(stage_)), view(std::as_const(spark_)), view(defect_)) !=
      EvalStatus::ok)
    return unknown;
  rho_ -= defect_;
  system_->solve(view(std::as_const(rho_)), view(defect_), slot);
  if (motion_.applies()) {
    motion_.filter(*system_, 1 / (gamma0() * h), defect_, stage_, spark_, slot);
    defect_.swap(spark_);
  }
  return norm_(view(defect_), view(x_), view(trial_), h);
}

StepStatus StagedStepper::estimate(double t, double h, Attempt& attempt) noexcept {
  const bool spark = options_.runge_kutta.estimate == ErrorEstimate::spark;
  const bool plain = options_.runge_kutta.estimate == ErrorEstimate::plain;
  const bool looks_inside = options_.runge_kutta.estimate == ErrorEstimate::inside && table().c[0] > 0;
  trial_blind_ = false;
  attempt.error_order = spark ? 4 : error_order();
  if (!wants_estimate()) return StepStatus::ok;
  const int slot = filter_slot();
  if (detector_.wants_responses(h)) find_responses(h);
  if (const EvalStatus status = estimate_residual(t, h, {}); status != EvalStatus::ok) return step_status(status);
  system_->solve(view(std::as_const(rho_)), view(nu_), slot);
  if (detector_.looking()) {
    mu_ = (gamma0() * h) * rho_;  // valid where B has a unit row: for positions
    first_nu_ = nu_;
    if (!options_.stiffness.accepted_only) observe(false);
  }
  if (options_.step.fixed_step > 0) return StepStatus::ok;
  if (plain) nu_ = (gamma0() * h) * rho_;
  if (spark) {
    if (const EvalStatus status = spark_residual(t, h); status != EvalStatus::ok) return step_status(status);
    system_->solve(view(std::as_const(rho_)), view(nu_), slot);
  }
  double error = error_of(h, slot);
  if (error > 1 && !plain && !spark && (first_ || after_rejection_) && std::isfinite(error) &&
      estimate_residual(t, h, view(nu_)) == EvalStatus::ok) {
    system_->solve(view(std::as_const(rho_)), view(nu_), slot);
    error = error_of(h, slot);
  }
  if (error <= 1 && looks_inside && (blind_ || error < vanishing || h > much_grown * looked_h_)) {
    const double defect = defect_inside(t, h, slot);
    trial_blind_ = defect > error &&
                   std::isfinite(defect);  // a model that is not defined between the nodes has no better estimate
    if (trial_blind_) {
      error = defect;
      nu_.swap(defect_);  // what worst_component() names
    }
  }
  attempt.error = std::max(error, 1e-10);
  if (first_ && error > 1) attempt.retry_factor = 0.1;
  return StepStatus::ok;
}

Attempt StagedStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  has_trial_ = diverged_ = false;
  bool old_jacobian = false;
  do {  // a J of an earlier state is the first suspect
    result.status = prepare(t, h);
    if (result.status == StepStatus::singular_matrix) result.retry_factor = 0.5;
    if (result.status != StepStatus::ok) return result;
    predict(h);
    result.status = iterate(t, h, result);
    old_jacobian = !jacobian_current_;
    jacobian_usable_ = jacobian_current_ || result.status != StepStatus::newton_diverged;
  } while (result.status == StepStatus::newton_diverged && old_jacobian);
  diverged_ = result.status == StepStatus::newton_diverged;
  if (result.status != StepStatus::ok) return result;
  result.retry_factor = 0;
  result.status = finish(t, h);
  if (result.status != StepStatus::ok) {
    result.retry_factor = 0.5;
    return result;
  }
  detail::add_to_columns(view(x_), column(z_, table().s), view(trial_));
  has_trial_ = true;
  result.status = estimate(t, h, result);
  const bool judged = options_.step.fixed_step == 0 && std::isfinite(result.error);  // the trial is finite as well
  if (result.status == StepStatus::ok && !judged && !trial_.allFinite()) result.status = StepStatus::not_finite;
  if (options_.newton.limit_growth) result.largest_factor = newton_limit_.largest_factor(h, newton_.contraction());
  result.keeps_factor = newton_.contraction() <= fast_enough_to_keep_h;
  return result;
}

/// What the filter leaves of a displacement of each coordinate: column k of (B/(hγ₀) − J)⁻¹ B/(hγ₀), entry k; B has a unit row for positions.
void StagedStepper::find_responses(double h) noexcept {
  const double unit = 1 / (gamma0() * h);
  const auto coordinates = detector_.coordinates();
  rho_.setZero();
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const int i = coordinates[k].position;
    rho_[i] = unit;
    system_->solve(view(std::as_const(rho_)), view(stage_), filter_slot());
    rho_[i] = 0;
    detector_.take_response(k, stage_[i], h, gamma0());
  }
  detector_.responses_taken(h);
}

/// Shows the last attempt to the detector.
void StagedStepper::observe(bool accepted) noexcept {
  norm_.shares(view(first_nu_), view(x_), view(trial_), h_, view(stage_));
  if (detector_.observe({.mu = view(mu_),
                         .nu = view(first_nu_),
                         .x0 = view(x_),
                         .x1 = view(trial_),
                         .shares = view(stage_),
                         .h = h_,
                         .gamma0 = gamma0(),
                         .scale = norm_.scale(h_),
                         .error_order = error_order(),
                         .accepted = accepted}))
    apply_stiffness();
}

/// One more power of h for the velocities (and accelerations) of stiff coordinates, in the error and in Newton's norm.
void StagedStepper::apply_stiffness() noexcept {
  const auto raise = [&](int i, bool stiff) {
    if (i < 0 || !options_.step.h_scaling) return;
    norm_.set_power(i, std::min(base_powers_[static_cast<std::size_t>(i)] + (stiff ? 1 : 0), 7));
    if (options_.newton.norm == NewtonNorm::error)
      newton_norm_.set_power(i, std::min(newton_powers_[static_cast<std::size_t>(i)] + (stiff ? 1 : 0), 7));
  };
  for (const auto& q : detector_.coordinates()) {
    raise(q.velocity, q.stiff);
    raise(q.momentum, q.stiff);
    if (options_.stiffness.accelerations) raise(q.acceleration, q.stiff);
  }
  stiffness_changed();
}

void StagedStepper::commit() noexcept {
  const double fixed_step = options_.step.fixed_step;
  if (fixed_step > 0 && detector_.observe_fixed_step(fixed_step, gamma0())) apply_stiffness();
  if (options_.stiffness.accepted_only && detector_.looking() && wants_estimate()) observe(true);
  start_.swap(x_);
  x_.swap(trial_);
  z_old_.swap(z_);
  t_ += h_;
  h_old_ = h_;
  blind_ = trial_blind_;
  looked_h_ = h_ > much_grown * looked_h_ ? h_ : std::min(looked_h_, h_);
  has_old_ = true;
  newton_.commit();
  newton_limit_.accepted(h_, newton_.contraction());
  guard_.commit();
  committed();
  if (!constant_mass_) interpolate(1, view(trial_), view(w_));
  f0_valid_ = jacobian_current_ = false;
  jacobian_usable_ = newton_.contraction() <= jacobian_reuse_;
  first_ = after_rejection_ = false;
}

void StagedStepper::discard() noexcept {
  blind_ = blind_ || trial_blind_;
  jacobian_usable_ = jacobian_usable_ && jacobian_current_;
  after_rejection_ = true;
  if (!has_trial_) newton_limit_.failed(h_, diverged_ ? newton_.contraction() : 0);
}

void StagedStepper::interpolate(double theta, Out x, Out w) const noexcept {
  const DenseStages& s = old_dense();
  double weights[max_runge_kutta_stages + 1], slopes[max_runge_kutta_stages + 1];
  if (theta == 1) {  // the driver looks there after every step
    const double* const end = z_old_.col(s.nodes.back()).data();
    detail::add_to_columns(view(start_), In(end, x.size()), x);
    std::ranges::copy(s.end_slopes, slopes);
  } else {
    s.dense_weights(theta, weights, w.empty() ? nullptr : slopes);
    detail::add_combined_columns(view(start_), s.nodes, weights, z_old_.data(), x);
  }
  if (w.empty()) return;
  for (int k = 0; k < s.degree(); ++k) slopes[k] /= h_old_;
  detail::combine_columns(1, s.nodes, slopes, z_old_.data(), w.data(), z_old_.rows());
}

void StagedStepper::rebase() noexcept {
  if (base().empty()) return;
  std::ranges::copy(base(), old_base_.begin());
  system_->rebase(view(x_));
  f0_valid_ = false;
  if (has_old_) carry_stages();
}

/// The stages of the last step in the new charts: else a rotation of θ per step would leave an error θ²/2 in the starting
/// values of the next. Models that cannot do it get these.
void StagedStepper::carry_stages() noexcept {
  const auto carried = [&](Vector& x) {
    return system_->dae().transport(view(std::as_const(old_base_)), base(), view(x));
  };
  stage_ = start_;
  if (!carried(stage_)) return;
  for (const int k : old_dense().nodes) {
    rho_ = start_ + z_old_.col(k);
    if (carried(rho_)) z_old_.col(k) = rho_ - stage_;
  }
  start_ = stage_;
}

void StagedStepper::renew() {
  system_->renew(t_, view(x_));
  f0_valid_ = jacobian_current_ = jacobian_usable_ = false;
  factored_h_ = 0;
  structure_changed();
}

void StagedStepper::save(ArchiveWriter& out) const {
  out.put(view(x_));
  out.put(view(w_));
  out.put(In(z_old_.data(), static_cast<std::size_t>(z_old_.size())));
  system_->save(out);
  newton_.save(out);
  newton_limit_.save(out);
  detector_.save(out);
  guard_.save(out);
  for (const double value : {t_, h_old_, looked_h_}) out.put(value);
  for (const bool value : {first_, has_old_, after_rejection_, blind_}) out.put(value);
}

bool StagedStepper::load(ArchiveReader& in) {
  in.get(view(x_));
  in.get(view(w_));
  in.get(Out(z_old_.data(), static_cast<std::size_t>(z_old_.size())));
  system_->load(in);
  newton_.load(in);
  newton_limit_.load(in);
  detector_.load(in);
  guard_.load(in);
  for (double* value : {&t_, &h_old_, &looked_h_}) in.get(*value);
  for (bool* value : {&first_, &has_old_, &after_rejection_, &blind_}) in.get(*value);
  if (!in.ok()) return false;
  apply_stiffness();
  renew();
  return true;
}

int StagedStepper::worst_component() const noexcept {
  if (diverged_) return largest_share({dz_.data(), static_cast<std::size_t>(table().s * dz_.rows())}, view(weights_));
  return has_trial_ && options_.step.fixed_step == 0 ? norm_.worst(view(nu_), view(x_), view(trial_), h_) : -1;
}

std::vector<int> StagedStepper::stiff_components() const {
  std::vector<int> found;
  for (const auto& q : detector_.coordinates())
    if (q.stiff) found.push_back(q.position);
  return found;
}

}  // namespace rubato
