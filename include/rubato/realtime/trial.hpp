#pragma once
/// A run with some entries left out beside the run with all of them: eigenvalues at frozen states say that it stays bounded, not how far
/// it goes astray.
#include <functional>
#include <memory>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/initial_value_problem.hpp"
#include "rubato/realtime/kept_matrix.hpp"
#include "rubato/realtime/model_structure.hpp"
#include "rubato/realtime/plan.hpp"

namespace rubato::realtime {

struct TrialRun {
  std::vector<std::vector<double>> values;  ///< of each watched unknown after every step
  double largest_residual = 0;              ///< of the algebraic equations
  bool completed = false;                   ///< no step failed
};

class Trial {
 public:
  /// Runs the problem from its start to its end with all entries, by QR unless the options name another back end. `watched`: unknowns to
  /// compare; empty: all that are not algebraic.
  /// The problem must outlive the trial. Refuses what RealtimeStepper does, and a run that fails even so.
  [[nodiscard]] static Result<std::shared_ptr<const Trial>> create(const InitialValueProblem& problem,
                                                                   ModelStructure structure, PlanOptions options,
                                                                   std::vector<int> watched = {});

  [[nodiscard]] TrialRun run(const Keep& keep) const;
  /// The largest difference of a watched unknown from the run with all entries, against its range there; infinite where a run failed. Unknowns that do
  /// not move there, up to rounding, do not count.
  [[nodiscard]] double deviation(const TrialRun& run) const;
  [[nodiscard]] double deviation(const Keep& keep) const { return deviation(run(keep)); }
  [[nodiscard]] const TrialRun& whole() const noexcept { return whole_; }

 private:
  Trial(const InitialValueProblem& problem, ModelStructure structure, PlanOptions options, std::vector<int> watched)
      : problem_(problem),
        structure_(std::move(structure)),
        options_(std::move(options)),
        watched_(std::move(watched)) {}

  const InitialValueProblem& problem_;
  ModelStructure structure_;
  PlanOptions options_;
  std::vector<int> watched_;
  TrialRun whole_;
};

/// For SparsingOptions::also: deviations up to the limit pass.
[[nodiscard]] std::function<bool(const Keep&)> deviation_at_most(std::shared_ptr<const Trial> trial, double limit);

}  // namespace rubato::realtime
