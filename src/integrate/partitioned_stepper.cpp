#include "partitioned_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "problem/part_dae.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

constexpr int largest_direct = 300;  // unknowns of all stages; beyond, decoupled factors are cheaper than the whole

std::vector<char> algebraic_rows(const Layout& layout) {
  std::vector<char> rows;
  for (int i = 0; i < layout.size(); ++i) rows.push_back(layout.kind(i) == Kind::algebraic);
  return rows;
}

bool diagonal(const SparsePattern& pattern) noexcept {
  for (int col = 0; col < pattern.cols(); ++col)
    for (const int row : pattern.column(col))
      if (row != col) return false;
  return true;
}

}  // namespace

Result<std::unique_ptr<Stepper>> PartitionedStepper::create(const RungeKuttaTable& table, StageStrategy strategy,
                                                            const InitialValueProblem& problem,
                                                            IntegrateOptions options) {
  const Dae& dae = *problem.dae;
  if (!dae.constant_mass())
    return Error{fmt::format(
        "method {}: different or singular tables need a constant mass matrix, but B depends on the state; use a "
        "formulation with accelerations as unknowns (semi-explicit, index-3+a, …), momentum or hamilton",
        table.name())};
  auto plan = StagePlan::create(table, strategy, dae, options.runge_kutta);
  if (!plan) return plan.error();
  // A strategy that was told nothing looks for itself: with IIIC everywhere, then once for all.
  if (strategy != StageStrategy::fixed && options.stiffness.components.empty() &&
      options.stiffness.frequency_of.empty() && !options.stiffness.detect) {
    options.stiffness.detect = true;
    options.stiffness.measure = StiffnessMeasure::estimates;
  }
  const auto algebraic = algebraic_rows(dae.layout());
  const StageSolver wanted = options.runge_kutta.stage_solver;
  const bool direct =
      wanted == StageSolver::direct || (wanted == StageSolver::automatic && table.s * dae.size() <= largest_direct);
  const double gamma0 = options.runge_kutta.gamma0 > 0 ? options.runge_kutta.gamma0 : default_gamma0(table);
  std::unique_ptr<StageKrylov> krylov;
  int slot = 0, pairs = 0;
  if (!direct) {
    auto made = StageKrylov::create(table.s, algebraic);
    if (!made) return Error{fmt::format("method {}: {}", table.name(), made.error().message)};
    krylov = std::move(*made);
    const StageScheme& scheme = krylov->scheme();
    const bool shared = !scheme.real.empty() && std::abs(gamma0 * scheme.real.front() - 1) < 1e-12;
    slot = shared ? 0 : static_cast<int>(scheme.real.size());
    pairs = static_cast<int>(scheme.pairs.size());
  }
  const int reals = krylov ? std::max(slot + 1, static_cast<int>(krylov->scheme().real.size())) : 1;
  auto system = SteppedSystem::create(problem, options, {.real = reals, .complex = pairs});
  if (!system) return Error{fmt::format("method {}: {}", table.name(), system.error().message)};
  return std::unique_ptr<Stepper>(
      new PartitionedStepper(std::move(*plan), std::move(krylov), slot, gamma0, problem, options, std::move(*system)));
}

PartitionedStepper::PartitionedStepper(StagePlan plan, std::unique_ptr<StageKrylov> krylov, int filter_slot,
                                       double gamma0, const InitialValueProblem& problem,
                                       const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system)
    : StagedStepper(problem, options, plan.table(), plan.table().s, std::move(system)),
      plan_(std::move(plan)),
      dense_(plan_.table().c),
      krylov_(std::move(krylov)),
      filter_slot_(filter_slot),
      gamma0_(gamma0),
      algebraic_(algebraic_rows(problem.dae->layout())) {
  const int n = system_->size(), s = table().s;
  const auto embedded = embedded_lobatto(table(), options.runge_kutta.alpha0, gamma0_);
  guard_ = QuadratureGuard(table(), embedded.leading, problem.dae->layout());
  error_order_ = embedded.order + 1;
  closes_ = problem.dae->layout().index() == 1 && plan_.ends_apart();
  for (int j = 0; j < s; ++j) uses_slopes_ = uses_slopes_ || plan_.uses_slope(j);
  for (int m = 1; m < plan_.parts(); ++m) part_daes_.push_back(part_of(*problem.dae, m));
  f_.assign(static_cast<std::size_t>(plan_.parts()), Matrix::Zero(n, s));
  for (Vector* v : {&combined_, &product_, &first_f_, &zero_}) v->setZero(n);
  plan_.assign(detector_);
  build();
}

