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

/// Incomplete factors: at most twenty times the entries of the matrix, each with a row of operations. Multigrid: cycles pass about eight
/// times the entries of the matrix; building it takes as long as some hundred of them.
FactorWork approximate_work(const SparsePattern& matrix, FactorWork exact, const KrylovOptions& krylov) {
  if (krylov.matrix.factors == KrylovFactors::multigrid) {
    exact.entries = 8.0 * matrix.nnz();
    exact.flops = 100 * exact.entries * krylov.rates.factor_flops / krylov.rates.solve_entries;
  } else {
    exact.entries = std::min(exact.entries, 20.0 * matrix.nnz());
    exact.flops = std::min(exact.flops, exact.entries * matrix.nnz() / matrix.rows());
  }
  return exact;
}
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

/// Rows of one entry in B and one in J among those of local unknowns: q' = v. Chains (q' = v, v' = a) give their beginning.
std::vector<Follower> SteppedSystem::followers() const {
  if (!keeps_old_factor() || !options_.linear.condense) return {};
  const SparsePattern b_rows = transposed(linearisation_->mass_pattern()).pattern,
                      j_rows = transposed(formed().jacobian_pattern()).pattern;
  std::vector<Follower> found;
  std::vector<char> follows(static_cast<std::size_t>(size()), 0);
  for (const auto& [row, col] : dae_.layout().local_unknowns()) {
    const auto in_b = b_rows.column(row), in_j = j_rows.column(row);
    if (in_b.size() != 1 || in_j.size() != 1 || in_j[0] != col || in_b[0] == col) continue;
    found.push_back({row, in_b[0], col});
    follows[static_cast<std::size_t>(col)] = 1;
  }
  std::erase_if(found, [&](const Follower& f) { return follows[static_cast<std::size_t>(f.leader)] != 0; });
  return found;
}

/// Where nothing will ever be factorised, products with B are all that remains of the step matrix.
void SteppedSystem::make_krylov_matrix() {
  const SparsePattern &B = linearisation_->mass_pattern(), &J = linearisation_->jacobian_pattern();
  const KrylovOptions& krylov = options_.linear.krylov;
  if (!may_factor())
    matrix_.emplace(B, SparsePattern::from_entries(size(), size(), {}), std::span<const PivotPosition>{},
                    StepMatrixOptions{.real_shifts = 0});
  KrylovMatrixOptions options = krylov.matrix;
  options.back_end = options_.linear.back_end;
  products_.reset();
  old_factor_.reset();
  if (krylov.products != KrylovProducts::matrix) products_.emplace(*linearisation_);
  if (keeps_old_factor()) old_factor_.emplace(*matrix_);
  krylov_.emplace(B, J, dae_.layout().algebraic(), options, products_ ? &*products_ : nullptr,
                  old_factor_ ? &*old_factor_ : nullptr, followers());
  worn_.forget();
  direct_ = false;
  solves_ = 0;  // what was counted belongs to the matrices before: a resumed run has not counted it
  products_taken_ = dimensions_ = 0;
  if (!may_factor()) return;
  const SparsePattern& reduced = matrix_->condensation().reduced_pattern();
  FactorWork work = predicted_work(reduced);
  if (approximate() && reduced.rows() > 0) work = approximate_work(reduced, work, krylov);
  const double entries = B.nnz() + formed().jacobian_pattern().nnz() + (keeps_old_factor() ? work.entries : 0);
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

/// J at the point of the last linearisation. Entries that its pattern lacks (a branch that has opened) are missing in a preconditioner only.
StepStatus SteppedSystem::assemble() noexcept {
  const long before = assembly_->f_calls();
  const EvalStatus status = assembly_->update(at(linearised_t_, view(std::as_const(linearised_x_))),
                                              view(std::as_const(linearised_w_)), view(std::as_const(linearised_f_)));
  ++counters.jacobians;
  counters.f_calls_jacobian += assembly_->f_calls() - before;
  if (status != EvalStatus::ok) return step_status(status);
  matrix_->linearise(linearisation_->mass(), assembly_->jacobian());
  if (scales()) scale(c_);
  return StepStatus::ok;
}

StepStatus SteppedSystem::renew_factor() noexcept {
  if (assembly_)
    if (const StepStatus status = assemble(); status != StepStatus::ok) return worn_.forget(), status;
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

KrylovMatrix::Outcome SteppedSystem::iterate(In r, Out x, double tolerance) noexcept {
  const long before = linearisation_->f_calls();
  const KrylovMatrix::Outcome outcome = krylov_->solve(r, x, tolerance);
  ++solves_;
  products_taken_ += outcome.products;
  dimensions_ += outcome.dimension;
  counters.krylov_products += outcome.products;
  counters.f_calls_jacobian += linearisation_->f_calls() - before;
  return outcome;
}

StepStatus SteppedSystem::solve_stage(In r, Out x, double h) noexcept {
  if (!krylov_ || direct_) {
    solve(r, x);
    return StepStatus::ok;
  }
  ScopedTimer timer(options_.timing ? &counters.seconds.solve : nullptr);
  const double rtol = options_.tolerances.rtol;
  const KrylovCoupling coupling = options_.linear.krylov.coupling;
  const double relative = coupling == KrylovCoupling::tenth  ? 0.1 * rtol
                          : coupling == KrylovCoupling::step ? h * rtol
                                                             : 0.01 * rtol / h;
  const double tolerance = residuals_are_errors() ? weighted_tolerance_ : std::clamp(relative, 1e-13, 0.5);
  if (may_factor()) stage_right_ = map(r);
  ++counters.solves;
  const auto outcome = iterate(r, x, tolerance);
  if (outcome.converged) return StepStatus::ok;
  if (products_ && products_->status != EvalStatus::ok) return step_status(std::exchange(products_->status, {}));
  if (!may_factor() || worn_.fresh())
    return std::isfinite(outcome.residual) ? StepStatus::krylov_failed : StepStatus::not_finite;
  return take_over(view(std::as_const(stage_right_)), x, tolerance, outcome.dimension);
}

/// The space does not serve: a factor does, here and for the stages to come. One that need not be exact only makes a new space serve.
StepStatus SteppedSystem::take_over(In r, Out x, double tolerance, int dimension) noexcept {
  if (keeps_old_factor() && approximate()) {  // solves nothing by itself: the next attempt has a new one
    worn_.forget();
    return StepStatus::krylov_failed;
  }
  if (!keeps_old_factor()) {
    choice_->took(1 / c_, solves_, products_taken_, dimension, false);
    direct_ = true;
  }
  solves_ = 0;
  products_taken_ = dimensions_ = 0;
  if (const StepStatus status = renew_factor(); status != StepStatus::ok) return status;
  if (assembly_) return iterate(r, x, tolerance).converged ? StepStatus::ok : StepStatus::krylov_failed;
  matrix_->solve(r, x);
  return StepStatus::ok;
}

}  // namespace rubato
