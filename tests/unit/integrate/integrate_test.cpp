// The driver: what it promises about steps, ends, failures, stops and checkpoints, whatever the method.
#include "rubato/integrate/integrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "rubato/integrate/recorder.hpp"
#include "unit/integrate/explicit_stepper.hpp"
#include "unit/integrate/function_dae.hpp"

namespace rubato {
namespace {

using namespace rubato::testing;

RunSummary run(const InitialValueProblem& problem, const IntegrateOptions& options = {},
               std::initializer_list<Observer*> observers = {}, const Method& method = explicit_method()) {
  auto result = integrate(problem, method, options, {.observers = std::span(observers.begin(), observers.size())});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? *result : RunSummary{};
}

struct Steps final : Observer {
  std::vector<double> begin, end, h;
  std::vector<bool> event;
  std::vector<double> restarts;
  std::vector<std::vector<std::byte>> checkpoints;
  void on_step(const StepView& step) override {
    begin.push_back(step.t_begin);
    end.push_back(step.t_end);
    h.push_back(step.h);
    event.push_back(step.event);
    EXPECT_GT(step.statistics->accepted, 0);
  }
  void on_restart(double t, In, In, In, int) override { restarts.push_back(t); }
  void on_checkpoint(double, std::span<const std::byte> bytes) override {
    checkpoints.emplace_back(bytes.begin(), bytes.end());
  }
};

// --- steps ------------------------------------------------------------------------------------------------------------

TEST(Integrate, ReachesTheEndExactlyAndKeepsTheTolerance) {
  const auto problem = make_problem({.f = decay}, {1, 2}, 3.3);
  Steps steps;
  const RunSummary s = run(problem, {.tolerances = {.rtol = 1e-6, .atol = 1e-6}}, {&steps});
  EXPECT_EQ(s.status, RunStatus::finished) << s.reason;
  EXPECT_EQ(s.t, 3.3);
  EXPECT_NEAR(s.x[1], 2 * std::exp(-3.3), 1e-5);
  EXPECT_NEAR(s.w[1], -2 * std::exp(-3.3), 1e-3);
  EXPECT_EQ(s.statistics.accepted, static_cast<long>(steps.end.size()));
  EXPECT_EQ(s.statistics.steps, s.statistics.accepted + s.statistics.rejected + s.statistics.failed);
  EXPECT_EQ(steps.begin.front(), 0);
  EXPECT_EQ(steps.end.back(), 3.3);
  for (std::size_t i = 1; i < steps.end.size(); ++i) EXPECT_EQ(steps.begin[i], steps.end[i - 1]);
  EXPECT_EQ(steps.restarts, std::vector<double>{0});
}

TEST(Integrate, EndsWithoutATinyStep) {
  for (const double t_end : {0.9, 0.99, 1.0, 1.01, 1.1, 1.2, 1.3}) {
    Steps steps;
    static_cast<void>(run(make_problem({.f = decay}, {1}, t_end), {}, {&steps}));
    const double last = steps.h.back(), before = steps.h[steps.h.size() - 2];
    EXPECT_GT(last, 0.3 * before) << t_end;
  }
}

TEST(Integrate, FixedStepsAreCountedExactly) {
  const auto count = [](double t_end, double h) {
    Steps steps;
    const RunSummary s = run(make_problem({.f = decay}, {1}, t_end), {.step = {.fixed_step = h}}, {&steps});
    EXPECT_EQ(s.t, t_end);
    EXPECT_EQ(s.statistics.steps, s.statistics.accepted);
    for (std::size_t i = 0; i + 1 < steps.h.size(); ++i) {
      EXPECT_EQ(steps.h[i], h);
      EXPECT_EQ(steps.end[i], static_cast<double>(i + 1) * h) << "the grid does not drift";
    }
    return s.statistics.accepted;
  };
  EXPECT_EQ(count(1, 0.1), 10) << "0.1 · 10 is 1 up to round-off";
  EXPECT_EQ(count(1, 0.333333333333), 3) << "written with 12 digits, a third is meant";
  EXPECT_EQ(count(1, 0.3), 4);
  EXPECT_EQ(count(1, 5), 1);
  EXPECT_EQ(count(7, 1e-3), 7000);
  EXPECT_EQ(count(1, 1.0 / 49), 49);
}

TEST(Integrate, HonoursTheLimitsOfTheStep) {
  Steps steps;
  const IntegrateOptions options{.step = {.initial_step = 1e-3, .max_step = 0.125}};
  const RunSummary s = run(make_problem({.f = rest}, {1}, 4), options, {&steps});
  EXPECT_EQ(steps.h.front(), 1e-3);
  EXPECT_EQ(s.largest_step, 0.125);
  EXPECT_EQ(s.smallest_step, 1e-3);
}

TEST(Integrate, FirstStepFollowsTheFasterOfIntervalAndMotion) {
  const auto first = [](double rate, double t_end) {
    Steps steps;
    const auto f = [rate](const At& at, Out out) {
      out[0] = -rate * at.x[0];
      return EvalStatus::ok;
    };
    static_cast<void>(run(make_problem({.f = f}, {1}, t_end), {.step = {.max_steps = 3}}, {&steps}));
    return steps.h.front();
  };
  EXPECT_DOUBLE_EQ(first(1, 10), 1e-3) << "1e-4 of the interval";
  EXPECT_DOUBLE_EQ(first(100, 10), 1e-4) << "1e-2 |x|/|x'|";
}

TEST(Integrate, TheSameCommandGivesTheSameBytes) {
  const auto problem = bouncing_ball(0.7, 3);
  const RunSummary a = run(problem), b = run(problem);
  EXPECT_EQ(std::memcmp(a.x.data(), b.x.data(), 2 * sizeof(double)), 0);
  EXPECT_EQ(a.reason, b.reason);
}

// --- trouble ----------------------------------------------------------------------------------------------------------

TEST(Integrate, BlowUpEndsWithWhatWasComputed) {
  const auto square = [](const At& at, Out out) {
    out[0] = at.x[0] * at.x[0];
    return EvalStatus::ok;
  };
  Steps steps;
  const RunSummary s = run(make_problem({.f = square}, {1}, 2), {}, {&steps});  // x = 1/(1 − t)
  EXPECT_TRUE(s.status == RunStatus::step_too_small || s.status == RunStatus::not_finite) << s.reason;
  EXPECT_FALSE(completed(s.status));
  EXPECT_NEAR(s.t, 1, 1e-2);
  EXPECT_GT(s.x[0], 1e3);
  EXPECT_EQ(s.t, steps.end.back());
  EXPECT_NE(s.reason.find("t = "), std::string::npos) << s.reason;
}

TEST(Integrate, ModelThatTurnsNonFiniteIsReportedWithPlace) {
  const auto f = [](const At& at, Out out) {
    out[0] = at.t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    return EvalStatus::ok;
  };
  const RunSummary s = run(make_problem({.f = f}, {0}, 1));
  EXPECT_EQ(s.status, RunStatus::not_finite) << s.reason;
  EXPECT_NEAR(s.t, 0.5, 1e-10) << "smaller steps were tried up to the edge";
  EXPECT_NEAR(s.x[0], s.t, 1e-12);
  EXPECT_GT(s.statistics.failed, 5);
  const RunSummary fixed = run(make_problem({.f = f}, {0}, 1), {.step = {.fixed_step = 0.2}});
  EXPECT_EQ(fixed.status, RunStatus::not_finite);
  EXPECT_EQ(fixed.statistics.failed, 1) << "a fixed step is not made smaller";
  EXPECT_NEAR(fixed.t, 0.4, 1e-15);
}

TEST(Integrate, OutOfDomainShrinksTheStepAndFatalEnds) {
  const auto shy = [](const At& at, Out out) {  // refuses x ≤ 0; x decays towards it: long steps overshoot
    out[0] = -200 * at.x[0];
    return at.x[0] > 0 ? EvalStatus::ok : EvalStatus::out_of_domain;
  };
  const RunSummary s =
      run(make_problem({.f = shy}, {1}, 1), {.tolerances = {.atol = 10}, .step = {.initial_step = 0.5}});
  EXPECT_EQ(s.status, RunStatus::finished) << s.reason;
  EXPECT_GT(s.statistics.failed, 0);
  const auto fatal = [](const At& at, Out out) {
    out[0] = 1;
    return at.t > 0.5 ? EvalStatus::fatal : EvalStatus::ok;
  };
  const RunSummary f = run(make_problem({.f = fatal}, {1}, 1));
  EXPECT_EQ(f.status, RunStatus::model_refused);
  EXPECT_EQ(f.statistics.failed, 1);
}

/// Singular from t = 0.5 on for steps above a limit.
double singular_above = 0;
struct SingularStepper final : ExplicitStepper {
  using ExplicitStepper::ExplicitStepper;
  Attempt attempt(double t, double h) noexcept override {
    if (t >= 0.5 && h > singular_above) return {StepStatus::singular_matrix, 0, 3};
    return ExplicitStepper::attempt(t, h);
  }
};

TEST(Integrate, SingularMatricesAreTriedAgainALimitedNumberOfTimes) {
  Method method = explicit_method();
  method.make = [](const MethodInfo&, const InitialValueProblem& p,
                   const IntegrateOptions& o) -> Result<std::unique_ptr<Stepper>> {
    return std::unique_ptr<Stepper>(std::make_unique<SingularStepper>(p, o));
  };
  const auto problem = make_problem({.f = rest}, {1}, 1);
  singular_above = 1e-2;
  const IntegrateOptions options{.step = {.max_step = 0.1}};
  const RunSummary once = run(problem, options, {}, method);
  EXPECT_EQ(once.status, RunStatus::finished) << once.reason;
  EXPECT_GT(once.statistics.failed, 0);
  singular_above = 0;
  const RunSummary ever = run(problem, options, {}, method);
  EXPECT_EQ(ever.status, RunStatus::singular_matrix) << ever.reason;
  EXPECT_EQ(ever.statistics.failed, 11);
}

TEST(Integrate, AnErrorThatIsNotANumberIsNoReasonToAccept) {
  struct Blind final : ExplicitStepper {
    using ExplicitStepper::ExplicitStepper;
    Attempt attempt(double t, double h) noexcept override {
      Attempt attempt = ExplicitStepper::attempt(t, h);
      attempt.error = std::nan("");
      return attempt;
    }
  };
  Method method = explicit_method();
  method.make = [](const MethodInfo&, const InitialValueProblem& p,
                   const IntegrateOptions& o) -> Result<std::unique_ptr<Stepper>> {
    return std::unique_ptr<Stepper>(std::make_unique<Blind>(p, o));
  };
  const RunSummary s = run(make_problem({.f = decay}, {1}, 1), {}, {}, method);
  EXPECT_EQ(s.status, RunStatus::not_finite);
  EXPECT_EQ(s.statistics.accepted, 0);
}

TEST(Integrate, TooManyStepsAndTooSmallStepsKeepThePartialResult) {
  const RunSummary many = run(make_problem({.f = decay}, {1}, 100), {.step = {.max_steps = 5}});
  EXPECT_EQ(many.status, RunStatus::too_many_steps);
  EXPECT_EQ(many.statistics.steps, 5);
  EXPECT_GT(many.t, 0);
  EXPECT_NE(many.reason.find("max_steps = 5"), std::string::npos);
  const auto stiff = [](const At& at, Out out) {
    out[0] = -at.x[0];
    out[1] = -1e6 * at.x[1];
    return EvalStatus::ok;
  };
  const RunSummary small = run(make_problem({.f = stiff}, {1, 1}, 1), {.step = {.min_step = 1e-3}});
  EXPECT_EQ(small.status, RunStatus::step_too_small);
  EXPECT_NE(small.reason.find("dominated by x[1]"), std::string::npos) << small.reason;
  EXPECT_NE(small.reason.find("0.001"), std::string::npos) << small.reason;
}

TEST(Integrate, StopFlagEndsAfterTheCurrentStep) {
  struct Stopper final : Observer {
    std::atomic<bool> flag = false;
    void on_step(const StepView& step) override {
      if (step.t_end > 0.5) flag = true;
    }
  } stopper;
  const auto problem = make_problem({.f = decay}, {1}, 10);
  Observer* observers[] = {&stopper};
  const auto s = integrate(problem, explicit_method(), {}, {.observers = observers, .stop = &stopper.flag});
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->status, RunStatus::interrupted);
  EXPECT_GT(s->t, 0.5);
  EXPECT_LT(s->t, 10);
  EXPECT_NEAR(s->x[0], std::exp(-s->t), 1e-3);
}

// What an observer or a search for events allocates may not be there: the run ends with what it has.
TEST(Integrate, EndsWhereMemoryEnds) {
  struct Greedy final : Observer {
    void on_step(const StepView& step) override {
      if (step.t_end > 0.5) throw std::bad_alloc();
    }
  } greedy;
  const auto s = run(make_problem({.f = decay}, {1}, 10), {}, {&greedy});
  EXPECT_EQ(s.status, RunStatus::out_of_memory);
  EXPECT_GT(s.t, 0.5);
  EXPECT_LT(s.t, 10);
  EXPECT_NEAR(s.x[0], std::exp(-s.t), 1e-3);
  EXPECT_NE(s.reason.find("no memory left"), std::string::npos) << s.reason;
}

TEST(Integrate, WrongTasksAreRefused) {
  const auto refusal = [](auto change) {
    InitialValueProblem problem = make_problem({.f = decay}, {1}, 1);
    IntegrateOptions options;
    Method method = explicit_method();
    change(problem, options, method);
    const auto result = integrate(problem, method, options);
    return result.ok() ? std::string{} : result.error().message;
  };
  EXPECT_EQ(refusal([](auto&, auto&, auto&) {}), "");
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.t_end = 0; }).find("t_end = 0"), std::string::npos);
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.t_end = std::nan(""); }), "");
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.x = Vector::Zero(2); }).find("2 entries"), std::string::npos);
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.w = Vector::Zero(2); }), "");
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.base = Vector::Zero(2); }), "");
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.x[0] = std::nan(""); }).find("start value of x"), std::string::npos);
  EXPECT_NE(refusal([](auto& p, auto&, auto&) { p.input = *TableSignal::create({0}, {1}); }).find("channels"),
            std::string::npos);
  EXPECT_NE(refusal([](auto&, auto& o, auto&) { o.step.safety = 2; }).find("step.safety"), std::string::npos);
  EXPECT_NE(refusal([](auto&, auto&, auto& m) { m.info.embedded_order = 0; }).find("fixed_step"), std::string::npos);
  EXPECT_EQ(refusal([](auto&, auto& o, auto& m) { m.info.embedded_order = 0, o.step.fixed_step = 0.1; }), "");
}

