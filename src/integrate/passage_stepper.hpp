#pragma once
/// One step over a singular position of a mechanism: where its constraint rows depend on each other for an instant.
///
/// Beside such a position the rows have a singular value σ(t) that changes sign in it, and so do the terms that Newton's
/// iteration divides by: with J of the start, simplified iterations run away from the branch of the motion (factor 1 − σ_i/σ₀
/// per iteration, above 1 for stages beyond) and converge to the other branch, on which the mechanism folds. Reactions may have a pole
/// there; positions, velocities and the forces Jᵀλ go on smoothly. Hence a collocation step (Radau IIA)
///   B(t_i, X_i) W_i = f(t_i, X_i),   W_i = Σ_j (A⁻¹)_ij (X_j − x₀)/h,   t_i = t + c_i h                         (1)
/// with the position in the widest gap between its nodes, J of its own in every stage, corrections stage by stage with the lower
/// triangular factor of A = L U, U of unit diagonal,
///   J_i Δ_i − Σ_{j≤i} (L⁻¹)_ij/h B_i Δ_j = B_i W_i − f_i                                                        (2)
/// (van der Houwen, de Swart, SIAM J. Sci. Comput. 18 (1997) 41, doi:10.1137/S1064827595287456: it contracts at the rate 0.5 or better,
/// constraints are met at once), and start values that continue q, v by their Taylor polynomial from node to node and are projected onto the constraints: those on the
/// branch that continuity of the velocity demands. The step has the order of the formula, for nothing in it sees the pole.
/// The error of the differential unknowns is estimated by the quadrature without the last node,
///   h Σ_i (b_i − b̂_i) W_i = O(h^s).                                                                             (3)
/// Rare: it allocates.
#include <memory>

#include "dense_stages.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "rubato/integrate/stepper.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/initial_value_problem.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato {

class PassageStepper final : public Stepper {
 public:
  /// `dae` is the problem's.
  PassageStepper(const InitialValueProblem& problem, const FormulatedDae& dae, const ErrorNorm& norm);

  /// Where in a step, as a fraction of it, a position is farthest from the nodes.
  [[nodiscard]] double best_fraction() const noexcept { return best_fraction_; }
  /// The distance of the nearest node from there, as a fraction of the step.
  [[nodiscard]] double clearance(double fraction) const noexcept;

  [[nodiscard]] StepStatus restart(double t, In x, In w, In base, int mode) override;
  [[nodiscard]] Attempt attempt(double t, double h) noexcept override;
  void commit() noexcept override {}
  void discard() noexcept override {}
  [[nodiscard]] In x() const noexcept override { return view(end_); }
  [[nodiscard]] In base() const noexcept override { return view(base_); }
  [[nodiscard]] int mode() const noexcept override { return mode_; }
  void interpolate(double theta, Out x, Out w) const noexcept override;
  void rebase() noexcept override {}
  void save(ArchiveWriter&) const override {}  // checkpoints are written between steps of the run's own method
  [[nodiscard]] bool load(ArchiveReader&) override { return true; }
  [[nodiscard]] Statistics statistics() const noexcept override { return counters_; }
  [[nodiscard]] int worst_component() const noexcept override;

 private:
  [[nodiscard]] At at(double t, In x);
  /// X_i that satisfy the constraints, from the Taylor polynomials. False: no consistent state at a node.
  [[nodiscard]] bool predict(double t, double h);
  [[nodiscard]] StepStatus iterate(double t, double h);
  [[nodiscard]] StepStatus solve(double t, double h);
  void keep_differential(Vector& x) const;

  const InitialValueProblem& problem_;
  const FormulatedDae& dae_;
  const ErrorNorm& norm_;
  RungeKuttaTable table_;
  DenseStages dense_;
  Matrix inverse_, lower_inverse_;  ///< A⁻¹, L⁻¹
  Vector defect_;                   ///< b − b̂
  double best_fraction_ = 0;
  ScratchMemory memory_;
  std::unique_ptr<Linearisation> linear_;
  Vector start_, w_, end_, base_, error_, u_, u_rate_;
  Matrix stages_, increments_;  ///< X_i; X_i − x₀ and the end
  int mode_ = 0;
  double h_ = 0;
  Statistics counters_;
};

}  // namespace rubato
