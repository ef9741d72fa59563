#pragma once
/// The matrix of implicit steps without a factorisation: A(c) x = r, A(c) = c B − J, in Krylov spaces.
///
/// With differential unknowns y and algebraic ones z (rows and columns of B that vanish)
///   A = [A_yy −f_z; −g_y −g_z],   A_yy = c B_yy − f_y                                                                 (1)
/// - `whole`: the space of A and r. Where there are many z it has to fill the space of z before it touches y.
/// - `eliminated`: z = −g_z⁻¹ (r_z + g_y y) in every product, the space of A_yy + f_z g_z⁻¹ g_y alone. By a factor of g_z, or by an iteration
///   inside (iterated_solver.hpp), whose residuals are a tenth of what the outer one aims at: products are then wrong by so much, and the
///   residual that the outer iteration believes in differs from the true one by about the same (Simoncini & Szyld, SIAM J. Sci. Comput. 25
///   (2003) 454, doi:10.1137/S1064827502406415).
/// - preconditioner `constraint`: A P⁻¹ with P = [diag A_yy  0; −g_y −g_z] and a sparse factor of g_z.
/// The factor of g_z is kept over steps while it serves.
/// - preconditioner `factor`: P⁻¹ A x = P⁻¹ r with a P of the caller's, an A of earlier steps. Residuals are then errors of x, measured with
///   the weights of weigh(): equations of any kind and unit are welcome, those of mechanical systems among them.
///   Unknowns that follow from others at once, velocities from positions by q' = v, are no unknowns of the iteration: a row
///     c b x_l − k x_f = r_f   gives   x_f = (c b x_l − r_f)/k                                                         (3)
///   so that of (q, v) the space has vectors q alone, and the product with A of (q, c q) is that with c²M − c f_v − f_q.
/// Wensch, Appl. Numer. Math. (2005), sections 3 and 4, where preconditioning is left open.
///
/// J need not be there: with a JacobianProduct only its rows of z are used, g_y and g_z, and only by `eliminated` and `constraint` (diag A_yy is
/// then c diag B).
///
/// Residuals are measured relative to r, or with weights w_i of the unknowns (`weigh`), in units of the error they cause: where J is small a
/// residual of row i moves y_i by 1/(c B_ii), one of a constraint z_i by 1/|g_z,ii|. Then what is iterated is
///   (D_L A D_R) (D_R⁻¹ x) = D_L r,   D_R = diag 1/w,   D_L = diag w_i/(c B_ii) or w_i/|g_z,ii|                        (2)
/// and with a preconditioner (D_L A P⁻¹ D_L⁻¹) (D_L P x) = D_L r. Where P has no exact factor of g_z constraints are left with residuals that
/// move z by far more than 1/|g_z,ii|: P⁻¹ A x = P⁻¹ r is iterated then, as with `factor`.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/gmres.hpp"
#include "rubato/linalg/iterated_solver.hpp"
#include "rubato/linalg/krylov_options.hpp"
#include "rubato/linalg/krylov_space.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

/// y = J v where J is not stored.
class JacobianProduct {
 public:
  virtual ~JacobianProduct() = default;
  /// y is not finite where there is none.
  virtual void times(In v, Out y) noexcept = 0;
};

/// x = P⁻¹ r.
class OuterPreconditioner {
 public:
  virtual ~OuterPreconditioner() = default;
  virtual void apply(In r, Out x) noexcept = 0;
};

/// (3): an equation with one entry in B and one in J.
struct Follower {
  int row, leader, follower;
};

class KrylovMatrix {
 public:
  /// `algebraic`: of every unknown, whether it is (row and column alike). With a `product`, which must outlive this, J is that part of the
  /// Jacobian which is formed: the rows of z, or nothing. `outer`: P of the preconditioner `factor`; it must outlive this, too.
  /// `followers`: with it only; no unknown twice.
  KrylovMatrix(const SparsePattern& B, const SparsePattern& J, std::span<const char> algebraic,
               const KrylovMatrixOptions& options, JacobianProduct* product = nullptr,
               OuterPreconditioner* outer = nullptr, std::span<const Follower> followers = {});

  void linearise(In B_values, In J_values) noexcept;
  /// Prepares solves with shift c: g_z where it is needed, diagonals.
  [[nodiscard]] FactorStatus factor(double c) noexcept;
  /// (2) with these weights for the shift in use, until the next factor(). `relative`: residuals count relative to the right-hand side.
  void weigh(In weights, bool relative = false) noexcept;
  /// The outer preconditioner is another now.
  void forget_space() noexcept { space_.clear(); }

