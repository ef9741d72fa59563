#pragma once
/// Central differences for M(q) v' = f(t,q,v,z), Z z' = e, without constraints: explicit, order 2, stable for hω ≤ 2.
///   v½ = v₀ + h/2 v̇₀,  q₁ = q₀ ⊕ h v½                                                                              (1)
///   M(q₁) v̇₁ = f(t₁, q₁, v₀ + h v̇₀, z₀ + h ż₀),  ż₁ likewise                                                       (2)
///   v₁ = v½ + h/2 v̇₁,  z₁ = z₀ + h/2 (ż₀ + ż₁)                                                                     (3)
/// One evaluation of f and one solution with M for each step. Where f does not depend on v this is the leap-frog method
/// (Störmer, Verlet): reversible and symplectic. Newmark's family with β = 0, γ = ½. For comparison with implicit methods.
/// In every other Dae all unknowns are z: the explicit trapezoidal rule.
/// Error: as in alpha_stepper.hpp, without filter.
#include <memory>
#include <optional>

#include "mass_solver.hpp"
#include "rubato/integrate/alpha_coefficients.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "rubato/linalg/colouring.hpp"
#include "stepped_system.hpp"

namespace rubato {

class CentralDifferenceStepper final : public Stepper {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(const MethodInfo& info,
                                                               const InitialValueProblem& problem,
                                                               const IntegrateOptions& options);

  StepStatus restart(double t, In x, In w, In base, int mode) override;
  Attempt attempt(double t, double h) noexcept override;
  void commit() noexcept override;
  void discard() noexcept override {}
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

 private:
  CentralDifferenceStepper(const InitialValueProblem& problem, const IntegrateOptions& options,
                           const SteppedSystem::PositionRows& positions, std::unique_ptr<SteppedSystem> system);
  void make_mass_solver();
  [[nodiscard]] StepStatus factor_mass(double t, In x) noexcept;
  /// w = B⁻¹ f at a point.
  [[nodiscard]] StepStatus slopes(double t, In x, Out w) noexcept;

  SteppedSystem::PositionRows positions_;
  std::unique_ptr<SteppedSystem> system_;
  ErrorNorm norm_;
  bool constant_mass_, estimates_;
  std::optional<MassSolver> mass_;
  ColumnGroups mass_groups_;
  std::vector<double> mass_values_;
  bool mass_valid_ = false;

  Vector x_, w_;         ///< committed: state and x' there
  Vector jerk_;          ///< change of w per time over the last step
  double h_before_ = 0;  ///< of the last step, 0 after a restart
  double t_ = 0;
  bool slopes_known_ = false;
  Vector start_, w_start_;  ///< where the last committed step began
  Vector trial_, trial_w_, error_, work_;
  double h_ = 0, h_last_ = 0;
  bool has_trial_ = false;
};

}  // namespace rubato
