#include "rosenbrock_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "combine.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/linalg/step_scaling.hpp"

namespace rubato {

Result<std::unique_ptr<Stepper>> RosenbrockStepper::create(const RosenbrockTable& table,
                                                           const InitialValueProblem& problem,
                                                           const IntegrateOptions& options) {
  const Dae& dae = *problem.dae;
  if (!dae.constant_mass())
    return Error{fmt::format(
        "method {}: Rosenbrock methods need a constant mass matrix, but B depends on the state; use a formulation with "
        "accelerations as unknowns (semi-explicit, index-3+a, …), or with_derivative_unknowns() for a plain Dae",
        table.name())};
  if (!table.has_embedded() && !(options.step.fixed_step > 0))
    return Error{fmt::format("method {} has no error estimate: set solver.fixed_step", table.name())};
  std::unique_ptr<RosenbrockStepper> stepper(new RosenbrockStepper(table, problem, options));
  if (auto done = stepper->linearise_structure(stepper->at(problem.t_start, view(problem.x))); !done)
    return Error{fmt::format("method {}: {}", table.name(), done.error().message)};
  if (!stepper->linearisation_->exact())
    return Error{fmt::format(
        "method {}: the order of Rosenbrock methods rests on an exact Jacobian, the model's own is approximate; "
        "set solver.jacobian to \"dual\" or \"differences\", or take a method that accepts it",
        table.name())};
  return std::unique_ptr<Stepper>(std::move(stepper));
}

RosenbrockStepper::RosenbrockStepper(const RosenbrockTable& table, const InitialValueProblem& problem,
                                     const IntegrateOptions& options)
    : table_(table),
      dae_(*problem.dae),
      keep_dae_(problem.dae),
      input_(problem.input),
      options_(options),
      norm_(problem.dae->layout(), options.tolerances, options.step),
      time_dependent_(!problem.dae->autonomous() || problem.dae->n_inputs() > 0),
      scratch_(problem.dae->scratch_bytes()),
      x_(problem.x),
      base_(problem.base),
      mode_(problem.mode) {
  const int n = dae_.size();
  for (Vector* v : {&trial_, &start_, &zero_, &f_time_, &stage_, &sum_, &error_, &row_scale_, &col_scale_})
    v->setZero(n);
  u_.setZero(dae_.n_inputs());
  u_rate_.setZero(dae_.n_inputs());
  table.dense_slopes(1, end_slopes_);
  point_ = {.t = 0, .x = {}, .u = view(u_), .base = view(base_), .mode = mode_, .scratch = scratch_.scratch()};
  f_.setZero(n, table.s);
  stages_.setZero(n, table.s);
  for (const auto& block : dae_.layout().blocks()) {
    unknowns_.insert(unknowns_.end(), static_cast<std::size_t>(block.size), block.unknown);
    equations_.insert(equations_.end(), static_cast<std::size_t>(block.size), block.equation);
  }
}

const At& RosenbrockStepper::at(double t, In x) noexcept {
  if (input_) input_->at(t, view(u_), view(u_rate_));
  point_.t = t;
  point_.x = x;
  point_.mode = mode_;
  return point_;
}

Result<void> RosenbrockStepper::linearise_structure(const At& at) {
  auto made = Linearisation::create(dae_, at, options_.linear.jacobian);
  if (!made) return made.error();
  linearisation_ = std::move(*made);
  adopt_structure();
  return {};
}

/// Everything that depends on the patterns of the linearisation.
void RosenbrockStepper::adopt_structure() {
  make_step_matrix();

  // Places of the diagonals of mass and stiffness: dynamic row k, k-th position and k-th velocity (or acceleration).
  mass_places_.clear();
  mass_in_j_places_.clear();
  stiffness_places_.clear();
  std::vector<int> rows, positions, velocities, accelerations;
  for (int i = 0; i < dae_.size(); ++i) {
    if (equations_[static_cast<std::size_t>(i)] == ScaledEquation::dynamic) rows.push_back(i);
    if (unknowns_[static_cast<std::size_t>(i)] == ScaledUnknown::position) positions.push_back(i);
    if (unknowns_[static_cast<std::size_t>(i)] == ScaledUnknown::velocity) velocities.push_back(i);
    if (unknowns_[static_cast<std::size_t>(i)] == ScaledUnknown::acceleration) accelerations.push_back(i);
  }
  const auto place = [](std::vector<int>& places, const SparsePattern& pattern, int row, int col) {
    if (const int p = pattern.index_of(row, col); p >= 0) places.push_back(p);
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k < positions.size()) place(stiffness_places_, linearisation_->jacobian_pattern(), rows[k], positions[k]);
    if (k < velocities.size()) place(mass_places_, linearisation_->mass_pattern(), rows[k], velocities[k]);
    if (k < accelerations.size())
      place(mass_in_j_places_, linearisation_->jacobian_pattern(), rows[k], accelerations[k]);
  }
}

