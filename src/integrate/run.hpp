#pragma once
/// The driver: one loop for every method.
///
/// Times the run must hit exactly (t_end, breaks of the input, time events) divide it into segments; root events cut a
/// segment short. Within a segment: attempt, accept or reject, look for events, tell the observers (run.cpp). At its end:
/// `on_event`, a consistent state, a restart of the method (run_stops.cpp). Checkpoints and what is said of a run:
/// run_record.cpp.
///
/// At a break the input and the model hold their values from the right. A step that ends there must not see them: it ends
/// a few ulp before, and the run continues at the break itself.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "event_finder.hpp"
#include "growth_watch.hpp"
#include "motion_watch.hpp"
#include "passage_stepper.hpp"
#include "problem/rank_watch.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/integrate/step_controller.hpp"
#include "rubato/problem/consistent.hpp"

namespace rubato::detail {

/// nextafter(|t|, ∞) − |t| of a finite t.
inline double ulp(double t) noexcept {
  const double size = std::abs(t);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) + 1) - size;
}

class Run {
 public:
  Run(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
      const RunControl& control, std::unique_ptr<Stepper> stepper);

  [[nodiscard]] Result<RunSummary> execute();

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void begin();
  /// Of a plain Dae of index 1: algebraic unknowns that are off their equations by more than the tolerances explain are solved for
  /// (run_start.cpp). A start that is consistent within the tolerances stays as it is.
  void solve_start();
  /// The algebraic equation whose residual at (t_, x_) is largest against what changes of the unknowns by their tolerances do to
  /// it, where that is more than it explains; −1: none.
  [[nodiscard]] int unsatisfied_row();
  /// That the start lies outside the domain of the model, and which unknown would help; empty: it does not.
  [[nodiscard]] std::string outside_domain();
  /// Where no step was possible from the start: that, or the equation it does not satisfy; empty: none.
  [[nodiscard]] std::string start_words();

  // --- one pass of the loop -----------------------------------------------------------------------------------------
  void advance();

  struct Plan {
    double h = 0;
    bool reaches_stop = false;
  };
  /// The last step before a stop is stretched by 10⁻⁴ at most; before that two equal ones replace a full and a tiny one.
  [[nodiscard]] Plan planned(double left) const noexcept;
  void failed(StepStatus status, double h, double advice);
  /// Approximate factors find matrices singular that are not.
  [[nodiscard]] std::string inexact_factors() const;
  /// Where J comes from differences: a run that stalls may do so because of them.
  [[nodiscard]] std::string inexact_jacobian() const;
  [[nodiscard]] std::string note_on_differences(const Statistics& counts) const;
  /// Of a mechanical system, what is not finite a step or a thousandth of the run later.
  [[nodiscard]] std::string culprit_behind(double h);
  void rejected(const Attempt& attempt, double h);
  /// With a smaller step, or from a better start.
  [[nodiscard]] bool goes_on();
  /// Index 1: where smaller steps do not help, algebraic unknowns may be off their equations by more than a step repairs. They
  /// are solved for and the method begins again with a first step, at most twice within a millionth of the run.
  [[nodiscard]] bool start_anew();
  void accepted(const Attempt& attempt, const Plan& plan);