/// All that depends on the patterns.
void PartitionedStepper::build() {
  const Linearisation& whole = system_->linearisation();
  const BackEnd back_end = options_.linear.back_end;
  part_linearisations_.resize(part_daes_.size());
  first_pattern_ = whole.jacobian_pattern();
  std::vector<SparsePattern> patterns(1);
  for (std::size_t m = 0; m < part_daes_.size(); ++m) {
    const auto source =
        options_.linear.jacobian == JacobianSource::model ? JacobianSource::automatic : options_.linear.jacobian;
    if (auto made = Linearisation::create(*part_daes_[m], system_->at(t_, view(x_)), source))
      part_linearisations_[m] = std::move(*made);
    patterns.push_back(part_linearisations_[m]->jacobian_pattern());
    first_pattern_ = united(first_pattern_, patterns.back());
  }
  patterns[0] = first_pattern_;
  whole_places_ = positions_in(whole.jacobian_pattern(), first_pattern_);
  part_places_.clear();
  for (std::size_t m = 1; m < patterns.size(); ++m) part_places_.push_back(positions_in(patterns[m], first_pattern_));
  first_values_.assign(static_cast<std::size_t>(first_pattern_.nnz()), 0);
  jacobians_.assign(patterns.size(), In{});
  stages_.emplace(table(), algebraic_, whole.mass_pattern(), patterns,
                  krylov_ ? StageOperator::Solver::products : StageOperator::Solver::direct, back_end);
  needs_mass_ = uses_slopes_ || !diagonal(whole.mass_pattern());
  mass_.reset();
  if (needs_mass_ || closes_)
    mass_.emplace(whole.mass_pattern(), whole.jacobian_pattern(), algebraic_, system_->dae().layout().index() <= 1,
                  back_end);
  known_extensions_ = system_->counters.pattern_extensions;
}

void PartitionedStepper::structure_changed() { build(); }

void PartitionedStepper::stiffness_changed() noexcept {
  if (plan_.assign(detector_)) factored_h_ = 0;
}

void PartitionedStepper::before_step(double h) noexcept {
  if (plan_.follow(detector_, h)) factored_h_ = 0;
}

/// J_m of the parts; the first is what they leave of J.
StepStatus PartitionedStepper::linearise_parts(double t) noexcept {
  const Linearisation& whole = system_->linearisation();
  std::ranges::fill(first_values_, 0.0);
  const auto add = [&](const std::vector<int>& places, In values, double sign) {
    for (std::size_t e = 0; e < places.size(); ++e)
      first_values_[static_cast<std::size_t>(places[e])] += sign * values[e];
  };
  add(whole_places_, whole.jacobian(), 1);
  for (std::size_t m = 0; m < part_linearisations_.size(); ++m) {
    Linearisation& part = *part_linearisations_[m];
    const long before = part.f_calls();
    if (const EvalStatus status = part.update(system_->at(t, view(x_)), view(zero_)); status != EvalStatus::ok)
      return step_status(status);
    system_->counters.f_calls_jacobian += part.f_calls() - before;
    add(part_places_[m], part.jacobian(), -1);
    jacobians_[m + 1] = part.jacobian();
  }
  jacobians_[0] = first_values_;
  return StepStatus::ok;
}

StepStatus PartitionedStepper::linearised(double t) noexcept {
  const auto rebuild = [&] {  // a branch of the model has opened
    try {
      build();
    } catch (const std::bad_alloc&) {
      return StepStatus::out_of_memory;
    }
    return StepStatus::ok;
  };
  StepStatus status = StepStatus::ok;
  if (known_extensions_ != system_->counters.pattern_extensions) status = rebuild();
  if (status == StepStatus::ok) status = linearise_parts(t);
  const bool incomplete =
      std::ranges::any_of(part_linearisations_, [](const auto& part) { return part->pattern_incomplete(); });
  if (status == StepStatus::ok && incomplete) {
    status = rebuild();
    if (status == StepStatus::ok) status = linearise_parts(t);
  }
  if (status != StepStatus::ok) return status;
  const Linearisation& whole = system_->linearisation();
  stages_->linearise(whole.mass(), jacobians_);
  return mass_ ? step_status(mass_->factor(whole.mass(), whole.jacobian())) : StepStatus::ok;
}

