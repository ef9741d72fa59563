#pragma once
/// Many equilibria of one system: loads, inputs or guesses change, the analysis of the matrix stays, and its factor as long as it serves.
///   EquilibriumSolver solver(*system);
///   for (const double t : times) { guess.t = t; auto state = solver.solve(guess); … guess = *state; }
#include <memory>

#include "rubato/problem/consistent.hpp"

namespace rubato {

struct EquilibriumCounters {
  long analyses = 0;        ///< of patterns
  long factorisations = 0;  ///< with the values of one linearisation each
  long corrections = 0;     ///< steps taken
  long evaluations = 0;     ///< of F = (Gᵀλ − f; g; e)
};

class EquilibriumSolver {
 public:
  /// The system must outlive the solver.
  explicit EquilibriumSolver(const MechanicalSystem& system, ConsistentOptions options = {},
                             EquilibriumWatch watch = {});
  ~EquilibriumSolver();
  EquilibriumSolver(EquilibriumSolver&&) noexcept;
  EquilibriumSolver& operator=(EquilibriumSolver&&) noexcept;

  /// As static_equilibrium; with other inputs than those of the options where `u` is given.
  [[nodiscard]] Result<MechanicalState> solve(const MechanicalState& guess, const Vector& u = {});
  /// As static_path; `start` and `watch` of the path are not looked at.
  [[nodiscard]] Result<MechanicalState> path(const MechanicalState& guess, const PathOptions& path);
  [[nodiscard]] const EquilibriumCounters& counters() const noexcept;

 private:
  struct Work;
  const MechanicalSystem* system_;
  ConsistentOptions options_;
  EquilibriumWatch watch_;
  std::unique_ptr<Work> work_;
};

}  // namespace rubato
