#pragma once
/// The pendulum of the publication, u' = v, v' = λu − (0, 1), (|u|² − 1)/2 = 0, by BDF formulas in every variant of
/// newton_matrices.hpp, with Newton iterations pushed to where rounding ends them.
///
/// The unknowns are the scaled ones (v̂ = h v, λ̂ = h²λ where the variant has them) from the first step to the last; λ is
/// recovered for output only, never fed back.
#include <array>
#include <functional>
#include <vector>

#include "experiments/index3_scaling/newton_matrices.hpp"

namespace rubato::experiments::scaling {

struct PendulumState {
  double t = 0;
  std::array<double, 2> u{}, v{};
  double lambda = 0;
};

/// Angle φ from the x-axis and its rate: u = (cos φ, sin φ), λ = u_y − ω².
[[nodiscard]] PendulumState pendulum_at(double t, double angle, double rate);
/// The motion itself at t, h, 2h … by a Runge-Kutta method of order 4 with 64 substeps in each: to rounding for h ≤ 0.01.
[[nodiscard]] std::vector<PendulumState> pendulum_motion(double angle, double rate, double h, int steps);

/// Norms of a correction as the variant scales it: all of it, and by field.
struct Correction {
  double all = 0, u = 0, v = 0, lambda = 0;
};

struct PendulumRun {
  Variant variant = variants()[0];
  int k = 2;  ///< order of the BDF formula
  double h = 1e-4, t_end = 1e-3;
  double angle = 0, rate = 0;
  bool exact_start = false;   ///< values of the motion for the first k − 1 steps; else formulas of rising order
  int forced_iterations = 0;  ///< > 0: this many in every step; 0: the rule (33)
  /// Each step with the corrections of its iterations.
  std::function<void(const PendulumState&, const std::vector<Correction>&)> step = {};
};

struct PendulumResult {
  std::vector<PendulumState> states = {};  ///< every step, if not more than 100 000
  PendulumState end = {};
  Correction largest = {};  ///< over all steps, of the last decreasing correction
  double constraint = 0;    ///< largest |φ| after a step
  double condition = 0;     ///< 2-norm, matrix of the last step
  long iterations = 0, steps = 0;
};
[[nodiscard]] PendulumResult run_pendulum(const PendulumRun& run);

}  // namespace rubato::experiments::scaling
