#pragma once
/// Finds the roots of a model's root functions within accepted steps.
///
/// Each function has a *side*: the sign it had when last seen away from zero. An event is a change from one side to zero or
/// beyond. A function at zero (at the start, or because it has just fired) has no side: it must leave zero first, and what
/// it does until then is no event, be it staying there for ever. "At zero" means exactly zero at a start and, after an
/// event, within the *band* that its location was uncertain by.
///
/// Signs are looked at in `samples` points of each step: two roots of one function closer together than that are not seen.
#include <span>
#include <vector>

#include "rubato/base/archive.hpp"
#include "rubato/base/scratch.hpp"
#include "rubato/integrate/stepper.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato {

class EventFinder {
 public:
  explicit EventFinder(const InitialValueProblem& problem);

  enum class Outcome : std::uint8_t {
    none,
    found,
    not_finite,     ///< root() is NaN at t()
    model_refused,  ///< the model could not evaluate its root functions at t()
  };

  /// Looks at a new state: a start, or what a stop or an event made of it. Functions that were at zero or have just fired,
  /// and lie within their band, are at zero.
  [[nodiscard]] Outcome restart(double t, In x, In base, int mode);
  /// Widens the bands by what a projection onto the constraints has moved the functions: from x_before to x_after.
  [[nodiscard]] Outcome widen_bands(double t, In x_before, In x_after, In base, int mode);

  /// Searches the stepper's last committed step (t, t+h). Found: the first event, located to the tolerance (seconds), and
  /// all roots that lie within it of the first.
  [[nodiscard]] Outcome search(const Stepper& stepper, double t, double h, double tolerance);
  [[nodiscard]] double theta() const noexcept { return theta_; }
  [[nodiscard]] double t() const noexcept { return t_; }
  [[nodiscard]] std::span<const int> fired() const noexcept { return fired_; }
  [[nodiscard]] const RootInfo& root(int i) const noexcept { return roots_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int culprit() const noexcept { return culprit_; }
  [[nodiscard]] bool terminal() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return roots_.empty(); }
  [[nodiscard]] long calls() const noexcept { return calls_; }
  void set_calls(long calls) noexcept { calls_ = calls; }

  void save(ArchiveWriter& out) const;
  [[nodiscard]] bool load(ArchiveReader& in);

 private:
  struct Root {
    int side = 0;      ///< −1, 0 (at zero), 1
    double band = 0;   ///< |g| up to here counts as zero while side = 0
    double value = 0;  ///< at the last sample
  };
  struct Crossed {
    int root;
    double left, right, g_left, g_right;
  };
  [[nodiscard]] Outcome evaluate(double t, In x, In base, int mode, std::vector<double>& values);
  [[nodiscard]] Outcome evaluate_within(const Stepper& stepper, double t, double h, double theta);
  [[nodiscard]] bool crosses(std::size_t i, double value) const noexcept;
  [[nodiscard]] Outcome locate(const Stepper& stepper, double t, double h, double tolerance, double theta_left,
                               double theta_right);

  const InitialValueProblem& problem_;
  std::vector<RootInfo> roots_;
  std::vector<Root> state_;
  ScratchMemory scratch_;
  std::vector<double> values_, at_sample_;
  std::vector<int> fired_;
  std::vector<Crossed> crossed_;
  Vector x_, u_, rate_;
  double theta_ = 0, t_ = 0;
  int culprit_ = -1;
  long calls_ = 0;
};

}  // namespace rubato
