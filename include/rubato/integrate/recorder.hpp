#pragma once
/// An observer that keeps the solution, or hands it on: at every step, or at given times by the method's interpolant.
#include <string>
#include <vector>

#include "rubato/integrate/integrate.hpp"

namespace rubato {

/// Takes what a run yields, in the order in which it happens.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void row(double t, In values) = 0;
  /// An accepted step of size h that ended at t.
  virtual void step(double t, double h) = 0;
  virtual void event(const EventRecord& event) = 0;
};

/// Columns: the unknowns, then the outputs of the Dae, then its invariants. One row per recorded time.
class Recorder final : public Observer {
 public:
  /// `times` empty: every accepted step, and the state on both sides of an event. Otherwise the given times in rising
  /// order, those outside the interval ignored; the state before an event where a time meets one.
  /// Outputs and invariants a model cannot evaluate are recorded as NaN.
  /// `channels`: the columns to keep, ascending; empty: all. Large systems have more unknowns than anybody looks at.
  /// The problem must outlive the recorder.
  explicit Recorder(const InitialValueProblem& problem, std::vector<double> times = {},
                    std::vector<std::size_t> channels = {});
  explicit Recorder(InitialValueProblem&&, std::vector<double> = {}, std::vector<std::size_t> = {}) = delete;

  /// Rows, steps and events go there from now on, and none are kept here: memory does not grow with the run. The sink must outlive the run.
  void hand_to(RowSink& sink) noexcept { sink_ = &sink; }
  /// A resumed run: what was recorded until t is kept elsewhere, also the row of t itself.
  void continue_after(double t) noexcept;

  void on_restart(double t, In x, In w, In base, int mode) override;
  void on_step(const StepView& step) override;
  void on_event(const EventRecord& event) override;

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] const std::vector<std::string>& units() const noexcept { return units_; }
  [[nodiscard]] std::size_t rows() const noexcept { return times_.size(); }
  [[nodiscard]] const std::vector<double>& times() const noexcept { return times_; }
  [[nodiscard]] In row(std::size_t i) const noexcept;
  [[nodiscard]] std::vector<double> column(std::size_t j) const;
  [[nodiscard]] const std::vector<double>& step_sizes() const noexcept { return step_sizes_; }  ///< per accepted step
  [[nodiscard]] const std::vector<double>& step_times() const noexcept { return step_times_; }
  [[nodiscard]] const std::vector<EventRecord>& events() const noexcept { return events_; }

 private:
  void record(double t, In x, In w, In base, In u, int mode);
  const InitialValueProblem& problem_;
  ScratchMemory scratch_;
  RowSink* sink_ = nullptr;
  bool every_step_;
  bool resumed_ = false;  ///< until the restart that begins a resumed run
  std::vector<double> wanted_;
  std::size_t next_ = 0;
  std::vector<std::string> names_, units_;
  std::size_t n_outputs_, n_invariants_;
  std::vector<std::size_t> channels_;
  std::vector<double> derived_;  ///< outputs and invariants of a row
  std::vector<double> row_;      ///< for the sink
  std::vector<double> times_, values_, step_sizes_, step_times_;
  std::vector<EventRecord> events_;
  Vector x_, w_, u_, rate_;
};

}  // namespace rubato
