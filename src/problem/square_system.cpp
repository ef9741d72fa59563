#include "square_system.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <random>

namespace rubato::detail {

namespace {

bool same_places(const SparsePattern& pattern, const Sparse& a) {
  return pattern.rows() == a.rows() && pattern.cols() == a.cols() && pattern.nnz() == a.nonZeros() &&
         std::equal(pattern.column_starts().begin(), pattern.column_starts().end(), a.outerIndexPtr()) &&
         std::equal(pattern.row_indices().begin(), pattern.row_indices().end(), a.innerIndexPtr());
}

}  // namespace

SparsePattern pattern_of(const Sparse& a) {
  return SparsePattern::from_columns(static_cast<int>(a.rows()), static_cast<int>(a.cols()),
                                     {a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1},
                                     {a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros()});
}

Sparse assembled(int n, const Triplets& entries) {
  Sparse a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

SquareSystem::SquareSystem(int n, const Triplets& entries) { factor(assembled(n, entries)); }

void SquareSystem::analyse(const Sparse& a) {
  given_ = pattern_of(a);
  pattern_ = united(given_, SparsePattern::identity(given_.rows()));
  places_.clear();
  if (pattern_.nnz() != given_.nnz()) places_ = positions_in(given_, pattern_);
  values_.resize(static_cast<std::size_t>(pattern_.nnz()));
  solver_.reset();  // before the next: both would not always fit
  solver_ = make_linear_solver<double>(pattern_);
  ++analyses_;
}

/// Factors are powers of two, which round nothing.
void SquareSystem::scale() {
  const int n = pattern_.rows();
  row_scale_ = column_scale_ = Vector::Ones(n);
  const auto factor = [](double largest) {
    return largest > 0 && std::isfinite(largest) ? std::exp2(std::round(-0.5 * std::log2(largest))) : 1.0;
  };
  for (int sweep = 0; sweep < 5; ++sweep) {
    Vector row = Vector::Zero(n), column = Vector::Zero(n);
    std::size_t p = 0;
    for (int j = 0; j < n; ++j)
      for (const int i : pattern_.column(j)) {
        const double size = std::abs(values_[p++]);
        row[i] = std::max(row[i], size);
        column[j] = std::max(column[j], size);
      }
    row = row.unaryExpr(factor);
    column = column.unaryExpr(factor);
    p = 0;
    for (int j = 0; j < n; ++j)
      for (const int i : pattern_.column(j)) {
        values_[p] = row[i] * values_[p] * column[j];
        ++p;
      }
    row_scale_.array() *= row.array();
    column_scale_.array() *= column.array();
  }
}

void SquareSystem::factor(const Sparse& a) {
  rcond_ = 1;
  if (a.rows() == 0) return;
  if (!solver_ || !same_places(given_, a)) analyse(a);
  if (given_.nnz() == pattern_.nnz()) {
    std::copy_n(a.valuePtr(), values_.size(), values_.begin());
  } else {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t p = 0; p < places_.size(); ++p) values_[static_cast<std::size_t>(places_[p])] = a.valuePtr()[p];
  }
  scale();
  rcond_ = 0;
  const auto factorised = [this] {
    const FactorStatus status = solver_->factor(values_);
    if (status == FactorStatus::out_of_memory)
      throw std::bad_alloc();  // as a vector would; caught at the library's edge
    return status == FactorStatus::ok;
  };
  if (!factorised()) return;
  Vector x(a.rows()), y(a.rows());
  rcond_ = rubato::reciprocal_condition(*solver_, one_norm<double>(pattern_, values_), view(x), view(y));
  if (rcond_ == 0) (void)factorised();  // not finite: singular, or were solutions short of memory?
}

Vector SquareSystem::solve(const Vector& b) const {
  Vector x = b;
  if (x.size() == 0) return x;
  x.array() *= row_scale_.array();
  if (solver_) solver_->solve(view(x));
  return x.cwiseProduct(column_scale_);
}

Vector SquareSystem::weakest_direction() const {
  const int n = pattern_.rows();
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  std::vector<double> shifted = values_;
  for (int i = 0; i < n; ++i) shifted[static_cast<std::size_t>(pattern_.index_of(i, i))] += 1e-9 * uniform(random);
  const auto solver = make_linear_solver<double>(pattern_);
  Vector x(n);
  for (auto& xi : x) xi = uniform(random);
  if (solver->factor(shifted) == FactorStatus::ok)
    for (int sweep = 0; sweep < 4; ++sweep) {
      solver->solve(view(x));
      x /= x.cwiseAbs().maxCoeff();
    }
  return x;
}

}  // namespace rubato::detail