// --- charts -----------------------------------------------------------------------------------------------------------

TEST(Integrate, BaseFollowsTheStateAndEventsSeeBoth) {
  const auto problem = make_problem({.f =
                                         [](const At& at, Out out) {
                                           out[0] = -(at.base[0] + at.x[0]);
                                           return EvalStatus::ok;
                                         },
                                     .roots = {{.name = "half"}},
                                     .root_values = [](const At& at, Out g) { g[0] = at.base[0] + at.x[0] - 0.5; },
                                     .chart = true},
                                    {1}, 2);
  Recorder recorder(problem);
  const RunSummary s = run(problem, {.tolerances = {.rtol = 1e-8, .atol = 1e-8}}, {&recorder});
  EXPECT_EQ(s.status, RunStatus::finished) << s.reason;
  EXPECT_NEAR(s.base[0] + s.x[0], std::exp(-2), 1e-6);
  EXPECT_LT(std::abs(s.x[0]), 0.1) << "one step over the last base, not the whole way";
  ASSERT_EQ(recorder.events().size(), 1u);
  EXPECT_NEAR(recorder.events()[0].t, std::log(2), 1e-6);
}

// --- inputs -----------------------------------------------------------------------------------------------------------

TEST(Integrate, StepsEndAtBreaksOfTheInputAndDoNotSeeBeyond) {
  auto problem = make_problem({.f =
                                   [](const At& at, Out out) {
                                     out[0] = at.u[0];
                                     return EvalStatus::ok;
                                   },
                               .n_inputs = 1},
                              {0}, 2);
  problem.input = *TableSignal::create({0, 0.3, 0.3, 1, 2}, {0, 0, 10, 10, 20});  // a jump at 0.3, a kink at 1
  for (const double fixed : {0.0, 0.4}) {
    Steps steps;
    const RunSummary s = run(problem, {.step = {.fixed_step = fixed}}, {&steps});
    EXPECT_EQ(s.status, RunStatus::finished) << s.reason;
    EXPECT_NEAR(s.x[0], 10 * 0.7 + 15, 1e-13) << "linear pieces are integrated exactly, if no step sees two";
    EXPECT_EQ(steps.restarts, (std::vector<double>{0, 0.3, 1}));
    EXPECT_EQ(s.statistics.events, 0);
    if (fixed > 0) {
      EXPECT_EQ(s.statistics.accepted, 1 + 2 + 3);
    }
  }
}

