// Linear systems of a step by Krylov spaces, by a factor, or by spaces with an old factor: what decides, and what is counted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stepped_system.hpp"

namespace rubato {

namespace {
/// A factor of steps so much longer or shorter makes too little of residuals: they are no errors any more.
constexpr double largest_ratio = 5;
}  // namespace

/// Krylov spaces split unknowns by their kinds: B must have nothing where these are algebraic.
Result<void> SteppedSystem::constraints_checked() const {
  const SparsePattern& b = linearisation_->mass_pattern();
  int place = 0;
  for (int col = 0; col < b.cols(); ++col)
    for (const int row : b.column(col)) {
      const double value = linearisation_->mass()[static_cast<std::size_t>(place++)];
      if (value == 0) continue;
      for (const int i : {row, col})
        if (dae_.layout().kind(i) == Kind::algebraic)
          return Error{fmt::format("krylov.use: {} is algebraic, but B has the entry {} in its row or column",
                                   dae_.layout().component_name(i), value)};
    }
  return {};
}

/// Where nothing will ever be factorised, products with B are all that remains of the step matrix.
void SteppedSystem::make_krylov_matrix() {
  const SparsePattern &B = linearisation_->mass_pattern(), &J = linearisation_->jacobian_pattern();
  const KrylovOptions& krylov = options_.linear.krylov;
  if (!may_factor())
    matrix_.emplace(B, SparsePattern::from_entries(size(), size(), {}), std::span<const PivotPosition>{},
                    StepMatrixOptions{.real_shifts = 0});
  KrylovMatrixOptions options = krylov.matrix;
  options.back_end = incomplete() ? BackEnd::incomplete : options_.linear.back_end;
  products_.reset();
  old_factor_.reset();
  if (krylov.products != KrylovProducts::matrix) products_.emplace(*linearisation_);
  if (keeps_old_factor()) old_factor_.emplace(*matrix_);
  krylov_.emplace(B, J, dae_.layout().algebraic(), options, products_ ? &*products_ : nullptr,
                  old_factor_ ? &*old_factor_ : nullptr);
  worn_.forget();
  direct_ = false;
  solves_ = 0;  // what was counted belongs to the matrices before: a resumed run has not counted it
  products_taken_ = dimensions_ = 0;
  if (!may_factor()) return;
  const SparsePattern& reduced = matrix_->condensation().reduced_pattern();
  FactorWork work = predicted_work(reduced);
  if (incomplete() &&
      reduced.rows() > 0) {  // at most twenty times the entries of the matrix, each with a row of operations
    work.entries = std::min(work.entries, 20.0 * reduced.nnz());
    work.flops = std::min(work.flops, work.entries * reduced.nnz() / reduced.rows());
  }
  const double entries = B.nnz() + J.nnz() + (keeps_old_factor() ? work.entries : 0);
  choice_.emplace(work, size(), entries, krylov.rates);
}

/// What the last attempt took, to those who decide.
void SteppedSystem::account_for_step() noexcept {
  if (choice_ && solves_ > 0 && !direct_) {
    const double dimension = static_cast<double>(dimensions_) / solves_;
    if (keeps_old_factor())  // a fresh factor takes a product per solve
      worn_.used(choice_->krylov_seconds(static_cast<double>(products_taken_ - solves_), dimension));
    else
      choice_->took(1 / c_, solves_, products_taken_, dimension, true);
  }
  solves_ = 0;
  products_taken_ = dimensions_ = 0;
}

StepStatus SteppedSystem::renew_factor() noexcept {
  ++counters.factorisations;
  factored_c_ = c_;
  const FactorStatus status = matrix_->factor(c_);
  if (status == FactorStatus::ok)
    worn_.renewed();
  else
    worn_.forget();
  krylov_->forget_space();
  return step_status(status);
}

StepStatus SteppedSystem::factor_for_krylov(double c) noexcept {
  account_for_step();
  c_ = c;
  direct_ = choice_ && !keeps_old_factor() && !choice_->krylov(1 / c);
  if (direct_) return renew_factor();
  if (keeps_old_factor()) {
    const double ratio = c / factored_c_;
    const bool another_step = !(ratio < largest_ratio && ratio > 1 / largest_ratio);
    if (another_step || worn_.worn(choice_->direct_seconds(0))) {
      if (const StepStatus status = renew_factor(); status != StepStatus::ok) return status;
    } else if (scales()) {
      matrix_->rescale();
    }
  }
  const long before = krylov_->factorisations();
  const FactorStatus status = krylov_->factor(c);
  counters.factorisations += krylov_->factorisations() - before;
  return step_status(status);
}

StepStatus SteppedSystem::solve_stage(In r, Out x, double h) noexcept {
  if (!krylov_ || direct_) {
    solve(r, x);
    return StepStatus::ok;
  }
  ScopedTimer timer(options_.timing ? &counters.seconds.solve : nullptr);
  const double rtol = options_.tolerances.rtol;
  const KrylovCoupling coupling = options_.linear.krylov.coupling;
  const double tolerance = coupling == KrylovCoupling::tenth  ? 0.1 * rtol
                           : coupling == KrylovCoupling::step ? h * rtol
                                                              : 0.01 * rtol / h;
  const long before = linearisation_->f_calls();
  if (may_factor()) stage_right_ = map(r);
  auto outcome = krylov_->solve(r, x, residuals_are_errors() ? weighted_tolerance_ : std::clamp(tolerance, 1e-13, 0.5));
  ++counters.solves;
  ++solves_;
  products_taken_ += outcome.products;
  dimensions_ += outcome.dimension;
  counters.krylov_products += outcome.products;
  counters.f_calls_jacobian += linearisation_->f_calls() - before;
  if (outcome.converged) return StepStatus::ok;
  if (products_ && products_->status != EvalStatus::ok) return step_status(std::exchange(products_->status, {}));
  if (!may_factor() || worn_.fresh())
    return std::isfinite(outcome.residual) ? StepStatus::krylov_failed : StepStatus::not_finite;
  if (keeps_old_factor() && incomplete()) {  // solves nothing by itself: the next attempt has a new one
    worn_.forget();
    return StepStatus::krylov_failed;
  }
  // The space does not serve: a factor does, here and for the stages to come.
  if (!keeps_old_factor()) {
    choice_->took(1 / c_, solves_, products_taken_, outcome.dimension, false);
    direct_ = true;
  }
  solves_ = 0;
  products_taken_ = dimensions_ = 0;
  if (const StepStatus status = renew_factor(); status != StepStatus::ok) return status;
  matrix_->solve(view(std::as_const(stage_right_)), x);
  return StepStatus::ok;
}

}  // namespace rubato
