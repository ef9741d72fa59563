#include "rubato/linalg/krylov_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/linalg/sparse_product.hpp"

namespace rubato {

KrylovMatrix::KrylovMatrix(const SparsePattern& B, const SparsePattern& J, std::span<const char> algebraic,
                           const KrylovMatrixOptions& options, JacobianProduct* product, OuterPreconditioner* outer,
                           std::span<const Follower> followers)
    : b_pattern_(B),
      j_pattern_(J),
      algebraic_(algebraic.begin(), algebraic.end()),
      options_(options),
      product_(product),
      outer_(outer) {
  const int n = J.rows();
  std::vector<int> number(algebraic_.size(), -1);
  for (int i = 0; i < n; ++i)
    if (algebraic_[static_cast<std::size_t>(i)] != 0) {
      number[static_cast<std::size_t>(i)] = n_z();
      z_.push_back(i);
    }
  if (needs_constraints()) find_constraints(number);
  find_followers(followers);
  b_.assign(static_cast<std::size_t>(B.nnz()), 0.0);
  j_.assign(static_cast<std::size_t>(J.nnz()), 0.0);
  const int most = options.max_dimension;
  if (options.process == KrylovProcess::gmres)
    gmres_ = Gmres(iterated_size(), options.restart > 0 ? std::min(options.restart, most) : most);
  else
    space_ = KrylovSpace(iterated_size(), most);
  for (Vector* v :
       {&diagonal_, &left_, &inverse_right_, &right_, &constraint_right_, &solution_, &work_, &work2_, &full_})
    v->setZero(n);
  for (Vector* v : {&iterated_right_, &iterated_solution_}) v->setZero(iterated_size());
}

void KrylovMatrix::find_constraints(const std::vector<int>& number) {
  std::vector<Entry> entries;
  for (const int col : z_)
    for (int p = j_pattern_.column_starts()[col]; p < j_pattern_.column_starts()[col + 1]; ++p)
      if (const int row = number[static_cast<std::size_t>(j_pattern_.row_indices()[p])]; row >= 0) {
        entries.push_back({row, number[static_cast<std::size_t>(col)]});
        constraint_places_.push_back(p);  // by columns, rows ascending, as in the pattern
      }
  const auto pattern = SparsePattern::from_entries(n_z(), n_z(), std::move(entries));
  const BackEnd back_end = back_end_of(options_.factors, options_.back_end);
  if (eliminates() && options_.factors != KrylovFactors::exact)
    inner_.emplace(pattern, back_end);
  else
    constraints_ = make_linear_solver<double>(pattern, back_end);
  for (auto* values : {&gz_, &gz_now_}) values->resize(constraint_places_.size());
  z_values_.resize(z_.size());
}

void KrylovMatrix::find_followers(std::span<const Follower> followers) {
  RUBATO_ASSERT(followers.empty() || outer_ != nullptr, "followers go with an outer preconditioner");
  followers_.assign(followers.begin(), followers.end());
  std::vector<char> follows(algebraic_.size(), 0);
  for (const Follower& f : followers_) {
    follows[static_cast<std::size_t>(f.follower)] = 1;
    leader_places_.push_back(b_pattern_.index_of(f.row, f.leader));
    RUBATO_ASSERT(leader_places_.back() >= 0, "the equation of a follower has its leader in B");
  }
  for (int i = 0; i < static_cast<int>(follows.size()); ++i)
    if (follows[static_cast<std::size_t>(i)] == 0) iterated_.push_back(i);
  for (Vector* v : {&follower_right_, &follower_slope_}) v->setZero(static_cast<Eigen::Index>(followers_.size()));
}

void KrylovMatrix::linearise(In B_values, In J_values) noexcept {
  std::copy(B_values.begin(), B_values.end(), b_.begin());
  std::copy(J_values.begin(), J_values.end(), j_.begin());
  constraints_factored_ = false;
  c_ = 0;
  if (followers_.empty()) return;
  full_.setZero();  // every such row has one entry of J: a product shows all of them
  for (const Follower& f : followers_) full_[f.follower] = 1;
  multiply_jacobian(view(std::as_const(full_)), view(work_));
  for (std::size_t i = 0; i < followers_.size(); ++i)
    follower_slope_[static_cast<Eigen::Index>(i)] = work_[followers_[i].row];
}

FactorStatus KrylovMatrix::factor(double c) noexcept {
  if (c != c_) space_.clear();
  c_ = c;
  weighted_ = false;
  if (needs_constraints() && !constraints_factored_) {
    if (!constraint_factor_serves()) {
      for (std::size_t i = 0; i < gz_.size(); ++i) gz_[i] = j_[static_cast<std::size_t>(constraint_places_[i])];
      ++factorisations_;
      has_constraint_factor_ = false;
      if (inner_) inner_->set_values(gz_);
      const FactorStatus status = inner_ ? inner_->renew() : constraints_->factor(gz_);
      if (status != FactorStatus::ok) return status;
      has_constraint_factor_ = true;
    } else if (inner_) {  // the values are those of now, the preconditioner is older
      for (std::size_t i = 0; i < gz_.size(); ++i) gz_now_[i] = j_[static_cast<std::size_t>(constraint_places_[i])];
      inner_->set_values(gz_now_);
    }
    constraints_factored_ = true;
  }
  if (options_.preconditioner == KrylovPreconditioner::none || outer_ != nullptr) return FactorStatus::ok;
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

/// The factor of g_z is one of these values; as preconditioner, of values that differ by a hundredth at most.
bool KrylovMatrix::constraint_factor_serves() const noexcept {
  constexpr double as_preconditioner = 0.01;
  if (!has_constraint_factor_) return false;
  const double relative = eliminates() && !inner_ ? 0 : as_preconditioner;
  for (std::size_t i = 0; i < gz_.size(); ++i)
    if (!(std::abs(j_[static_cast<std::size_t>(constraint_places_[i])] - gz_[i]) <= relative * std::abs(gz_[i])))
      return false;
  return true;
}

void KrylovMatrix::weigh(In weights, bool relative) noexcept {
  space_.clear();
  weighted_ = true;
  relative_ = relative;
  const bool of_errors = preconditions_left(), preconditioned = preconditions_right();
  const auto diagonal_of = [](const SparsePattern& pattern, const std::vector<double>& values, int i) {
    const int p = pattern.index_of(i, i);
    return p < 0 ? 0.0 : std::abs(values[static_cast<std::size_t>(p)]);
  };
  for (int i = 0; i < left_.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double row = algebraic_[k] != 0 ? diagonal_of(j_pattern_, j_, i) : c_ * diagonal_of(b_pattern_, b_, i);
    const double weight = std::isfinite(weights[k]) && weights[k] > 0 ? weights[k] : 1.0;
    left_[i] = of_errors ? weight : weight / (row > 0 ? row : 1.0);
    inverse_right_[i] = preconditioned ? left_[i] : weight;
  }
  for (std::size_t i = 0; i < followers_.size(); ++i) {  // an error of q is one of v = c q, too
    const auto [row, leader, follower] = followers_[i];
    const double slope =
        c_ * b_[static_cast<std::size_t>(leader_places_[i])] / follower_slope_[static_cast<Eigen::Index>(i)];
    left_[leader] = inverse_right_[leader] = std::hypot(left_[leader], slope * left_[follower]);
  }
}

void KrylovMatrix::multiply_jacobian(In x, Out y) noexcept {
  if (product_)
    product_->times(x, y);
  else
    rubato::multiply(j_pattern_, j_, x, y);
}

void KrylovMatrix::multiply_constraints(In x, Out y) noexcept { rubato::multiply(j_pattern_, j_, x, y); }

void KrylovMatrix::multiply(In x, Out y) noexcept {
  multiply_jacobian(x, y);
  map(y) = -map(y);
  multiply_add(b_pattern_, b_, c_, x, y);
}

void KrylovMatrix::solve_constraints(Out values) noexcept {
  for (std::size_t k = 0; k < z_.size(); ++k) z_values_[k] = values[static_cast<std::size_t>(z_[k])];
  if (inner_)
    inner_failed_ = !inner_->solve(z_values_, inner_tolerance_) || inner_failed_;
  else
    constraints_->solve(z_values_);
  for (std::size_t k = 0; k < z_.size(); ++k) values[static_cast<std::size_t>(z_[k])] = z_values_[k];
}

/// A_yy x − f_z z with z = −g_z⁻¹ g_y x: the product with A of (x, z), whose rows of z vanish.
void KrylovMatrix::multiply_reduced(In x, Out y) noexcept {
  multiply_constraints(x, y);  // g_y x in the places of z
  solve_constraints(y);
  full_ = map(x);
  for (const int i : z_) full_[i] = -y[static_cast<std::size_t>(i)];
  multiply(view(std::as_const(full_)), y);
  for (const int i : z_) y[static_cast<std::size_t>(i)] = 0;
}

void KrylovMatrix::precondition(In x, Out y) noexcept {
  if (outer_ != nullptr) return outer_->apply(x, y);
  map(y) = map(x).cwiseQuotient(diagonal_);
  if (options_.preconditioner == KrylovPreconditioner::diagonal || z_.empty()) return;
  for (const int i : z_) y[static_cast<std::size_t>(i)] = 0;
  multiply_constraints(In(y), view(full_));  // g_y y
  for (const int i : z_) full_[i] = -(x[static_cast<std::size_t>(i)] + full_[i]);
  solve_constraints(view(full_));
  for (const int i : z_) y[static_cast<std::size_t>(i)] = full_[i];
}

void KrylovMatrix::apply(In v, Out y) noexcept {
  if (!followers_.empty()) return apply_to_leaders(v, y);
  if (weighted_) {
    work_ = map(v).cwiseQuotient(inverse_right_);  // D_R
    v = view(std::as_const(work_));
  }
  if (eliminates()) {
    multiply_reduced(v, y);
  } else if (preconditions_left()) {
    multiply(v, view(work2_));
    precondition(view(std::as_const(work2_)), y);
  } else if (preconditions_right()) {
    precondition(v, view(work2_));
    multiply(view(std::as_const(work2_)), y);
  } else {
    multiply(v, y);
  }
  if (weighted_) map(y).array() *= left_.array();
}

/// (3) with r_f = 0, the product with A, whose rows of followers then vanish, and P⁻¹.
void KrylovMatrix::apply_to_leaders(In v, Out y) noexcept {
  for (std::size_t k = 0; k < iterated_.size(); ++k)
    work_[iterated_[k]] = weighted_ ? v[k] / inverse_right_[iterated_[k]] : v[k];
  let_follow(work_, false);
  multiply(view(std::as_const(work_)), view(work2_));
  for (const Follower& f : followers_) work2_[f.row] = 0;
  precondition(view(std::as_const(work2_)), view(work_));
  for (std::size_t k = 0; k < iterated_.size(); ++k)
    y[k] = weighted_ ? work_[iterated_[k]] * left_[iterated_[k]] : work_[iterated_[k]];
}

/// (3), with r_f where `own`.
void KrylovMatrix::let_follow(Vector& x, bool own) noexcept {
  for (std::size_t i = 0; i < followers_.size(); ++i) {
    const auto [row, leader, follower] = followers_[i];
    const auto k = static_cast<Eigen::Index>(i);
    const double driven = c_ * b_[static_cast<std::size_t>(leader_places_[i])] * x[leader];
    x[follower] = (own ? driven - follower_right_[k] : driven) / follower_slope_[k];
  }
}

/// right_ of the other rows, with followers at (3) and everything else at zero.
void KrylovMatrix::take_followers_out() noexcept {
  for (std::size_t i = 0; i < followers_.size(); ++i)
    follower_right_[static_cast<Eigen::Index>(i)] = right_[followers_[i].row];
  work_.setZero();
  let_follow(work_, true);
  multiply(view(std::as_const(work_)), view(work2_));
  right_ -= work2_;
  for (const Follower& f : followers_) right_[f.row] = 0;
}

/// From right_ to solution_; both are overwritten.
KrylovMatrix::Outcome KrylovMatrix::iterate(double tolerance) noexcept {
  if (preconditions_left()) {
    work2_ = right_;
    precondition(view(std::as_const(work2_)), view(right_));
  }
  if (weighted_) right_.array() *= left_.array();
  for (std::size_t k = 0; k < iterated_.size(); ++k)
    iterated_right_[static_cast<Eigen::Index>(k)] = right_[iterated_[k]];
  const bool absolute = weighted_ && !relative_;
  const double size = iterated_right_.norm(), unit = absolute ? std::sqrt(static_cast<double>(right_.size())) : size;
  const double target = absolute ? std::max(tolerance * unit, 1e-13 * size) : tolerance * unit;  // not below rounding
  const auto product = [this](In v, Out y) noexcept { apply(v, y); };
  const In r = view(std::as_const(iterated_right_));
  const Out x = view(iterated_solution_);
  Outcome all;
  const auto take = [&](bool converged, int products, double residual) {
    all = {.converged = converged,
           .products = all.products + products,
           .residual = unit == 0 ? 0 : residual / unit,
           .dimension = products};
  };
  if (options_.process == KrylovProcess::gmres) {
    const auto outcome = gmres_.solve(r, x, target, options_.max_dimension, product);
    take(outcome.converged, outcome.iterations, outcome.residual);
  } else {
    const bool used = space_.dimension() > 0;
    for (const bool again : {false, true}) {
      if (again && !(used && space_.full() && !all.converged)) break;
      if (again) space_.clear();  // full of what earlier right-hand sides needed
      const auto outcome = space_.solve(r, x, target, options_.max_dimension, product);
      take(outcome.converged, outcome.products, outcome.residual);
      all.dimension = space_.dimension();
    }
  }
  for (std::size_t k = 0; k < iterated_.size(); ++k)
    solution_[iterated_[k]] = iterated_solution_[static_cast<Eigen::Index>(k)];
  if (weighted_) solution_.array() /= inverse_right_.array();
  all.converged = all.converged && !inner_failed_;
  return all;
}

KrylovMatrix::Outcome KrylovMatrix::solve(In r, Out x, double tolerance) noexcept {
  right_ = map(r);
  if (eliminates()) return solve_eliminated(x, tolerance);
  if (!followers_.empty()) take_followers_out();
  Outcome outcome = iterate(tolerance);
  if (!followers_.empty()) {
    let_follow(solution_, true);
    ++outcome.products;
  }
  if (!outcome.converged)
    has_constraint_factor_ = constraints_factored_ = false;  // perhaps too old: a new one for the next attempt
  if (preconditions_right())
    precondition(view(std::as_const(solution_)), x);
  else
    map(x) = solution_;
  return outcome;
}

/// A_yy y + f_z g_z⁻¹ g_y y = r_y − f_z g_z⁻¹ r_z, then z = −g_z⁻¹ (r_z + g_y y).
KrylovMatrix::Outcome KrylovMatrix::solve_eliminated(Out x, double tolerance) noexcept {
  set_inner_tolerance(tolerance);
  work_ = right_;
  solve_constraints(view(work_));
  for (int i = 0; i < work_.size(); ++i)
    if (algebraic_[static_cast<std::size_t>(i)] == 0) work_[i] = 0;
  multiply_jacobian(view(std::as_const(work_)), view(full_));
  constraint_right_ = right_;
  right_ -= full_;
  for (const int i : z_) right_[i] = 0;
  Outcome outcome = iterate(tolerance);
  multiply_constraints(view(std::as_const(solution_)), view(full_));
  for (const int i : z_) full_[i] = -(constraint_right_[i] + full_[i]);
  solve_constraints(view(full_));
  for (const int i : z_) solution_[i] = full_[i];
  map(x) = solution_;
  if (inner_failed_) {
    outcome.converged = false;
    has_constraint_factor_ = constraints_factored_ = false;  // perhaps too old
  }
  return outcome;
}

/// A tenth of what the outer residual, in its own norm, has to be relative to right_.
void KrylovMatrix::set_inner_tolerance(double tolerance) noexcept {
  inner_failed_ = false;
  if (!inner_) return;
  double relative = tolerance;
  if (weighted_ && !relative_) {
    const double size = right_.cwiseProduct(left_).norm();
    relative = size > 0 ? tolerance * std::sqrt(static_cast<double>(right_.size())) / size : 1;
  }
  inner_tolerance_ = std::clamp(0.1 * relative, 1e-13, 0.1);
}

}  // namespace rubato
