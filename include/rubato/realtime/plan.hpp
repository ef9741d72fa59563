#pragma once
/// A real-time plan: everything about the steps of one model that is settled before the clock starts.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rubato/realtime/kept_matrix.hpp"
#include "rubato/realtime/model_structure.hpp"
#include "rubato/realtime/static_solver.hpp"

namespace rubato::realtime {

/// At which end of the step f is evaluated where it depends on time. Inputs are always those at the start, held: in a loop with hardware
/// nothing else is known.
enum class StepTime : std::uint8_t {
  start,
  end  ///< algebraic equations that depend on time hold at the end of the step instead of one step late
};
[[nodiscard]] std::string_view to_string(StepTime time) noexcept;  ///< "start", "end"

struct Plan {
  // The model: a file or a problem of the catalogue, as it was given; `settings` are its overrides, "key=value".
  std::string model;
  std::vector<std::string> settings;

  ModelStructure structure;
  double step = 0;                      ///< τ
  std::vector<int> step_numbers = {1};  ///< n_1 < n_2 < … of the tableau; {1}: one linearly implicit Euler step
  std::optional<double> rho, rho_m;     ///< of the acceptance test (5.1), where entries were left out by it
  Keep keep;                            ///< of Df
  std::vector<unsigned char> constant;  ///< entries of Df that never change
  StepTime time = StepTime::start;
  bool damping = false;  ///< of algebraic unknowns
  double smallest_damping = 1.0 / 64;
  int projections = 0;  ///< of positions and velocities onto the constraints of a mechanism, after every step
  double drop_below =
      0;  ///< σ of drop_limits() (magnitude.hpp): small entries count as zero in a step; the structure stays. 0: none
  std::vector<double> sizes;  ///< of unknowns, where entries are dropped
  double rtol = 1, atol = 1;  ///< of the error estimate
  double largest_backward_error =
      1e-6;  ///< of a step's linear system; only LU is watched. Rounding alone: up to 6e-9 (robot)

  StaticKind back_end = StaticKind::qr;
  Ordering ordering;

  // What was found out on the way; for people.
  OperationCount operations = {};         ///< of a step's factorisations and solutions
  std::optional<double> spectral_radius;  ///< of the method, the largest over all samples
  std::optional<double> worst_ratio;      ///< of (5.1), accepted up to 1
  std::optional<double> expected_error;   ///< largest |x_{n+1} − x_n| against tolerances over the samples
};

struct PlanOptions {
  double step = 1e-3;
  std::optional<StaticKind> back_end = {};  ///< none: qr for mechanisms, else the cheaper one that serves all samples
  StepTime time = StepTime::start;
  bool damping = false;
  std::vector<int> step_numbers = {1};
  int projections = 0;
  double drop_below = 0;
  std::vector<double> sizes = {};  ///< of unknowns, where entries are dropped; empty: those at the samples
};

/// Orderings, constants and counts for the entries that are kept. Refuses a matrix that is singular, in its structure or at a sample,
/// pivots that do not serve, and extrapolation without all entries of algebraic equations for algebraic unknowns: its columns would have
/// order 1 (docs/methods.md).
[[nodiscard]] Result<Plan> make_plan(const Dae& dae, ModelStructure structure, Keep keep,
                                     const std::vector<Sample>& samples, const PlanOptions& options);

/// A plan is for one model: sizes, structure and step must be right.
[[nodiscard]] Result<void> check_plan(const Plan& plan, const ModelStructure& model);

/// A = L − τ (Df ∘ S) of a plan.
[[nodiscard]] KeptMatrix step_matrix(const Plan& plan);

}  // namespace rubato::realtime
