#include "central_difference_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hermite.hpp"
#include "second_order_form.hpp"

namespace rubato {

Result<std::unique_ptr<Stepper>> CentralDifferenceStepper::create(const MethodInfo& info,
                                                                  const InitialValueProblem& problem,
                                                                  const IntegrateOptions& options) {
  if (problem.dae->layout().has_algebraic())
    return Error{
        fmt::format("method {}: it is explicit and cannot solve for constraint forces or other algebraic unknowns; "
                    "take a formulation "
                    "without them (state-space, penalty) or generalized-alpha",
                    info.name)};
  const auto form = second_order_form(info.name, *problem.dae);
  if (!form) return form.error();
  auto system = SteppedSystem::create(problem, options, {.real = 0, .complex = 0});
  if (!system) return Error{fmt::format("method {}: {}", info.name, system.error().message)};
  return std::unique_ptr<Stepper>(new CentralDifferenceStepper(problem, options, form->positions, std::move(*system)));
}

CentralDifferenceStepper::CentralDifferenceStepper(const InitialValueProblem& problem, const IntegrateOptions& options,
                                                   const SteppedSystem::PositionRows& positions,
                                                   std::unique_ptr<SteppedSystem> system)
    : positions_(positions),
      system_(std::move(system)),
      norm_(problem.dae->layout(), options.tolerances, options.step),
      constant_mass_(problem.dae->constant_mass()),
      estimates_(!(options.step.fixed_step > 0)),
      x_(problem.x),
      t_(problem.t_start) {
  const int n = system_->size();
  for (Vector* v : {&w_, &jerk_, &start_, &w_start_, &trial_, &trial_w_, &error_, &work_}) v->setZero(n);
  make_mass_solver();
}

void CentralDifferenceStepper::make_mass_solver() {
  const Linearisation& l = system_->linearisation();
  const std::vector<char> none(static_cast<std::size_t>(system_->size()), 0);
  mass_.emplace(l.mass_pattern(), l.jacobian_pattern(), none, false, system_->options().linear.back_end);
  mass_groups_ = group_columns(l.mass_pattern());
  mass_values_.assign(l.mass().begin(), l.mass().end());
  mass_valid_ = false;
}

/// B from products with sums of unit vectors, one for each group of columns.
StepStatus CentralDifferenceStepper::factor_mass(double t, In x) noexcept {
  const SparsePattern& pattern = system_->linearisation().mass_pattern();
  const auto starts = pattern.column_starts(), rows = pattern.row_indices();
  for (const auto& group : mass_groups_.members) {
    work_.setZero();
    for (const int j : group) work_[j] = 1;
    if (const EvalStatus status = system_->mass_times(t, x, view(std::as_const(work_)), view(error_));
        status != EvalStatus::ok)
      return step_status(status);
    for (const int j : group)
      for (int p = starts[static_cast<std::size_t>(j)]; p < starts[static_cast<std::size_t>(j) + 1]; ++p)
        mass_values_[static_cast<std::size_t>(p)] = error_[rows[static_cast<std::size_t>(p)]];
  }
  ++system_->counters.factorisations;
  return step_status(mass_->factor(mass_values_, {}));
}

StepStatus CentralDifferenceStepper::restart(double t, In x, In, In base, int mode) {
  x_ = map(x);
  t_ = t;
  if (!system_->restart(t, view(x_), base, mode)) return StepStatus::fatal;
  if (!system_->base().empty()) system_->rebase(view(x_));
  make_mass_solver();
  slopes_known_ = false;
  h_before_ = 0;
  jerk_.setZero();
  return StepStatus::ok;
}

StepStatus CentralDifferenceStepper::slopes(double t, In x, Out w) noexcept {
  if (const EvalStatus status = system_->f(t, x, w); status != EvalStatus::ok) return step_status(status);
  if (!constant_mass_ || !mass_valid_) {
    mass_valid_ = false;
    if (const StepStatus status = factor_mass(t, x); status != StepStatus::ok) return status;
    mass_valid_ = true;
  }
  ++system_->counters.solves;
  mass_->solve(w);
  return StepStatus::ok;
}

Attempt CentralDifferenceStepper::attempt(double t, double h) noexcept {
  Attempt result{.status = StepStatus::ok, .error = 0, .error_order = 3};
  h_ = h;
  has_trial_ = false;
  if (!slopes_known_) {
    result.status = slopes(t, view(std::as_const(x_)), view(w_));
    if (result.status != StepStatus::ok) return result;
    slopes_known_ = true;
  }
  trial_ = x_ + h * w_;  // predicted v and z
  const auto [q, v, n, weight] = positions_;
  trial_.segment(q, n) = x_.segment(q, n) + h * (x_.segment(v, n) + (0.5 * h) * w_.segment(v, n));  // (1)
  result.status = slopes(t + h, view(std::as_const(trial_)), view(trial_w_));                       // (2)
  if (result.status != StepStatus::ok) return result;
  work_ = x_ + (0.5 * h) * (w_ + trial_w_);  // (3)
  work_.segment(q, n) = trial_.segment(q, n);
  trial_.swap(work_);
  if (system_->base().empty()) trial_w_.segment(q, n) = trial_.segment(v, n);
  has_trial_ = true;
  if (estimates_) {
    constexpr auto method = AlphaCoefficients::central_differences();
    const double e = method.velocity_error() * 2 * h * h * h / (h + h_before_);
    error_ = e * ((trial_w_ - w_) / h - jerk_);
    error_.segment(q, n) = (method.position_error() * h * h) * (trial_w_.segment(v, n) - w_.segment(v, n));
    result.error = std::max(norm_(view(error_), view(x_), view(trial_), h), 1e-10);
  }
  if (!trial_.allFinite()) result.status = StepStatus::not_finite;
  return result;
}

void CentralDifferenceStepper::commit() noexcept {
  start_.swap(x_);
  w_start_.swap(w_);
  x_.swap(trial_);
  w_.swap(trial_w_);
  jerk_ = (w_ - w_start_) / h_;
  t_ += h_;
  h_before_ = h_last_ = h_;
}

void CentralDifferenceStepper::interpolate(double theta, Out x, Out w) const noexcept {
  for (int i = 0; i < x_.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Hermite cubic{.x0 = start_[i], .x1 = x_[i], .w0 = w_start_[i], .w1 = w_[i], .h = h_last_};
    x[k] = cubic.value(theta);
    if (!w.empty()) w[k] = cubic.slope(theta);
  }
}

void CentralDifferenceStepper::rebase() noexcept {
  if (system_->base().empty()) return;
  system_->rebase(view(x_));
  w_.segment(positions_.q, positions_.n) = x_.segment(positions_.v, positions_.n);
}

void CentralDifferenceStepper::renew() {
  system_->renew(t_, view(x_));
  make_mass_solver();
}

void CentralDifferenceStepper::save(ArchiveWriter& out) const {
  for (const Vector* v : {&x_, &w_, &jerk_}) out.put(view(*v));
  system_->save(out);
  for (const double value : {t_, h_before_}) out.put(value);
  out.put(slopes_known_);
}

bool CentralDifferenceStepper::load(ArchiveReader& in) {
  for (Vector* v : {&x_, &w_, &jerk_}) in.get(view(*v));
  system_->load(in);
  for (double* value : {&t_, &h_before_}) in.get(*value);
  in.get(slopes_known_);
  if (in.ok()) renew();
  return in.ok();
}

int CentralDifferenceStepper::worst_component() const noexcept {
  return has_trial_ && estimates_ ? norm_.worst(view(error_), view(x_), view(trial_), h_) : -1;
}

}  // namespace rubato
