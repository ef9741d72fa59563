#pragma once
/// What a user may choose about a run. Plain structs with defaults, checked once by `checked()`.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/linalg/krylov_options.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/solver_choice.hpp"
#include "rubato/linalg/step_scaling.hpp"
#include "rubato/problem/dae.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato {

struct Tolerances {
  double rtol = 1e-4;
  double atol = 1e-4;
  std::vector<std::pair<std::string, double>> atol_of = {};  ///< (block, component or "*.rx", atol): other values
};

enum class Norm : std::uint8_t { rms, maximum, euclidean, vector };

/// How the next step size follows from the errors; the formulas stand in step_controller.hpp.
enum class Controller : std::uint8_t { elementary, pi, predictive, steady, digital_filter };

/// Where the relative tolerance is measured: at the larger of both ends of a step, or at its start only (as RADAU5 does, which
/// makes it stricter where a component leaves zero).
enum class WeightAt : std::uint8_t { both_ends, start };

/// Bounds of h_new/h where neither the run nor the method chooses.
inline constexpr double default_shrink_limit = 1.0 / 6, default_growth_limit = 5;

struct StepOptions {
  double fixed_step = 0;    ///< > 0: every step has this size (the last is trimmed), no error control
  double initial_step = 0;  ///< 0: chosen automatically
  double min_step = 0;      ///< 0: 16 ulp of t
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 1'000'000;
  Norm norm = Norm::rms;
  WeightAt weight_at = WeightAt::both_ends;
  bool h_scaling = true;      ///< multiply errors by min(1, h/reference_time)^κ
  double reference_time = 1;  ///< T_ref, s
  std::vector<std::pair<std::string, double>> h_power_of =
      {};  ///< (block or component, κ): other powers than the layout's
  Controller controller = Controller::steady;
  double safety = 0.9;
  double shrink_limit = 0;  ///< h_new ≥ shrink_limit · h; 0: the method's own
  double growth_limit = 0;  ///< h_new ≤ growth_limit · h; 0: the method's own
};

/// In which norm Newton's iteration is measured. The h-norm ‖q‖ + h‖v‖ + h²‖λ‖ asks of velocities and multipliers only what
/// the positions will feel of them: where stiff springs are nonlinear the iteration converges in it for larger h.
enum class NewtonNorm : std::uint8_t {
  error,   ///< that of the error: the powers of h in use there
  h_norm,  ///< velocities h, accelerations and multipliers h², whatever the error norm does
  plain,   ///< no powers of h
  scaled   ///< the unknowns the scaled step matrix is solved for: v h, a h², λ/s; `tolerance` is absolute
};

struct NewtonOptions {
  int max_iterations = 0;  ///< 0: the method's own, 7 for three stages
  double tolerance = 0;  ///< κ, as a fraction of the tolerance of the step; 0: chosen from rtol. Norm scaled: absolute
  NewtonNorm norm = NewtonNorm::error;
  bool extrapolate = true;   ///< start from the last step's polynomial; false: from the state
  bool full = false;         ///< generalized-α and its kin: J and factor renewed in every iteration, for comparison
  bool limit_growth = true;  ///< keep steps where the iteration is likely to converge; false: find out by failing
  /// J is kept while the iteration contracts at least this fast. Nothing: 0.01 for Runge-Kutta methods with error control,
  /// where a new one costs more than the iterations it saves, 0.001 elsewhere.
  std::optional<double> reuse_jacobian = {};
};

/// What the estimate of an implicit Runge-Kutta method is: the difference to an embedded formula, or that difference
/// filtered by (I − hγ₀J)⁻¹, which takes from stiff components what the method itself damps. `spark`: the formula of order
/// 1 of SPARK3, squared and filtered, for Lobatto methods with three stages; for comparison, it misses small tolerances.
/// `inside`: the filtered one; Radau and Gauss methods look between the nodes of steps that grow or whose error seems to vanish as well.
enum class ErrorEstimate : std::uint8_t { inside, filtered, plain, spark };

/// How the stages of methods whose tables differ from row to row are solved: all of them by one factorisation, or by GMRES
/// preconditioned with Lobatto IIIC. automatic: direct up to 300 unknowns of all stages together.
enum class StageSolver : std::uint8_t { automatic, direct, gmres };

struct RungeKuttaOptions {
  /// The embedded formulas have a lower order than the method: rtol is mapped to 0.1 rtol^((s+1)/(2s)), so that the error
  /// of the solution, not of the formula, is about rtol (Radau methods only; as RADAU5 does). Not at index 3, where velocities
  /// have no more order than the formula.
  bool map_tolerances = true;
  ErrorEstimate estimate = ErrorEstimate::inside;
  double gamma0 = 0;   ///< of the filter; 0: the real eigenvalue of A (odd s), else the geometric mean of all
  double alpha0 = -1;  ///< of the Lobatto estimates; −1: the default of the family
  /// (component or block, θ): another θ than the method's (a blend) for single components. A position takes its velocity,
  /// momentum and acceleration along.
  std::vector<std::pair<std::string, double>> theta_of = {};
  /// (additive part of the model, Lobatto table): "spring", "lobatto-iiic". Parts not named have the method's table.
  std::vector<std::pair<std::string, std::string>> parts = {};
  StageSolver stage_solver = StageSolver::automatic;
};

