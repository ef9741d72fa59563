// Implicit Runge-Kutta runs where something is unusual: models that are not numbers, tolerances of zero, rows that come and
// go, forms of mechanics without M v'.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_dae.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

template <class Model>
InitialValueProblem problem_of(Model model, const Vector& x, double t_end) {
  InitialValueProblem problem;
  problem.dae = make_dae(std::move(model), {{.name = "x", .size = static_cast<int>(x.size())}});
  problem.x = x;
  problem.t_end = t_end;
  return problem;
}

struct NotANumberLater {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -at.x[0];
    if (value_of(at.t) > 0.5) out[0] = out[0] * std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(ImplicitRuns, EndWhereTheModelIsNotANumber) {
  const auto problem = problem_of(NotANumberLater{}, Vector::Ones(1), 1);
  for (const std::string method : {"radau", "radau5", "lobatto-iiic-3", "lobatto-iiia-3", "lobatto-iiic+iiia"})
    for (const double fixed_step : {0.0, 0.1}) {
      IntegrateOptions options;
      options.step.fixed_step = fixed_step;
      const auto end = integrate(problem, method, options);
      ASSERT_TRUE(end.ok()) << end.error().message;
      EXPECT_EQ(end->status, RunStatus::not_finite) << method << ": " << end->reason;
      EXPECT_NEAR(end->t, 0.5, 1e-10) << method;
      EXPECT_NEAR(end->x[0], std::exp(-0.5), 1e-4) << method;
    }
}

struct Resting {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -at.x[0];
    out[1] = -at.x[1];
  }
};

TEST(ImplicitRuns, NeedNoAbsoluteToleranceForWhatStaysZero) {
  const auto problem = problem_of(Resting{}, Eigen::Vector2d(1, 0), 1);
  for (const std::string method : {"radau", "lobatto-iiic-3", "lobatto-iiia-3"}) {
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-6, .atol = 0};
    const auto end = integrate(problem, method, options);
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->status, RunStatus::finished) << method << ": " << end->reason;
    EXPECT_NEAR(end->x[0], std::exp(-1), 1e-5) << method;
  }
}

/// Van der Pol's equation, multiplied by a mass matrix that depends on the state: the solution stays the same.
struct VanDerPolWithMass {
  double k = 1e6;
  bool massive = true;
  template <class S>
  void mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const {
    multiply(at, w[0], w[1], out);
  }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S a = at.x[0], b = at.x[1];
    multiply(at, b, k * ((1.0 - a * a) * b - a), out);
  }

 private:
  template <class S>
  void multiply(const Point<S>& at, const S& w1, const S& w2, std::span<S> out) const {
    using std::sin;
    out[0] = w1;
    out[1] = massive ? (1.0 + 0.5 * sin(20.0 * at.x[0])) * w2 : w2;
  }
};

// High orders with stiffness and B(x): iterations failed on continued starting values until h = 1e-19.
TEST(ImplicitRuns, HighOrdersTakeStiffProblemsWithMassMatricesThatDependOnTheState) {
  for (const double k : {1e2, 1e4, 1e6}) {
    const auto exact = integrate(problem_of(VanDerPolWithMass{k, false}, Eigen::Vector2d(2, 0), 2), "radau13",
                                 {.tolerances = {.rtol = 1e-10, .atol = 1e-10}});
    ASSERT_TRUE(exact.ok() && completed(exact->status));
    for (const char* method : {"radau", "radau5", "radau9", "radau13"})
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        const auto end = integrate(problem_of(VanDerPolWithMass{k}, Eigen::Vector2d(2, 0), 2), method,
                                   {.tolerances = {.rtol = rtol, .atol = rtol}, .step = {.max_steps = 5000}});
        ASSERT_TRUE(end.ok());
        EXPECT_EQ(end->status, RunStatus::finished) << method << k << rtol << end->reason;
        EXPECT_LT(std::abs(end->x[0] / exact->x[0] - 1), 10 * rtol) << method << k << rtol;
      }
  }
}

/// The third row is a pure quadrature half of the time.
struct SometimesQuadrature {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::cos;
    out[0] = at.x[1];
    out[1] = -4.0 * at.x[0];
    out[2] = cos(5.0 * at.t);
    if (value_of(at.x[0]) > 0) out[2] = out[2] + 0.5 * at.x[0] * at.x[0];
  }
};

