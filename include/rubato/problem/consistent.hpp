#pragma once
/// Consistent start values, static equilibrium and smooth starts of mechanical systems; consistent values of a Dae.
#include <functional>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/initial_value_problem.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato {

/// What was found out about the constraints at a state.
struct ConstraintDiagnosis {
  int rank = 0;                     ///< of the rows of (G; A) at the state
  std::vector<int> dependent = {};  ///< rows (g first, then A v + b) that follow from the others
  std::vector<int> singular = {};   ///< rows that do so in this position only, not beside it along the velocity
  double position_residual = 0;     ///< max |g| before projection
  double velocity_residual = 0;     ///< max |G v + g_t|, |A v + b| before projection
  int worst_position_row = -1, worst_velocity_row = -1;
  int iterations = 0;
};

/// "arm.x", else "lambda[3]" or "nu[0]"; rows of g first.
[[nodiscard]] std::string constraint_name(const MechanicalSystem& system, int row);

/// The dependent rows by name, a sentence; empty where all rows are independent.
[[nodiscard]] std::string describe(const MechanicalSystem& system, const ConstraintDiagnosis& diagnosis);

/// The constraint, force or auxiliary equation that is not finite at this point, a sentence with its name in quotes; empty where
/// all are.
[[nodiscard]] std::string not_finite_part(const MechanicalSystem& system, const MechanicalPoint<double>& p);

struct ConsistentOptions {
  bool project_positions = true;
  bool project_velocities = true;
  double tolerance = 1e-12;  ///< on the residuals, relative to the size of the terms
  int max_iterations = 50;
  double rank_tolerance = 1e-10;    ///< of the rank-revealing factorisation, rows scaled to norm one
  bool minimum_norm = true;         ///< reactions of dependent rows; false: zero, as `formulate` holds them
  std::vector<int> dependent = {};  ///< rows to leave out where they still follow well from the others
  Vector u = {};                    ///< inputs of a MechanicalSystem at the start; empty: zero
};

/// Positions projected onto g = 0 (mass-orthogonally), velocities onto G v + g_t = 0 and A v + b = 0, then a, λ, ν from
///   [M Gᵀ Aᵀ; G 0 0; A 0 0] (a, λ, ν) = (f, −γ, −α).
/// λ of compliant systems (g_λ ≠ 0) follows from g(t,q,λ) = 0 and positions stay. Dependent rows are dropped and get
/// minimum-norm reactions. The error says which rows contradict each other and how large the residual is.
[[nodiscard]] Result<MechanicalState> consistent_state(const MechanicalSystem& system, const MechanicalState& guess,
                                                       const ConsistentOptions& options = {},
                                                       ConstraintDiagnosis* diagnosis = nullptr);

/// Where the search for an equilibrium is.
struct EquilibriumProgress {
  const char* doing;      ///< "linearisation", "factorisation", "correction", "pseudo-time"
  double t;               ///< of the equilibrium sought
  int iteration;          ///< of Newton's method
  double correction = 0;  ///< the last one, relative to the state
};
/// Told before each piece of work; false ends the search, with an error that says "stopped".
using EquilibriumWatch = std::function<bool(const EquilibriumProgress& progress)>;

/// 0 = f(t,q,0,z,λ) − Gᵀλ, 0 = g(t,q,λ), 0 = e: damped Newton from the guess. Of many, one after the other: equilibrium_solver.hpp.
[[nodiscard]] Result<MechanicalState> static_equilibrium(const MechanicalSystem& system, const MechanicalState& guess,
                                                         const ConsistentOptions& options = {},
                                                         const EquilibriumWatch& watch = {});

/// Equilibria along a slow change of loads and prescribed motions: at the time of the guess, then at the times given, ascending, each found by
/// damped Newton from the line through the last two; where that fails the way there is halved, down to a 1024th. `found` is told each
/// state at a given time and may end the path by returning false. The error names the time reached.
struct PathOptions {
  std::vector<double> times = {};
  std::function<bool(const MechanicalState& state)> found = {};
  ConsistentOptions start = {};
  EquilibriumWatch watch = {};
};
[[nodiscard]] Result<MechanicalState> static_path(const MechanicalSystem& system, const MechanicalState& guess,
                                                  const PathOptions& options);

/// For compliant systems (ε²λ): moves a constraint-consistent start onto the smooth motion to O(ε⁴):
///   q_ε = q₀ + ε² q₁, q₁ = M⁻¹Gᵀw, (G M⁻¹ Gᵀ) w = C λ₀   (λ₀ of the index-3 limit),
/// velocities from the differentiated relation.
[[nodiscard]] Result<MechanicalState> smooth_start(const MechanicalSystem& system, const MechanicalState& guess,
                                                   const ConsistentOptions& options = {});

/// Algebraic unknowns of an index-1 Dae from 0 = f_alg by Newton, then w from B w = f and the differentiated algebraic
/// part where it is needed; differential unknowns stay. Used at the start and after events of plain Daes.
/// Mechanical systems: consistent_state. Rows that no longer follow well from the others are exchanged for better ones.
[[nodiscard]] Result<void> make_consistent(InitialValueProblem& problem, const ConsistentOptions& options = {});

/// What has become of the rows that a formulation leaves out.
enum class LeftOut : std::uint8_t {
  serve,  ///< they follow well from the others, or there are none
  worn,  ///< J of those kept nears a loss of rank that J of all rows does not show: with C the factors by which rows left out
         ///< follow from those kept (all scaled to norm one), max |C| > 10. Multipliers grow like it
  independent  ///< fewer depend on the others than are left out: found in a singular position that the motion has left
};
[[nodiscard]] LeftOut left_out_state(const FormulatedDae& dae, const At& at);

}  // namespace rubato
