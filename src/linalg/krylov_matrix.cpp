#include "rubato/linalg/krylov_matrix.hpp"

#include <algorithm>

#include "rubato/linalg/sparse_product.hpp"

namespace rubato {

KrylovMatrix::KrylovMatrix(const SparsePattern& B, const SparsePattern& J, std::span<const char> algebraic,
                           const KrylovMatrixOptions& options)
    : b_pattern_(B), j_pattern_(J), algebraic_(algebraic.begin(), algebraic.end()), options_(options) {
  const int n = J.rows();
  std::vector<int> number(algebraic_.size(), -1);
  for (int i = 0; i < n; ++i)
    if (algebraic_[static_cast<std::size_t>(i)] != 0) {
      number[static_cast<std::size_t>(i)] = n_z();
      z_.push_back(i);
    }
  if (needs_constraints()) {
    std::vector<Entry> entries;
    for (const int col : z_)
      for (int p = J.column_starts()[col]; p < J.column_starts()[col + 1]; ++p)
        if (const int row = number[static_cast<std::size_t>(J.row_indices()[p])]; row >= 0) {
          entries.push_back({row, number[static_cast<std::size_t>(col)]});
          constraint_places_.push_back(p);  // by columns, rows ascending, as in the pattern
        }
    constraints_ =
        make_linear_solver<double>(SparsePattern::from_entries(n_z(), n_z(), std::move(entries)), options.back_end);
    gz_.resize(constraint_places_.size());
    z_values_.resize(z_.size());
  }
  b_.assign(static_cast<std::size_t>(B.nnz()), 0.0);
  j_.assign(static_cast<std::size_t>(J.nnz()), 0.0);
  const int most = options.max_dimension;
  if (options.process == KrylovProcess::gmres)
    gmres_ = Gmres(n, most);
  else
    space_ = KrylovSpace(n, most);
  for (Vector* v : {&diagonal_, &right_, &solution_, &work_, &work2_, &full_}) v->setZero(n);
}

void KrylovMatrix::linearise(In B_values, In J_values) noexcept {
  std::copy(B_values.begin(), B_values.end(), b_.begin());
  std::copy(J_values.begin(), J_values.end(), j_.begin());
  constraints_factored_ = false;
  c_ = 0;
}

FactorStatus KrylovMatrix::factor(double c) noexcept {
  if (c != c_) space_.clear();
  c_ = c;
  if (needs_constraints() && !constraints_factored_) {
    for (std::size_t i = 0; i < gz_.size(); ++i) gz_[i] = j_[static_cast<std::size_t>(constraint_places_[i])];
    if (const FactorStatus status = constraints_->factor(gz_); status != FactorStatus::ok) return status;
    constraints_factored_ = true;
  }
  if (options_.preconditioner == KrylovPreconditioner::none) return FactorStatus::ok;
  diagonal_.setZero();
  const auto add = [&](const SparsePattern& pattern, const std::vector<double>& values, double factor) {
    for (int col = 0; col < pattern.cols(); ++col)
      if (const int p = pattern.index_of(col, col); p >= 0)
        diagonal_[col] += factor * values[static_cast<std::size_t>(p)];
  };
  add(b_pattern_, b_, c);
  add(j_pattern_, j_, -1);
  for (auto& d : diagonal_)
    if (d == 0) d = 1;
  return diagonal_.allFinite() ? FactorStatus::ok : FactorStatus::not_finite;
}

void KrylovMatrix::multiply(In x, Out y) noexcept {
  rubato::multiply(j_pattern_, j_, x, y);
  map(y) = -map(y);
  multiply_add(b_pattern_, b_, c_, x, y);
}

void KrylovMatrix::solve_constraints(Out values) noexcept {
  for (std::size_t k = 0; k < z_.size(); ++k) z_values_[k] = values[static_cast<std::size_t>(z_[k])];
  constraints_->solve(z_values_);
  for (std::size_t k = 0; k < z_.size(); ++k) values[static_cast<std::size_t>(z_[k])] = z_values_[k];
}

/// A_yy x − f_z z with z = −g_z⁻¹ g_y x: the product with A of (x, z), whose rows of z vanish.
void KrylovMatrix::multiply_reduced(In x, Out y) noexcept {
  rubato::multiply(j_pattern_, j_, x, y);  // g_y x in the places of z
  solve_constraints(y);
  full_ = map(x);
  for (const int i : z_) full_[i] = -y[static_cast<std::size_t>(i)];
  multiply(view(std::as_const(full_)), y);
  for (const int i : z_) y[static_cast<std::size_t>(i)] = 0;
}

void KrylovMatrix::precondition(In x, Out y) noexcept {
  map(y) = map(x).cwiseQuotient(diagonal_);
  if (options_.preconditioner == KrylovPreconditioner::diagonal || z_.empty()) return;
  for (const int i : z_) y[static_cast<std::size_t>(i)] = 0;
  rubato::multiply(j_pattern_, j_, In(y), view(full_));  // g_y y
  for (const int i : z_) full_[i] = -(x[static_cast<std::size_t>(i)] + full_[i]);
  solve_constraints(view(full_));
  for (const int i : z_) y[static_cast<std::size_t>(i)] = full_[i];
}

void KrylovMatrix::multiply_preconditioned(In x, Out y) noexcept {
  precondition(x, view(work2_));
  multiply(view(std::as_const(work2_)), y);
}

template <class Apply>
KrylovMatrix::Outcome KrylovMatrix::iterate(In r, Out x, double tolerance, Apply&& apply) noexcept {
  const double size = map(r).norm();
  if (options_.process == KrylovProcess::gmres) {
    const auto outcome = gmres_.solve(r, x, tolerance * size, options_.max_dimension, apply);
    return {.converged = outcome.converged,
            .products = outcome.iterations,
            .residual = size == 0 ? 0 : outcome.residual / size};
  }
  const auto outcome = space_.solve(r, x, tolerance * size, options_.max_dimension, apply);
  return {.converged = outcome.converged,
          .products = outcome.products,
          .residual = size == 0 ? 0 : outcome.residual / size};
}

KrylovMatrix::Outcome KrylovMatrix::solve(In r, Out x, double tolerance) noexcept {
  right_ = map(r);
  if (options_.constraints == KrylovConstraints::eliminated && !z_.empty()) {
    // A_yy y + f_z g_z⁻¹ g_y y = r_y − f_z g_z⁻¹ r_z, then z = −g_z⁻¹ (r_z + g_y y).
    work_ = right_;
    solve_constraints(view(work_));
    for (int i = 0; i < work_.size(); ++i)
      if (algebraic_[static_cast<std::size_t>(i)] == 0) work_[i] = 0;
    rubato::multiply(j_pattern_, j_, view(std::as_const(work_)), view(full_));
    work_ = right_ - full_;
    for (const int i : z_) work_[i] = 0;
    const Outcome outcome = iterate(view(std::as_const(work_)), view(solution_), tolerance,
                                    [this](In v, Out y) noexcept { multiply_reduced(v, y); });
    rubato::multiply(j_pattern_, j_, view(std::as_const(solution_)), view(full_));
    for (const int i : z_) full_[i] = -(right_[i] + full_[i]);
    solve_constraints(view(full_));
    for (const int i : z_) solution_[i] = full_[i];
    map(x) = solution_;
    return outcome;
  }
  if (options_.preconditioner == KrylovPreconditioner::none) {
    const Outcome outcome = iterate(view(std::as_const(right_)), view(solution_), tolerance,
                                    [this](In v, Out y) noexcept { multiply(v, y); });
    map(x) = solution_;
    return outcome;
  }
  const Outcome outcome = iterate(view(std::as_const(right_)), view(solution_), tolerance,
                                  [this](In v, Out y) noexcept { multiply_preconditioned(v, y); });
  precondition(view(std::as_const(solution_)), x);
  return outcome;
}

}  // namespace rubato
