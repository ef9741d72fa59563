// Incomplete LU with a threshold (Eigen's ILUT): a preconditioner in the dress of a solver.
// Saad, Numer. Linear Algebra Appl. 1 (1994) 387, doi:10.1002/nla.1680010405.
//
// Entries below 10⁻⁴ of their row are dropped, and at most twenty times the entries of A are kept: memory grows with n, where an exact factor of a
// mesh in space grows with n^(4/3) and takes n² operations. The number of iterations grows with n, too; where the matrix is one of
// elasticity or heat conduction multigrid_solver.cpp does without that.
//
// There is no pivoting: of a saddle point, whose multipliers have no diagonal, ILUT makes factors that are finite and no inverse of anything.
// So P⁻¹ A is tried on a vector of ones.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "back_ends.hpp"
#include "equilibration.hpp"
#include "rubato/base/assert.hpp"
#include "scalar.hpp"

namespace rubato::detail {
namespace {

constexpr double smallest = 1e-4;
constexpr int most_per_entry = 20;
constexpr double farthest = 100;  // max |P⁻¹ A 1 − 1|, scaled

template <class T>
class IncompleteSolver final : public LinearSolver<T> {
 public:
  explicit IncompleteSolver(const SparsePattern& pattern)
      : pattern_(pattern), scaling_(pattern.rows()), scaled_(static_cast<std::size_t>(pattern.nnz())) {
    right_.setZero(pattern.rows());
    lu_.setDroptol(smallest);
    lu_.setFillfactor(most_per_entry);
  }

  FactorStatus factor(std::span<const T> values) noexcept override {
    RUBATO_ASSERT(values.size() == scaled_.size(), "values do not fit the pattern");
    factorised_ = false;
    if (pattern_.rows() == 0) return FactorStatus::ok;
    if (!all_finite(values)) return FactorStatus::not_finite;
    scaling_.compute(pattern_, values);
    for (int j = 0; j < pattern_.cols(); ++j)
      for (int p = pattern_.column_starts()[j]; p < pattern_.column_starts()[j + 1]; ++p)
        scaled_[p] = scaling_.row[pattern_.row_indices()[p]] * values[p] * scaling_.col[j];
    ++report_.full_factorisations;
    ++report_.library_allocations;
    try {
      const int n = pattern_.rows();
      lu_.compute(Eigen::Map<const Eigen::SparseMatrix<T>>(n, n, pattern_.nnz(), pattern_.column_starts().data(),
                                                           pattern_.row_indices().data(), scaled_.data()));
      factorised_ = lu_.info() == Eigen::Success && resembles_inverse();
    } catch (const std::bad_alloc&) {
      return FactorStatus::out_of_memory;
    }
    return factorised_ ? FactorStatus::ok : FactorStatus::singular;
  }

  void solve(std::span<T> x) noexcept override {
    RUBATO_ASSERT(factorised_ || pattern_.rows() == 0, "solve without a factorisation");
    const auto n = static_cast<std::size_t>(pattern_.rows());
    for (std::size_t first = 0; first < x.size(); first += n) {
      Eigen::Map<Column> part(x.data() + first, pattern_.rows());
      for (std::size_t i = 0; i < n; ++i) part[static_cast<Eigen::Index>(i)] *= scaling_.row[i];
      ++report_.library_allocations;
      right_ = part;
      part = lu_.solve(right_);
      for (std::size_t i = 0; i < n; ++i) part[static_cast<Eigen::Index>(i)] *= scaling_.col[i];
    }
  }
  void solve_transposed(std::span<T> /*x*/) noexcept override {
    RUBATO_ASSERT(false, "an incomplete factor says nothing about the condition");
  }

  SolverReport report() const noexcept override {
    SolverReport r = report_;
    r.n = pattern_.rows();
    return r;
  }

 private:
  using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  [[nodiscard]] bool resembles_inverse() {
    right_.setZero();
    for (std::size_t p = 0; p < scaled_.size(); ++p) right_[pattern_.row_indices()[p]] += scaled_[p];
    const Column ones = lu_.solve(right_);
    return std::all_of(ones.begin(), ones.end(), [](const T& one) { return std::abs(one - 1.0) < farthest; });
  }

  SparsePattern pattern_;
  Equilibration scaling_;
  std::vector<T> scaled_;
  Column right_;
  Eigen::IncompleteLUT<T> lu_;
  bool factorised_ = false;
  SolverReport report_;
};

}  // namespace

template <class T>
std::unique_ptr<LinearSolver<T>> make_incomplete_solver(const SparsePattern& pattern) {
  return std::make_unique<IncompleteSolver<T>>(pattern);
}
template std::unique_ptr<LinearSolver<double>> make_incomplete_solver(const SparsePattern&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_incomplete_solver(const SparsePattern&);

}  // namespace rubato::detail
