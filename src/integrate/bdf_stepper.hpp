#pragma once
/// Backward differentiation formulas of order 1 to 6, with fixed leading coefficient and steps and order that vary.
///
/// For B(t,x) x' = f(t,x). t₁ = t_n + h is the end of the step, P_j the polynomial of degree j through x_n, …, x_{n−j}:
///   x₁' = P_k'(t₁) + c (x₁ − P_k(t₁)),   c = (1/h) Σ_{i=1..k} 1/i                                                    (1)
///   0 = f(t₁, x₁) − B(t₁, x₁) x₁'                                                                                   (2)
/// With constant steps (1) is Σ α_i x_{n+1−i}/h, and x_{n−k} drops out: where only k states are known P_{k−1} serves, with
///   c = Σ_{i=0..k−1} 1/(t₁ − t_{n−i}).                                                                               (3)
/// Simplified Newton from P_k(t₁): (ĉB − J) Δ = residual of (2), x₁ ← x₁ + 2/(1 + c/ĉ) Δ, ĉ the shift of the last
/// factorisation, J = ∂(f − B w)/∂x at an earlier step.                                                                (4)
/// At index 3 inertia and constraints rule A(c) = cB − J, and D_L A D_R (step_scaling.hpp) hardly depends on c: with D_L(c) and
/// D_R(c) the factor made for ĉ stands for A(c), and nothing is relaxed.
///
/// Errors: D_j = x₁ − P_j(t₁), α_i = h/(t₁ − t_{n−i}):
///   accepted where C_k ‖D_k‖ ≤ 1,   C_k = max(α_k, |α_k − Σ_{i=1..k} 1/i + Σ_{i=0..k−1} α_i|)                          (5)
///   ‖h^{j+1} x^{(j+1)}‖ ≈ T_j = (j+1)! α₀ ⋯ α_j ‖D_j‖,   with steps of size h the error of order j is T_j/(j+1)        (6)
/// in the error norm of the run. The order falls where the T do not fall with it any more, and rises after k + 1 steps where
/// T_{k+1} < T_k < T_{k−1} (from order 2 where T_3 < T_2/4); the size of the next step follows from (6) of the new order. At
/// index 3 (motion_error.hpp) ‖D_k‖ in (5) is that of the motion, and the T are taken of positions, whose differences show no
/// traces of a change of h; a factor between both, which may fall slowly only, makes (6) comparable to (5).
/// Brenan, Campbell & Petzold, Numerical Solution of Initial-Value Problems in DAEs, SIAM 1996, ch. 5,
/// doi:10.1137/1.9781611971224; IDA: Hindmarsh et al., ACM TOMS 31 (2005) 363, doi:10.1145/1089014.1089020.
///
/// Orders above 2 are unstable near the imaginary axis. There an undamped vibration of some tolerances grows until it holds h at
/// hω ≈ 1/2, for as long as the order stays: T_k/T_{k−1} ≈ hω over many steps shows it, and the order falls to 2, which damps it, and stays there until
/// T_3/T_2 has been small for some steps. (Catalogue problem beam at 1e-5: 9500 steps without, 800 with it.)
/// At index 3 and coarse tolerances the order also remembers what came of it. Where the steps at higher orders, with those that damped the
/// vibration they had excited, were shorter on average than those of order 2, order 2 stays for as many steps, and for twice as many the next time:
/// at most about as many steps are lost as order 2 alone would take. (A spinning arm of ten beams at 1e-4: 26,400 steps without, 4900 with it.)
///
/// After repeated failures methods below order 5 begin again with order 1, at index 3 and for `bdf` with Radau as below.
///
/// Start, and again after events: not with order 1, whose multipliers at index 3 are wrong by O(1), but
/// with Radau IIA. Under error control its steps go on while they grow, then the polynomial of the last one is the history
/// for order 3 (three thirds of it); with fixed steps the first k − 1 steps are Radau's.
#include <array>
#include <memory>

#include "motion_error.hpp"
#include "newton_control.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "stepped_system.hpp"

namespace rubato {

inline constexpr int max_bdf_order = 6;

/// A(α)-stability of the formula of order k, from its root locus z(φ) = Σ_{j=1..k} (1 − e^{−iφ})^j/j, a scan: rad.
[[nodiscard]] double bdf_stability_angle(int k);

/// `bdf` and `bdf1` … `bdf6`.
[[nodiscard]] std::vector<Method> bdf_methods();

namespace detail {
/// Σ 1/i, i = 1 … k: α₀.
constexpr double harmonic(int k) noexcept {
  double sum = 0;
  for (int i = 1; i <= k; ++i) sum += 1.0 / i;
  return sum;
}
static_assert(harmonic(2) == 1.5);  // α₀ of (3/2, −2, 1/2)
}  // namespace detail

class BdfStepper final : public Stepper {
 public:
  /// The order stays between these two, once the history is long enough.
  struct Orders {
    int lowest = 1, highest = 5;
  };
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(Orders orders, const InitialValueProblem& problem,
                                                               const IntegrateOptions& options);