// --- checkpoints ------------------------------------------------------------------------------------------------------

TEST(Integrate, ResumedRunsWriteTheSameBytes) {
  // Resumed from every tenth step, a run ends with the same bytes, counters and further checkpoints.
  const auto pendulum = make_problem({.f =
                                          [](const At& at, Out out) {
                                            out[0] = at.x[1];
                                            out[1] = -std::sin(at.x[0]);
                                            return EvalStatus::ok;
                                          },
                                      .roots = {{.name = "lowest point"}},
                                      .root_values = [](const At& at, Out g) { g[0] = at.x[0]; }},
                                     {1, 1}, 20);
  const auto ball = bouncing_ball(0.8, 6);
  struct Case {
    const InitialValueProblem* problem;
    double fixed, max_step;
  };
  for (const auto& [of, fixed, max_step] : {Case{&ball, 0, 0.05}, Case{&ball, 0.037, 1}, Case{&pendulum, 0, 1}}) {
    const InitialValueProblem& problem = *of;
    const IntegrateOptions options{.step = {.fixed_step = fixed, .max_step = max_step}, .checkpoint_every = 10};
    Steps whole;
    const RunSummary s = run(problem, options, {&whole});
    EXPECT_EQ(s.status, RunStatus::finished) << s.reason;
    EXPECT_GT(s.statistics.events, 3);
    ASSERT_GT(whole.checkpoints.size(), 8u);
    for (std::size_t i = 0; i < whole.checkpoints.size(); ++i) {
      Steps rest_of_it;
      Observer* observers[] = {&rest_of_it};
      const auto r =
          integrate(problem, explicit_method(), options, {.observers = observers, .resume = whole.checkpoints[i]});
      ASSERT_TRUE(r.ok()) << r.error().message;
      EXPECT_EQ(std::memcmp(r->x.data(), s.x.data(), 2 * sizeof(double)), 0) << i;
      EXPECT_EQ(r->reason, s.reason);
      EXPECT_EQ(r->statistics.f_calls, s.statistics.f_calls);
      EXPECT_EQ(r->statistics.root_calls, s.statistics.root_calls);
      ASSERT_EQ(rest_of_it.checkpoints.size(), whole.checkpoints.size() - i - 1);
      for (std::size_t j = 0; j < rest_of_it.checkpoints.size(); ++j)
        EXPECT_EQ(rest_of_it.checkpoints[j], whole.checkpoints[i + 1 + j]);
    }
  }
}

