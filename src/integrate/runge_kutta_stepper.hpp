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
/// with B where f is taken: (3) is B [F(x₀ + Z₀) − F(X₁)] for F = B⁻¹f. In algebraic rows f(t, x₀) is subtracted: what the
/// last iteration left there does not vanish with h, and would be taken for an error of this step.
/// (2) is RADAU5's: Hairer & Wanner, Solving ODEs II, IV.8; (3): Schaub & Simeon, ZAMM 83 (2003) 720. Both are zero to order s.
#include <memory>
#include <vector>

#include "decoupled_stages.hpp"
#include "order_choice.hpp"
#include "small_sweep.hpp"
#include "staged_stepper.hpp"

namespace rubato {

class RungeKuttaStepper final : public StagedStepper {
 public:
  /// Several tables: the order is chosen during the run, starting with `first`.
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(std::span<const RungeKuttaTable> tables, int first,
                                                               const InitialValueProblem& problem,
                                                               const IntegrateOptions& options);

  Attempt attempt(double t, double h) noexcept override;
  void save(ArchiveWriter& out) const override;
  bool load(ArchiveReader& in) override;

 protected:
  const RungeKuttaTable& table() const noexcept override { return scheme().table; }
  const DenseStages& dense() const noexcept override { return schemes_[static_cast<std::size_t>(level_)]; }
  const DenseStages& old_dense() const noexcept override { return schemes_[static_cast<std::size_t>(level_old_)]; }
  double gamma0() const noexcept override { return scheme().gamma0; }
  int filter_slot() const noexcept override { return scheme().filter_slot; }
  int error_order() const noexcept override;
  StepStatus linearised(double t) noexcept override;
  StepStatus factor(double h) noexcept override;
  StepStatus correct(double t, double h, double& size) noexcept override;
  StepStatus finish(double t, double h) noexcept override;
  EvalStatus estimate_residual(double t, double h, In shift) noexcept override;
  void slopes(int row, double h, double* out) const noexcept override;
  void committed() noexcept override;

 private:
  RungeKuttaStepper(std::vector<StageScheme> schemes, int first, const InitialValueProblem& problem,
                    const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system);
  [[nodiscard]] const StageScheme& scheme() const noexcept { return schemes_[static_cast<std::size_t>(level_)]; }
  [[nodiscard]] bool mass_is_identity() noexcept { return constant_mass_ && system_->matrix().B_is_identity(); }
  [[nodiscard]] StepStatus correct_by_passes(double t, double h, double& size) noexcept;
  [[nodiscard]] StepStatus correct_by_sweep(double t, double h, double& size) noexcept;
  [[nodiscard]] EvalStatus subtract_mass_times_slopes(double t, double h) noexcept;
  void prepare_orders();
  [[nodiscard]] double lower_error() noexcept;
  [[nodiscard]] double smoothed_contraction() const noexcept;
  void choose_order(Attempt& attempt) noexcept;

  std::vector<StageScheme> schemes_;
  int level_ = 0, level_old_ = 0;   ///< the scheme in use, and that of the last committed step
  int next_level_ = 0;              ///< of the step after the last attempt, should that count
  std::vector<Vector> extra_rows_;  ///< per scheme: row of (3); empty for (2)
  DecoupledStages decoupled_;
  std::vector<std::unique_ptr<SmallSweep>> sweeps_;  ///< per scheme; null where there is none
  bool sweeps_serve_ = false;
  long structure_ = 0;          ///< they were attached to
  std::vector<int> algebraic_;  ///< unknowns, and their rows
  Matrix k_, stages_;
  Vector slope_, product_;

  // Order selection.
  std::vector<OrderLevel> levels_;    ///< empty where there is only one
  std::vector<Vector> lower_slopes_;  ///< per scheme
  long steps_at_level_ = 0;
  double contraction_ = 0;  ///< smoothed Θ
};

}  // namespace rubato
