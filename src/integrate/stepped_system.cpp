#include "stepped_system.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "rubato/base/assert.hpp"
#include "rubato/linalg/step_scaling.hpp"
#include "rubato/problem/mass_values.hpp"

namespace rubato {

Result<std::unique_ptr<SteppedSystem>> SteppedSystem::create(const InitialValueProblem& problem,
                                                             const IntegrateOptions& options, Shifts shifts,
                                                             Differences differences) {
  if (auto found = available(options.linear.back_end); !found) return found.error();
  std::unique_ptr<SteppedSystem> system(new SteppedSystem(problem, options, shifts, differences));
  if (auto done = system->find_structure(system->at(problem.t_start, view(problem.x))); !done) return done.error();
  return system;
}

SteppedSystem::SteppedSystem(const InitialValueProblem& problem, const IntegrateOptions& options, Shifts shifts,
                             Differences differences)
    : dae_(*problem.dae),
      keep_dae_(problem.dae),
      input_(problem.input),
      options_(options),
      shifts_(shifts),
      differences_(differences),
      time_dependent_(!problem.dae->autonomous() || problem.dae->n_inputs() > 0),
      scratch_(problem.dae->scratch_bytes()),
      base_(problem.base) {
  row_scale_.setZero(size());
  for (Vector* v : {&stage_right_, &moves_, &linearised_x_, &linearised_w_, &linearised_f_}) v->setZero(size());
  col_scale_.setZero(size());
  u_.setZero(dae_.n_inputs());
  u_rate_.setZero(dae_.n_inputs());
  point_ = {.t = 0, .x = {}, .u = view(u_), .base = view(base_), .mode = problem.mode, .scratch = scratch_.scratch()};
  for (const auto& block : dae_.layout().blocks()) {
    unknowns_.insert(unknowns_.end(), static_cast<std::size_t>(block.size), block.unknown);
    equations_.insert(equations_.end(), static_cast<std::size_t>(block.size), block.equation);
  }
}

Result<void> SteppedSystem::find_structure(const At& at) {
  const KrylovOptions& krylov = options_.linear.krylov;
  JacobianSource source = options_.linear.jacobian;
  JacobianRows rows = JacobianRows::all;
  if (krylov.use && krylov.products != KrylovProducts::matrix) {
    source = krylov.products == KrylovProducts::dual ? JacobianSource::dual : JacobianSource::differences;
    const bool constraints = krylov.matrix.constraints == KrylovConstraints::eliminated ||
                             krylov.matrix.preconditioner == KrylovPreconditioner::constraint ||
                             krylov.coupling == KrylovCoupling::error;
    rows = constraints && dae_.layout().has_algebraic() && !keeps_old_factor() ? JacobianRows::algebraic
                                                                               : JacobianRows::none;
    if (keeps_old_factor()) {
      auto made = Linearisation::create(dae_, at, options_.linear.jacobian, JacobianRows::all, differences_);
      if (!made) return made.error();
      assembly_ = std::move(*made);
    }
  }
  auto made = Linearisation::create(dae_, at, source, rows, differences_);
  if (!made) return made.error();
  linearisation_ = std::move(*made);
  if (krylov.use && !keeps_old_factor())
    if (auto good = constraints_checked(); !good) return good;
  adopt_structure();
  return {};
}

/// Everything that depends on the patterns of the linearisation.
void SteppedSystem::adopt_structure() {
  ++structure_;
  make_step_matrix();
  find_position_rows();
  if (!dae_.constant_mass()) {
    mass_groups_ = group_columns(linearisation_->mass_pattern());
    own_mass_.setZero(linearisation_->mass_pattern().nnz());
    unit_.setZero(size());
    product_.setZero(size());
  }

  // Places of the diagonals of mass and stiffness: dynamic row k, k-th position and k-th velocity (or acceleration).
  mass_places_.clear();
  mass_in_j_places_.clear();
  stiffness_places_.clear();
  std::vector<int> rows, positions, velocities, accelerations;
  for (int i = 0; i < size(); ++i) {
    if (equations_[static_cast<std::size_t>(i)] == ScaledEquation::dynamic) rows.push_back(i);
    if (unknowns_[static_cast<std::size_t>(i)] == ScaledUnknown::position) positions.push_back(i);
    if (unknowns_[static_cast<std::size_t>(i)] == ScaledUnknown::velocity) velocities.push_back(i);
    if (unknowns_[static_cast<std::size_t>(i)] == ScaledUnknown::acceleration) accelerations.push_back(i);
  }
  const auto place = [](std::vector<int>& places, const SparsePattern& pattern, int row, int col) {
    if (const int p = pattern.index_of(row, col); p >= 0) places.push_back(p);
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k < positions.size()) place(stiffness_places_, formed().jacobian_pattern(), rows[k], positions[k]);
    if (k < velocities.size()) place(mass_places_, linearisation_->mass_pattern(), rows[k], velocities[k]);
    if (k < accelerations.size()) place(mass_in_j_places_, formed().jacobian_pattern(), rows[k], accelerations[k]);
  }
  mechanical_ = !stiffness_places_.empty() || !mass_places_.empty() || !mass_in_j_places_.empty();
}

