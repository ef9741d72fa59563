#include "extrapolation_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/integrate/extrapolation_tableau.hpp"

namespace rubato {

Result<std::unique_ptr<Stepper>> ExtrapolationStepper::create(const MethodInfo& info, const Columns& columns,
                                                              const InitialValueProblem& problem,
                                                              const IntegrateOptions& options) {
  auto system = SteppedSystem::create(problem, options, {.real = 1, .complex = 0}, Differences::central);
  if (!system) return Error{fmt::format("method {}: {}", info.name, system.error().message)};
  if (!(*system)->linearisation().exact())
    return Error{
        fmt::format("method {}: extrapolation keeps its order in algebraic unknowns with an exact Jacobian only, the "
                    "model's own is "
                    "approximate; set solver.jacobian to \"dual\" or \"differences\", or take a method that accepts it",
                    info.name)};
  return std::unique_ptr<Stepper>(new ExtrapolationStepper(columns, problem, options, std::move(*system)));
}

ExtrapolationStepper::ExtrapolationStepper(Columns columns, const InitialValueProblem& problem,
                                           const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system)
    : numbers_(std::move(columns.numbers)),
      system_(std::move(system)),
      norm_(problem.dae->layout(), options.tolerances, options.step),
      constant_mass_(problem.dae->constant_mass()),
      shares_f_(!system_->time_dependent()),
      x_(problem.x),
      t_(problem.t_start),
      dense_(problem.dae->size(), numbers_) {
  const int n = system_->size();
  for (Vector* v : {&start_, &rate_, &f0_, &right_, &delta_, &error_, &zero_}) v->setZero(n);
  tableau_.setZero(n, static_cast<Eigen::Index>(numbers_.size()));
  if (columns.variable)
    control_.emplace(numbers_, options.tolerances.rtol, options.step,
                     ExtrapolationControl::Costs{.factor_each_step = !constant_mass_});
}

StepStatus ExtrapolationStepper::restart(double t, In x, In w, In base, int mode) {
  x_ = map(x);
  t_ = t;
  rate_known_ = !w.empty() && map(w).any();
  if (rate_known_) rate_ = map(w);
  linearised_ = false;
  if (control_) control_->restart();
  return system_->restart(t, view(x_), base, mode) ? StepStatus::ok : StepStatus::fatal;
}

/// J at the committed state, and f where it serves the rows: kept when the step is tried again with another h.
StepStatus ExtrapolationStepper::linearise(double t, double h) noexcept {
  if (linearised_ && t == t_) return StepStatus::ok;
  In f0;
  if (shares_f_) {
    if (const EvalStatus status = system_->f(t, view(x_), view(f0_)); status != EvalStatus::ok)
      return step_status(status);
    f0 = view(std::as_const(f0_));
  }
  if (!constant_mass_ && !rate_known_)
    if (const StepStatus status = find_rate(t, h); status != StepStatus::ok) return status;
  const Vector& w = constant_mass_ ? zero_ : rate_;
  if (const StepStatus status = system_->linearise(t, view(x_), view(w), f0); status != StepStatus::ok) return status;
  linearised_ = true;
  t_ = t;
  return StepStatus::ok;
}

/// (3): what B w in A would change is of the size of the tiny step.
StepStatus ExtrapolationStepper::find_rate(double t, double h) noexcept {
  const double tiny = 1e-7 * h;
  if (const StepStatus status = system_->linearise(t, view(x_), view(zero_), {}); status != StepStatus::ok)
    return status;
  if (const StepStatus status = system_->factor(1 / tiny); status != StepStatus::ok) return status;
  if (const EvalStatus status = system_->f(t + tiny, view(x_), view(right_)); status != EvalStatus::ok)
    return step_status(status);
  system_->solve(view(std::as_const(right_)), view(rate_));
  rate_ /= tiny;
  rate_known_ = rate_.allFinite();
  return rate_known_ ? StepStatus::ok : StepStatus::not_finite;
}

StepStatus ExtrapolationStepper::make_row(int j, double t, double h) noexcept {
  const int n = numbers_[static_cast<std::size_t>(j) - 1];
  const double c = n / h;
  StepStatus status = constant_mass_ ? system_->factor(c) : StepStatus::ok;
  if (status != StepStatus::ok) return status;
  const auto size = static_cast<std::size_t>(x_.size());
  const Out column(tableau_.col(j - 1).data(), size);
  std::copy(x_.data(), x_.data() + size, column.begin());
  const auto increment = [&](int i, In x, Out delta) noexcept {
    const double t_end = t + (i + 1) * (h / n);
    In right = view(std::as_const(f0_));
    if (i > 0 || !shares_f_) {
      right = view(std::as_const(right_));
      status = step_status(system_->f(t_end, x, view(right_)));
    }
    if (status == StepStatus::ok && !constant_mass_) {
      status = system_->renew_mass(t_end, x);
      if (status == StepStatus::ok) status = system_->factor(c);
    }
    if (status != StepStatus::ok) return false;
    system_->solve(right, delta);  // (1), (2)
    std::ranges::copy(delta, dense_.increment(j, i).begin());
    return true;
  };
  if (!euler_steps<double>(n, column, view(delta_), increment)) return status;
  extend_tableau<double>(numbers_, static_cast<std::size_t>(j), {tableau_.data(), size * static_cast<std::size_t>(j)});
  columns_ = j;
  return StepStatus::ok;
}

double ExtrapolationStepper::error_of_row(int j, double h) noexcept {
  error_ = tableau_.col(j - 1) - tableau_.col(j - 2);
  const auto size = static_cast<std::size_t>(x_.size());
  return norm_(view(std::as_const(error_)), view(std::as_const(x_)), In(tableau_.col(j - 1).data(), size), h);
}

Attempt ExtrapolationStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  columns_ = 0;
  result.status = linearise(t, h);
  if (control_) control_->begin(h);
  const int most = static_cast<int>(numbers_.size());
  for (int j = 1; j <= most && result.status == StepStatus::ok; ++j) {
    result.status = make_row(j, t, h);
    if (result.status != StepStatus::ok || j == 1 || (!control_ && j < most)) continue;
    result.error = error_of_row(j, h);
    result.error_order = j;
    if (!std::isfinite(result.error)) result.status = StepStatus::not_finite;
    if (!control_ || result.status != StepStatus::ok) continue;
    const auto verdict = control_->after(j, result.error);
    if (verdict == ExtrapolationControl::Verdict::go_on) continue;
    if (verdict == ExtrapolationControl::Verdict::accept)
      result.next_factor = control_->factor();
    else
      result.retry_factor = control_->factor();
    return result;
  }
  if (result.status == StepStatus::ok && !tableau_.col(most - 1).allFinite()) result.status = StepStatus::not_finite;
  return result;
}

