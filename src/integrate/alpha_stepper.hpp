#pragma once
/// Newmark, HHT-α and generalized-α for B x' = f, at any index up to 3 and on rotations.
///
/// Mechanical systems with velocities as unknowns, x = (q, v, z, λ, ν), with (1), (2) of alpha_coefficients.hpp:
///   M(q₁) v̇₁ = f_v(t₁, x₁),  Z ż₁ = f_z(t₁, x₁),  0 = f_λ(t₁, x₁)                                                   (1)
/// v̇₁ from a₁ by the α-relation, q₁ and v₁ from a₁ by Newmark's formulas; z like v: z₁ = z₀ + h[(1−γ)a₀ + γa₁] with an a of its
/// own. In every other Dae all differential unknowns are such z (Jansen, Whiting, Hulbert, Comput. Methods Appl. Mech. Eng. 190
/// (2000) 305, doi:10.1016/S0045-7825(00)00203-6).
///
/// Rotations: q₁ ⊖ q₀ = h v₀ + h²[…] in a chart whose base is the last state is the Lie group method of Brüls & Cardona,
/// J. Comput. Nonlinear Dyn. 5 (2010) 031002, doi:10.1115/1.4001370; Arnold, Brüls, Cardona, Numer. Math. 129 (2015) 149,
/// doi:10.1007/s00211-014-0633-1.
///
/// Newton's unknown is a₁, its matrix diag(c)B − J with c_v = (1−α_m)/((1−α_f)γh), and c_q = γ/(βh) in the rows of q: their
/// ratio does not depend on h, so the usual step matrix of shift c_v serves (SteppedSystem::PositionRows).
///
/// Variable steps and starts. a_n belongs to t_n + Δh, and where 0 = g(t,q) the method settles at velocities that are off by
/// S h² in the directions normal to the constraints, S = C v̈ + (q‴ − v̈)/6. A step of another size than the last one (h₋; at a
/// start h₋ = 0, v̈ from two consistent accelerations) therefore begins with
///   a₀ + Δ(h − h₋) v̈,   v₀ projected onto G v₀ + g_t = h² G S                                                       (2)
/// Without it λ has errors O(h) after each change, decaying like ρ∞ⁿ. Adding C(h² − h₋²) v̈ to v₀ instead would do at starts, but
/// is unstable for alternating steps 1 : 3. v̈ is the mean of two differences of a: a single one doubles what alternates.
/// q‴ − v̈ ≠ 0 for rotations only, where q' − v = (q‴ − v̈) h²/2 at the end of a step, by T⁻¹ of rotation.hpp.
///
/// Newton's iteration ends at 0.01 of the tolerance, at any rtol, or at what rounding errors leave: u‖q‖ in q, and c_q u‖q‖ in v where
/// constraints at position level bring it there.
///
/// Error: what (2) of alpha_coefficients.hpp misses, d_q = C h² (a₁ − a₀), d_v = D h (a₁ − a₀) + E h³ v⃛, filtered:
///   (diag(c)B − J) e = (c_q d_q − d_v, c_v M d_v, c_v Z d_z, 0)                                                     (3)
///   F d_v: the part for q of (diag(c)B − J)⁻¹ (0, c_q c_v M d_v, 0, 0), tends to the projection onto the constraints    (4)
/// Where velocities count whole: a vibration with hω ≫ 1 alternates in a with an amplitude A; (4) makes of it an error A/(hω²) of v, which grows as h
/// falls, while errors of the motion fall: the error control followed it down to steps that resolve the vibration (rubber bushing between steel
/// rings: from 5 ms to 1e-7 s). Applied twice (4) leaves A/(h³ω⁴), but next to nothing of the error of a stiff component that follows an excitation,
/// either. What alternates is told from what does not over two steps, where it nearly cancels:
///   a₁ − a₀ → h (a₁ − a₋)/(h + h₋),   a₋ = a₀ − h₋ v̈,   v̈ → the mean over the two steps before                       (5)
/// (3) and (4) are applied twice where the error with (5) is less than 0.3 of that without.
#include <memory>
#include <vector>

