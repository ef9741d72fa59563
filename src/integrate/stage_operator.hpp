#pragma once
/// Newton's matrix of all stages together, for tables that differ from row to row or from part to part.
///
/// B Z_i = h Σ_m Σ_j a^(k,m)_ij f_m(X_j) in differential rows k, 0 = f(X_i) in algebraic ones; linearised and divided by h
///   K_(i,k),(j,l) = δ_ij B_kl/h − Σ_m a^(k,m)_ij (J_m)_kl,     algebraic k: −δ_ij J_kl                                (1)
/// No transformation decouples it. Two ways to solve with it:
/// direct: one sparse pattern of s·n unknowns, dense or KLU;
/// products, for GMRES: with A = W X W⁻¹ and V = (W⁻¹ ⊗ I) Z
///   (K̂ V)_p = B V_p/h − Σ_q X^(k,m)_pq J_m V_q,   X tridiagonal, the corner alone depending on row and part          (2)
/// algebraic rows have X = I there. Jay, BIT 38 (1998) 1; Schaub & Simeon, ZAMM 83 (2003) 720.
#include <memory>
#include <span>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "stage_rule.hpp"

namespace rubato {

/// Which rule belongs to which row: rules of part m follow one another, `of[m·n + k]`.
struct StageRules {
  std::vector<StageRule> rules;
  std::vector<int> of;
  [[nodiscard]] const StageRule& at(int n, int part, int row) const noexcept {
    return rules[static_cast<std::size_t>(of[static_cast<std::size_t>(part * n + row)])];
  }
};

class StageOperator {
 public:
  enum class Solver : std::uint8_t { direct, products };

  /// Patterns of B and of the Jacobian of each part (the sum of the parts is J). `algebraic`: one flag per row. Allocates
  /// all it ever needs.
  StageOperator(const RungeKuttaTable& table, std::span<const char> algebraic, const SparsePattern& mass,
                std::span<const SparsePattern> jacobians, Solver solver, BackEnd back_end);

  /// Copies the values.
  void linearise(In mass, std::span<const In> jacobians) noexcept;

  /// Direct: assembles (1), scaled by rows and columns (n numbers each; empty: not), and factorises.
  [[nodiscard]] FactorStatus factor(double h, const StageRules& rules, In row_scale, In col_scale) noexcept;
  /// K dz = r; n × s both, the same memory allowed.
  void solve(const Matrix& r, Matrix& dz) noexcept;

  /// (2): y = K̂ v, n × s values stage by stage.
  void multiply(double h, const StageRules& rules, In v, Out y) noexcept;

  [[nodiscard]] SolverReport report() const noexcept { return solver_ ? solver_->report() : SolverReport{}; }
  [[nodiscard]] int stages() const noexcept { return s_; }

 private:
  void make_direct(BackEnd back_end);

  int n_, s_;
  std::vector<char> algebraic_;
  Matrix X_;                                          ///< of IIIC: outside the corner that of every member
  double corner_beta_, corner_alpha_, corner_delta_;  ///< entries of X for β, α, δ = 1
  SparsePattern mass_;
  std::vector<SparsePattern> jacobians_;
  std::vector<double> b_values_;
  std::vector<std::vector<double>> j_values_;

  // Direct: where the blocks' entries stand among the values; for each entry of J_m s·s places (i, j), −1: none.
  std::unique_ptr<LinearSolver<double>> solver_;
  std::vector<double> values_;
  std::vector<int> mass_places_;
  std::vector<std::vector<int>> jacobian_places_;
  Vector row_scale_, col_scale_;

  // Products.
  Matrix jv_;
};

}  // namespace rubato