  StepStatus restart(double t, In x, In w, In base, int mode) override;
  Attempt attempt(double t, double h) noexcept override;
  void commit() noexcept override;
  void discard() noexcept override;
  In x() const noexcept override { return state(0); }
  In base() const noexcept override { return system_->base(); }
  int mode() const noexcept override { return system_->mode(); }
  void interpolate(double theta, Out x, Out w) const noexcept override;
  void rebase() noexcept override;
  void renew() override;
  void save(ArchiveWriter& out) const override;
  bool load(ArchiveReader& in) override;
  Statistics statistics() const noexcept override;
  int worst_component() const noexcept override;

 private:
  static constexpr int max_points = max_bdf_order + 2;
  using Weights = std::array<double, max_points>;

  BdfStepper(Orders orders, const InitialValueProblem& problem, const IntegrateOptions& options,
             std::unique_ptr<SteppedSystem> system, std::unique_ptr<Stepper> starter);

  [[nodiscard]] bool fixed() const noexcept { return options_.step.fixed_step > 0; }
  [[nodiscard]] In state(int i) const noexcept;
  [[nodiscard]] Out state(int i) noexcept;
  void remember(In x, double h) noexcept;
  void forget() noexcept;
  void evaluate(int degree, double after, Out x, Out slope) const noexcept;

  [[nodiscard]] Attempt attempt_start(double t, double h) noexcept;
  void commit_start() noexcept;
  void start_low(double h) noexcept;
  [[nodiscard]] StepStatus solve(double t, double h, Attempt& attempt) noexcept;
  [[nodiscard]] StepStatus prepare(double t) noexcept;
  [[nodiscard]] StepStatus iterate(double t, double h) noexcept;
  void judge(double h, Attempt& attempt) noexcept;
  void weigh(double h) noexcept;
  static void lagrange(const double* age, int n, double after, double* value, double* slope) noexcept;
  [[nodiscard]] double difference(int j, double h) noexcept;
  [[nodiscard]] double motion_size() noexcept;
  [[nodiscard]] double choose_order(double h, double t_k, bool accepted) noexcept;
  [[nodiscard]] bool waits_at_order_2(double h) noexcept;
  [[nodiscard]] bool same_size() const noexcept;
  [[nodiscard]] double next_factor(double factor, double h) const noexcept;

  std::unique_ptr<SteppedSystem> system_;
  std::unique_ptr<Stepper> starter_;
  IntegrateOptions options_;
  Orders orders_;
  ErrorNorm norm_, newton_norm_;
  MotionError motion_;
  double kappa_ = 0;
  NewtonControl newton_;
  NewtonStepLimit newton_limit_;
  bool constant_mass_;
  bool damps_;  ///< constraints of index 3 (not springs in their place) and a coarse tolerance

  // Committed: the last states, newest first. age_[i]: time since then; column_[i]: where in history_.
  Matrix history_;
  std::array<int, max_points> column_{};
  std::array<double, max_points> age_{};
  int points_ = 0;
  Vector w_;         ///< x' at the newest
  Vector old_base_;  ///< of the charts, while rebase() runs
  double t_ = 0;
  /// At index 3 the error of a step weighs more than D_k does as it is measured for the choice of the order, and by Newton. Before
  /// there is a step: a guess.
  struct Weight {
    double of_differences = 1, of_newton = 1;
  };
  /// Means of log T_k/T_{k−1} over some and over many steps. held: a vibration held h for long, order 2 until it has died away.
  struct Vibration {
    double log_ratio = -1, long_log_ratio = -1;
    double log_weight = 0;  ///< mean of the logarithm of Weight::of_differences
    bool held = false;
  };
  /// The last time at orders above 2, with what it took to damp the vibration that ended it.
  struct Excursion {
    double begin = 0;  ///< time at which order 2 was left
    double pace = 0,
           pace_then = 0;    ///< size of steps of order 2, the largest, slowly forgotten; and as order 2 was left
    std::int64_t steps = 0;  ///< since then
    bool vibrated = false;   ///< a vibration ended it, and it is not judged yet
    std::int64_t wait = 0, left = 0;  ///< steps of order 2 before the next one, and how many of them are left
  };
  struct Memory {
    int order = 1, old_order = 1;  ///< of the next step, and of the last: that of the dense output
    int steps_at_order = 0;
    int failures = 0;        ///< attempts in a row that did not count
    int start_steps = 0;     ///< by the starter since the last restart
    bool starting = true;    ///< the next step is the starter's
    bool by_starter = true;  ///< the last one was
    double h_old = 0;
    int steps_at_size = 0;  ///< since h changed
    Weight weight;
    Vibration vibration;
    Excursion excursion;

    void save(ArchiveWriter& out) const;
    void load(ArchiveReader& in, int highest_order) noexcept;
  } memory_;

  // Linearisation. factored_c_ = 0: no valid factor.
  bool jacobian_usable_ = false, jacobian_current_ = false;
  double factored_c_ = 0, scaled_c_ = 0;  ///< ĉ, and the shift that the factor stands for

  // Trial.
  Vector predicted_, slope_, correction_, trial_, rate_, rho_, residual_, step_, weights_, difference_, zero_;
  Vector order_weights_, motion_weights_;
  double h_ = 0, c_ = 0;
  int next_order_ = 1;
  Weight trial_weight_;
  Vibration trial_vibration_;
  Excursion trial_excursion_;
  bool has_trial_ = false, too_large_ = false, failed_ = false, ready_ = false, diverged_ = false;
};

}  // namespace rubato
