// The exam every method sits: observed order, dense output, evaluation counts, allocations, behaviour after a failure.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "rubato/integrate/method.hpp"
#include "rubato/problem/template_dae.hpp"
#include "support/allocation_counter.hpp"

namespace rubato {
namespace {

/// Nonlinear, non-autonomous, index 1: x₁ = sin t, x₂ = cos t, z = 1.
struct Circle {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sin;
    const S &x1 = at.x[0], &x2 = at.x[1], &z = at.x[2];
    const S r2 = x1 * x1 + x2 * x2;
    out[0] = x2 * z * r2;
    out[1] = -x1 * z * z;
    out[2] = z * z * z + z * r2 - 2.0 + 0.5 * (x1 - sin(at.t));
  }
};

/// The same motion with z = 1 inserted by hand: an ODE.
struct CircleOde {
  double forbidden_after = 100;  ///< the model refuses times beyond this
  template <class S>
  EvalStatus f(const Point<S>& at, std::span<S> out) const {
    using std::cos;
    if (value_of(at.t) > forbidden_after) return EvalStatus::out_of_domain;
    const S r2 = at.x[0] * at.x[0] + at.x[1] * at.x[1];
    out[0] = at.x[1] * r2;
    out[1] = -at.x[0] * r2 + 0.3 * (at.x[1] - cos(at.t));
    return EvalStatus::ok;
  }
};

InitialValueProblem ode(double forbidden_after = 100) {
  InitialValueProblem p;
  p.dae = make_dae(CircleOde{forbidden_after}, {{.name = "x", .size = 2}});
  p.x = Vector(2);
  p.x << 0, 1;
  return p;
}

InitialValueProblem dae() {
  InitialValueProblem p;
  p.dae = make_dae(Circle{}, {{.name = "x", .size = 2}, {.name = "z", .size = 1, .kind = Kind::algebraic}});
  p.x = Vector(3);
  p.x << 0, 1, 1;
  return p;
}

/// Explicit methods cannot solve for algebraic unknowns.
InitialValueProblem hardest(const Method& method) { return method.info.name == "central-differences" ? ode() : dae(); }

/// Fixed steps allow methods without an estimate; what belongs to the estimate is examined with `controlled` ones.
enum class Steps : std::uint8_t { fixed, controlled };
constexpr Steps both[] = {Steps::fixed, Steps::controlled};

bool possible(const Method& method, Steps steps) { return steps == Steps::fixed || method.info.embedded_order > 0; }

std::unique_ptr<Stepper> stepper_for(const Method& method, const InitialValueProblem& problem,
                                     BackEnd back_end = BackEnd::automatic, Steps steps = Steps::fixed) {
  IntegrateOptions options;
  options.any_index = true;  // the exam is the same for all
  options.step.fixed_step = steps == Steps::fixed ? 1 : 0;
  options.linear.back_end = back_end;
  auto made = method.make(method.info, problem, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  auto stepper = std::move(*made);
  EXPECT_EQ(stepper->restart(0, view(problem.x), {}, {}, 0), StepStatus::ok);
  return stepper;
}

Vector exact(const InitialValueProblem& problem, double t) {
  Vector x(problem.x.size());
  x[0] = std::sin(t);
  x[1] = std::cos(t);
  if (x.size() == 3) x[2] = 1;
  return x;
}

/// Steps a multistep method may leave to the method that starts it.
int start_of(const Method& method) { return method.info.kind == "multistep" ? 8 : 1; }

double error_after(const Method& method, const InitialValueProblem& problem, int n) {
  const double h = 1.0 / n;
  auto stepper = stepper_for(method, problem);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(stepper->attempt(i * h, h).status, StepStatus::ok);
    stepper->commit();
  }
  return (map(stepper->x()) - exact(problem, 1)).norm();
}

/// Slope of log error over log h, over the last numbers of steps whose errors are above rounding.
double observed_order(const Method& method, const InitialValueProblem& problem) {
  constexpr double rounding = 2e-12;
  std::vector<double> x, y;
  for (int n = method.info.kind == "multistep" ? 2 * start_of(method) : 1; n <= 512; n *= 2) {
    const double error = error_after(method, problem, n);
    if (error < rounding) break;
    x.push_back(std::log(1.0 / n));
    y.push_back(std::log(error));
  }
  if (x.size() < 2) return method.info.order >= 13 ? method.info.order : 0;  // exact to rounding with a single step
  const std::size_t first = x.size() > 3 ? x.size() - 3 : 0;
  return (y.back() - y[first]) / (x.back() - x[first]);
}

/// The higher the order, the nearer rounding is to the asymptotic range.
double order_tolerance(const Method& method) {
  return method.info.order >= 9 ? 0.9 : method.info.order >= 5 ? 0.4 : 0.15;
}

TEST(MethodExam, ObservedOrderOnANonlinearOde) {
  for (const auto& method : methods())
    EXPECT_NEAR(observed_order(method, ode()), method.info.order, order_tolerance(method)) << method.info.name;
}

TEST(MethodExam, ObservedOrderOnAnIndex1Dae) {
  for (const auto& method : methods()) {
    if (method.info.max_index < 1) continue;                                  // |R(∞)| = 1: outside the theorem
    if (method.info.f_calls == 0 && !method.info.stiffly_accurate) continue;  // order of the stages only
    EXPECT_NEAR(observed_order(method, dae()), method.info.order, order_tolerance(method)) << method.info.name;
  }
}

TEST(MethodExam, DenseOutputHasTheOrderItClaims) {
  // One step: the interpolant of order q has the local error O(h^(q+1)) inside.
  for (const auto& method : methods()) {
    const auto inner = [&](double h) {
      const auto problem = ode();
      auto stepper = stepper_for(method, problem);
      EXPECT_EQ(stepper->attempt(0, h).status, StepStatus::ok);
      stepper->commit();
      Vector x(2), w(2);
      stepper->interpolate(0.37, view(x), view(w));
      EXPECT_LT((w - Vector((Vector(2) << std::cos(0.37 * h), -std::sin(0.37 * h)).finished())).norm(), 1.1 * h);
      stepper->interpolate(1, view(x), {});
      EXPECT_LT((x - map(stepper->x())).norm(), 1e-14);
      stepper->interpolate(0.37, view(x), {});
      return (x - exact(problem, 0.37 * h)).norm();
    };
    const double h = method.info.dense_order > 4 ? 1 : 0.04;  // errors above rounding
    const double slope = std::log2(inner(h) / inner(h / 2));
    EXPECT_GT(slope, method.info.dense_order + 1 - 0.3) << method.info.name;
  }
}

TEST(MethodExam, CountsWhatItDoes) {
  for (const auto& method : methods()) {
    if (method.info.kind != "Rosenbrock") continue;  // iterative, or without J
    auto stepper = stepper_for(method, dae());
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(stepper->attempt(0.1 * i, 0.1).status, StepStatus::ok);
      stepper->commit();
    }
    const Statistics s = stepper->statistics();
    EXPECT_EQ(s.f_calls, 10 * method.info.f_calls) << method.info.name;
    EXPECT_EQ(s.jacobians, 10);
    EXPECT_EQ(s.factorisations, 10);
    EXPECT_EQ(s.solves, 10 * method.info.stages);
  }
}

