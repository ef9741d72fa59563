#pragma once
/// One step of a method: tried, then kept or dropped.
#include <memory>
#include <string>
#include <vector>

#include "rubato/base/archive.hpp"
#include "rubato/base/status.hpp"
#include "rubato/base/views.hpp"
#include "rubato/integrate/statistics.hpp"

namespace rubato {

struct Attempt {
  StepStatus status = StepStatus::ok;
  double error = 0;     ///< scaled norm, accept at or below 1; 0 for methods without an estimate
  int error_order = 1;  ///< the local error behaves like h^(error_order)
  // What an iterative method knows beyond its error.
  double retry_factor =
      0;               ///< advice for the next size, as a multiple of this one, should this attempt not count; 0: none
  double caution = 1;  ///< times the safety factor of the controller: below 1 where the iteration was slow
  double largest_factor = 1e300;  ///< of the next step, for the iteration to converge there as well
  double next_factor = 0;         ///< of the next step, where the method chooses it itself; 0: the controller does
  bool keeps_factor = false;      ///< the next step needs no new factorisation if h stays the same
};

/// All a stepper carries is a committed/trial pair: a failed or discarded attempt leaves no trace.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Begins anew at a state (start, after an event, after a resume). Allocation is allowed here, in renew() and in load().
  [[nodiscard]] virtual StepStatus restart(double t, In x, In w, In base, int mode) = 0;

  /// Tries a step from the committed state. Never allocates in our code; the committed state is untouched.
  [[nodiscard]] virtual Attempt attempt(double t, double h) noexcept = 0;
  virtual void commit() noexcept = 0;
  /// Drops the trial; what depends on t and x only (J) may be kept for the next attempt from the same state.
  virtual void discard() noexcept = 0;

  /// The committed state, relative to base().
  [[nodiscard]] virtual In x() const noexcept = 0;
  [[nodiscard]] virtual In base() const noexcept = 0;
  [[nodiscard]] virtual int mode() const noexcept = 0;
  /// Within the last committed step: x(t + θ h) and, where asked for (non-empty), x'. Valid until the next attempt.
  virtual void interpolate(double theta, Out x, Out w) const noexcept = 0;
  /// Moves the base of the charts to the committed state; ends the validity of interpolate().
  virtual void rebase() noexcept = 0;

  /// J and factors are renewed at the next attempt: called at checkpoints so that a resumed run writes the same bytes.
  virtual void renew() {}
  virtual void save(ArchiveWriter& out) const = 0;
  [[nodiscard]] virtual bool load(ArchiveReader& in) = 0;

  [[nodiscard]] virtual Statistics statistics() const noexcept = 0;
  /// The unknown with the largest share in the error of the last attempt (or the first that was not finite), for messages;
  /// asked for before discard(). −1: not known.
  [[nodiscard]] virtual int worst_component() const noexcept { return -1; }
  /// Positions found stiff so far, where the method looks for them (stiffness.detect).
  [[nodiscard]] virtual std::vector<int> stiff_components() const { return {}; }
};

}  // namespace rubato
