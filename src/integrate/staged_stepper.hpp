#pragma once
/// What all implicit Runge-Kutta steppers share: the committed/trial pair, simplified Newton, starting values, dense output,
/// the filtered error estimate, stiff coordinates, saving and loading. A method adds its stage equations.
///
/// Unknowns of a step: Z_i = X_i − x₀, column s: x₁ − x₀. J = ∂(f − B w)/∂x and B serve until the iteration contracts too
/// slowly, factors until h changes.
/// Error: Δν = (B/(hγ₀) − J)⁻¹ ρ, ρ from the method; evaluated once more at x₀ + Δν after a restart or a rejection where the
/// first says no; compared with the defect inside where steps grow or the estimate vanishes. Rows that Lobatto estimates cannot see: quadrature_guard.hpp. For comparison the estimate of order 1 of
/// SPARK3, δ = Σ d̂_i Z_i − (x₁ − x₀) = O(h²) squared component by component, then filtered:
///   (B/(hγ₀) − J) Δν = B δ²/(hγ₀)                                                                                    (1)
#include <memory>
#include <vector>

#include "dense_stages.hpp"
#include "motion_error.hpp"
#include "newton_control.hpp"
#include "quadrature_guard.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "rubato/integrate/stiffness_detector.hpp"
#include "stepped_system.hpp"

namespace rubato {

class StagedStepper : public Stepper {
 public:
  StepStatus restart(double t, In x, In w, In base, int mode) override;
  Attempt attempt(double t, double h) noexcept override;
  void commit() noexcept override;
  void discard() noexcept override;
  In x() const noexcept override { return view(x_); }
  In base() const noexcept override { return system_->base(); }
  int mode() const noexcept override { return system_->mode(); }
  void interpolate(double theta, Out x, Out w) const noexcept override;
  void rebase() noexcept override;
  void renew() override;
  void save(ArchiveWriter& out) const override;
  bool load(ArchiveReader& in) override;
  Statistics statistics() const noexcept override { return system_->statistics(); }
  int worst_component() const noexcept override;
  std::vector<int> stiff_components() const override;

 protected:
  /// `table` decides how tolerances are read; no step has more than `max_stages` stages.
  StagedStepper(const InitialValueProblem& problem, const IntegrateOptions& options, const RungeKuttaTable& table,
                int max_stages, std::unique_ptr<SteppedSystem> system);

  // What a method says of the scheme in use …
  [[nodiscard]] virtual const RungeKuttaTable& table() const noexcept = 0;
  [[nodiscard]] virtual const DenseStages& old_dense() const noexcept = 0;  ///< of the last committed step
  [[nodiscard]] virtual const DenseStages& dense() const noexcept = 0;      ///< of the trial step
  [[nodiscard]] virtual double gamma0() const noexcept = 0;
  [[nodiscard]] virtual int filter_slot() const noexcept = 0;  ///< the factor of B/(hγ₀) − J
  [[nodiscard]] virtual int error_order() const noexcept = 0;
  // … and does in a step.
  [[nodiscard]] virtual StepStatus linearised(double /*t*/) noexcept { return StepStatus::ok; }  ///< J, B are new
  virtual void before_step(double /*h*/) noexcept {}
  [[nodiscard]] virtual StepStatus factor(double h) noexcept = 0;
  /// A correction dz_ of z_, added to it, and its size; r_: f at the stages, with what B multiplies or not.
  [[nodiscard]] virtual StepStatus correct(double t, double h, double& size) noexcept = 0;
  [[nodiscard]] virtual StepStatus finish(double t, double h) noexcept = 0;  ///< column s of z_
  /// ρ into rho_, the state moved by `shift` (empty: not).
  [[nodiscard]] virtual EvalStatus estimate_residual(double t, double h, In shift) noexcept = 0;
  /// x' of one row at the stages, for rows found by the guard.
  virtual void slopes(int row, double h, double* out) const noexcept = 0;
  virtual void committed() noexcept {}
  virtual void stiffness_changed() noexcept {}
  virtual void structure_changed() {}  ///< patterns may be new