TEST(Integrate, CheckpointsAreBarriersInEveryRun) {
  // Also without an observer to keep them: what ages is renewed, so the results do not depend on who watches.
  const auto problem = make_problem({.f = decay}, {1, 2}, 3);
  const IntegrateOptions options{.checkpoint_every = 10};
  Steps steps;
  const RunSummary watched = run(problem, options, {&steps}), alone = run(problem, options), without = run(problem);
  EXPECT_EQ(watched.x, alone.x);
  EXPECT_NE(watched.x, without.x) << "the test's stepper notices the renewal";
}

TEST(Integrate, ForeignCheckpointsAreRefused) {
  const auto problem = make_problem({.f = decay}, {1, 2}, 3);
  Steps steps;
  static_cast<void>(run(problem, {.checkpoint_every = 5}, {&steps}));
  ASSERT_FALSE(steps.checkpoints.empty());
  const auto resumed = [&](const InitialValueProblem& p, const Method& m, std::span<const std::byte> bytes) {
    return integrate(p, m, {.checkpoint_every = 5}, {.resume = bytes}).ok();
  };
  const auto& bytes = steps.checkpoints.front();
  EXPECT_TRUE(resumed(problem, explicit_method(), bytes));
  EXPECT_FALSE(resumed(make_problem({.f = decay}, {1}, 3), explicit_method(), bytes));
  EXPECT_FALSE(resumed(problem, explicit_method(), std::span(bytes).first(bytes.size() - 1)));
  Method other = explicit_method();
  other.info.name = "explicit-teSt";
  EXPECT_FALSE(resumed(problem, other, bytes));
  const std::vector<std::byte> noise(200, std::byte{7});
  EXPECT_FALSE(resumed(problem, explicit_method(), noise));
}

}  // namespace
}  // namespace rubato