/// A branch of the model has opened: the one thing besides a full factorisation that allocates during a run.
StepStatus RosenbrockStepper::extend_pattern(const At& at) noexcept {
  try {
    linearisation_->extend(at);
    adopt_structure();
  } catch (const std::bad_alloc&) {
    return StepStatus::out_of_memory;
  }
  ++counters_.pattern_extensions;
  return StepStatus::ok;
}

void RosenbrockStepper::make_step_matrix() {
  if (matrix_) {
    const FactorStatistics s = matrix_->statistics();
    retired_.full_factorisations += s.full_factorisations;
    retired_.refactorisations += s.refactorisations;
    retired_.solves += s.solves;
    retired_.library_allocations += s.library_allocations;
  }
  std::vector<PivotPosition> local;
  for (const auto& unknown : dae_.layout().local_unknowns()) local.push_back({unknown.row, unknown.col});
  matrix_.emplace(linearisation_->mass_pattern(), linearisation_->jacobian_pattern(), local,
                  StepMatrixOptions{.back_end = options_.linear.back_end, .condense = options_.linear.condense});
  linearised_ = false;
  factored_c_ = 0;
}

StepStatus RosenbrockStepper::restart(double t, In x, In, In base, int mode) {
  const bool other_mode = mode != mode_;
  x_ = map(x);
  base_ = map(base);
  mode_ = mode;
  t_ = t;
  if (other_mode && linearisation_->pattern_grows(at(t, view(x_)))) {
    if (!linearise_structure(at(t, view(x_)))) return StepStatus::fatal;
  }
  linearised_ = false;
  factored_c_ = 0;
  return StepStatus::ok;
}

EvalStatus RosenbrockStepper::evaluate(double t, In x, Out f) noexcept {
  ScopedTimer timer(options_.timing ? &counters_.seconds.f : nullptr);
  ++counters_.f_calls;
  return dae_.f(at(t, x), f);
}

/// f, J and f_t at the committed state: kept when the step is tried again with another h.
StepStatus RosenbrockStepper::linearise(double t, double h) noexcept {
  if (linearised_ && t == t_) return StepStatus::ok;
  const auto f0 = Out(f_.col(0).data(), static_cast<std::size_t>(f_.rows()));
  EvalStatus status = evaluate(t, view(x_), f0);
  if (status != EvalStatus::ok) return step_status(status);
  ScopedTimer timer(options_.timing ? &counters_.seconds.jacobian : nullptr);
  const long before = linearisation_->f_calls();
  const At& point = at(t, view(x_));
  status = linearisation_->update(point, view(zero_), f0);
  if (status == EvalStatus::ok && linearisation_->pattern_incomplete()) {
    if (const StepStatus extended = extend_pattern(point); extended != StepStatus::ok) return extended;
    status = linearisation_->update(point, view(zero_), f0);
  }
  ++counters_.jacobians;
  if (status == EvalStatus::ok && time_dependent_)
    status = linearisation_->time_derivative(point, view(zero_), view(u_rate_), f0, h, view(f_time_));
  counters_.f_calls_jacobian += linearisation_->f_calls() - before;
  if (status != EvalStatus::ok) return step_status(status);
  matrix_->linearise(linearisation_->mass(), linearisation_->jacobian());
  linearised_ = true;
  factored_c_ = 0;
  t_ = t;
  return StepStatus::ok;
}

/// s = k_ave + m_ave c² from the diagonals of stiffness and mass.
void RosenbrockStepper::scale_step_matrix(double c) noexcept {
  const auto average = [](const std::vector<int>& places, In values) {
    double sum = 0;
    for (const int p : places) sum += std::abs(values[static_cast<std::size_t>(p)]);
    return places.empty() ? 0.0 : sum / static_cast<double>(places.size());
  };
  StepScaling scaling;
  scaling.k_ave = average(stiffness_places_, linearisation_->jacobian());
  scaling.m_ave =
      std::max(average(mass_places_, linearisation_->mass()), average(mass_in_j_places_, linearisation_->jacobian()));
  if (!(scaling.dynamic_stiffness(std::abs(c)) > 0) || !std::isfinite(scaling.dynamic_stiffness(std::abs(c)))) return;
  fill_scaling(scaling, std::abs(c), unknowns_, equations_, view(row_scale_), view(col_scale_));
  matrix_->set_scaling(view(row_scale_), view(col_scale_));
}

