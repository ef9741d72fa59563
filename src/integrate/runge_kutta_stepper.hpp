#pragma once
/// Implicit Runge-Kutta methods with an invertible coefficient matrix, one for all components: Radau IIA of fixed or
/// variable order, Gauss, Radau IA, Lobatto IIIC, IIID and their blends.
///
/// For B(t,x) x' = f(t,x), stage_scheme.hpp (1): with K_i = (1/h) Σ_j (A⁻¹)_ij Z_j
///   r_i = f(t + c_i h, x₀ + Z_i) − B(X_i) K_i = 0                                                                  (1)
/// by simplified Newton, J = ∂(f − B w)/∂x and B at an earlier state with w = x' there, stages decoupled. The factors serve
/// until the iteration contracts too slowly or h changes; the step matrix eliminates local unknowns (q' = v), so that a
/// mechanical system costs factorisations of size n_q + n_λ.
///
/// Error estimate: Δν = (B/(hγ₀) − J)⁻¹ ρ with
///   c₁ > 0 (Radau IIA, Gauss)   ρ = f(t, x₀) − B p'(0), p the polynomial of the dense output                       (2)
///   c₁ = 0 (Lobatto, Radau IA)  ρ = f(t, x₀ + Z₀) − B K₁,  Z₀ = h Σ_j row_j K_j                                     (3)
/// (2) is RADAU5's: Hairer & Wanner, Solving ODEs II, IV.8; (3): Schaub & Simeon, ZAMM 83 (2003) 720. Both are zero to order s.
/// After a restart or a rejection (2) and (3) are evaluated once more at x₀ + Δν where the first says no.
#include <memory>
#include <vector>

#include "newton_control.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "rubato/integrate/stiffness_detector.hpp"
#include "stage_scheme.hpp"
#include "stepped_system.hpp"

namespace rubato {

class RungeKuttaStepper final : public Stepper {
 public:
  /// Several tables: the order is chosen during the run, starting with `first`.
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(std::span<const RungeKuttaTable> tables, int first,
                                                               const InitialValueProblem& problem,
                                                               const IntegrateOptions& options);

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

 private:
  RungeKuttaStepper(std::vector<StageScheme> schemes, int first, const InitialValueProblem& problem,
                    const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system);
  [[nodiscard]] const StageScheme& scheme() const noexcept { return schemes_[static_cast<std::size_t>(level_)]; }
  [[nodiscard]] StepStatus prepare_jacobian(double t) noexcept;
  [[nodiscard]] StepStatus prepare(double t, double h) noexcept;
  void predict(double h) noexcept;
  [[nodiscard]] StepStatus iterate(double t, double h, Attempt& attempt) noexcept;
  [[nodiscard]] StepStatus residual(double t, double h) noexcept;
  void correct() noexcept;
  [[nodiscard]] StepStatus estimate(double t, double h, Attempt& attempt) noexcept;
  [[nodiscard]] EvalStatus estimate_residual(double t, double h, In shift) noexcept;
  void choose_order(double step_ratio) noexcept;
  void observe(bool accepted) noexcept;
  void apply_stiffness() noexcept;
  [[nodiscard]] Out column(Matrix& m, int j) const noexcept {
    return {m.col(j).data(), static_cast<std::size_t>(m.rows())};
  }

  std::vector<StageScheme> schemes_;
  int level_ = 0;                   ///< the scheme in use
  std::vector<Vector> extra_rows_;  ///< per scheme: row of (3); empty for (2)
  std::unique_ptr<SteppedSystem> system_;
  IntegrateOptions options_;
  ErrorNorm norm_, newton_norm_;
  double kappa_ = 0;
  NewtonControl newton_;
  NewtonStepLimit newton_limit_;
  StiffnessDetector detector_;
  std::vector<int> base_powers_;  ///< κ before anything was found stiff

  // Committed state. w_: x' there, where B depends on x.
  Vector x_, w_, f0_;
  double t_ = 0;
  bool first_ = true;  ///< no step accepted since the last restart
  bool f0_valid_ = false, jacobian_current_ = false, jacobian_usable_ = false;
  double factored_h_ = 0;
  int factored_level_ = -1;
  bool after_rejection_ = false;
  bool constant_mass_;

  // The last committed step: where it began, its stages (and end) as differences, its scheme.
  Vector start_;
  Matrix z_old_;  ///< column s: x₁ − x₀
  double h_old_ = 0;
  int level_old_ = 0;
  bool has_old_ = false;

  // Trial.
  Matrix z_;  ///< column s: x₁ − x₀
  Matrix r_, k_, dz_;
  Vector trial_, weights_, stage_, slope_, rho_, nu_, first_nu_, mu_;
  Eigen::VectorXcd complex_rhs_;
  double h_ = 0;
  bool has_trial_ = false;

  // Order selection.
  long steps_at_level_ = 0;
  double contraction_ = 0;  ///< smoothed Θ
  bool unexpected_rejection_ = false, unexpected_failure_ = false;
};

}  // namespace rubato