StepStatus PartitionedStepper::factor(double h) noexcept {
  if (krylov_) {
    if (const StepStatus status = krylov_->factor(*system_, h); status != StepStatus::ok) return status;
  } else {
    system_->scale_for(1 / h);
    ++system_->counters.factorisations;
    const StepMatrix& matrix = system_->matrix();
    if (const FactorStatus status = stages_->factor(h, plan_.rules(), matrix.row_scale(), matrix.col_scale());
        status != FactorStatus::ok)
      return step_status(status);
  }
  const bool shared = krylov_ && filter_slot_ < static_cast<int>(krylov_->scheme().real.size());
  return shared || !wants_estimate() ? StepStatus::ok : system_->factor(1 / (gamma0_ * h), filter_slot_);
}

/// f_m at stage j.
EvalStatus PartitionedStepper::evaluate_stage(double t, double h, int j) noexcept {
  stage_ = x_ + z_.col(j);
  const double at = t + table().c[j] * h;
  EvalStatus status = system_->f(at, view(stage_), column(f_[0], j));
  for (std::size_t m = 1; m < f_.size() && status == EvalStatus::ok; ++m) {
    ++system_->counters.f_calls;
    status = system_->dae().part(static_cast<int>(m), system_->at(at, view(stage_)), column(f_[m], j));
    f_[0].col(j) -= f_[m].col(j);
  }
  return status;
}

/// (1), divided by h, into r_.
StepStatus PartitionedStepper::residual(double t, double h) noexcept {
  const int n = system_->size(), s = table().s;
  for (int j = 0; j < s; ++j)
    if (const EvalStatus status = evaluate_stage(t, h, j); status != EvalStatus::ok) return step_status(status);
  for (int i = 0; i < s; ++i)
    system_->matrix().add_B_times(view(std::as_const(zero_)), -1 / h, column(z_, i), column(r_, i));
  for (std::size_t m = 0; m < f_.size(); ++m)
    for (int k = 0; k < n; ++k) {
      const StageRule& rule = plan_.rules().at(n, static_cast<int>(m), k);
      for (int i = 0; i < s; ++i) {
        if (is_algebraic(k)) {
          r_(k, i) += f_[m](k, i);
          continue;
        }
        for (int j = 0; j < s; ++j) r_(k, i) += rule(i, j) * f_[m](k, j);
      }
    }
  return StepStatus::ok;
}

StepStatus PartitionedStepper::correct(double t, double h, double& size) noexcept {
  if (const StepStatus status = residual(t, h); status != StepStatus::ok) return status;
  if (const StepStatus status = solve(h); status != StepStatus::ok) return status;
  const int s = table().s;
  size = newton_norm_.weighted(first_columns(dz_, s), view(weights_));
  z_.leftCols(s) += dz_.leftCols(s);
  return StepStatus::ok;
}

/// dz_ from r_.
StepStatus PartitionedStepper::solve(double h) noexcept {
  ++system_->counters.solves;
  if (!krylov_) {
    stages_->solve(r_, dz_);
    return StepStatus::ok;
  }
  // A hundredth of what Newton may leave, or a thousandth of its correction: the contraction stays Newton's own.
  const bool converged = krylov_->solve(*stages_, plan_.rules(), *system_, h, view(std::as_const(weights_)),
                                        0.01 * kappa_, 1e-3 * jacobian_reuse_, r_, dz_);
  return converged ? StepStatus::ok : StepStatus::newton_diverged;
}