void SteppedSystem::set_position_rows(const PositionRows& rows) {
  positions_ = rows;
  find_position_rows();
}

void SteppedSystem::find_position_rows() {
  jacobian_in_positions_.clear();
  mass_in_positions_.clear();
  velocity_places_.clear();
  if (positions_.n == 0) return;
  const SparsePattern &j = linearisation_->jacobian_pattern(), &b = linearisation_->mass_pattern();
  const auto collect = [&](const SparsePattern& pattern, std::vector<int>& places) {
    const auto rows = pattern.row_indices();
    for (std::size_t p = 0; p < rows.size(); ++p)
      if (rows[p] >= positions_.q && rows[p] < positions_.q + positions_.n) places.push_back(static_cast<int>(p));
  };
  collect(j, jacobian_in_positions_);
  collect(b, mass_in_positions_);
  for (int i = 0; i < positions_.n; ++i) {
    velocity_places_.push_back(j.index_of(positions_.q + i, positions_.v + i));
    RUBATO_ASSERT(velocity_places_.back() >= 0, "q' depends on v");
  }
  own_jacobian_.setZero(j.nnz());
  own_mass_.setZero(b.nnz());
}

StepStatus SteppedSystem::extend_pattern(const At& at, In w) noexcept {
  const auto entries = [&] { return linearisation_->jacobian_pattern().nnz() + linearisation_->mass_pattern().nnz(); };
  const auto before = entries();
  try {
    linearisation_->extend(at, w);
    if (entries() == before) return StepStatus::ok;  // a false alarm
    adopt_structure();
  } catch (const std::bad_alloc&) {
    return StepStatus::out_of_memory;
  }
  ++counters.pattern_extensions;
  return StepStatus::ok;
}

void SteppedSystem::retire_matrices() noexcept {
  if (krylov_) {
    const SolverReport s = krylov_->report();
    retired_.full_factorisations += s.full_factorisations;
    retired_.library_allocations += s.library_allocations;
  }
  if (!matrix_) return;
  const FactorStatistics s = matrix_->statistics();
  retired_.full_factorisations += s.full_factorisations;
  retired_.refactorisations += s.refactorisations;
  retired_.solves += s.solves;
  retired_.library_allocations += s.library_allocations;
}

void SteppedSystem::make_step_matrix() {
  retire_matrices();
  const KrylovOptions& krylov = options_.linear.krylov;
  if (krylov.use && !krylov.automatic && !keeps_old_factor()) return make_krylov_matrix();
  std::vector<PivotPosition> local;
  for (const auto& unknown : dae_.layout().local_unknowns()) local.push_back({unknown.row, unknown.col});
  matrix_.emplace(linearisation_->mass_pattern(), formed().jacobian_pattern(), local,
                  StepMatrixOptions{.back_end = krylov.use && keeps_old_factor()
                                                    ? back_end_of(krylov.matrix.factors, options_.linear.back_end)
                                                    : options_.linear.back_end,
                                    .condense = options_.linear.condense,
                                    .real_shifts = shifts_.real,
                                    .complex_shifts = shifts_.complex});
  if (krylov.use) make_krylov_matrix();
}

StepStatus SteppedSystem::linearise(double t, In x, In w, In f0) noexcept {
  ScopedTimer timer(options_.timing ? &counters.seconds.jacobian : nullptr);
  const long before = linearisation_->f_calls();
  const At& point = at(t, x);
  const bool differs = linearisation_->source() == JacobianSource::differences && last_shift_ > 0;
  if (differs) moves_ = map(w).cwiseAbs() / last_shift_;
  const In moves = differs ? view(std::as_const(moves_)) : In{};
  EvalStatus status = linearisation_->update(point, w, f0, moves);
  if (status == EvalStatus::ok && linearisation_->pattern_incomplete()) {
    if (const StepStatus extended = extend_pattern(point, w); extended != StepStatus::ok) return extended;
    status = linearisation_->update(point, w, f0, moves);
  }
  if (!products_) ++counters.jacobians;
  if (status == EvalStatus::ok && krylov_) {
    matrix_->linearise(linearisation_->mass(), may_factor() ? formed().jacobian() : In{});
    krylov_->linearise(linearisation_->mass(), linearisation_->jacobian());
    if (products_) status = std::exchange(products_->status, {});
  }
  counters.f_calls_jacobian += linearisation_->f_calls() - before;
  if (status != EvalStatus::ok) return step_status(status);
  if (assembly_) {
    linearised_t_ = t;
    linearised_x_ = map(x);
    linearised_w_ = map(w);
    linearised_f_ = map(f0);
  }
  if (krylov_) return StepStatus::ok;
  if (positions_.n == 0) {
    matrix_->linearise(linearisation_->mass(), linearisation_->jacobian());
    return StepStatus::ok;
  }
  own_jacobian_ = map(linearisation_->jacobian());
  own_mass_ = map(linearisation_->mass());
  for (const int p : jacobian_in_positions_) own_jacobian_[p] = 0;
  for (const int p : velocity_places_) own_jacobian_[p] = 1;
  for (const int p : mass_in_positions_) own_mass_[p] *= positions_.weight;
  matrix_->linearise(view(std::as_const(own_mass_)), view(std::as_const(own_jacobian_)));
  return StepStatus::ok;
}

