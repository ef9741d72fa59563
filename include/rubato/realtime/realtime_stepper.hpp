#pragma once
/// The linearly implicit Euler method and its extrapolation with a plan: the same operations in every step.
///   (L − τ J) Δ = τ f(t, x_n, u_n),   J = Df ∘ S,   x_{n+1} = x_n + Δ                                                    (1)
/// t is t_n or t_{n+1} (Plan::time); u_n is held over the step. J, and f with it, come from the plan's passes over dual numbers.
///
/// Extrapolation (Plan::step_numbers with more than one number, or one above 1): n_j small steps τ/n_j for each row of a tableau, the same
/// J for all of them, t at the start or the end of the small step (integrate/extrapolation_tableau.hpp). One factorisation per row, kept for
/// its small steps. With k numbers order k for ordinary equations whatever is left out of J; for others see docs/methods.md.
///
/// Damping of algebraic unknowns y (Plan::damping), for models such as orifices, √|Δp|, where full steps oscillate for ever:
///   λ ∈ {min(1, 2 λ_n), λ_n, max(λ_n/2, λ_min)} with the smallest ‖g‖₂ at (x + Δx, y + λ Δy)                              (2)
/// g: the algebraic equations at t_{n+1}. Without damping g is evaluated once, at the new state: entries that are left out may make
/// algebraic unknowns lag without any instability, and ‖g‖ shows it. Damping costs exactly two evaluations more.
///
/// Plan::projections: see projection.hpp.
///
/// Charts, x = base ⊕ δ: after the step the base moves to base ⊕ δ. Where a model reads its mode off the state (contacts, end stops) it does so
/// at the start of every step and keeps it over the step.
///
/// Error estimate: the largest |e|_i / max(rtol |x_n|_i, atol), above 1 where both tests fail; e = x_{n+1} − x_n, with more than one
/// column the difference of the last two.                                                                                 (3)
#include <memory>

#include "rubato/realtime/jacobian_passes.hpp"
#include "rubato/realtime/plan.hpp"
#include "rubato/realtime/projection.hpp"
#include "rubato/realtime/realtime_status.hpp"

namespace rubato::realtime {

struct StepReport {
  RealtimeStatus status = RealtimeStatus::ok;
  double error = 0;               ///< (3)
  double algebraic_residual = 0;  ///< ‖g‖₂ at the new state
  double backward_error = 0;      ///< of the linear systems that were factorised, at worst; LU only
  double damping = 1;             ///< λ of (2)
};

class RealtimeStepper {
 public:
  /// The model must outlive the stepper. Refuses a model that steps of constant work cannot take, and a plan that does not fit it.
  [[nodiscard]] static Result<std::unique_ptr<RealtimeStepper>> create(const Dae& dae, const Plan& plan,
                                                                       const Sample& start);

  /// From t_n to t_{n+1} = t_0 + (n + 1) τ. No allocation, no lock, no system call. After anything but ok the state is that before the
  /// step: it is held, and time goes on.
  StepReport step(In u) noexcept;

  /// Where a stepper is, and back to it: warming up leaves no trace.
  struct Mark {
    long n_steps;
    double damping;
    std::vector<double> x, base;
  };
  [[nodiscard]] Mark mark() const { return {n_steps_, damping_, x_, base_}; }
  void go_back(const Mark& mark);

  [[nodiscard]] double time() const noexcept { return t_start_ + static_cast<double>(n_steps_) * plan_.step; }
  [[nodiscard]] long n_steps() const noexcept { return n_steps_; }
  [[nodiscard]] In state() const noexcept { return x_; }
  [[nodiscard]] In base() const noexcept { return base_; }
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const StaticFacts& facts() const noexcept { return solver_->facts(); }

  /// The model's outputs at the state reached, inputs of the last step, x' = Δ/τ; where it has none, the state.
  [[nodiscard]] int n_outputs() const noexcept { return n_outputs_; }
  EvalStatus outputs(Out y) noexcept;

  /// Evaluations per step: of f over dual numbers, and of f.
  [[nodiscard]] int passes_per_step() const noexcept { return passes_.n_passes(); }
  [[nodiscard]] int groups_per_step() const noexcept { return passes_.n_groups(); }
  [[nodiscard]] int evaluations_per_step() const noexcept { return evaluations_per_step_; }

 private:
  RealtimeStepper(const Dae& dae, const Plan& plan, const Sample& start, std::unique_ptr<StaticSolver> solver,
                  std::unique_ptr<ConstraintProjection> projection);
  [[nodiscard]] At point(double t, In x) noexcept;
  [[nodiscard]] double algebraic_norm(double damping) noexcept;
  [[nodiscard]] StepReport attempt() noexcept;
  struct Solved {
    bool evaluated = true, regular = true, finite = true;
    double backward_error = 0;
  };
  /// delta_ = x_{n+1} − x_n, and error_.
  [[nodiscard]] Solved make_tableau() noexcept;
  [[nodiscard]] bool single() const noexcept { return plan_.step_numbers.size() == 1 && plan_.step_numbers[0] == 1; }
  void drop_small() noexcept;
  [[nodiscard]] RealtimeStatus complete(const StepReport& report) noexcept;
  [[nodiscard]] double end_of_step() const noexcept {
    return t_start_ + static_cast<double>(n_steps_ + 1) * plan_.step;
  }

  const Dae& dae_;
  Plan plan_;
  double t_start_;
  long n_steps_ = 0;
  JacobianPasses passes_;
  KeptMatrix matrix_;
  std::unique_ptr<StaticSolver> solver_;
  std::unique_ptr<ConstraintProjection> projection_;  ///< null: none
  ResidualMonitor monitor_;
  ScratchMemory scratch_;
  std::vector<int> algebraic_;              ///< equations and unknowns
  std::vector<double> limits_, remaining_;  ///< of Df, without entries below the limits; empty: nothing is dropped
  bool shares_f_;                           ///< f at the start serves all rows of the tableau
  std::vector<double> x_, u_, base_, f_, f_start_, jacobian_, values_, delta_, trial_, rate_, error_;
  std::vector<double> tableau_;  ///< column after column
  bool has_mode_;
  int mode_ = 0;
  double damping_ = 1;
  bool outputs_are_states_ = false;
  int n_outputs_ = 0, evaluations_per_step_ = 0;
};

}  // namespace rubato::realtime
