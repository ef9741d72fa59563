// Positions in which constraint rows depend on each other for an instant: bars in line, toggles, starts in such a place.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

struct Crank {
  double angle = 0, speed = 1;  ///< from the top, clockwise
};

/// A row of square four-bars: bars v0 … vn on the ground, carried along by couplers c0 … c(n−1), all of length and mass 1. Twice per
/// turn all of them are in line and every loop may fold: the rank of G falls by n.
Mechanism row_of_four_bars(int n, BodyKind kind, Crank start = {}) {
  Mechanism m{.gravity = {0, -9.81, 0}};
  const double s = std::sin(start.angle), c = std::cos(start.angle), w = start.speed;
  const auto bar = [&](const std::string& name, double x, double y, double arm, double turning) {
    m.bodies.push_back({.name = name,
                        .kind = kind,
                        .mass = 1,
                        .inertia = {1.0 / 12, 1.0 / 12, 1.0 / 12},
                        .pose = {.position = {x, y, 0}},
                        .velocity = {arm * w * c, -arm * w * s, 0},
                        .angular_velocity = {0, 0, -turning}});
  };
  const auto pin = [&](const std::string& name, const std::string& a, const std::string& b, double x, double y) {
    m.joints.push_back(
        {.name = name, .type = JointType::revolute, .a = marker_at(a, {x, y, 0}), .b = marker_at(b, {x, y, 0})});
  };
  for (int i = 0; i <= n; ++i) bar("v" + std::to_string(i), i + s / 2, c / 2, 0.5, w);
  for (int i = 0; i < n; ++i) bar("c" + std::to_string(i), i + 0.5 + s, c, 1, 0);
  for (int i = 0; i <= n; ++i) pin("a" + std::to_string(i), "ground", "v" + std::to_string(i), i, 0);
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    pin("l" + k, "v" + k, "c" + k, i + s, c);
    pin("r" + k, "v" + std::to_string(i + 1), "c" + k, i + 1 + s, c);
  }
  return m;
}

/// The same as a pendulum: I φ'' = W sin φ with I = (n+1)/3 + n, W = g ((n+1)/2 + n); Runge-Kutta's fourth order, h = 1e-4.
Crank exact(int n, double t, Crank x = {}) {
  const double k = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
  const int steps = static_cast<int>(std::lround(t / 1e-4));
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const auto f = [&](double angle) { return k * std::sin(angle); };
    const double a1 = x.speed, w1 = f(x.angle), a2 = x.speed + h / 2 * w1, w2 = f(x.angle + h / 2 * a1);
    const double a3 = x.speed + h / 2 * w2, w3 = f(x.angle + h / 2 * a2), a4 = x.speed + h * w3,
                 w4 = f(x.angle + h * a3);
    x.angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    x.speed += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  return x;
}

/// The largest distance of any bar from where the pendulum has it. On the branch on which a loop folds it is of the order of one.
double off(const Ending& end, int n, const Crank& x) {
  double worst = 0;
  for (int i = 0; i <= n; ++i) {
    const std::string name = "v" + std::to_string(i);
    worst = std::max({worst, std::abs(end[name + ".x"] - i - std::sin(x.angle) / 2),
                      std::abs(end[name + ".y"] - std::cos(x.angle) / 2)});
  }
  for (int i = 0; i < n; ++i)
    worst = std::max(worst, std::abs(end["c" + std::to_string(i) + ".x"] - i - 0.5 - std::sin(x.angle)));
  return worst;
}

std::string notes(const Ending& end) {
  std::string all;
  for (const auto& note : end.summary.notes) all += note + '\n';
  return all;
}

/// Two of the three passages lie within a turn; the slow way over the top in between amplifies errors about a hundredfold.
constexpr double t_end = 3;
constexpr double amplified = 300;

void expect_parallelograms(int n, BodyKind kind, const Run& options) {
  const auto end = run(built(row_of_four_bars(n, kind)), options);
  EXPECT_LT(off(end, n, exact(n, options.t_end)), amplified * options.rtol)
      << n << " loops, " << options.method << ", " << options.formulation << ", rtol " << options.rtol;
  EXPECT_NE(notes(end).find("passes singular positions, 3 times"), std::string::npos) << notes(end);
}

