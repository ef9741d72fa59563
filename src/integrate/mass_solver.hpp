#pragma once
/// Solves with the differential rows of a constant B: slopes from f, and algebraic unknowns at a given state.
///
///   Q = B in differential rows; −J in algebraic rows where the index is 1, unit rows where it is higher              (1)
/// Q x = (r, 0): B x = r in the differential unknowns; Q x = (0, f): a Newton correction of the algebraic ones (index 1).
#include <memory>
#include <span>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/linear_solver.hpp"

namespace rubato {

class MassSolver {
 public:
  MassSolver(const SparsePattern& mass, const SparsePattern& jacobian, std::span<const char> algebraic, bool index_1,
             BackEnd back_end);

  [[nodiscard]] FactorStatus factor(In mass, In jacobian) noexcept;
  /// In place.
  void solve(Out x) noexcept { solver_->solve(x); }

 private:
  bool index_1_;
  std::vector<int> mass_places_, jacobian_places_, unit_places_;  ///< −1: not in Q
  std::vector<double> values_;
  std::unique_ptr<LinearSolver<double>> solver_;
};

}  // namespace rubato