  // --- constraint rows: those left out, and positions in which others depend on each other (run_constraints.cpp) ----
  /// σ of the rows may vanish in the next step, by how far the motion went since the last look, or it was not looked at for many steps.
  [[nodiscard]] bool rank_look_due() const noexcept;
  [[nodiscard]] double usual_step() const noexcept;
  /// |v| as the rank watch measures it.
  [[nodiscard]] double speed(In x) const noexcept;
  /// At the state x_: margin_ and what follows from it.
  [[nodiscard]] bool look_at_rows(const MechanicalState& state);
  /// The step of the run's own method just committed (t_ still its begin) went over a singular position: it is taken back.
  [[nodiscard]] bool crossed(double h);
  /// To the begin of that step, the position τ behind it; from there over the position, or closer to it.
  void go_back(double t, double tau, double h);
  /// Looks; where a singular position is closer than the step to come reaches, takes a step over it, or makes that step shorter.
  [[nodiscard]] bool stepped_over();
  /// The time to a singular position ahead, on the Taylor polynomial of the motion.
  struct Ahead {
    double tau = 0;
    double closest = 0;    ///< σ there as a fraction of its present value: 0 but for rounding where the rows do depend
    bool of_kept = false;  ///< all rows together keep their rank: others should be left out
  };
  /// Of the rows kept alone: there all rows together have the rank that they have elsewhere.
  [[nodiscard]] bool of_kept(const MechanicalState& state, double below);
  [[nodiscard]] std::optional<Ahead> singular_ahead(const MechanicalState& state, const RankWatch::Margin& margin);
  /// A step of the passage stepper over a position at t_ + τ; false: none was found, h_ leads closer to it.
  [[nodiscard]] bool passed(double tau);
  /// σ at t_ + θh on that step. At its end it is small next to another position: a motion that turns soon behind the first comes back to it.
  [[nodiscard]] double sigma_on_passage(double theta, double h);
  /// A singular position lies inside that step, of h.
  [[nodiscard]] bool meets_position(double tau, double h);
  /// Its size, 0 where there is none before the next stop.
  [[nodiscard]] double passage_step(double tau);
  /// The method starts again behind a passage.
  void continue_beyond();
  /// Rows left out are far from holding though the others do: reason for a look at all of them.
  [[nodiscard]] bool left_out_off();
  /// Constraints by name: those marked, but for some.
  [[nodiscard]] std::string names_of(In marked, In unless) const;
  void end_for_rows(const std::string& rows, const std::string& what);
  /// A look at the rows costs like their number cubed, many times a step: it is taken in few steps, the fewer the more they are.
  [[nodiscard]] bool rows_due() const noexcept;
  /// Where dependent rows left out have become a poor choice, others are, and the method starts again from here.
  [[nodiscard]] bool exchange_rows();

  // --- stops and events ---------------------------------------------------------------------------------------------

  enum class Stop : std::uint8_t { end, input_break, time_event };
  /// Between two stops: where the next one is, and where a grid of fixed steps begins.
  void begin_segment();
  void find_stop();
  /// At a stop or a root, x_, w_, base_ and mode_ holding what the last step left.
  void arrive(bool found = false);
  void meet_event(bool found);
  /// The input or its derivative jumps: differential unknowns go on, algebraic ones follow a jump of u.
  void meet_break();
  /// u itself (not only its derivative) differs on the two sides of t_; u_ holds the right one.
  [[nodiscard]] bool input_jumps() noexcept;
  /// Algebraic unknowns, and for mechanical systems positions and velocities, at (t_, x_, base_, mode_); unchanged where
  /// there is no consistent state.
  [[nodiscard]] Result<void> make_consistent_here(const ConsistentOptions& options);
  /// What is differential stays.
  [[nodiscard]] Result<void> solve_algebraic();
  /// What a motion keeps is looked at; false, and the run over, where it is lost.
  bool keeps_motion();
  [[nodiscard]] std::string event_names(std::span<const int> fired) const;

  // --- step sizes ---------------------------------------------------------------------------------------------------
  [[nodiscard]] bool fixed() const noexcept { return options_.step.fixed_step > 0; }
  [[nodiscard]] double min_step() const noexcept;
  [[nodiscard]] double event_tolerance() const noexcept;
  /// The first step after a (re)start:
  ///   h = min(10⁻⁴ (t_end − t_start), 10⁻² max(1, ‖x‖)/‖x'‖)
  /// with the error norm over the differential unknowns, not h-scaled: the state changes by a hundredth of its size or of
  /// its tolerance at most. x' is taken from w where known, else B is lumped: x'_i ≈ f_i / Σ_j B_ij.
  [[nodiscard]] double initial_step(bool w_is_known);

  // --- the method ---------------------------------------------------------------------------------------------------
  [[nodiscard]] bool restart_stepper();
  /// False, and the run over, when root functions could not be evaluated.
  [[nodiscard]] bool looked(EventFinder::Outcome outcome);
  [[nodiscard]] std::string name_of(std::string_view words, int component) const;
  void inputs(double t, Vector& u) noexcept;
  /// What the last step left, into x_, w_ and base_. Of most steps of a run without observers nobody asks for it.
  void look(double theta = 1) noexcept;
  [[nodiscard]] At here() noexcept;
  [[nodiscard]] In x() const noexcept { return view(x_); }
  [[nodiscard]] In base() const noexcept { return view(base_); }