TEST(MethodExam, NeverAllocatesAfterTheFirstStep) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  for (const auto& method : methods())
    for (const Steps steps : both)
      for (const BackEnd back_end : {BackEnd::dense, BackEnd::klu}) {
        if (!possible(method, steps)) continue;
        auto stepper = stepper_for(method, hardest(method), back_end, steps);
        const int start = start_of(method);  // whose factorisations are not the method's own
        for (int i = 0; i < start; ++i) {
          ASSERT_EQ(stepper->attempt(0.1 * i, 0.1).status, StepStatus::ok);
          stepper->commit();
        }
        Vector x(stepper->x().size()), w(stepper->x().size());
        test::AllocationScope scope;
        for (int i = start; i < start + 20; ++i) {
          ASSERT_EQ(stepper->attempt(0.1 * i, 0.1 / (1 + i % 3)).status, StepStatus::ok);
          stepper->discard();
          ASSERT_EQ(stepper->attempt(0.1 * i, 0.1).status, StepStatus::ok);
          stepper->commit();
          stepper->interpolate(0.5, view(x), view(w));
        }
        EXPECT_EQ(scope.count(), 0) << method.info.name << " with " << to_string(back_end);
      }
}

TEST(MethodExam, AFailedStepLeavesNoTrace) {
  for (const auto& method : methods())
    for (const Steps steps : both) {
      if (!possible(method, steps)) continue;
      // A long step has a stage beyond the forbidden time, a short one has not.
      auto stepper = stepper_for(method, ode(0.05), BackEnd::automatic, steps);
      if (method.info.f_calls != 1) {
        EXPECT_EQ(stepper->attempt(0, 5).status, StepStatus::out_of_domain) << method.info.name;
        stepper->discard();
      }
      EXPECT_EQ(stepper->x()[0], 0);
      EXPECT_EQ(stepper->x()[1], 1);
      ASSERT_EQ(stepper->attempt(0, 0.01).status, StepStatus::ok) << method.info.name;
      stepper->commit();
      auto fresh = stepper_for(method, ode(0.05), BackEnd::automatic, steps);
      ASSERT_EQ(fresh->attempt(0, 0.01).status, StepStatus::ok);
      fresh->commit();
      for (int i = 0; i < 2; ++i) EXPECT_EQ(stepper->x()[i], fresh->x()[i]) << method.info.name;
    }
}