StepStatus RosenbrockStepper::factorise(double h) noexcept {
  const double c = 1 / (h * table_.diagonal);
  if (c == factored_c_) return StepStatus::ok;
  ScopedTimer timer(options_.timing ? &counters_.seconds.factor : nullptr);
  if (options_.linear.scaling && !stiffness_places_.empty()) scale_step_matrix(c);
  ++counters_.factorisations;
  switch (matrix_->factor(c)) {
    case FactorStatus::ok: factored_c_ = c; return StepStatus::ok;
    case FactorStatus::not_finite: factored_c_ = 0; return StepStatus::not_finite;
    case FactorStatus::out_of_memory: factored_c_ = 0; return StepStatus::out_of_memory;
    case FactorStatus::singular: break;
  }
  factored_c_ = 0;
  return StepStatus::singular_matrix;
}

Attempt RosenbrockStepper::attempt(double t, double h) noexcept {
  const int s = table_.s;
  Attempt result{.status = StepStatus::ok, .error = 0, .error_order = table_.embedded_order() + 1};
  const auto fail = [&](StepStatus status) {
    result.status = status;
    return result;
  };
  h_ = h;
  has_trial_ = false;
  if (const StepStatus status = linearise(t, h); status != StepStatus::ok) return fail(status);
  if (const StepStatus status = factorise(h); status != StepStatus::ok) return fail(status);
  const auto n = static_cast<std::size_t>(x_.size());
  const double inverse_h = 1 / h;
  for (int i = 0; i < s; ++i) {  // (1)
    if (i > 0) detail::combine(view(x_), i, stages_.data(), table_.u.a[i], view(stage_), table_.u.c[i], view(sum_));
    if (i > 0 && table_.evaluates_at_stage(i)) {
      const EvalStatus status = evaluate(t + table_.alpha_sum[i] * h, view(stage_), Out(f_.col(i).data(), n));
      if (status != EvalStatus::ok) return fail(step_status(status));
    }
    const Out u_i(stages_.col(i).data(), n);
    const In f_i(f_.col(table_.f_source[i]).data(), n);
    if (i > 0)
      matrix_->add_B_times(f_i, inverse_h, view(sum_), u_i);
    else
      std::copy(f_i.begin(), f_i.end(), u_i.begin());
    if (time_dependent_) map(u_i) += (h * table_.gamma_sum[i]) * f_time_;
    ScopedTimer timer(options_.timing ? &counters_.seconds.solve : nullptr);
    ++counters_.solves;
    matrix_->solve(u_i, u_i);
  }
  detail::combine(view(x_), s, stages_.data(), table_.u.m, view(trial_), table_.m_error, view(error_));  // (2)
  has_trial_ = true;
  if (table_.has_embedded()) {
    result.error = norm_(view(error_), view(x_), view(trial_), h);
    if (std::isfinite(result.error)) return result;  // the trial is finite as well
  }
  return trial_.allFinite() ? result : fail(StepStatus::not_finite);
}

void RosenbrockStepper::commit() noexcept {
  start_.swap(x_);  // where the step began
  x_.swap(trial_);
  t_ += h_;
  linearised_ = false;
}

void RosenbrockStepper::interpolate(double theta, Out x, Out w) const noexcept {
  double m[max_rosenbrock_stages], slopes[max_rosenbrock_stages];
  const bool at_end = theta == 1;  // the driver looks there after every step
  if (!at_end) {
    table_.dense_weights(theta, m);
    table_.dense_slopes(theta, slopes);
  }
  const double inverse_h = 1 / h_;
  for (int j = 0; j < table_.s; ++j) slopes[j] = inverse_h * (at_end ? end_slopes_[j] : slopes[j]);  // d/dt of (2)
  detail::combine(view(start_), table_.s, stages_.data(), at_end ? table_.u.m : m, x, slopes, w);
}

void RosenbrockStepper::rebase() noexcept {
  if (base_.size() == 0) return;
  dae_.rebase(view(x_), view(base_));
  linearised_ = false;
}

/// Patterns and pivots carry history: after a checkpoint they depend on the state there alone.
void RosenbrockStepper::renew() {
  if (!linearise_structure(at(t_, view(x_)))) adopt_structure();
}

void RosenbrockStepper::save(ArchiveWriter& out) const {
  out.put(view(x_));
  out.put(view(base_));
  out.put(mode_);
  out.put(t_);
}

bool RosenbrockStepper::load(ArchiveReader& in) {
  in.get(view(x_));
  in.get(view(base_));
  in.get(mode_);
  in.get(t_);
  if (in.ok()) renew();
  return in.ok();
}

int RosenbrockStepper::worst_component() const noexcept {
  return has_trial_ ? norm_.worst(view(error_), view(x_), view(trial_), h_) : -1;
}

Statistics RosenbrockStepper::statistics() const noexcept {
  Statistics s = counters_;
  const FactorStatistics now = matrix_->statistics();
  s.full_factorisations = retired_.full_factorisations + now.full_factorisations;
  s.library_allocations = retired_.library_allocations + now.library_allocations;
  return s;
}

}  // namespace rubato
