#pragma once
/// Mechanical runs that blow up: relative tolerances grow with the solution, so that an unstable method may double it in every step and
/// finish. With T the interval, S_v = max(|v₀|, |v̇₀| T, |q₀|/T, atol/rtol, 1) and S_q = max(|q₀|, S_v T) positions and velocities
/// beyond 10⁸ S_q, 10⁸ S_v belong to no motion of the mechanism. Charts of rotations show it in their velocities.
#include <vector>

#include "rubato/integrate/options.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato {

class GrowthWatch {
 public:
  /// Watches nothing in plain Daes, whose solutions may grow as they like.
  GrowthWatch(const InitialValueProblem& problem, const Tolerances& tolerances);
  /// The first unknown beyond its bound; −1: none.
  [[nodiscard]] int beyond(In x) const noexcept;

 private:
  struct Bound {
    int begin = 0, end = 0;
    double size = 0;
  };
  std::vector<Bound> bounds_;
};

}  // namespace rubato