  // --- observers, checkpoints, the end ------------------------------------------------------------------------------
  void tell_restart();
  void tell_step(double t_begin, double h, double error, bool event);
  /// The method's counters, those of an earlier part of a resumed run, and ours.
  [[nodiscard]] Statistics all_counters() const noexcept;
  /// A barrier in every run, whether somebody keeps the bytes or not: J and factors are renewed.
  void write_checkpoint_if_due();
  [[nodiscard]] Result<void> resume();
  void end(RunStatus status, std::string reason);
  [[nodiscard]] bool stop_requested() const noexcept {
    return control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed);
  }
  [[nodiscard]] RunSummary summary();
  /// Of a mechanical system whose constraints come close to depending on each other where the run ended: which.
  [[nodiscard]] std::string dependence_words();
  /// What to try after a run that did not get to its end (advice.hpp).
  [[nodiscard]] std::string advice();

  const InitialValueProblem& problem_;
  const Dae& dae_;
  const FormulatedDae* mechanics_;  ///< the same, if it has constraint rows
  const Method& method_;
  const IntegrateOptions& options_;
  const RunControl& control_;
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<PassageStepper> passage_;  ///< made when first needed
  Stepper* stepping_ = nullptr;              ///< the one that took the last step
  std::optional<RankWatch> rank_watch_;
  StepController controller_;
  ErrorNorm norm_;
  EventFinder events_;
  GrowthWatch growth_;
  MotionWatch motion_;
  ScratchMemory scratch_;
  double interval_;

  // The state after the last accepted piece; relative to base_, which may be one rebase older than the stepper's. x_, w_ and
  // base_ are those of that state only where `looked_` says so.
  double t_;
  Vector x_, w_, base_;
  Vector u_, u_before_, rate_, f_, row_sums_, ones_;
  int mode_;
  bool looked_ = true;
  bool fresh_ = true;  ///< no step since the last (re)start

  double h_ = 0;  ///< what the controller wishes; a step may be cut shorter
  double t_anchor_ = 0, t_stop_ = 0;
  long step_of_segment_ = 0;
  Stop stop_ = Stop::end;
  bool may_jump_at_stop_ = false;
  double last_step_ = 0, smallest_step_ = 0, largest_step_ = 0;
  double t_last_event_ = -infinity, t_anew_ = -infinity;
  int events_in_a_row_ = 0, singular_in_a_row_ = 0, failures_here_ = 0, starts_anew_ = 0;
  long exchanges_ = 0, restarts_ = 0;
  double first_exchange_ = 0, first_restart_ = 0;
  int dominating_ = -1;                             ///< the unknown that was largest in what ended the run
  std::string start_note_ = {}, start_error_ = {};  ///< what was solved for at the start, and why it could not be
  double step_beyond_ = 0, wide_step_ = 0;
  const Block* moving_ = nullptr;  ///< v or p
  RankWatch::Margin margin_;       ///< at the last look
  double sigma_mark_ = 0;          ///< at the last look for a position far ahead, or more since
  double sigma_ = 0;               ///< there
  double speed_ = 0;               ///< after the last step
  double travel_ = 0;              ///< ∫ |v| dt since the last look, from above
  double steep_ = -1;              ///< |s'|/|v|; negative: not known
  double passage_tau_ = 0;         ///< from how far before a singular position it is stepped over; 0: not known yet
  int passage_failures_ = 0;       ///< in a row
  long look_step_ = -1;            ///< accepted steps then
  long passages_ = 0, rows_back_ = 0;
  double first_passage_ = 0, first_row_back_ = 0;
  std::string passage_rows_;

  Statistics count_, earlier_;
  Stopwatch watch_;
  long last_checkpoint_ = -1;  ///< accepted steps then
  bool running_ = true;
  RunStatus status_ = RunStatus::finished;
  std::string reason_;
};

}  // namespace rubato::detail
