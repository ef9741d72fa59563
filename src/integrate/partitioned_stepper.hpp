#pragma once
/// Lobatto methods whose coefficients differ from row to row or from part to part, or have no inverse: IIIA, IIIB, IIIC*,
/// component-wise blends, SPARK (specialised partitioned additive Runge-Kutta).
///
/// For B x' = Σ_m f_m(t, x) with constant B, common b and c, a table for each row k and part m (stage_plan.hpp):
///   differential rows   (B Z_i)_k = h Σ_m Σ_j a^(k,m)_ij f_m,k(t + c_j h, x₀ + Z_j),      algebraic rows   0 = f_k(X_i)   (1)
///   x₁ = x₀ + h Σ_i b_i x'_i, that is X_s in rows whose tables end there, else by stage_rule.hpp                      (2)
/// No A⁻¹ in (1): IIIA has Z_1 = 0 in differential unknowns and consistent algebraic ones. Algebraic unknowns of x₁ are
/// those of X_s (c_s = 1); at index 1, where some rows end elsewhere, they are made consistent with x₁ by Newton's method.
/// Newton's matrix: stage_operator.hpp, factorised as a whole or by GMRES (stage_krylov.hpp).
///
/// Error estimate: X_0 = x₀ + h Σ_j r_j x'_j, r of runge_kutta_embedded.hpp (2) for each row's table,
///   ρ = f(t, X_0) − f(t, X_1) in differential rows, f(t, X_0) in algebraic ones                                      (3)
/// with the algebraic unknowns of X_0 from the stages, or those of X_1 where the row's A has no inverse.
/// Jay, Structure preservation for constrained dynamics with SPARK, SIAM J. Sci. Comput. 20 (1998) 416; Schaub & Simeon,
/// ZAMM 83 (2003) 720.
#include <memory>
#include <optional>
#include <vector>

#include "mass_solver.hpp"
#include "stage_krylov.hpp"
#include "stage_plan.hpp"
#include "staged_stepper.hpp"

namespace rubato {

class PartitionedStepper final : public StagedStepper {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(const RungeKuttaTable& table, StageStrategy strategy,
                                                               const InitialValueProblem& problem,
                                                               IntegrateOptions options);

 protected:
  const RungeKuttaTable& table() const noexcept override { return plan_.table(); }
  const DenseStages& dense() const noexcept override { return dense_; }
  const DenseStages& old_dense() const noexcept override { return dense_; }
  double gamma0() const noexcept override { return gamma0_; }
  int filter_slot() const noexcept override { return filter_slot_; }
  int error_order() const noexcept override { return error_order_; }
  StepStatus linearised(double t) noexcept override;
  void before_step(double h) noexcept override;
  StepStatus factor(double h) noexcept override;
  StepStatus correct(double t, double h, double& size) noexcept override;
  StepStatus finish(double t, double h) noexcept override;
  EvalStatus estimate_residual(double t, double h, In shift) noexcept override;
  void slopes(int row, double h, double* out) const noexcept override;
  void stiffness_changed() noexcept override;
  void structure_changed() override;

 private:
  struct Parts;
  PartitionedStepper(StagePlan plan, std::unique_ptr<StageKrylov> krylov, int filter_slot, double gamma0,
                     const InitialValueProblem& problem, const IntegrateOptions& options,
                     std::unique_ptr<SteppedSystem> system);
  [[nodiscard]] bool is_algebraic(int row) const noexcept { return algebraic_[static_cast<std::size_t>(row)] != 0; }
  void build();
  [[nodiscard]] StepStatus linearise_parts(double t) noexcept;
  [[nodiscard]] StepStatus residual(double t, double h) noexcept;
  [[nodiscard]] StepStatus solve(double h) noexcept;
  [[nodiscard]] EvalStatus evaluate_stage(double t, double h, int j) noexcept;
  /// Σ_j on_z Z_j + h Σ_j on_k x'_j in the differential rows of `out`; the stages' f as evaluate_stage() left them.
  void combine(double h, StageCombination StageRule::*which, Vector& out) noexcept;
  [[nodiscard]] StepStatus close(double t, double h) noexcept;

  StagePlan plan_;
  DenseStages dense_;
  std::unique_ptr<StageKrylov> krylov_;  ///< null: direct
  int filter_slot_ = 0;
  double gamma0_ = 0;
  int error_order_ = 0;
  std::vector<char> algebraic_;
  bool closes_ = false;  ///< algebraic unknowns of x₁ are solved for
  bool uses_slopes_ = false, needs_mass_ = false;
  std::vector<std::unique_ptr<const Dae>> part_daes_;  ///< parts 1, 2, …; the first is what they leave of f
  std::vector<std::unique_ptr<Linearisation>> part_linearisations_;
  SparsePattern first_pattern_;  ///< of the first part
  std::vector<int> whole_places_;
  std::vector<std::vector<int>> part_places_;
  std::vector<double> first_values_;
  std::vector<In> jacobians_;
  std::optional<StageOperator> stages_;
  std::optional<MassSolver> mass_;
  long known_extensions_ = 0;

  std::vector<Matrix> f_;  ///< per part: f at the stages
  Vector combined_, product_, first_f_, zero_;
};

}  // namespace rubato