/// Positions and velocities go smoothly through the position in line while reactions have a pole there: of two branches that meet the
/// motion stays on the one that continues its velocity, at every tolerance.
TEST(SingularPositions, ParallelogramsPassTheirPositionsInLine) {
  for (const int n : {2, 10})
    for (const double rtol : {1e-4, 1e-6, 1e-8})
      expect_parallelograms(n, BodyKind::planar, {.t_end = t_end, .rtol = rtol, .formulation = "index-3"});
}

TEST(SingularPositions, FormulationsPassThem) {
  for (const char* formulation : {"index-2", "ggl", "index-1", "momentum"})
    expect_parallelograms(2, BodyKind::planar, {.t_end = t_end, .rtol = 1e-6, .formulation = formulation});
}

/// On the branch, that is: how accurate a method is otherwise is its own affair.
TEST(SingularPositions, MethodsPassThem) {
  for (const char* method : {"radau5", "bdf", "lobatto-iiic-3", "generalized-alpha"}) {
    const auto end = run(built(row_of_four_bars(2, BodyKind::planar)),
                         {.t_end = t_end, .rtol = 1e-6, .formulation = "index-3", .method = method});
    EXPECT_LT(off(end, 2, exact(2, t_end)), 1e-2) << method;
    EXPECT_NE(notes(end).find("passes singular positions, 3 times"), std::string::npos) << method << notes(end);
  }
}

/// Small tolerances and low orders mean small steps: the step over the position must not wait until it is a few of them away.
TEST(SingularPositions, MethodsWithSmallStepsPassThem) {
  struct Case {
    const char *method, *formulation;
  };
  for (const auto& [method, formulation] :
       {Case{"generalized-alpha", "index-2"}, {"bdf", "index-2"}, {"bdf", "index-1"}, {"radau5", "index-1"}}) {
    const auto end = run(built(row_of_four_bars(2, BodyKind::planar)),
                         {.t_end = 1.5, .rtol = 1e-8, .formulation = formulation, .method = method});
    EXPECT_LT(off(end, 2, exact(2, 1.5)), 1e-4) << method << ", " << formulation;
    EXPECT_NE(notes(end).find("passes singular positions, 2 times"), std::string::npos) << method << notes(end);
  }
}

/// Steps of an ODE are so wide that they may go over a position between two looks.
TEST(SingularPositions, StateSpaceFormsPassThem) {
  for (const double rtol : {1e-4, 1e-6})
    expect_parallelograms(2, BodyKind::planar, {.t_end = t_end, .rtol = rtol, .formulation = "state-space"});
}

/// From rest σ does not move at first, and a swing that hardly goes beyond the position comes back to it slowly.
TEST(SingularPositions, MotionsFromRestPassThem) {
  struct Case {
    int loops;
    double degrees, rtol;
    const char* formulation;
  };
  for (const auto& [n, degrees, rtol, formulation] : {Case{1, 80, 1e-6, "index-2"},
                                                      {1, 80, 1e-7, "index-2"},
                                                      {3, 88, 1e-8, "index-2"},
                                                      {1, 82, 1e-6, "ggl"},
                                                      {3, 82, 1e-4, "index-3"},
                                                      {2, 60, 1e-6, "index-3"}}) {
    const Crank start{.angle = degrees * std::numbers::pi / 180, .speed = 0};
    const auto end = run(built(row_of_four_bars(n, BodyKind::planar, start)),
                         {.t_end = t_end, .rtol = rtol, .formulation = formulation});
    EXPECT_LT(off(end, n, exact(n, t_end, start)), amplified * rtol) << n << " loops from " << degrees << "°";
    EXPECT_NE(notes(end).find("passes singular positions"), std::string::npos) << notes(end);
  }
}

/// In space six of 35 rows depend on the others everywhere, and two more in line.
TEST(SingularPositions, SpatialParallelogramsPassThem) {
  for (const double rtol : {1e-4, 1e-6})
    expect_parallelograms(2, BodyKind::spatial, {.t_end = t_end, .rtol = rtol, .formulation = "index-3"});
}

