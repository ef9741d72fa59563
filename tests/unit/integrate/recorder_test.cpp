// The recorder: rows at steps or wanted times, outputs and invariants beside the unknowns, both sides of events.
#include "rubato/integrate/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "unit/integrate/explicit_stepper.hpp"
#include "unit/integrate/function_dae.hpp"

namespace rubato {
namespace {

using namespace rubato::testing;

void run_recorded(const InitialValueProblem& problem, Recorder& recorder, const IntegrateOptions& options = {}) {
  Observer* observers[] = {&recorder};
  const auto result = integrate(problem, explicit_method(), options, {.observers = observers});
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(completed(result->status)) << result->reason;
}

/// x' = u, with output x' + u, and an invariant that the model cannot evaluate after t = 1.
InitialValueProblem driven() {
  auto problem = make_problem({.f =
                                   [](const At& at, Out out) {
                                     out[0] = at.u[0];
                                     return EvalStatus::ok;
                                   },
                               .outputs = {"speed", "command"},
                               .invariants = {"nothing"},
                               .output_values =
                                   [](const At& at, In w, Out y) {
                                     y[0] = w[0];
                                     y[1] = at.u[0];
                                     return EvalStatus::ok;
                                   },
                               .invariant_values =
                                   [](const At& at, In, Out y) {
                                     y[0] = 42;
                                     return at.t > 1 ? EvalStatus::out_of_domain : EvalStatus::ok;
                                   },
                               .n_inputs = 1},
                              {0}, 2);
  problem.input = *TableSignal::create({0, 1, 1, 2}, {0, 1, 5, 5});
  return problem;
}

TEST(Recorder, ColumnsAreUnknownsOutputsInvariants) {
  const auto problem = driven();
  Recorder recorder(problem, {0.5, 1.5});
  EXPECT_EQ(recorder.names(), (std::vector<std::string>{"x", "speed", "command", "nothing"}));
  EXPECT_EQ(recorder.units().size(), 4u);
  run_recorded(problem, recorder);
  ASSERT_EQ(recorder.rows(), 2u);
  EXPECT_NEAR(recorder.row(0)[0], 0.125, 1e-12);  // t²/2
  EXPECT_NEAR(recorder.row(0)[1], 0.5, 1e-12);
  EXPECT_NEAR(recorder.row(0)[2], 0.5, 1e-12);
  EXPECT_EQ(recorder.row(0)[3], 42);
  EXPECT_NEAR(recorder.row(1)[0], 3, 1e-12);
  EXPECT_NEAR(recorder.column(1)[1], 5, 1e-12);
  EXPECT_TRUE(std::isnan(recorder.row(1)[3])) << "what the model cannot say is not a number";
}

TEST(Recorder, KeepsTheChannelsAskedFor) {
  const auto problem = driven();
  Recorder all(problem, {0.5, 1.5}), some(problem, {0.5, 1.5}, {0, 2});
  EXPECT_EQ(some.names(), (std::vector<std::string>{"x", "command"}));
  EXPECT_EQ(some.units().size(), 2u);
  run_recorded(problem, all);
  run_recorded(problem, some);
  ASSERT_EQ(some.rows(), 2u);
  EXPECT_EQ(some.column(0), all.column(0));
  EXPECT_EQ(some.column(1), all.column(2));
}

TEST(Recorder, EveryStepHasARowAndBreaksHaveTwo) {
  const auto problem = driven();
  Recorder recorder(problem);
  run_recorded(problem, recorder, {.step = {.fixed_step = 0.5}});
  EXPECT_EQ(recorder.times(), (std::vector<double>{0, 0.5, 1, 1, 1.5, 2}));
  EXPECT_NEAR(recorder.row(2)[2], 1, 1e-12) << "the input from the left";
  EXPECT_NEAR(recorder.row(3)[2], 5, 1e-12) << "and from the right";
  EXPECT_EQ(recorder.step_times(), (std::vector<double>{0.5, 1, 1.5, 2}));
  EXPECT_EQ(recorder.step_sizes().size(), 4u);
}

TEST(Recorder, BothSidesOfAnEventAreKept) {
  const auto problem = bouncing_ball(0.5, 1.5);
  Recorder recorder(problem);
  run_recorded(problem, recorder);
  ASSERT_EQ(recorder.events().size(), 1u);
  const double t = recorder.events()[0].t;
  std::vector<double> speeds;
  for (std::size_t i = 0; i < recorder.rows(); ++i)
    if (recorder.times()[i] == t) speeds.push_back(recorder.row(i)[1]);
  ASSERT_EQ(speeds.size(), 2u);
  EXPECT_NEAR(speeds[0], -10, 1e-9);
  EXPECT_NEAR(speeds[1], 5, 1e-9);
}

TEST(Recorder, WantedTimesComeInOrderFromTheInterpolant) {
  const auto problem = make_problem({.f = decay}, {1}, 1);
  Recorder recorder(problem, {0.7, -1, 0, 0.123, 1, 3, 0.7001});
  run_recorded(problem, recorder, {.tolerances = {.rtol = 1e-8, .atol = 1e-8}});
  EXPECT_EQ(recorder.times(), (std::vector<double>{0, 0.123, 0.7, 0.7001, 1}));
  for (std::size_t i = 0; i < recorder.rows(); ++i)
    EXPECT_NEAR(recorder.row(i)[0], std::exp(-recorder.times()[i]), 1e-6);
}

TEST(Recorder, AWantedTimeAtAnEventGetsTheStateBefore) {
  const auto problem = make_problem({.f = rest,
                                     .next_time_event = [](double t) { return t < 0.5 ? 0.5 : 9; },
                                     .on_event =
                                         [](const EventContext&, Out x) {
                                           x[0] = 7;
                                           return EventEffect{.state_changed = true};
                                         }},
                                    {1}, 1);
  Recorder recorder(problem, {0.5, 0.75});
  run_recorded(problem, recorder);
  ASSERT_EQ(recorder.rows(), 2u);
  EXPECT_EQ(recorder.row(0)[0], 1);
  EXPECT_EQ(recorder.row(1)[0], 7);
}

/// Keeps what a recorder hands on.
struct Sink final : RowSink {
  std::vector<double> times, values, steps;
  std::vector<EventRecord> events;
  void row(double t, In x) override {
    times.push_back(t);
    values.insert(values.end(), x.begin(), x.end());
  }
  void step(double t, double h) override { steps.insert(steps.end(), {t, h}); }
  void event(const EventRecord& event) override { events.push_back(event); }
};

/// From every checkpoint, also that of the start: what was recorded until then and what a resumed run records are the whole, once each.
TEST(Recorder, PiecesOfAResumedRunFitTogether) {
  const auto problem = bouncing_ball(0.8, 6);
  const IntegrateOptions options{.step = {.max_step = 0.05}, .checkpoint_every = 7};
  for (const std::vector<double>& times : {std::vector<double>{}, {0, 0.1, 1.5, 3, 4.25, 6}}) {
    struct Piece {
      double t;
      std::vector<std::byte> state;
      std::size_t rows, steps, events;
    };
    struct Cutter final : Observer {
      const Sink* sink = nullptr;
      std::vector<Piece> pieces;
      void on_checkpoint(double t, std::span<const std::byte> bytes) override {
        pieces.push_back(
            {t, {bytes.begin(), bytes.end()}, sink->times.size(), sink->steps.size(), sink->events.size()});
      }
    };
    Sink whole;
    Recorder recorder(problem, times);
    recorder.hand_to(whole);
    Cutter cutter;
    cutter.sink = &whole;
    Observer* observers[] = {&recorder, &cutter};
    ASSERT_TRUE(integrate(problem, explicit_method(), options, {.observers = observers}).ok());
    EXPECT_EQ(recorder.rows(), 0u) << "handed on, not kept";
    EXPECT_GT(whole.events.size(), 3u);
    ASSERT_GT(cutter.pieces.size(), 8u);
    for (const Piece& piece : cutter.pieces) {
      Sink rest;
      Recorder again(problem, times);
      again.hand_to(rest);
      again.continue_after(piece.t);
      Observer* watching[] = {&again};
      ASSERT_TRUE(integrate(problem, explicit_method(), options, {.observers = watching, .resume = piece.state}).ok());
      EXPECT_TRUE(std::ranges::equal(rest.times, std::span(whole.times).subspan(piece.rows))) << piece.t;
      EXPECT_TRUE(std::ranges::equal(rest.values, std::span(whole.values).subspan(2 * piece.rows))) << piece.t;
      EXPECT_TRUE(std::ranges::equal(rest.steps, std::span(whole.steps).subspan(piece.steps))) << piece.t;
      EXPECT_EQ(rest.events.size(), whole.events.size() - piece.events) << piece.t;
    }
  }
}

}  // namespace
}  // namespace rubato
