#pragma once
/// The Rosenbrock engine: one class for every table.
///
/// For B x' = f(t, x) with constant B, γ' = 1/(hγ), J and f_t at (t, x₀):
///   (γ'B − J) u_i = f(t + α_i h, x₀ + Σ_{j<i} a_ij u_j) + (1/h) B Σ_{j<i} c_ij u_j + h γ_i f_t     (1)
///   x₁ = x₀ + Σ m_j u_j,   e = Σ (m_j − m̂_j) u_j,   x(t + θh) = x₀ + Σ m_j(θ) u_j               (2)
/// One factorisation per step; stages that share an argument share its f. The step matrix eliminates local unknowns
/// (q' = v), so a mechanical system costs factorisations of size n_q + n_λ.
#include <memory>

#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"
#include "stepped_system.hpp"

namespace rubato {

class RosenbrockStepper final : public Stepper {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(const RosenbrockTable& table,
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
  RosenbrockStepper(const RosenbrockTable& table, const InitialValueProblem& problem, const IntegrateOptions& options,
                    std::unique_ptr<SteppedSystem> system);
  [[nodiscard]] StepStatus linearise(double t, double h) noexcept;
  [[nodiscard]] StepStatus differentiate_in_time(double t, double h, In f0) noexcept;
  [[nodiscard]] StepStatus factorise(double h) noexcept;
  void weigh_residuals() noexcept;
  void look_at_growth(double t, double h, Attempt& result) noexcept;
  void check_jacobian(double t, double h) noexcept;
  [[nodiscard]] double change_of_linearisation(double t, double h) noexcept;
  [[nodiscard]] double defect_inside(double t, double h) noexcept;

  const RosenbrockTable& table_;
  std::unique_ptr<SteppedSystem> system_;
  ErrorNorm norm_;

  // Committed and trial state. start_ is where the last committed step began: the dense output needs it.
  Vector x_, trial_, start_;
  double h_ = 0, h_before_ = 0;  ///< of the last attempt, and of the last step accepted; 0: none since the restart
  double safe_h_ = 0;            ///< of the last step looked at, or of a shorter one since
  bool cautious_ = false;        ///< the linearisation changed much: steps grow little
  bool looked_ = false;          ///< in this attempt
  bool has_trial_ = false;       ///< the last attempt came as far as trial_ and error_
  bool switches_;                ///< the model has root functions: what it does may change within a step
  double t_ = 0;
  static constexpr double first_estimate = 0.1;
  double estimate_ = first_estimate, trial_estimate_ = first_estimate;  ///< of the error of the last step

  bool linearised_ = false;
  double time_h_ = 0;      ///< the step that f_time_ was made for
  int since_look_ = 0;     ///< attempts since J by differences was looked at
  double factored_c_ = 0;  ///< 0: no valid factor
  Vector zero_, f_time_, stage_, sum_, error_, defect_, weights_;
  Matrix f_, stages_;  ///< columns: f at the stages, u_i

  double end_slopes_[max_rosenbrock_stages] = {};  ///< m_j'(1) of (2)
};

}  // namespace rubato