void PartitionedStepper::combine(double h, StageCombination StageRule::*which, Vector& out) noexcept {
  const int n = system_->size(), s = table().s;
  const auto rule_of = [&](int k) -> const StageCombination& {
    return which == &StageRule::end ? plan_.end_rule(k).*which : plan_.rules().at(n, 0, k).*which;
  };
  out.setZero();
  if (!needs_mass_) {  // B is diagonal: row k is unknown k
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < s; ++j) out[k] += rule_of(k).on_z[static_cast<std::size_t>(j)] * z_(k, j);
    return;
  }
  for (int j = 0; j < s; ++j) {
    system_->matrix().multiply_B(column(z_, j), view(product_));
    for (int k = 0; k < n; ++k) {
      if (is_algebraic(k)) continue;
      out[k] += rule_of(k).on_z[static_cast<std::size_t>(j)] * product_[k];
      for (std::size_t m = 0; m < f_.size(); ++m) {
        const StageCombination& rule =
            which == &StageRule::end ? rule_of(k) : plan_.rules().at(n, static_cast<int>(m), k).*which;
        out[k] += rule.on_k[static_cast<std::size_t>(j)] * h * f_[m](k, j);
      }
    }
  }
  mass_->solve(view(out));
}

/// (2).
StepStatus PartitionedStepper::finish(double t, double h) noexcept {
  const int n = system_->size(), s = table().s;
  if (uses_slopes_)  // of the converged stages
    for (int j = 0; j < s; ++j)
      if (plan_.uses_slope(j))
        if (const EvalStatus status = evaluate_stage(t, h, j); status != EvalStatus::ok) return step_status(status);
  if (plan_.ends_apart())
    combine(h, &StageRule::end, combined_);
  else
    combined_ = z_.col(s - 1);
  for (int k = 0; k < n; ++k)
    if (is_algebraic(k)) combined_[k] = z_(k, s - 1);
  z_.col(s) = combined_;
  return closes_ ? close(t, h) : StepStatus::ok;
}

/// 0 = f at x₁ in the algebraic rows, for the algebraic unknowns.
StepStatus PartitionedStepper::close(double t, double h) noexcept {
  constexpr int k_max = 100;
  constexpr double rounding = 0.1;  // of corrections that no longer shrink: newton_control.hpp
  double before = 0;
  for (int iteration = 0; iteration < k_max; ++iteration) {
    stage_ = x_ + z_.col(table().s);
    if (const EvalStatus status = system_->f(t + h, view(stage_), view(product_)); status != EvalStatus::ok)
      return step_status(status);
    for (int k = 0; k < product_.size(); ++k)
      if (!is_algebraic(k)) product_[k] = 0;
    mass_->solve(view(product_));
    z_.col(table().s) += product_;
    const double d = newton_norm_.weighted(view(std::as_const(product_)), view(std::as_const(weights_)));
    if (!std::isfinite(d)) break;
    if (d <= 0.1 * kappa_ || (iteration > 0 && d >= before && d <= rounding)) return StepStatus::ok;
    before = d;
  }
  return StepStatus::newton_diverged;
}

/// (3).
EvalStatus PartitionedStepper::estimate_residual(double t, double h, In shift) noexcept {
  const int n = system_->size();
  if (shift.empty()) {
    stage_ = x_ + z_.col(0);
    if (const EvalStatus status = system_->f(t, view(stage_), view(first_f_)); status != EvalStatus::ok) return status;
    combine(h, &StageRule::extra, combined_);
    for (int k = 0; k < n; ++k) {
      if (!is_algebraic(k)) continue;
      const StageCombination& extra = plan_.rules().at(n, 0, k).extra;
      combined_[k] = 0;
      for (int j = 0; j < table().s; ++j) combined_[k] += extra.on_z[static_cast<std::size_t>(j)] * z_(k, j);
      if (std::ranges::any_of(extra.on_k, [](double w) { return w != 0; })) combined_[k] = z_(k, 0);
    }
  }
  stage_ = x_ + combined_;
  if (!shift.empty()) stage_ += map(shift);
  const EvalStatus status = system_->f(t, view(stage_), view(rho_));
  for (int k = 0; k < n; ++k)
    if (!is_algebraic(k)) rho_[k] -= first_f_[k];
  return status;
}

void PartitionedStepper::slopes(int row, double /*h*/, double* out) const noexcept {
  const Linearisation& l = system_->linearisation();
  const int place = l.mass_pattern().index_of(row, row);
  const double diagonal = place < 0 ? 1 : l.mass()[static_cast<std::size_t>(place)];
  for (int i = 0; i < table().s; ++i) {
    out[i] = 0;
    for (const Matrix& f : f_) out[i] += f(row, i) / diagonal;
  }
}

}  // namespace rubato