// Also in the middle of a change of order: enough steps for `radau` to rise, with an attempt discarded before each.
TEST(MethodExam, SavesAndLoadsItself) {
  constexpr int kept = 17, all = 40;
  for (const auto& method : methods())
    for (const Steps steps : both) {
      if (!possible(method, steps)) continue;
      auto stepper = stepper_for(method, hardest(method), BackEnd::automatic, steps);
      auto other = stepper_for(method, hardest(method), BackEnd::automatic, steps);
      const auto advance = [&](Stepper& each, int i) {
        static_cast<void>(each.attempt(0.1 * i, 0.2));  // may fail where J is an old one
        each.discard();
        ASSERT_EQ(each.attempt(0.1 * i, 0.1).status, StepStatus::ok) << method.info.name;
        each.commit();
      };
      for (int i = 0; i < kept; ++i) advance(*stepper, i);
      stepper->renew();
      ArchiveWriter out;
      stepper->save(out);
      ArchiveReader in(out.bytes());
      ASSERT_TRUE(other->load(in) && in.at_end());
      for (int i = kept; i < all; ++i)
        for (auto* each : {&stepper, &other}) advance(**each, i);
      for (std::size_t i = 0; i < stepper->x().size(); ++i)
        EXPECT_EQ(stepper->x()[i], other->x()[i]) << method.info.name;
    }
}

/// x' = F(x) with B F on the right and B(x) on the left, or without B.
struct Weighted {
  static constexpr bool constant_mass = false;
  bool weighted = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = at.x[1] * (weighted ? weight(at.x[1]) : S(1.0));
    out[1] = -at.x[0] * (weighted ? weight(at.x[0]) : S(1.0)) * at.x[0];
  }
  template <class S>
  void mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const {
    out[0] = w[0] * (weighted ? weight(at.x[1]) : S(1.0));
    out[1] = w[1] * (weighted ? weight(at.x[0]) : S(1.0));
  }
  template <class S>
  static S weight(const S& x) {
    return 1.0 + 0.5 * x * x;
  }
};

TEST(MethodExam, AMassMatrixThatChangesDoesNotChangeTheEstimate) {
  constexpr double rounding = 1e-5;  // of f, beside a tolerance of 1e-9
  int examined = 0;
  for (const auto& method : methods()) {
    if (method.info.f_calls != 0 || method.info.needs_constant_mass || method.info.order > 6) continue;
    if (method.info.kind == "extrapolation")
      continue;  // its columns, and with them the estimate, are chosen by the error
    double error[2];
    for (const bool weighted : {false, true}) {
      InitialValueProblem problem;
      problem.dae = make_dae(Weighted{weighted}, {{.name = "x", .size = 2}});
      problem.x = Eigen::Vector2d(1, 0.5);
      IntegrateOptions options;
      options.tolerances = {.rtol = 1e-9, .atol = 1e-9};
      auto stepper = method.make(method.info, problem, options);
      ASSERT_TRUE(stepper.ok());
      ASSERT_EQ((*stepper)->restart(0, view(problem.x), {}, {}, 0), StepStatus::ok);
      const Attempt attempt = (*stepper)->attempt(0, 0.02);
      ASSERT_EQ(attempt.status, StepStatus::ok);
      error[weighted] = attempt.error;
    }
    EXPECT_NEAR(error[1], error[0], 0.05 * error[0] + rounding) << method.info.name;
    ++examined;
  }
  EXPECT_GT(examined, 5);
}

}  // namespace
}  // namespace rubato