  struct Outcome {
    bool converged = false;
    int products = 0;
    double residual = 0;  ///< of the system that is iterated: ‖r − A x‖₂/‖r‖₂, or ‖D_L (r − A x)‖₂/√n after weigh()
    int dimension = 0;  ///< of the space at the end
  };
  /// Until that residual is below `tolerance`. r and x may be the same memory.
  [[nodiscard]] Outcome solve(In r, Out x, double tolerance) noexcept;

  /// Of g_z, so far; and products with it, where it is not factorised.
  [[nodiscard]] long factorisations() const noexcept { return factorisations_; }
  [[nodiscard]] long inner_products() const noexcept { return inner_ ? inner_->products() : 0; }
  [[nodiscard]] SolverReport report() const noexcept {
    return inner_ ? inner_->report() : constraints_ ? constraints_->report() : SolverReport{};
  }
  /// Unknowns of the iteration.
  [[nodiscard]] int iterated_size() const noexcept { return static_cast<int>(iterated_.size()); }

 private:
  [[nodiscard]] bool eliminates() const noexcept {
    return options_.constraints == KrylovConstraints::eliminated && !z_.empty() && outer_ == nullptr;
  }
  [[nodiscard]] bool needs_constraints() const noexcept {
    return !z_.empty() && (eliminates() || options_.preconditioner == KrylovPreconditioner::constraint);
  }
  /// P⁻¹ A x = P⁻¹ r, residuals being errors.
  [[nodiscard]] bool preconditions_left() const noexcept {
    return outer_ != nullptr ||
           (weighted_ && !relative_ && !eliminates() && !z_.empty() &&
            options_.preconditioner == KrylovPreconditioner::constraint && options_.factors != KrylovFactors::exact);
  }
  [[nodiscard]] bool preconditions_right() const noexcept {
    return !eliminates() && !preconditions_left() && options_.preconditioner != KrylovPreconditioner::none;
  }
  [[nodiscard]] int n_z() const noexcept { return static_cast<int>(z_.size()); }
  void find_constraints(const std::vector<int>& number);
  void find_followers(std::span<const Follower> followers);
  void multiply_jacobian(In x, Out y) noexcept;     ///< J x
  void multiply_constraints(In x, Out y) noexcept;  ///< g_y y + g_z z in the places of z; others are not to be used
  void multiply(In x, Out y) noexcept;              ///< A x
  void multiply_reduced(In x, Out y) noexcept;      ///< x and y with zeros in the places of z
  void precondition(In x, Out y) noexcept;          ///< P⁻¹ x
  [[nodiscard]] bool constraint_factor_serves() const noexcept;
  void solve_constraints(Out values) noexcept;  ///< g_z⁻¹ of the values in the places of z, in place
  void set_inner_tolerance(double tolerance) noexcept;
  void take_followers_out() noexcept;             ///< of right_: (3) with x_l = 0
  void let_follow(Vector& x, bool own) noexcept;  ///< (3) with r_f or without
  [[nodiscard]] Outcome iterate(double tolerance) noexcept;
  void apply(In v, Out y) noexcept;  ///< the product of the iteration
  void apply_to_leaders(In v, Out y) noexcept;
  [[nodiscard]] Outcome solve_eliminated(Out x, double tolerance) noexcept;

  SparsePattern b_pattern_, j_pattern_;
  std::vector<char> algebraic_;
  KrylovMatrixOptions options_;
  JacobianProduct* product_;
  OuterPreconditioner* outer_;
  std::vector<int> z_;                  ///< places of the algebraic unknowns
  std::vector<int> constraint_places_;  ///< of the entries of g_z in J
  std::unique_ptr<LinearSolver<double>> constraints_;
  std::optional<IteratedSolver> inner_;  ///< instead
  double inner_tolerance_ = 0;
  bool inner_failed_ = false;
  std::vector<int> iterated_;  ///< places of the unknowns of the iteration
  std::vector<Follower> followers_;
  std::vector<int> leader_places_;          ///< of their entries in B
  Vector follower_right_, follower_slope_;  ///< r_f and k of (3)
  std::vector<double> b_, j_, gz_, gz_now_, z_values_;
  double c_ = 0;
  bool has_constraint_factor_ = false;  ///< of the values in gz_
  bool constraints_factored_ = false, weighted_ = false, relative_ = false;
  long factorisations_ = 0;
  Gmres gmres_;
  KrylovSpace space_;
  Vector diagonal_, left_, inverse_right_;  ///< of P; D_L and D_R⁻¹
  Vector right_, constraint_right_, solution_, work_, work2_, full_;
  Vector iterated_right_, iterated_solution_;
};

}  // namespace rubato
