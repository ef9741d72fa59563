#pragma once
/// A plan off line, beside the whole Jacobian and an accurate run: what its error will be.
#include "realtime_model.hpp"

namespace rubato::app {

/// The method and the options of runs that others are measured with: the model's own, with tolerances of 1e-7 at most.
struct AccurateRun {
  std::string method;
  IntegrateOptions options;
};
[[nodiscard]] AccurateRun accurate_run(const Task& task);

/// Largest differences of one channel in % of its range along the accurate run.
struct Deviation {
  enum class Kind : std::uint8_t { differential, algebraic, output };
  std::string channel = {};  ///< empty: none
  Kind kind = Kind::differential;
  double range = 0, size = 0;                                    ///< largest − smallest value, largest modulus
  double plan_accurate = 0, plan_whole = 0, whole_accurate = 0;  ///< who from whom
  double tolerance = 0;                                          ///< of the accurate run at that size; 0 for outputs
};

struct OfflineStudy {
  long n_steps = 0;
  realtime::RunnerReport plan;
  std::vector<Deviation> deviations;  ///< of all channels that move
  io::Trajectory plan_motion, whole_motion, accurate_motion;
  /// The channel of this kind with the largest difference.
  [[nodiscard]] Deviation worst(Deviation::Kind kind, double Deviation::*difference) const;
  /// States further off the accurate run than this, the worst first, where the difference is at least so many of its tolerances: what moves
  /// no more than the accurate run is uncertain tells nothing.
  [[nodiscard]] std::vector<Deviation> states_off(double percent, double tolerances) const;
  /// The largest constraint residual of a motion; nothing of models without.
  [[nodiscard]] static std::optional<double> residual(const io::Trajectory& motion);
};

/// What plans of this step are measured with: steps up to the model's end, but not more than a million.
[[nodiscard]] Result<io::Trajectory> accurate_motion(const RealtimeModel& model, double step);

/// Refuses a plan with which a step fails.
[[nodiscard]] Result<OfflineStudy> study_off_line(const RealtimeModel& model, const realtime::Plan& plan,
                                                  const realtime::Plan& whole, const io::Trajectory& accurate);

/// Steps may blow up and stay finite. Refuses states of the plan that leave the accurate run by more than their range, and by more than a
/// hundred tolerances.
[[nodiscard]] Result<void> follows(const OfflineStudy& study);
/// A sentence where states are more than 10 % of their range off, and more than ten tolerances; else empty.
[[nodiscard]] std::string warning_of(const OfflineStudy& study);

}  // namespace rubato::app
