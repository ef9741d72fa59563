#include "rubato/realtime/realtime_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/assert.hpp"
#include "rubato/integrate/extrapolation_tableau.hpp"
#include "rubato/realtime/magnitude.hpp"

namespace rubato::realtime {

namespace {

/// Entries in use, kept or for projections, that change from step to step.
std::vector<unsigned char> needed(const Plan& plan, const ConstraintProjection* projection) {
  std::vector<unsigned char> result(plan.keep);
  for (std::size_t p = 0; p < result.size(); ++p) {
    if (projection != nullptr && projection->needed()[p] != 0) result[p] = 1;
    if (plan.constant[p] != 0) result[p] = 0;
  }
  return result;
}

/// One number that is finite only if all are.
double all_together(In values) noexcept {
  double sum = 0;
  for (const double value : values) sum += 0 * value;
  return sum;
}

}  // namespace

bool usable(In numbers) noexcept {
  double sum = 0;
  for (const double x : numbers) sum += 0 * (x * x);
  return std::isfinite(sum);
}

std::string_view to_string(RealtimeStatus status) noexcept {
  switch (status) {
    case RealtimeStatus::ok: return "ok";
    case RealtimeStatus::refused: return "the model refused to evaluate";
    case RealtimeStatus::singular: return "the step matrix is singular, or a pivot chosen off line vanishes";
    case RealtimeStatus::not_finite: return "non-finite values";
    case RealtimeStatus::residual_too_large: return "pivots chosen off line no longer serve";
  }
  return "?";
}

RealtimeStepper::RealtimeStepper(const Dae& dae, const Plan& plan, const Sample& start,
                                 std::unique_ptr<StaticSolver> solver, std::unique_ptr<ConstraintProjection> projection)
    : dae_(dae),
      plan_(plan),
      t_start_(start.t),
      passes_(dae, plan.structure.jacobian, needed(plan, projection.get())),
      matrix_(step_matrix(plan)),
      solver_(std::move(solver)),
      projection_(std::move(projection)),
      monitor_(matrix_.pattern()),
      scratch_(dae.scratch_bytes()),
      shares_f_(plan.time == StepTime::start || dae.autonomous()),
      x_(start.x.data(), start.x.data() + start.x.size()),
      u_(static_cast<std::size_t>(dae.n_inputs())),
      base_(start.base.data(), start.base.data() + start.base.size()),
      jacobian_(static_cast<std::size_t>(plan.structure.jacobian.nnz())),
      values_(static_cast<std::size_t>(matrix_.pattern().nnz())),
      has_mode_(!dae.roots().empty()) {
  for (auto* buffer : {&f_, &f_start_, &delta_, &trial_, &rate_, &error_}) buffer->assign(x_.size(), 0.0);
  tableau_.assign(x_.size() * plan.step_numbers.size(), 0.0);
  for (std::size_t i = 0; i < plan_.structure.algebraic.size(); ++i)
    if (plan_.structure.algebraic[i] != 0) algebraic_.push_back(static_cast<int>(i));
  if (plan_.drop_below > 0) {
    limits_ = drop_limits(plan_.structure, plan_.step, plan_.drop_below, plan_.sizes);
    remaining_.assign(jacobian_.size(), 0.0);
  }
  const auto names = dae.output_names();
  outputs_are_states_ = names.empty();
  n_outputs_ = names.empty() ? dae.size() : static_cast<int>(names.size());
  evaluations_per_step_ = (passes_.n_passes() == 0 ? 1 : 0) + (algebraic_.empty() ? 0 : plan_.damping ? 3 : 1);
  for (const int n : plan_.step_numbers) evaluations_per_step_ += shares_f_ ? n - 1 : n;
  if (!shares_f_) --evaluations_per_step_;  // the first comes with J
}

Result<std::unique_ptr<RealtimeStepper>> RealtimeStepper::create(const Dae& dae, const Plan& plan,
                                                                 const Sample& start) {
  const auto structure = model_structure(dae, start);
  if (!structure) return structure.error();
  if (const auto fine = check_plan(plan, *structure); !fine) return fine.error();
  auto solver = make_static_solver(plan.back_end, step_matrix(plan).pattern(), plan.ordering);
  if (!solver) return Error{"the plan does not fit the model: " + solver.error().message};
  std::unique_ptr<ConstraintProjection> projection;
  if (plan.projections != 0) {
    auto found = ConstraintProjection::create(dae, *structure, plan.projections);
    if (!found) return found.error();
    projection = std::move(*found);
  }
  std::unique_ptr<RealtimeStepper> made(
      new RealtimeStepper(dae, plan, start, std::move(*solver), std::move(projection)));
  const auto jacobians = sampled_jacobians(dae, *structure, {start});  // constant entries, once
  if (!jacobians) return jacobians.error();
  made->jacobian_ = jacobians->front();
  return made;
}

At RealtimeStepper::point(double t, In x) noexcept {
  return {.t = t, .x = x, .u = u_, .base = base_, .mode = mode_, .scratch = scratch_.scratch()};
}

/// trial_ = (x + Δx, y + λ Δy), and ‖g‖₂ there; infinite where the model refuses or g is not finite.
double RealtimeStepper::algebraic_norm(double damping) noexcept {
  for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + delta_[i];
  for (const int i : algebraic_) trial_[i] = x_[i] + damping * delta_[i];
  const EvalStatus status = dae_.f(point(end_of_step(), trial_), f_);
  double square = 0;
  for (const int i : algebraic_) square += f_[i] * f_[i];
  const bool fine = status == EvalStatus::ok && std::isfinite(square);
  return fine ? std::sqrt(square) : std::numeric_limits<double>::infinity();
}

/// Once a step: all rows of a tableau have the same J. NaN stays. A product, since a branch would take its time.
void RealtimeStepper::drop_small() noexcept {
  for (std::size_t p = 0; p < remaining_.size(); ++p)
    remaining_[p] = static_cast<double>(!(std::abs(jacobian_[p]) < limits_[p])) * jacobian_[p];
}

/// Goes on after whatever happens: a step takes the same operations always.
RealtimeStepper::Solved RealtimeStepper::make_tableau() noexcept {
  Solved solved;
  const std::size_t n = x_.size();
  const double t_begin = t_start_ + static_cast<double>(n_steps_) * plan_.step;
  for (std::size_t j = 0; j < plan_.step_numbers.size(); ++j) {
    const int steps = plan_.step_numbers[j];
    const double tau = plan_.step / steps;
    const Out column(tableau_.data() + j * n, n);
    std::copy(x_.begin(), x_.end(), column.begin());
    const auto increment = [&](int i, In x, Out delta) noexcept {
      const double t = t_begin + (i + (plan_.time == StepTime::end ? 1 : 0)) * tau;
      EvalStatus evaluated = EvalStatus::ok;
      if (i == 0 && j == 0) {
        evaluated = passes_.evaluate(point(t, x), f_start_, jacobian_);
        drop_small();
        f_ = f_start_;
      } else if (i == 0 && shares_f_) {
        f_ = f_start_;
      } else {
        evaluated = dae_.f(point(t, x), f_);
      }
      solved.evaluated = solved.evaluated && evaluated == EvalStatus::ok;
      for (double& f : f_) f *= tau;
      if (i > 0) {
        solver_->solve_again(values_, f_, delta);
        return true;
      }
      matrix_.fill(limits_.empty() ? jacobian_ : remaining_, tau, values_);
      solved.finite = solved.finite && std::isfinite(all_together(values_));  // 1/∞ = 0 would pass for a solution
      solved.regular = solver_->solve(values_, f_, delta) == SolveStatus::ok && solved.regular;  // (1)
      if (plan_.back_end == StaticKind::lu)
        if (const double error = monitor_.backward_error(values_, f_, delta);
            !std::isnan(solved.backward_error) && !(error <= solved.backward_error))
          solved.backward_error = error;
      return true;
    };
    (void)euler_steps<double>(steps, column, delta_, increment);
    extend_tableau<double>(plan_.step_numbers, j + 1, {tableau_.data(), (j + 1) * n});
  }
  const double* const last = tableau_.data() + (plan_.step_numbers.size() - 1) * n;
  if (!single())  // else delta_ is the step, and has more digits than a difference
    for (std::size_t i = 0; i < n; ++i) delta_[i] = last[i] - x_[i];
  error_ = delta_;
  if (plan_.step_numbers.size() > 1)
    for (std::size_t i = 0; i < n; ++i) error_[i] = last[i] - (last - n)[i];
  return solved;
}

StepReport RealtimeStepper::attempt() noexcept {
  StepReport report;
  if (has_mode_) {
    mode_ = 0;
    mode_ = dae_.starting_mode(point(time() + (plan_.time == StepTime::end ? plan_.step : 0), x_));
  }
  const Solved solved = make_tableau();
  report.backward_error = solved.backward_error;
  const bool finite = solved.finite && usable(delta_);
  for (std::size_t i = 0; i < x_.size(); ++i)  // (3)
    report.error = std::max(report.error, std::abs(error_[i]) / std::max(plan_.rtol * std::abs(x_[i]), plan_.atol));
  if (!algebraic_.empty()) {
    if (plan_.damping) {  // (2); a tie goes to the longer step
      const double half = std::max(damping_ / 2, plan_.smallest_damping), twice = std::min(1.0, 2 * damping_);
      const double long_norm = algebraic_norm(twice), same_norm = algebraic_norm(damping_),
                   short_norm = algebraic_norm(half);
      report.damping = twice;
      report.algebraic_residual = long_norm;
      for (const auto& [norm, damping] : {std::pair(same_norm, damping_), std::pair(short_norm, half)})
        if (norm < report.algebraic_residual) {
          report.algebraic_residual = norm;
          report.damping = damping;
        }
      if (!std::isfinite(report.algebraic_residual)) report.damping = half;  // where the next step begins to try
    } else {
      report.algebraic_residual = algebraic_norm(1);
    }
  }
  report.status = [&] {
    if (!solved.evaluated) return RealtimeStatus::refused;
    if (!finite) return RealtimeStatus::not_finite;
    if (!solved.regular) return RealtimeStatus::singular;
    if (!(report.backward_error <= plan_.largest_backward_error)) return RealtimeStatus::residual_too_large;
    if (!std::isfinite(report.algebraic_residual))
      return RealtimeStatus::refused;  // the next step could not begin there
    return RealtimeStatus::ok;
  }();
  return report;
}

/// trial_ = x_{n+1}, on the constraints where projections are asked for.
RealtimeStatus RealtimeStepper::complete(const StepReport& report) noexcept {
  if (plan_.damping)
    for (const int i : algebraic_) delta_[i] *= report.damping;
  for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + delta_[i];
  if (projection_ == nullptr) return RealtimeStatus::ok;
  const RealtimeStatus projected = projection_->project(point(end_of_step(), trial_), jacobian_, trial_);
  if (projected != RealtimeStatus::ok) return projected;
  return usable(trial_) ? RealtimeStatus::ok : RealtimeStatus::not_finite;
}

StepReport RealtimeStepper::step(In u) noexcept {
  RUBATO_ASSERT(u.size() == u_.size(), "one number for every input");
  std::copy(u.begin(), u.end(), u_.begin());
  StepReport report = attempt();
  const RealtimeStatus completed = complete(report);
  if (report.status == RealtimeStatus::ok) report.status = completed;
  if (report.status == RealtimeStatus::ok) {
    damping_ = report.damping;
    for (std::size_t i = 0; i < x_.size(); ++i) rate_[i] = (trial_[i] - x_[i]) / plan_.step;
    std::copy(trial_.begin(), trial_.end(), x_.begin());
    dae_.rebase(x_, base_);
  } else {
    if (report.status == RealtimeStatus::refused) damping_ = report.damping;
    std::fill(rate_.begin(), rate_.end(), 0.0);
  }
  ++n_steps_;
  return report;
}

void RealtimeStepper::go_back(const Mark& mark) {
  n_steps_ = mark.n_steps;
  damping_ = mark.damping;
  x_ = mark.x;
  base_ = mark.base;
}

EvalStatus RealtimeStepper::outputs(Out y) noexcept {
  RUBATO_ASSERT(static_cast<int>(y.size()) == n_outputs_, "one number for every output");
  if (outputs_are_states_) {
    std::copy(x_.begin(), x_.end(), y.begin());
    return EvalStatus::ok;
  }
  return dae_.outputs(point(time(), x_), rate_, y);
}

}  // namespace rubato::realtime
