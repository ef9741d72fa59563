#pragma once
/// Which table each row, and each additive part, of a problem has: as the options say, or by a strategy.
///
/// A position, its velocity, momentum and acceleration always share a table. Strategies (three stages), all of them IIIC
/// as long as nothing is known of stiff coordinates, and for unknowns that are no coordinates:
///   iiic_iiia   stiff coordinates IIIC, the others IIIA: undamped; for linear systems
///   iiic_iiid   stiff coordinates IIIC, the others IIID: symplectic; for nonlinear systems
///   iiidc_min   stiff coordinates IIIDC with θ(ω_k h), which damps them most; the others IIIC
/// Schaub & Simeon, ZAMM 83 (2003) 720.
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/integrate/stiffness_detector.hpp"
#include "stage_operator.hpp"

namespace rubato {

enum class StageStrategy : std::uint8_t { fixed, iiic_iiia, iiic_iiid, iiidc_min };

class StagePlan {
 public:
  /// `table`: of all that options.theta_of and options.parts do not name. Options as checked() lets them pass.
  [[nodiscard]] static Result<StagePlan> create(const RungeKuttaTable& table, StageStrategy strategy, const Dae& dae,
                                                const RungeKuttaOptions& options);

  [[nodiscard]] const RungeKuttaTable& table() const noexcept { return table_; }
  [[nodiscard]] StageStrategy strategy() const noexcept { return strategy_; }
  [[nodiscard]] const StageRules& rules() const noexcept { return rules_; }
  [[nodiscard]] int parts() const noexcept { return parts_; }
  /// Some row, or part of a row, ends elsewhere than in the last stage.
  [[nodiscard]] bool ends_apart() const noexcept;
  /// Stage j's slope is used by some rule.
  [[nodiscard]] bool uses_slope(int j) const noexcept;
  /// Where the parts of row k end: in the last stage, if all do.
  [[nodiscard]] const StageRule& end_rule(int row) const noexcept;

  /// Follows the stiff coordinates of the detector. True: rules have changed.
  bool assign(const StiffnessDetector& detector) noexcept;
  /// θ(ωh) for a step of size h. True: rules have changed.
  bool follow(const StiffnessDetector& detector, double h) noexcept;

 private:
  StagePlan(const RungeKuttaTable& table, StageStrategy strategy, int n) : table_(table), strategy_(strategy), n_(n) {}
  bool set(const StiffnessDetector::Coordinate& q, int rule) noexcept;

  RungeKuttaTable table_;
  StageStrategy strategy_;
  int n_, parts_ = 1;
  StageRules rules_;
  StageRule iiic_, iiid_;  ///< edges of the blend, iiidc_min only
};

}  // namespace rubato
