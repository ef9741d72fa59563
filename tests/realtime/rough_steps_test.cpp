// Steps that lead where a model cannot be evaluated, or begin where a derivative is infinite: they fail, and the state is held.
#include <gtest/gtest.h>

#include "realtime/stepper_models.hpp"
#include "rubato/realtime/realtime_stepper.hpp"
#include "rubato/realtime/static_solver.hpp"

namespace rubato::realtime {
namespace {

/// 0 = log y + 3 t: a full Newton step from y = 1 at t = 0.5 leads to y = −0.5.
struct Logarithm {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::log;
    out[0] = log(at.x[0]) + 3.0 * at.t;
  }
};
/// 0 = y² − 1 − t for y ≤ 1.05 only.
struct Bounded {
  template <class S>
  EvalStatus f(const Point<S>& at, std::span<S> out) const {
    if (at.x[0] > 1.05) return EvalStatus::out_of_domain;
    out[0] = at.x[0] * at.x[0] - 1.0 - at.t;
    return EvalStatus::ok;
  }
};
/// x' = 1 − √x, y' = x − y².
struct Root {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sqrt;
    out[0] = 1.0 - sqrt(at.x[0]);
    out[1] = at.x[0] - at.x[1] * at.x[1];
  }
};

template <class Model>
auto algebraic(Model model) {
  return make_dae(std::move(model), {{.name = "y", .size = 1, .kind = Kind::algebraic}});
}
const Sample one{0, Vector{{1.0}}, Vector()};

TEST(RoughSteps, ANewStateWithoutEquationsIsNotTaken) {
  const auto dae = algebraic(Logarithm{});
  const auto plan = test_models::full_plan(*dae, one, {.step = 0.5, .time = StepTime::end});
  ASSERT_TRUE(plan.ok());
  auto stepper = RealtimeStepper::create(*dae, *plan, one).value();
  EXPECT_EQ(stepper->step({}).status, RealtimeStatus::refused);
  EXPECT_EQ(stepper->state()[0], 1);
  const auto bounded = algebraic(Bounded{});
  const auto its_plan = test_models::full_plan(*bounded, one, {.step = 0.05, .time = StepTime::end});
  auto other = RealtimeStepper::create(*bounded, *its_plan, one).value();
  double last = 1;
  for (int n = 0; n < 5; ++n) {
    const StepReport report = other->step({});
    EXPECT_EQ(report.status == RealtimeStatus::ok, other->state()[0] != last);
    EXPECT_LE(other->state()[0], 1.05);
    last = other->state()[0];
  }
  EXPECT_GT(last, 1);
}

/// λ = 1/2 gives y = 0.25.
TEST(RoughSteps, DampingFindsTheShorterStep) {
  const auto dae = algebraic(Logarithm{});
  const auto plan = test_models::full_plan(*dae, one, {.step = 0.5, .time = StepTime::end, .damping = true});
  ASSERT_TRUE(plan.ok());
  auto stepper = RealtimeStepper::create(*dae, *plan, one).value();
  const StepReport report = stepper->step({});
  EXPECT_EQ(report.status, RealtimeStatus::ok);
  EXPECT_EQ(report.damping, 0.5);
  EXPECT_NEAR(stepper->state()[0], 0.25, 1e-15);
}

/// At x = 0 the matrix has an infinite entry, whose inverse is zero: a step of nothing is no solution.
TEST(RoughSteps, InfiniteDerivativesAreNoSolution) {
  for (const StaticKind kind : {StaticKind::qr, StaticKind::lu}) {
    const auto dae = make_dae(Root{}, {{.name = "x", .size = 2}});
    const Sample start{0, Vector{{0.5, 0.1}}, Vector()};
    const auto plan = test_models::full_plan(*dae, start, {.step = 0.1, .back_end = kind});
    ASSERT_TRUE(plan.ok());
    auto stepper = RealtimeStepper::create(*dae, *plan, start).value();
    auto mark = stepper->mark();
    mark.x = {0.0, 0.1};
    stepper->go_back(mark);
    EXPECT_EQ(stepper->step({}).status, RealtimeStatus::not_finite) << to_string(kind);
  }
}

TEST(RoughSteps, TheMonitorKeepsWhatIsNoNumber) {
  const SparsePattern a = SparsePattern::identity(3);
  ResidualMonitor monitor(a);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(monitor.backward_error(std::vector<double>{1, infinite, 1}, std::vector<double>{1, 1, 1},
                                                std::vector<double>{1, 0, 1})));
}

}  // namespace
}  // namespace rubato::realtime