// Checkpoints of the resumed run as well: whatever was left over from earlier rows and orders is not part of the state.
TEST(ImplicitRuns, ResumedRunsWriteTheSameCheckpoints) {
  struct Keeper final : Observer {
    void on_checkpoint(double, std::span<const std::byte> bytes) override {
      kept.emplace_back(bytes.begin(), bytes.end());
    }
    std::vector<std::vector<std::byte>> kept;
  };
  const auto problem = problem_of(SometimesQuadrature{}, Vector::Ones(3), 10);
  for (const std::string method : {"radau", "lobatto-iiic-3", "lobatto-iiia-3"}) {
    IntegrateOptions options;
    options.checkpoint_every = 2;
    Keeper whole;
    Observer* const observer = &whole;
    const auto end = integrate(problem, method, options, {.observers = {&observer, 1}});
    ASSERT_TRUE(end.ok());
    ASSERT_GT(whole.kept.size(), 6U);
    for (std::size_t k = 0; k < whole.kept.size(); k += 3) {
      Keeper rest;
      Observer* const other = &rest;
      const auto resumed = integrate(problem, method, options, {.observers = {&other, 1}, .resume = whole.kept[k]});
      ASSERT_TRUE(resumed.ok());
      EXPECT_EQ(resumed->x, end->x) << method;
      ASSERT_EQ(rest.kept.size(), whole.kept.size() - k - 1) << method;
      for (std::size_t i = 0; i < rest.kept.size(); ++i)
        ASSERT_EQ(rest.kept[i], whole.kept[k + 1 + i]) << method << " from " << k << ", checkpoint " << i;
    }
  }
}

struct TwoSprings {
  static constexpr bool constant_mass = true, autonomous = true;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = 2.0 * a[0] + 0.1 * a[1];
    out[1] = 0.1 * a[0] + a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> out) const {
    out[0] = -1e6 * p.q[0] + 0.5 * p.q[1];
    out[1] = -4.0 * p.q[1] + 0.5 * p.q[0];
  }
};

InitialValueProblem two_springs(std::string_view formulation) {
  const auto dae = formulate(make_mechanical(TwoSprings{}), *formulation_by_name(formulation));
  EXPECT_TRUE(dae.ok());
  InitialValueProblem problem;
  Vector w;
  (*dae)->pack({.q = Eigen::Vector2d(1e-4, 1), .v = Vector::Zero(2), .a = Vector::Zero(2)}, problem.x, w);
  problem.dae = *dae;
  problem.t_end = 5;
  return problem;
}

TEST(ImplicitRuns, StiffCoordinatesAreFoundInFormsWithMomenta) {
  for (const std::string formulation : {"index-2", "state-space", "momentum", "hamilton"}) {
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-3, .atol = 1e-3};
    const auto all = integrate(two_springs(formulation), "radau", options);
    options.stiffness.detect = true;
    const auto scaled = integrate(two_springs(formulation), "radau", options);
    ASSERT_TRUE(all.ok() && scaled.ok());
    EXPECT_EQ(scaled->stiff, std::vector<int>{0}) << formulation;
    EXPECT_LT(3 * scaled->statistics.steps, all->statistics.steps) << formulation;
  }
}

// Frequencies decide alone where no error chooses the step: the strategy leaves the mild spring to IIID.
TEST(ImplicitRuns, StiffCoordinatesAreFoundWithFixedSteps) {
  for (const std::string formulation : {"index-2", "momentum", "hamilton"}) {
    IntegrateOptions options;
    options.stiffness.detect = true;
    for (const double h : {0.1, 1e-4}) {
      options.step.fixed_step = h;
      auto problem = two_springs(formulation);
      problem.t_end = 20 * h;
      const auto end = integrate(problem, "lobatto-iiic+iiid", options);
      ASSERT_TRUE(end.ok()) << end.error().message;
      EXPECT_EQ(end->stiff, h == 0.1 ? std::vector<int>{0} : std::vector<int>{}) << formulation << " " << h;
    }
  }
}

TEST(ImplicitRuns, NoTableOfARowMayHaveAnEstimateThatVanishes) {
  IntegrateOptions options;
  options.runge_kutta.alpha0 = 0.25;  // zero at θ = 2/5
  options.runge_kutta.theta_of = {{"q[0]", 0.4}};
  EXPECT_FALSE(integrate(two_springs("index-2"), "lobatto-iiiac-3:0", options).ok());
  options.runge_kutta.theta_of = {{"q[0]", 0.8}};
  EXPECT_TRUE(integrate(two_springs("index-2"), "lobatto-iiiac-3:0", options).ok());
  options.runge_kutta.theta_of = {};
  options.runge_kutta.alpha0 = 1.0 / 3;  // zero at θ = 0
  EXPECT_FALSE(integrate(two_springs("index-2"), "lobatto-iiic+iiia", options).ok());
}

}  // namespace
}  // namespace rubato
