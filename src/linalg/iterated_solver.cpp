#include "rubato/linalg/iterated_solver.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"
#include "rubato/linalg/sparse_product.hpp"

namespace rubato {

IteratedSolver::IteratedSolver(const SparsePattern& pattern, BackEnd preconditioner)
    : pattern_(pattern),
      preconditioner_(make_linear_solver<double>(pattern, preconditioner)),
      values_(static_cast<std::size_t>(pattern.nnz())),
      gmres_(pattern.rows(), restart) {
  for (Vector* v : {&right_, &work_}) v->setZero(pattern.rows());
}

void IteratedSolver::set_values(std::span<const double> values) noexcept {
  RUBATO_ASSERT(values.size() == values_.size(), "values do not fit the pattern");
  std::copy(values.begin(), values.end(), values_.begin());
}

bool IteratedSolver::solve(Out x, double tolerance) noexcept {
  right_ = map(x);
  const auto outcome = gmres_.solve(view(std::as_const(right_)), x, tolerance * right_.norm(), most_products,
                                    [this](In v, Out y) noexcept {
                                      work_ = map(v);
                                      preconditioner_->solve(view(work_));
                                      multiply(pattern_, values_, view(std::as_const(work_)), y);
                                    });
  products_ += outcome.iterations;
  preconditioner_->solve(x);  // from P x to x
  return outcome.converged;
}

}  // namespace rubato
