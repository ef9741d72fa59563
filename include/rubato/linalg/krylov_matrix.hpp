#pragma once
/// The matrix of implicit steps without a factorisation: A(c) x = r, A(c) = c B − J, in Krylov spaces.
///
/// With differential unknowns y and algebraic ones z (rows of B that vanish)
///   A = [A_yy −f_z; −g_y −g_z],   A_yy = c B_yy − f_y                                                                 (1)
/// - `whole`: the space of A and r. Where there are many z it has to fill the space of z before it touches y.
/// - `eliminated`: z = −g_z⁻¹ (r_z + g_y y) in every product, the space of A_yy + f_z g_z⁻¹ g_y alone.
/// - preconditioner `constraint`: A P⁻¹ with P = [diag A_yy  0; −g_y −g_z] and a sparse factor of g_z.
/// Wensch, Appl. Numer. Math. (2005), sections 3 and 4, where preconditioning is left open.
#include <memory>
#include <span>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/gmres.hpp"
#include "rubato/linalg/krylov_options.hpp"
#include "rubato/linalg/krylov_space.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

class KrylovMatrix {
 public:
  /// `algebraic`: of every unknown, whether it is (row and column alike).
  KrylovMatrix(const SparsePattern& B, const SparsePattern& J, std::span<const char> algebraic,
               const KrylovMatrixOptions& options);

  void linearise(In B_values, In J_values) noexcept;
  /// Prepares solves with shift c: g_z where it is needed, diagonals.
  [[nodiscard]] FactorStatus factor(double c) noexcept;

  struct Outcome {
    bool converged = false;
    int products = 0;
    double residual = 0;  ///< ‖r − A x‖/‖r‖ of the system that is iterated
  };
  /// Until that residual is below `tolerance`. r and x may be the same memory.
  [[nodiscard]] Outcome solve(In r, Out x, double tolerance) noexcept;

 private:
  [[nodiscard]] bool needs_constraints() const noexcept {
    return n_z() > 0 && (options_.constraints == KrylovConstraints::eliminated ||
                         options_.preconditioner == KrylovPreconditioner::constraint);
  }
  [[nodiscard]] int n_z() const noexcept { return static_cast<int>(z_.size()); }
  void multiply(In x, Out y) noexcept;          ///< A x
  void multiply_reduced(In x, Out y) noexcept;  ///< x and y with zeros in the places of z
  void multiply_preconditioned(In x, Out y) noexcept;
  void precondition(In x, Out y) noexcept;      ///< P⁻¹ x
  void solve_constraints(Out values) noexcept;  ///< g_z⁻¹ of the values in the places of z, in place
  template <class Apply>
  [[nodiscard]] Outcome iterate(In r, Out x, double tolerance, Apply&& apply) noexcept;

  SparsePattern b_pattern_, j_pattern_;
  std::vector<char> algebraic_;
  KrylovMatrixOptions options_;
  std::vector<int> z_;                  ///< places of the algebraic unknowns
  std::vector<int> constraint_places_;  ///< of the entries of g_z in J
  std::unique_ptr<LinearSolver<double>> constraints_;
  std::vector<double> b_, j_, gz_, z_values_;
  double c_ = 0;
  bool constraints_factored_ = false;
  Gmres gmres_;
  KrylovSpace space_;
  Vector diagonal_, right_, solution_, work_, work2_, full_;
};

}  // namespace rubato
