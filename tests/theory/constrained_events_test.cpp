// Events and jumps where unknowns are tied by equations: after them the state is consistent again.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/recorder.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_dae.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

/// x' = −y, 0 = y − u x; u is the input.
struct Leak {
  static constexpr bool constant_mass = true;
  int n_inputs() const { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -at.x[1];
    out[1] = at.x[1] - at.u[0] * at.x[0];
  }
};

TEST(ConstrainedEvents, AlgebraicUnknownsFollowAJumpOfTheInput) {
  InitialValueProblem problem;
  problem.dae = make_dae(Leak{}, {{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}});
  problem.input = *TableSignal::create({0, 0.5, 0.5, 1}, {1, 1, 3, 3});
  problem.x = Eigen::Vector2d(1, 1);
  // (Not ROS3P: the error estimate of its pair vanishes on linear autonomous equations, β₂₁ = 0.)
  for (const char* method : {"rodas3", "rodas4"}) {
    Recorder recorder(problem);
    Observer* observers[] = {&recorder};
    const auto s = integrate(problem, method, {.tolerances = {.rtol = 1e-6, .atol = 1e-6}}, {.observers = observers});
    ASSERT_TRUE(s.ok()) << s.error().message;
    EXPECT_EQ(s->status, RunStatus::finished) << s->reason;
    EXPECT_NEAR(s->x[0], std::exp(-0.5 - 3 * 0.5), 1e-5) << method;
    EXPECT_NEAR(s->x[1], 3 * s->x[0], 1e-5) << method;
    int at_jump = 0;
    for (std::size_t i = 0; i < recorder.rows(); ++i)
      if (recorder.times()[i] == 0.5) {
        const double u = at_jump++ == 0 ? 1 : 3;
        EXPECT_NEAR(recorder.row(i)[1], u * recorder.row(i)[0], u == 1 ? 1e-5 : 1e-12) << method;
      }
    EXPECT_EQ(at_jump, 2);
  }
}

/// 0 = y² − 1 up to the event at x = 0.5, 0 = y² + 1 afterwards, which no y solves.
struct DeadEnd {
  static constexpr bool constant_mass = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = at.x[1];
    out[1] = at.x[1] * at.x[1] + (at.mode == 0 ? -1.0 : 1.0);
  }
  std::vector<RootInfo> roots() const { return {{.name = "gate"}}; }
  void root_values(const At& at, Out g) const { g[0] = at.x[0] - 0.5; }
  EventEffect on_event(const EventContext&, Out) const { return {.mode = 1, .state_changed = true}; }
};

TEST(ConstrainedEvents, WithoutAConsistentStateTheRunEndsAtTheEvent) {
  InitialValueProblem problem;
  problem.dae = make_dae(DeadEnd{}, {{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}});
  problem.x = Eigen::Vector2d(0, 1);
  const auto s = integrate(problem, "ros3p");
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->status, RunStatus::inconsistent);
  EXPECT_NEAR(s->t, 0.5, 1e-9);
  EXPECT_NE(s->reason.find("'gate'"), std::string::npos) << s->reason;
}

/// A pendulum of length 1 and gravity 1 beside a wall at x = 0 that throws it back without loss.
struct WallPendulum {
  static constexpr bool constant_mass = true;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
    out[1] = a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(0.0);
    f[1] = S(-1.0);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = 0.5 * (p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0);
  }
  std::vector<RootInfo> roots() const { return {{.name = "wall", .crossing = Crossing::falling}}; }
  void root_values(const MechanicalPoint<double>& p, Out g) const { g[0] = p.q[0]; }
  EventEffect on_event(const EventContext& event, Out, Out v, Out) const {
    v[0] = -v[0];
    return {.mode = event.mode, .state_changed = true};
  }
};

TEST(ConstrainedEvents, APendulumIsThrownBackByAWall) {
  // Released at 60° it hits the wall after a quarter of its period T, then every half period; T/4 = K(sin 30°).
  const double quarter = std::comp_ellint_1(0.5);
  const auto system = make_mechanical(WallPendulum{});
  const MechanicalState guess{.q = Eigen::Vector2d(std::sin(M_PI / 3), -std::cos(M_PI / 3)),
                              .v = Eigen::Vector2d(0, 0),
                              .z = Vector(0),
                              .lambda = Vector::Zero(1),
                              .nu = Vector(0)};
  const auto start = consistent_state(*system, guess);
  ASSERT_TRUE(start.ok()) << start.error().message;
  for (const char* formulation : {"index-1", "index-2", "ggl", "semi-explicit", "state-space"}) {
    const auto chosen = formulation_by_name(formulation);
    ASSERT_TRUE(chosen.ok()) << chosen.error().message;
    const auto dae = formulate(system, *chosen);
    ASSERT_TRUE(dae.ok()) << dae.error().message;
    InitialValueProblem problem;
    problem.dae = *dae;
    problem.t_end = 6 * quarter;
    (*dae)->pack(*start, problem.x, problem.w);
    Recorder recorder(problem);
    Observer* observers[] = {&recorder};
    const auto s =
        integrate(problem, "rodas4p", {.tolerances = {.rtol = 1e-7, .atol = 1e-7}}, {.observers = observers});
    ASSERT_TRUE(s.ok()) << formulation << ": " << s.error().message;
    EXPECT_EQ(s->status, RunStatus::finished) << formulation << ": " << s->reason;
    ASSERT_EQ(recorder.events().size(), 3u) << formulation;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(recorder.events()[i].t, static_cast<double>(2 * i + 1) * quarter, 1e-4) << formulation;
    EXPECT_NEAR(s->x[0], guess.q[0], 1e-3) << formulation << ": back where it was released";
    // The tension λ = v² + cos φ (m = 1, length 1) at the wall, right after the event.
    const Block* lambda = (*dae)->layout().find("lambda");
    for (std::size_t i = 0; i < recorder.rows() && lambda != nullptr; ++i) {
      if (recorder.times()[i] != recorder.events()[0].t || recorder.row(i)[2] < 0) continue;
      EXPECT_NEAR(recorder.row(i)[static_cast<std::size_t>(lambda->offset)], 2, 1e-4) << formulation;
    }
  }
}

}  // namespace
}  // namespace rubato
