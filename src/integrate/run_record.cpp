// What is kept and said of a run: counters, checkpoints, why it ended.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advice.hpp"
#include "rubato/base/text.hpp"
#include "run.hpp"

namespace rubato::detail {

namespace {

constexpr std::array<char, 8> checkpoint_mark{'r', 'u', 'b', 'a', 't', 'o', ' ', '7'};

// Of the steps in which the error of a J by differences was measured: enough to judge, and the share in which it was felt beyond which the
// run takes more steps (`robot-r3-36`, rodas4p, 1e-10: 25 % and 1.4 times the steps).
constexpr long fewest_looks = 16;
constexpr double many_felt = 0.2;

constexpr std::size_t most_names = 10'000;  ///< characters, of constraints in a note
constexpr long most_counted = 1L << 60;     ///< of anything, in a checkpoint

/// Counters alone: seconds differ from run to run and stay out of checkpoints.
constexpr std::array counters{&Statistics::steps,
                              &Statistics::accepted,
                              &Statistics::rejected,
                              &Statistics::failed,
                              &Statistics::f_calls,
                              &Statistics::f_calls_jacobian,
                              &Statistics::jacobians,
                              &Statistics::factorisations,
                              &Statistics::full_factorisations,
                              &Statistics::solves,
                              &Statistics::newton_iterations,
                              &Statistics::krylov_products,
                              &Statistics::events,
                              &Statistics::root_calls,
                              &Statistics::library_allocations,
                              &Statistics::pattern_extensions,
                              &Statistics::jacobian_checks,
                              &Statistics::jacobian_errors_seen};

}  // namespace

std::string Run::inexact_factors() const {
  const KrylovOptions& krylov = options_.linear.krylov;
  if (!krylov.use || krylov.matrix.factors == KrylovFactors::exact) return {};
  return "; incomplete factors and multigrid need rows with a diagonal, which saddle points do not have: set "
         "krylov.factors = \"exact\"";
}

std::string Run::inexact_jacobian() const {
  const bool has_model = dae_.model_jacobian() != ModelJacobian::none, has_dual = dae_.dual() != nullptr;
  const JacobianSource source = options_.linear.jacobian;
  const bool differences =
      source == JacobianSource::differences || (source == JacobianSource::automatic && !has_model && !has_dual);
  if (!differences || stepper_->statistics().jacobians == 0) return {};
  return has_dual || has_model ? fmt::format("; the Jacobian comes from differences: try solver.jacobian = \"{}\"",
                                             has_dual ? "dual" : "model")
                               : "; the Jacobian comes from differences: f must be smooth and free of noise above "
                                 "rounding errors, or the "
                                 "model must supply derivatives";
}

std::string Run::note_on_differences(const Statistics& counts) const {
  if (options_.step.fixed_step > 0 || counts.jacobian_checks < fewest_looks) return {};
  const double share = static_cast<double>(counts.jacobian_errors_seen) / static_cast<double>(counts.jacobian_checks);
  if (share < many_felt) return {};
  const bool has_model = dae_.model_jacobian() == ModelJacobian::exact, has_dual = dae_.dual() != nullptr;
  return fmt::format(
      "the Jacobian comes from differences, and its errors are not small beside the tolerance in {:.0f} % of the steps "
      "examined: {} takes more steps because of them; {}",
      100 * share, method_.info.name,
      has_dual || has_model ? fmt::format("set solver.jacobian = \"{}\"", has_dual ? "dual" : "model")
                            : "take a larger tolerance or method radau, or free f of noise");
}

std::string Run::culprit_behind(double h) {
  if (mechanics_ == nullptr) return {};
  MechanicalState state;
  for (const double ahead : {h, 1e-3 * interval_}) {
    At at = here();
    at.t = t_ + ahead;
    if (mechanics_->unpack(at, {}, state) != EvalStatus::ok) continue;
    ScratchMemory memory(mechanics_->system().scratch_bytes());
    const std::string culprit = not_finite_part(mechanics_->system(), {.t = state.t,
                                                                       .q = view(std::as_const(state.q)),
                                                                       .v = view(std::as_const(state.v)),
                                                                       .z = view(std::as_const(state.z)),
                                                                       .lambda = view(std::as_const(state.lambda)),
                                                                       .nu = view(std::as_const(state.nu)),
                                                                       .u = at.u,
                                                                       .base = view(std::as_const(state.base)),
                                                                       .mode = mode_,
                                                                       .scratch = memory.scratch()});
    if (!culprit.empty()) return "; at t = " + shortest(at.t) + " " + culprit;
  }
  return {};
}

std::string Run::dependence_words() {
  const bool of_constraints = status_ == RunStatus::newton_diverged || status_ == RunStatus::singular_matrix ||
                              status_ == RunStatus::step_too_small;
  MechanicalState state;
  if (!of_constraints || mechanics_ == nullptr || stop_requested() ||
      mechanics_->unpack(here(), view(std::as_const(w_)), state) != EvalStatus::ok)
    return {};
  constexpr double near = 1e-3;  // of rows scaled to norm one: closer than a step may come without harm
  ConstraintDiagnosis diagnosis;
  (void)consistent_state(mechanics_->system(), state,
                         {.project_positions = false, .project_velocities = false, .rank_tolerance = near, .u = u_},
                         &diagnosis);
  const In left_out = mechanics_->left_out(base());
  const auto short_of = static_cast<long>(diagnosis.dependent.size() + diagnosis.singular.size());
  if (short_of <= std::ranges::count(left_out, 1.0)) return {};
  std::vector<std::string> names;
  for (const auto* rows : {&diagnosis.dependent, &diagnosis.singular})
    for (const int row : *rows) names.push_back(constraint_name(mechanics_->system(), row));
  return fmt::format("; near a singular position: {} of {} constraints {} on the others there: {}", names.size(),
                     mechanics_->system().sizes().lambda + mechanics_->system().sizes().nu,
                     names.size() == 1 ? "depends" : "depend", joined(names));
}

std::string Run::name_of(std::string_view words, int component) const {
  return component < 0 ? std::string{} : fmt::format("{}{}", words, dae_.layout().component_name(component));
}

std::string Run::advice() {
  if (status_ == RunStatus::step_too_small && t_last_event_ == t_)
    return "; try a model that loses energy in each of these events, or ends them";
  return next_to_try({.status = status_,
                      .method = &method_.info,
                      .options = &options_,
                      .dae = &dae_,
                      .at_start = count_.accepted == 0,
                      .dominating = name_of("", dominating_)});
}

Statistics Run::all_counters() const noexcept {
  Statistics all = stepper_->statistics();
  const Statistics passages = passage_ ? passage_->statistics() : Statistics{};
  for (const auto counter : counters) all.*counter += earlier_.*counter + passages.*counter;
  for (const auto counter : {&Statistics::steps, &Statistics::accepted, &Statistics::rejected, &Statistics::failed,
                             &Statistics::events, &Statistics::root_calls})
    all.*counter = count_.*counter;
  all.seconds.total = watch_.seconds();
  return all;
}

void Run::write_checkpoint_if_due() {
  const long every = options_.checkpoint_every;
  if (every == 0 || count_.accepted % every != 0 || count_.accepted == last_checkpoint_) return;
  last_checkpoint_ = count_.accepted;
  ArchiveWriter out;
  const auto head = [&] {
    out.put(checkpoint_mark);
    out.put(std::span<const char>(method_.info.name));
    for (const Vector* v : {&x_, &w_, &base_}) out.put(view(*v));
    const Statistics all = all_counters();
    for (const auto counter : counters) out.put(all.*counter);
  };
  if (count_.accepted == 0) {  // the start: a resumed run begins anew
    head();
    for (Observer* observer : control_.observers) observer->on_checkpoint(t_, out.bytes());
    return;
  }
  stepper_->renew();
  if (rank_watch_) rank_watch_->forget();
  look_step_ = -1;
  steep_ = -1;  // a look before the next step
  if (passage_) {
    const Statistics passages = passage_->statistics();
    for (const auto counter : counters) earlier_.*counter += passages.*counter;
    passage_.reset();
  }
  if (control_.observers.empty()) return;
  head();
  for (const double value : {t_, h_, t_anchor_, last_step_, smallest_step_, largest_step_, t_last_event_, t_anew_,
                             wide_step_, passage_tau_, sigma_mark_, first_passage_, first_row_back_})
    out.put(value);
  out.put(mode_);
  out.put(step_of_segment_);
  out.put(events_in_a_row_);
  out.put(passage_failures_);
  out.put(starts_anew_);
  out.put(exchanges_);
  out.put(restarts_);
  out.put(fresh_);
  out.put(first_restart_);
  out.put(first_exchange_);
  out.put(passages_);
  out.put(rows_back_);
  out.put(passage_rows_.size());
  out.put(std::span<const char>(passage_rows_));
  controller_.save(out);
  events_.save(out);
  motion_.save(out);
  stepper_->save(out);
  for (Observer* observer : control_.observers) observer->on_checkpoint(t_, out.bytes());
}

Result<void> Run::resume() {
  const Error foreign{
      fmt::format("the checkpoint does not belong to this problem and method '{}' with {} unknowns, or "
                  "was written by another version",
                  method_.info.name, dae_.size())};
  ArchiveReader in(control_.resume);
  std::array<char, 8> mark{};
  in.get(mark);
  std::string name = method_.info.name;
  in.get(std::span<char>(name));
  if (!in.ok() || mark != checkpoint_mark || name != method_.info.name) return foreign;
  Vector x = x_, w = w_, base = base_;
  for (Vector* v : {&x, &w, &base}) in.get(view(*v));
  Statistics count;
  for (const auto counter : counters) in.get(count.*counter, 0, most_counted);
  if (!in.ok()) return foreign;
  last_checkpoint_ = count.accepted;
  if (count.accepted == 0) {
    if (!in.at_end()) return foreign;
    begin();
    return {};
  }
  x_ = x;
  w_ = w;
  base_ = base;
  count_ = count;
  in.get(t_, problem_.t_start, problem_.t_end);
  in.get(h_, 0, std::numeric_limits<double>::max());
  in.get(t_anchor_, problem_.t_start, problem_.t_end);
  for (double* value : {&last_step_, &smallest_step_, &largest_step_, &t_last_event_, &t_anew_, &wide_step_,
                        &passage_tau_, &sigma_mark_, &first_passage_, &first_row_back_})
    in.get(*value);
  in.get(mode_);
  in.get(step_of_segment_, 0, most_counted);
  for (int* value : {&events_in_a_row_, &passage_failures_}) in.get(*value, 0, 1 << 30);
  in.get(starts_anew_, 0, 2);
  for (long* value : {&exchanges_, &restarts_}) in.get(*value, 0, most_counted);
  bool fresh = false;
  in.get(fresh);
  in.get(first_restart_);
  in.get(first_exchange_);
  for (long* value : {&passages_, &rows_back_}) in.get(*value, 0, most_counted);
  std::size_t n_names = 0;
  in.get(n_names, 0, most_names);
  if (!in.ok()) return foreign;
  passage_rows_.resize(n_names);
  in.get(std::span<char>(passage_rows_));
  if (!in.ok()) return foreign;
  const bool restarted = restart_stepper();  // sizes its memory; the state then comes from the checkpoint
  if (!controller_.load(in) || !events_.load(in)) return foreign;
  motion_.load(in);
  if (restarted && (!stepper_->load(in) || !in.at_end() || stepper_->mode() != mode_)) return foreign;
  fresh_ = fresh;
  earlier_ = count_;
  const Statistics of_restart = stepper_->statistics();
  for (const auto counter : counters) earlier_.*counter -= of_restart.*counter;
  events_.set_calls(count_.root_calls);
  if (running_) find_stop();
  return {};
}

RunSummary Run::summary() {
  RunSummary s;
  s.status = status_;
  s.statistics = all_counters();
  std::string count = fmt::format(" after {} accepted step{}", count_.accepted, count_.accepted == 1 ? "" : "s");
  if (!completed(status_) && count_.accepted > 0)
    count += fmt::format(" of {:.3g} to {:.3g}", smallest_step_, largest_step_);
  s.reason = reason_;
  s.reason.insert(std::min(reason_.find("; "), reason_.size()), count);  // what comes after explains or advises
  if (!completed(status_)) {
    const std::string start = start_words();
    s.reason += start.empty() ? dependence_words() + advice() : start + "; try other start values";
  }
  if (!start_note_.empty()) s.notes.push_back(start_note_);
  s.t = t_;
  s.x = x_;
  s.w = w_;
  s.base = base_;
  s.mode = mode_;
  s.last_step = last_step_;
  s.smallest_step = smallest_step_;
  s.largest_step = largest_step_;
  if (restarts_ > 0)
    s.notes.push_back(
        fmt::format("steps collapsed: algebraic unknowns were solved for {} time{}, first at t = {:.6g}; a finer atol "
                    "may see what bends there",
                    restarts_, restarts_ == 1 ? "" : "s", first_restart_));
  if (passages_ > 0)
    s.notes.push_back(fmt::format(
        "the motion passes singular positions, {} time{}, first at t = {:.6g}, where constraints depend on each other "
        "({}): stepped over on the branch that continues the velocity; their reactions grow without bound there",
        passages_, passages_ == 1 ? "" : "s", first_passage_, passage_rows_));
  if (rows_back_ > 0)
    s.notes.push_back(fmt::format("constraints left out at the start were taken back {} time{}, first at t = {:.6g}",
                                  rows_back_, rows_back_ == 1 ? "" : "s", first_row_back_));
  if (exchanges_ > 0)
    s.notes.push_back(fmt::format(
        "dependent constraints left out were exchanged for others {} time{}, first at t = {:.6g}: those kept "
        "came close to depending on each other",
        exchanges_, exchanges_ == 1 ? "" : "s", first_exchange_));
  if (s.statistics.pattern_extensions > 0 && dae_.tracer() == nullptr)
    s.notes.push_back(
        "the model's jacobian_pattern() lacks entries: differences found them where branches of the model opened, and "
        "the pattern was extended");
  if (auto note = note_on_differences(s.statistics); !note.empty()) s.notes.push_back(std::move(note));
  if (completed(status_) || status_ == RunStatus::interrupted)
    for (auto& note : motion_.notes()) s.notes.push_back(std::move(note));
  s.stiff = stepper_->stiff_components();
  return s;
}

}  // namespace rubato::detail