#include "newton_control.hpp"
#include "rubato/integrate/alpha_coefficients.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "second_order_form.hpp"

namespace rubato {

class AlphaStepper final : public Stepper {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(const MethodInfo& info, const AlphaCoefficients& method,
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

 private:
  AlphaStepper(const AlphaCoefficients& method, const InitialValueProblem& problem, const IntegrateOptions& options,
               const SecondOrderForm& form, std::unique_ptr<SteppedSystem> system);

  [[nodiscard]] double c_q(double h) const noexcept { return method_.gamma / (method_.beta * h); }
  [[nodiscard]] double c_v(double h) const noexcept {
    return (1 - method_.alpha_m) / ((1 - method_.alpha_f) * method_.gamma * h);
  }
  /// Rows 0 = g(t,q) that are not left out as dependent.
  void find_constraints(In base) noexcept;
  void differentiate_start(const InitialValueProblem& problem);
  [[nodiscard]] bool resolved(double h) const noexcept;
  void begin(double h) noexcept;
  void predict(double h) noexcept;
  void follow(double h) noexcept;
  [[nodiscard]] StepStatus prepare(double t, double h) noexcept;
  [[nodiscard]] StepStatus correct_velocities(double t, double h) noexcept;
  [[nodiscard]] StepStatus chart_rates(double t, double h) noexcept;
  [[nodiscard]] StepStatus residual(double t) noexcept;
  [[nodiscard]] double rounding(double h) noexcept;
  [[nodiscard]] StepStatus iterate(double t, double h, Attempt& attempt) noexcept;
  void find_defects(double h, bool of_two_steps) noexcept;
  void filter(double h) noexcept;
  void estimate(double h, Attempt& attempt) noexcept;
  [[nodiscard]] auto q_part(Vector& x) const noexcept { return x.segment(positions_.q, positions_.n); }
  [[nodiscard]] auto v_part(Vector& x) const noexcept { return x.segment(positions_.v, positions_.n); }

  AlphaCoefficients method_;
  InitialValueProblem problem_;  ///< for consistent derivatives at a restart
  SteppedSystem::PositionRows positions_;
  SecondOrderForm form_;
  std::vector<int> constraints_;
  bool whole_velocities_ = false;
  std::vector<char> first_order_;  ///< v and z: unknowns with an a of their own
  std::vector<char> algebraic_;
  std::unique_ptr<SteppedSystem> system_;
  IntegrateOptions options_;
  ErrorNorm norm_, newton_norm_;
  double kappa_ = 0, jacobian_reuse_ = 0;
  NewtonControl newton_;
  NewtonStepLimit newton_limit_;
  bool constant_mass_;

  // Committed. w_: x' (of algebraic unknowns the slope over the last step).
  Vector x_, w_, a_;
  Vector jerk_;          ///< v̈, z̈: (a₁ − a₀)/h of the last step
  Vector smooth_jerk_;   ///< the mean of the last two: without what alternates from step to step
  Vector chart_;         ///< (q' − v)/(3h²) at the end of the last step: (q‴ − v̈)/6
  double h_before_ = 0;  ///< of the last step, 0 after a restart
  double t_ = 0;
  bool first_ = true;

  // The last committed step, for its interpolant.
  Vector start_, w_start_;
  double h_last_ = 0;

  // Trial.
  Vector x0_, a0_;  ///< (2)
  Vector trial_, trial_w_, trial_a_, f_, r_, dx_, error_, weights_, work_, rates_;
  double h_ = 0;
  bool has_trial_ = false, diverged_ = false;
  bool jacobian_usable_ = false;
  double factored_h_ = 0;  ///< 0: no valid factor
};

}  // namespace rubato