  /// Factors and estimate are wanted also where steps are fixed, as long as stiff coordinates are looked for by them.
  [[nodiscard]] bool wants_estimate() const noexcept {
    const bool by_filter = options_.stiffness.measure != StiffnessMeasure::frequencies;
    return options_.step.fixed_step == 0 || (by_filter && detector_.looking());
  }
  /// The error of the trial step is the defect inside it.
  [[nodiscard]] bool misses_inside() const noexcept { return trial_blind_; }
  /// Tolerances were mapped for Radau methods, see for_steps().
  [[nodiscard]] bool maps_tolerances() const noexcept { return maps_tolerances_; }
  [[nodiscard]] static Out column(Matrix& m, int j) noexcept {
    return {m.col(j).data(), static_cast<std::size_t>(m.rows())};
  }
  [[nodiscard]] static Out first_columns(Matrix& m, int count) noexcept {
    return {m.data(), static_cast<std::size_t>(count * m.rows())};
  }

  std::unique_ptr<SteppedSystem> system_;
  IntegrateOptions options_;
  ErrorNorm norm_, newton_norm_;
  double kappa_ = 0, jacobian_reuse_ = 0;
  NewtonControl newton_;
  NewtonStepLimit newton_limit_{true};
  StiffnessDetector detector_;
  QuadratureGuard guard_;
  MotionError motion_;

  // Committed state. w_: x' there, where B depends on x.
  Vector x_, w_, f0_;
  Vector old_base_;  ///< before the last rebase
  double t_ = 0;
  bool first_ = true;  ///< no step accepted since the last restart
  bool after_rejection_ = false;
  bool has_trial_ = false;
  bool blind_ = false, trial_blind_ = false;  ///< the defect inside the step was larger than the estimate
  double factored_h_ = 0;                     ///< 0: no valid factors
  bool constant_mass_;

  // The last committed step: where it began, its stages (and end) as differences.
  Vector start_;
  Matrix z_old_;  ///< column s: x₁ − x₀
  double h_old_ = 0;
  bool has_old_ = false;
  double looked_h_ = 0;  ///< of the last step that was looked into, or of a shorter one since

  // Trial.
  Matrix z_;  ///< column s: x₁ − x₀
  Matrix r_, dz_;
  Vector trial_, weights_, stage_, rho_, nu_;
  double h_ = 0;

 private:
  [[nodiscard]] StepStatus evaluate_start(double t) noexcept;
  [[nodiscard]] StepStatus prepare(double t, double h) noexcept;
  [[nodiscard]] double kappa(double h) const noexcept;
  [[nodiscard]] double rounding() const noexcept;
  void predict(double h) noexcept;
  [[nodiscard]] StepStatus iterate(double t, double h, Attempt& attempt) noexcept;
  [[nodiscard]] StepStatus estimate(double t, double h, Attempt& attempt) noexcept;
  [[nodiscard]] EvalStatus spark_residual(double t, double h) noexcept;
  void watch_quadratures(double h) noexcept;
  [[nodiscard]] double error_of(double h, int slot) noexcept;
  [[nodiscard]] double defect_inside(double t, double h, int slot) noexcept;
  void find_responses(double h) noexcept;
  void observe(bool accepted) noexcept;
  void apply_stiffness() noexcept;
  void carry_stages() noexcept;

  std::vector<int> base_powers_, newton_powers_;  ///< κ before anything was found stiff
  Vector first_nu_, mu_, spark_, defect_;
  bool maps_tolerances_;
  bool relaxed_ = false;  ///< Newton's norm weights velocities with h
  bool f0_valid_ = false, jacobian_current_ = false, jacobian_usable_ = false;
  bool diverged_ = false;  ///< the last attempt, in its iteration
};

}  // namespace rubato
