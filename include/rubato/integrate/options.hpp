#pragma once
/// What a user may choose about a run. Plain structs with defaults, checked once by `checked()`.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/problem/dae.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato {

struct Tolerances {
  double rtol = 1e-4;
  double atol = 1e-4;
  std::vector<std::pair<std::string, double>> atol_of = {};  ///< (block name, atol): other values for single blocks
};

enum class Norm : std::uint8_t { rms, maximum, euclidean };

/// How the next step size follows from the errors; the formulas stand in step_controller.hpp.
enum class Controller : std::uint8_t { elementary, pi, predictive, digital_filter };

struct StepOptions {
  double fixed_step = 0;    ///< > 0: every step has this size (the last is trimmed), no error control
  double initial_step = 0;  ///< 0: chosen automatically
  double min_step = 0;      ///< 0: 16 ulp of t
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 1'000'000;
  Norm norm = Norm::rms;
  bool h_scaling = true;      ///< multiply errors by min(1, h/reference_time)^κ
  double reference_time = 1;  ///< T_ref, s
  Controller controller = Controller::predictive;
  double safety = 0.9;
  double shrink_limit = 1.0 / 6;  ///< h_new ≥ shrink_limit · h
  double growth_limit = 5;
};

struct LinearOptions {
  BackEnd back_end = BackEnd::automatic;
  bool condense = true;  ///< eliminate local unknowns (v, a, …) before factorising
  bool scaling = true;   ///< step-size independent scaling of constraint rows and multipliers
  JacobianSource jacobian = JacobianSource::automatic;
};

struct IntegrateOptions {
  Tolerances tolerances = {};
  StepOptions step = {};
  LinearOptions linear = {};
  double event_tolerance = 0;  ///< s; 0: 1e-12·(interval) or a few ulp of t
  bool any_index = false;      ///< run methods beyond the index they are meant for (to study what happens)
  bool timing = false;         ///< measure the seconds of each phase (costs as much as a step of a tiny model)
  long checkpoint_every = 0;   ///< accepted steps between checkpoints; 0: none
};

/// Refuses negative, NaN or contradictory values, naming the option, its value and what is allowed.
[[nodiscard]] Result<void> checked(const IntegrateOptions& options, const Dae& dae);

}  // namespace rubato
