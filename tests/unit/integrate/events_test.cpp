// Events: found, located, in order, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rubato/integrate/integrate.hpp"
#include "rubato/integrate/recorder.hpp"
#include "unit/integrate/explicit_stepper.hpp"
#include "unit/integrate/function_dae.hpp"

namespace rubato {
namespace {

using namespace rubato::testing;
using Root = std::function<double(double)>;

struct Found {
  RunSummary summary;
  std::vector<EventRecord> events;
};

Found run_with_events(const InitialValueProblem& problem, const IntegrateOptions& options = {}) {
  Recorder recorder(problem);
  Observer* observers[] = {&recorder};
  auto result = integrate(problem, explicit_method(), options, {.observers = observers});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return {*result, recorder.events()};
}

/// Root functions of the time alone over [0, 1], looked at in steps of fixed size.
Found clock(std::vector<Root> g, Crossing crossing = Crossing::any, double h = 0.1, bool terminal = false) {
  std::vector<RootInfo> infos;
  for (std::size_t i = 0; i < g.size(); ++i)
    infos.push_back({.name = "g" + std::to_string(i), .crossing = crossing, .terminal = terminal});
  const auto values = [g = std::move(g)](const At& at, Out out) {
    for (std::size_t i = 0; i < g.size(); ++i) out[i] = g[i](at.t);
  };
  return run_with_events(make_problem({.f = rest, .roots = infos, .root_values = values}, {0}, 1),
                         {.step = {.fixed_step = h}});
}

void expect_times(const Found& found, const std::vector<double>& times, double tolerance = 2e-12) {
  std::vector<double> seen;
  for (const auto& event : found.events) seen.push_back(event.t);
  ASSERT_EQ(seen.size(), times.size()) << ::testing::PrintToString(seen) << found.summary.reason;
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(seen[i], times[i], tolerance);
}

TEST(Events, BouncingBallHitsTheFloorWhenItMust) {
  // t₁ = √(2·5/10) = 1, v = 10; each hop takes 2 v/g. Motion and interpolant are exact, so only the location errs.
  for (const double r : {0.5, 0.9, 1.0}) {
    const auto problem = bouncing_ball(r, 4.9);
    const Found found = run_with_events(problem, {.tolerances = {.rtol = 1e-9, .atol = 1e-9}});
    EXPECT_EQ(found.summary.status, RunStatus::finished) << found.summary.reason;
    std::vector<double> times;
    double t = 1, v = 10;
    for (; t < 4.9 && v > 1e-3; t += 2 * v / 10) {
      times.push_back(t);
      v *= r;
    }
    std::vector<EventRecord> events = found.events;
    if (r == 0.5) events.resize(times.size());  // hops ever shorter, up to t = 3: only those above 0.1 ms are compared
    expect_times({found.summary, events}, times, 1e-10);
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(events[i].roots, std::vector<int>{0});
      EXPECT_EQ(events[i].mode_before, static_cast<int>(i));
      EXPECT_EQ(events[i].mode_after, static_cast<int>(i) + 1);
    }
  }
}

TEST(Events, LongStepsDoNotMissAHop) {
  // Without any error the steps grow without bound: a whole hop may fit into one.
  const auto problem = bouncing_ball(1, 20);
  const Found found =
      run_with_events(problem, {.tolerances = {.rtol = 1e-1, .atol = 10}, .step = {.initial_step = 0.5}});
  EXPECT_EQ(found.events.size(), 10u);
}

TEST(Events, TerminalEventEndsTheRunThere) {
  const Found found = clock({[](double t) { return t - 0.4321; }}, Crossing::any, 0.1, true);
  EXPECT_EQ(found.summary.status, RunStatus::event);
  EXPECT_TRUE(completed(found.summary.status));
  EXPECT_NEAR(found.summary.t, 0.4321, 2e-12);
  EXPECT_NE(found.summary.reason.find("'g0'"), std::string::npos) << found.summary.reason;
}

TEST(Events, ModelMayTerminate) {
  const auto problem =
      make_problem({.f = rest,
                    .roots = {{.name = "g"}},
                    .root_values = [](const At& at, Out g) { g[0] = at.t - 0.3; },
                    .on_event = [](const EventContext&, Out) { return EventEffect{.terminate = true}; }},
                   {0}, 1);
  const Found found = run_with_events(problem);
  EXPECT_EQ(found.summary.status, RunStatus::event);
  expect_times(found, {0.3});
}

TEST(Events, DirectionIsRespected) {
  const Root wave = [](double t) { return std::sin(4 * M_PI * t + 1); };  // zero at (kπ − 1)/4π
  const double z1 = (M_PI - 1) / (4 * M_PI), quarter = 0.25;
  expect_times(clock({wave}), {z1, z1 + quarter, z1 + 2 * quarter, z1 + 3 * quarter});
  expect_times(clock({wave}, Crossing::falling), {z1, z1 + 2 * quarter});
  expect_times(clock({wave}, Crossing::rising), {z1 + quarter, z1 + 3 * quarter});
}

TEST(Events, AFunctionThatStartsAtZeroMustLeaveItFirst) {
  expect_times(clock({[](double t) { return std::sin(2 * M_PI * t); }}, Crossing::any, 0.3), {0.5});
  expect_times(clock({[](double t) { return t; }}), {});
  expect_times(clock({[](double) { return 0.0; }}), {});
  // It leaves downwards and is back above zero at the first of the regular samples: the side it left to must be known.
  expect_times(clock({[](double t) { return t * (t - 0.1); }}, Crossing::any, 1), {0.1});
}

TEST(Events, AFunctionThatStaysAtZeroFiresOnce) {
  const Root stays = [](double t) { return std::max(0.43 - t, 0.0); };
  expect_times(clock({stays}), {0.43});
  expect_times(clock({stays}, Crossing::falling), {0.43});
  expect_times(clock({stays}, Crossing::rising), {});
  const Root passes = [](double t) { return std::max(0.43 - t, 0.0) + std::min(0.66 - t, 0.0); };
  expect_times(clock({passes}), {0.43});
  const Root returns = [](double t) { return std::max(0.43 - t, 0.0) + std::max(t - 0.66, 0.0); };
  expect_times(clock({returns}), {0.43});
  const Root again = [](double t) { return t < 0.5 ? std::max(0.23 - t, 0.0) : 0.77 - t; };
  expect_times(clock({again}), {0.23, 0.77});
}

TEST(Events, NoiseAboutZeroAfterTheEventIsNoEvent) {
  // Located to 1e-12, the function is known to about 1e-12: what it does below that is staying at zero.
  const Root noisy = [](double t) { return t < 0.43 ? 0.43 - t : -1e-18 * std::cos(2 * M_PI * 20 * (t - 0.43)); };
  expect_times(clock({noisy}), {0.43});
}

TEST(Events, AFunctionAtZeroStaysThereOverOtherStops) {
  const auto values = [](const At& at, Out g) {
    g[0] = at.t < 0.43 ? 0.43 - at.t : -1e-18 * std::cos(2 * M_PI * 20 * (at.t - 0.43));
  };
  const auto problem = make_problem({.f = rest,
                                     .roots = {{.name = "noisy"}},
                                     .root_values = values,
                                     .next_time_event = [](double t) { return (std::floor(t * 10) + 1) / 10; }},
                                    {0}, 1);
  const Found found = run_with_events(problem, {.step = {.fixed_step = 0.1}});
  EXPECT_EQ(std::ranges::count_if(found.events, [](const EventRecord& e) { return !e.roots.empty(); }), 1);
  EXPECT_GE(found.events.size(), 10u);
}

TEST(Events, AStateThatStopsAtTheRootStaysThere) {
  const auto problem = make_problem({.f =
                                         [](const At& at, Out out) {
                                           out[0] = at.mode == 0 ? -1.0 : 0.0;
                                           return EvalStatus::ok;
                                         },
                                     .roots = {{.name = "stop"}},
                                     .root_values = [](const At& at, Out g) { g[0] = at.x[0]; },
                                     .on_event = [](const EventContext&, Out) { return EventEffect{.mode = 1}; }},
                                    {0.7}, 2);
  const Found found = run_with_events(problem, {.event_tolerance = 1e-10});
  expect_times(found, {0.7}, 2e-10);
  EXPECT_NEAR(found.summary.x[0], 0, 2e-10);
}

TEST(Events, SimultaneousRootsFireTogether) {
  const Found found =
      clock({[](double t) { return t - 0.33; }, [](double t) { return std::cos(t); },
             [](double t) { return std::expm1(0.33 - t); }, [](double t) { return std::pow(t - 0.33, 3); }});
  expect_times(found, {0.33});
  EXPECT_EQ(found.events[0].roots, (std::vector<int>{0, 2, 3}));
  // Closer together than they are located: at the same time as well.
  const Found close = clock({[](double t) { return t - 0.33; }, [](double t) { return t - 0.33 - 5e-13; }});
  expect_times(close, {0.33});
  EXPECT_EQ(close.events[0].roots, (std::vector<int>{0, 1}));
}

TEST(Events, RootsOfOneStepComeInOrder) {
  const Found found = clock(
      {[](double t) { return t - 0.32; }, [](double t) { return 0.31 - t; }, [](double t) { return t - 0.32 - 1e-9; }},
      Crossing::any, 1);
  expect_times(found, {0.31, 0.32, 0.32 + 1e-9});
  EXPECT_EQ(found.events[0].roots, std::vector<int>{1});
  EXPECT_EQ(found.events[1].roots, std::vector<int>{0});
  EXPECT_EQ(found.events[2].roots, std::vector<int>{2});
}

TEST(Events, DoubleCrossingWithinAStepIsSeen) {
  const Root there_and_back = [](double t) { return (t - 0.31) * (t - 0.55); };
  expect_times(clock({there_and_back}, Crossing::any, 1), {0.31, 0.55});
  expect_times(clock({there_and_back}, Crossing::rising, 1), {0.55});
}

TEST(Events, JumpsAreLocatedAndFireAgain) {
  expect_times(clock({[](double t) { return t < 0.37 ? 1.0 : t < 0.71 ? -1.0 : 1.0; }}), {0.37, 0.71});
}

TEST(Events, RootAtTheEndOfTheRunOrOfAStepFires) {
  expect_times(clock({[](double t) { return t - 1; }}), {1});
  expect_times(clock({[](double t) { return t - 0.5; }}, Crossing::any, 0.5), {0.5});
  expect_times(clock({[](double t) { return t - 0.25; }}, Crossing::any, 0.125), {0.25});
}

TEST(Events, RootThatIsNotANumberEndsTheRun) {
  const Found found = clock({[](double t) { return t < 0.5 ? 1.0 : std::nan(""); }});
  EXPECT_EQ(found.summary.status, RunStatus::not_finite);
  EXPECT_NE(found.summary.reason.find("'g0'"), std::string::npos);
  EXPECT_NEAR(found.summary.t, 0.5, 0.11);
}

TEST(Events, LocationCostsFewCalls) {
  const Found none = clock({[](double t) { return t + 1; }}), one = clock({[](double t) { return std::exp(t) - 1.5; }});
  EXPECT_EQ(none.summary.statistics.root_calls, 1 + 5 * 10);
  EXPECT_LT(one.summary.statistics.root_calls, none.summary.statistics.root_calls + 35);
}

TEST(Events, TimeEventsAreMetExactly) {
  // x jumps by 1 at each quarter second; f jumps as well and no step may see it early.
  const auto problem = make_problem({.f =
                                         [](const At& at, Out out) {
                                           out[0] = std::floor(at.t * 4);
                                           return EvalStatus::ok;
                                         },
                                     .next_time_event = [](double t) { return (std::floor(t * 4) + 1) / 4; },
                                     .on_event =
                                         [](const EventContext& event, Out x) {
                                           EXPECT_TRUE(event.roots.empty());
                                           x[0] += 1;
                                           return EventEffect{.state_changed = true};
                                         }},
                                    {0}, 1.1);
  for (const double fixed : {0.0, 0.1}) {
    const Found found = run_with_events(problem, {.step = {.fixed_step = fixed}});
    expect_times(found, {0.25, 0.5, 0.75, 1}, 0);
    EXPECT_NEAR(found.summary.x[0], 4 + 0.25 * (1 + 2 + 3) + 0.1 * 4, 1e-13);
  }
}

TEST(Events, RootAndTimeEventAtOnceAreOneEvent) {
  const auto problem = make_problem({.f = rest,
                                     .roots = {{.name = "g"}},
                                     .root_values = [](const At& at, Out g) { g[0] = at.t - 0.5; },
                                     .next_time_event = [](double t) { return t < 0.5 ? 0.5 : 9; }},
                                    {0}, 1);
  const Found found = run_with_events(problem);
  expect_times(found, {0.5}, 0);
}

TEST(Events, TimeEventAtTheEndIsMet) {
  const auto problem = make_problem({.f = rest,
                                     .next_time_event = [](double t) { return t < 1 ? 1 : 9; },
                                     .on_event =
                                         [](const EventContext&, Out x) {
                                           x[0] = 7;
                                           return EventEffect{.state_changed = true};
                                         }},
                                    {0}, 1);
  const Found found = run_with_events(problem);
  expect_times(found, {1}, 0);
  EXPECT_EQ(found.summary.x[0], 7);
  EXPECT_EQ(found.summary.status, RunStatus::finished);
}

TEST(Events, AccumulationIsNotAnEndlessLoop) {
  const auto problem =
      make_problem({.f = rest, .next_time_event = [](double t) { return std::nextafter(t, 2.0); }}, {0}, 1);
  const Found found = run_with_events(problem);
  EXPECT_EQ(found.summary.status, RunStatus::step_too_small);
  EXPECT_NE(found.summary.reason.find("accumulate"), std::string::npos) << found.summary.reason;
  const auto backwards = make_problem({.f = rest, .next_time_event = [](double t) { return t; }}, {0}, 1);
  EXPECT_EQ(run_with_events(backwards).summary.status, RunStatus::model_refused);
}

}  // namespace
}  // namespace rubato
