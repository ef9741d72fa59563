#pragma once
/// A x = b for a sparse A by GMRES with an approximate inverse P⁻¹, an incomplete factor or a multigrid cycle:
///   A P⁻¹ (P x) = b   until   ‖b − A x‖₂ ≤ tolerance · ‖b‖₂.                                                         (1)
/// P may be one of earlier values of A.
#include <memory>
#include <span>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/gmres.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

class IteratedSolver {
 public:
  IteratedSolver(const SparsePattern& pattern, BackEnd preconditioner);

  /// Of A, in the order of the pattern.
  void set_values(std::span<const double> values) noexcept;
  /// P of the values set last.
  [[nodiscard]] FactorStatus renew() noexcept { return preconditioner_->factor(values_); }
  /// In place. False: not within the largest number of products; x is the best there is.
  [[nodiscard]] bool solve(Out x, double tolerance) noexcept;

  [[nodiscard]] long products() const noexcept { return products_; }  ///< so far
  [[nodiscard]] SolverReport report() const noexcept { return preconditioner_->report(); }

 private:
  static constexpr int restart = 30, most_products = 300;
  SparsePattern pattern_;
  std::unique_ptr<LinearSolver<double>> preconditioner_;
  std::vector<double> values_;
  Gmres gmres_;
  Vector right_, work_;
  long products_ = 0;
};

}  // namespace rubato