void ExtrapolationStepper::commit() noexcept {
  start_.swap(x_);
  x_ = tableau_.col(columns_ - 1);
  t_ += h_;
  linearised_ = false;
  dense_.begin(columns_);
  if (!constant_mass_) {
    const In d = dense_.end_derivative();
    rate_known_ = !d.empty();
    if (rate_known_) rate_ = map(d) / h_;
  }
  if (control_) control_->commit();
}

void ExtrapolationStepper::discard() noexcept {
  if (control_) control_->discard();
}

void ExtrapolationStepper::interpolate(double theta, Out x, Out w) const noexcept {
  dense_.evaluate(theta, view(start_), view(x_), x, w);
  if (!w.empty()) map(w) /= h_;
}

void ExtrapolationStepper::rebase() noexcept {
  if (system_->base().empty()) return;
  system_->rebase(view(x_));
  linearised_ = rate_known_ = false;
}

void ExtrapolationStepper::renew() {
  system_->renew(t_, view(x_));
  linearised_ = false;
}

void ExtrapolationStepper::save(ArchiveWriter& out) const {
  out.put(view(x_));
  system_->save(out);
  out.put(t_);
  out.put(view(rate_));
  out.put(rate_known_);
  if (control_) control_->save(out);
}

bool ExtrapolationStepper::load(ArchiveReader& in) {
  in.get(view(x_));
  system_->load(in);
  in.get(t_);
  in.get(view(rate_));
  in.get(rate_known_);
  if (control_) control_->load(in);
  if (in.ok()) renew();
  return in.ok();
}

int ExtrapolationStepper::worst_component() const noexcept {
  if (columns_ < 2) return -1;
  const auto size = static_cast<std::size_t>(x_.size());
  return norm_.worst(view(error_), view(x_), In(tableau_.col(columns_ - 1).data(), size), h_);
}

}  // namespace rubato