StepStatus SteppedSystem::renew_mass(double t, In x) noexcept {
  const EvalStatus status = mass_values(dae_, at(t, x), linearisation_->mass_pattern(), mass_groups_, view(unit_),
                                        view(product_), view(own_mass_));
  if (status == EvalStatus::ok) matrix_->linearise(view(std::as_const(own_mass_)), linearisation_->jacobian());
  return step_status(status);
}

StepStatus SteppedSystem::time_derivative(double t, In x, In w, In f0, double h, Out out) noexcept {
  ScopedTimer timer(options_.timing ? &counters.seconds.jacobian : nullptr);
  const long before = linearisation_->f_calls();
  const EvalStatus status = linearisation_->time_derivative(at(t, x), w, view(u_rate_), f0, h, out);
  counters.f_calls_jacobian += linearisation_->f_calls() - before;
  return step_status(status);
}

EvalStatus SteppedSystem::jacobian_error(double t, In x, In w, In v, Out out) noexcept {
  ScopedTimer timer(options_.timing ? &counters.seconds.jacobian : nullptr);
  const long before = linearisation_->f_calls();
  const EvalStatus status = linearisation_->error_along(at(t, x), w, v, out);
  counters.f_calls_jacobian += linearisation_->f_calls() - before;
  return status;
}

/// s = k_ave + m_ave c², where nothing is given from the diagonals of stiffness and mass.
StepScaling SteppedSystem::scaling(double abs_c) const noexcept {
  const auto average = [](const std::vector<int>& places, In values) {
    double sum = 0;
    for (const int p : places) sum += std::abs(values[static_cast<std::size_t>(p)]);
    return places.empty() ? 0.0 : sum / static_cast<double>(places.size());
  };
  const LinearOptions& linear = options_.linear;
  StepScaling scaling{.mode = linear.scaling};
  scaling.k_ave = linear.k_ave ? *linear.k_ave : average(stiffness_places_, formed().jacobian());
  scaling.m_ave = linear.m_ave ? *linear.m_ave
                               : std::max(average(mass_places_, linearisation_->mass()),
                                          average(mass_in_j_places_, formed().jacobian()));
  const double s = scaling.dynamic_stiffness(abs_c);
  if (!mechanical_ || !(s > 0) || !std::isfinite(s)) scaling.mode = ScalingMode::none;
  return scaling;
}

void SteppedSystem::scale(double abs_c) noexcept {
  fill_scaling(scaling(abs_c), abs_c, unknowns_, equations_, view(row_scale_), view(col_scale_));
  matrix_->set_scaling(view(row_scale_), view(col_scale_));
}

void SteppedSystem::scaled_weights(double abs_c, Out weights) noexcept {
  fill_scaling(scaling(abs_c), abs_c, unknowns_, equations_, view(row_scale_), view(col_scale_));
  map(weights) = col_scale_.cwiseInverse();
}

bool SteppedSystem::restart(double t, In x, In base, int mode) {
  const bool other_mode = mode != point_.mode;
  base_ = map(base);
  point_.mode = mode;
  if (!other_mode || !formed().pattern_grows(at(t, x))) return true;
  return find_structure(at(t, x)).ok();
}

void SteppedSystem::renew(double t, In x) {
  last_shift_ = 0;
  if (!find_structure(at(t, x))) adopt_structure();
}

void SteppedSystem::save(ArchiveWriter& out) const {
  out.put(view(base_));
  out.put(point_.mode);
}

void SteppedSystem::load(ArchiveReader& in) {
  in.get(view(base_));
  in.get(point_.mode);
}

Statistics SteppedSystem::statistics() const noexcept {
  Statistics s = counters;
  const FactorStatistics now = matrix_->statistics();
  s.full_factorisations = retired_.full_factorisations + now.full_factorisations;
  s.library_allocations = retired_.library_allocations + now.library_allocations;
  if (krylov_) {
    s.full_factorisations += krylov_->report().full_factorisations;
    s.library_allocations += krylov_->report().library_allocations;
  }
  return s;
}

}  // namespace rubato