TEST(SingularPositions, FixedStepsPassThem) {
  const auto end =
      run(built(row_of_four_bars(2, BodyKind::planar)),
          {.t_end = t_end, .rtol = 1e-8, .formulation = "index-2", .method = "radau5", .fixed_step = 0.01});
  EXPECT_LT(off(end, 2, exact(2, t_end)), 1e-4);
}

TEST(LongSingularPositions, FortyLoopsPassThem) {
  for (const double rtol : {1e-4, 1e-6, 1e-8})
    expect_parallelograms(40, BodyKind::planar, {.t_end = t_end, .rtol = rtol, .formulation = "index-3"});
}

/// A start in line has a rank that only this position has. The velocity says which rows the motion needs: none is left out.
TEST(SingularPositions, AStartInLineGoesWhereItsVelocityPoints) {
  const Crank start{.angle = std::numbers::pi / 2, .speed = 5};
  for (const double rtol : {1e-4, 1e-8}) {
    const auto end =
        run(built(row_of_four_bars(2, BodyKind::planar, start)), {.t_end = 1, .rtol = rtol, .formulation = "index-3"});
    EXPECT_TRUE(end.diagnosis.dependent.empty());
    EXPECT_EQ(end.diagnosis.singular.size(), 2U);
    EXPECT_LT(off(end, 2, exact(2, 1, start)), amplified * rtol);
  }
}

/// From rest every branch is possible: the run says so instead of choosing one.
TEST(SingularPositions, AStartInLineFromRestEndsWithTheNamesOfItsConstraints) {
  const auto end = run(built(row_of_four_bars(2, BodyKind::planar, {.angle = std::numbers::pi / 2, .speed = 0})),
                       {.t_end = 1, .rtol = 1e-4, .formulation = "index-3", .ends = RunStatus::inconsistent});
  EXPECT_EQ(end.diagnosis.dependent.size(), 2U);
  EXPECT_NE(end.summary.reason.find("r1.x"), std::string::npos) << end.summary.reason;
  EXPECT_NE(end.summary.reason.find("singular position"), std::string::npos) << end.summary.reason;
}

/// A point on two rods in line and two bars in line: to first order they may move, in fact they may not. Left alone the motion
/// leaves one rod altogether.
TEST(SingularPositions, TogglesEndWithTheNamesOfTheirConstraints) {
  const Mechanism toggle{
      .bodies = {{.name = "p", .kind = BodyKind::point, .mass = 1, .pose = {.position = {1, 0, 0}}}},
      .joints = {{.name = "r1", .type = JointType::distance, .a = {.body = "ground"}, .b = {.body = "p"}},
                 {.name = "r2", .type = JointType::distance, .a = marker_at("ground", {2, 0, 0}), .b = {.body = "p"}}},
      .gravity = {0, -9.81, 0}};
  const auto bar = [](const char* name, double x) {
    return Body{.name = name,
                .kind = BodyKind::planar,
                .mass = 1,
                .inertia = {0, 0, 1.0 / 12},
                .pose = {.position = {x, 0, 0}}};
  };
  const auto pin = [](const char* name, const char* a, const char* b, double x) {
    return Joint{.name = name, .type = JointType::revolute, .a = marker_at(a, {x, 0, 0}), .b = marker_at(b, {x, 0, 0})};
  };
  const Mechanism bars{.bodies = {bar("l", 0.5), bar("r", 1.5)},
                       .joints = {pin("a", "ground", "l", 0), pin("b", "l", "r", 1), pin("c", "ground", "r", 2)},
                       .gravity = {0, -9.81, 0}};
  for (const char* formulation : {"index-3", "index-2"})
    for (const auto& [mechanism, row] : {std::pair{&toggle, "r2.length"}, {&bars, "c.x"}}) {
      const auto end = run(built(*mechanism),
                           {.t_end = 1, .rtol = 1e-4, .formulation = formulation, .ends = RunStatus::inconsistent});
      EXPECT_NE(end.summary.reason.find(row), std::string::npos) << end.summary.reason;
      EXPECT_LT(end.summary.t, 0.1);
    }
}

}  // namespace
}  // namespace rubato::multibody