/// How stiff coordinates are found, see stiffness_detector.hpp.
enum class StiffnessMeasure : std::uint8_t { frequencies, estimates, responses };

/// Finding the stiff coordinates, so that their vibrations do not dictate the step: see stiffness_detector.hpp.
struct StiffnessOptions {
  bool detect = false;
  StiffnessMeasure measure = StiffnessMeasure::frequencies;
  double threshold = -0.4;  ///< ϑ
  // Of the measures `estimates` and `responses` (attempts: also of `frequencies`, before the first step):
  long attempts = 7;              ///< n_ζ: attempts that are looked at
  bool accepted_only = false;     ///< look at accepted steps instead of attempts
  bool grouping = false;          ///< separate by gaps in the averaged ζ instead of counting
  double group_threshold = -0.2;  ///< ϑ_g
  double group_gap = 0.2;         ///< Δϑ
  bool continuous = false;        ///< go on looking: a coordinate may become stiff, or cease to be, during the run
  // Of both:
  std::vector<std::string> candidates = {};  ///< names of positions; empty: all that no constraint determines
  bool accelerations = true;  ///< scale the accelerations of stiff coordinates as well, where they are unknowns
  // Without looking:
  std::vector<std::string> components = {};  ///< names of positions known to be stiff: treated so from the start
  /// (position, rad/s): frequencies known beforehand, for methods that use them; such a position is stiff.
  std::vector<std::pair<std::string, double>> frequency_of = {};
};

/// How small the residual of a linear system has to be for a step of size h (s): relative to its right-hand side, or by what it does to the
/// solution.
enum class KrylovCoupling : std::uint8_t {
  tenth,    ///< 0.1 rtol
  step,     ///< h rtol
  inverse,  ///< 0.01 rtol / h
  /// All residuals of a step together change the solution by a tenth of the error that the last step had, in the norm of the error (never less
  /// than 1/1000 or more than 1/10 of the tolerance): krylov_matrix.hpp (2).
  error,
};

/// Where products with J come from. All but `matrix` form no Jacobian, or only its rows of algebraic unknowns where constraints are
/// eliminated, preconditioned, or measured by their error; or all of it when an old factor is renewed.
enum class KrylovProducts : std::uint8_t {
  matrix,      ///< J, formed and stored once per step
  dual,        ///< the derivative of f along a vector by dual numbers, exact
  differences  ///< … by a difference: one evaluation of f
};

/// Linear systems of Rosenbrock methods in Krylov spaces instead of by factorisation, see krylov_matrix.hpp.
struct KrylovOptions {
  bool use = false;
  KrylovMatrixOptions matrix = {.process = KrylovProcess::multiple_arnoldi,
                                .preconditioner = KrylovPreconditioner::constraint};
  KrylovCoupling coupling = KrylovCoupling::tenth;
  KrylovProducts products = KrylovProducts::matrix;
  /// Only while they are cheaper than factors, by counts and the rates of the machine: solver_choice.hpp.
  bool automatic = false;
  SolverRates rates = {};
};

struct LinearOptions {
  BackEnd back_end = BackEnd::automatic;
  bool condense = true;                             ///< eliminate local unknowns (v, a, …) before factorising
  ScalingMode scaling = ScalingMode::lambda_and_v;  ///< of the step matrix, step_scaling.hpp
  /// s = k_ave + m_ave/h² of the scaling, typical stiffness and mass; nothing: averages of the model's, renewed with J.
  std::optional<double> k_ave = {}, m_ave = {};
  JacobianSource jacobian = JacobianSource::automatic;
  KrylovOptions krylov = {};
};

struct IntegrateOptions {
  Tolerances tolerances = {};
  StepOptions step = {};
  LinearOptions linear = {};
  NewtonOptions newton = {};
  RungeKuttaOptions runge_kutta = {};
  StiffnessOptions stiffness = {};
  double event_tolerance = 0;  ///< s; 0: 1e-12·(interval) or a few ulp of t
  bool any_index = false;      ///< run methods beyond the index they are meant for (to study what happens)
  bool timing = false;         ///< measure the seconds of each phase (costs as much as a step of a tiny model)
  long checkpoint_every = 0;   ///< accepted steps between checkpoints, the first at the start; 0: none
};

/// Refuses negative, NaN or contradictory values, naming the option, its value and what is allowed.
[[nodiscard]] Result<void> checked(const IntegrateOptions& options, const Dae& dae);

}  // namespace rubato
