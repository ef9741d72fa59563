// Index 3 without reduction: orders on the pendulum (A14), the stiff pendulum's way to it (A15), what keeps solutions on the
// constraint (A31), and runs with error control whose positions deserve their tolerance.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

catalogue::Instance instance_named(const char* name, const char* formulation,
                                   const catalogue::Parameters& parameters = {}) {
  auto instance = catalogue::make_problem(name, parameters, formulation);
  EXPECT_TRUE(instance.ok()) << name << ": " << (instance ? "" : instance.error().message);
  return *instance;
}

RunSummary finished(const InitialValueProblem& problem, std::string_view method, const IntegrateOptions& options) {
  const auto run = integrate(problem, method, options);
  EXPECT_TRUE(run.ok()) << (run ? "" : run.error().message);
  EXPECT_TRUE(completed(run->status)) << method << ": " << run->reason;
  return *run;
}

Vector block_of(const InitialValueProblem& problem, const Vector& x, const char* name) {
  const Block* b = problem.dae->layout().find(name);
  return x.segment(b->offset, b->size);
}

struct Errors {
  double q, v, lambda;
};

/// At a turning point, as after a whole period, errors vanish by symmetry and orders look higher than they are (index 3, Lobatto IIIC: 5, 3, 2).
TEST(IndexThree, OrdersOnThePendulumAtAGenericTime) {  // A14
  constexpr double t_end = 1.4;
  const catalogue::Parameters parameters{{"t_end", t_end}};
  // The same motion from the acceleration level, to rounding.
  const auto exact = instance_named("pendulum", "index-1", parameters);
  IntegrateOptions tight;
  tight.tolerances = {.rtol = 1e-13, .atol = 1e-13};
  const RunSummary end = finished(exact.problem, "radau13", tight);
  const auto errors = [&](const char* method, const char* formulation, int n) {
    const auto instance = instance_named("pendulum", formulation, parameters);
    IntegrateOptions options;
    options.step.fixed_step = t_end / n;
    options.newton.tolerance = 1e-6;  // its remainder must not show
    const RunSummary run = finished(instance.problem, method, options);
    const auto error = [&](const char* name) {
      return (block_of(instance.problem, run.x, name) - block_of(exact.problem, end.x, name)).norm();
    };
    return Errors{error("q"), error("v"), error("lambda")};
  };
  struct Case {
    const char *method, *formulation;
    Errors orders;
  };
  // Index 3 (s = 3 stages, stage order η): q 2s − 1 (Radau IIA), v η, λ η − 1; Lobatto IIIC has η = 2 and order 4.
  const Case cases[] = {{"radau5", "index-2", {5, 5, 3}},
                        {"radau5", "index-3", {5, 3, 2}},
                        {"lobatto-iiic-3", "index-2", {4, 4, 2}},
                        {"lobatto-iiic-3", "index-3", {4, 2, 1}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.method) + ", " + c.formulation);
    const Errors coarse = errors(c.method, c.formulation, 128), fine = errors(c.method, c.formulation, 256);
    EXPECT_NEAR(std::log2(coarse.q / fine.q), c.orders.q, 0.35);
    EXPECT_NEAR(std::log2(coarse.v / fine.v), c.orders.v, 0.35);
    EXPECT_NEAR(std::log2(coarse.lambda / fine.lambda), c.orders.lambda, 0.35);
  }
}

TEST(IndexThree, TheStiffPendulumTendsToTheRigidOneLikeTheSquareOfEps) {  // A15
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-11, .atol = 1e-11};
  const auto rigid = instance_named("stiff-spring-pendulum", "index-1", {{"eps", 0}});
  const Vector limit = block_of(rigid.problem, finished(rigid.problem, "radau13", options).x, "q");
  const auto distance = [&](double eps) {
    const auto soft = instance_named("stiff-spring-pendulum", "eps-lambda", {{"eps", eps}});
    return (block_of(soft.problem, finished(soft.problem, "radau13", options).x, "q") - limit).norm();
  };
  EXPECT_NEAR(std::log10(distance(1e-2) / distance(1e-3)), 2, 0.1);
  EXPECT_NEAR(std::log10(distance(1e-3) / distance(1e-4)), 2, 0.1);
}

/// The largest |x² + y² − 1| at accepted steps.
struct Drift final : Observer {
  double largest = 0, last = 0;
  void on_step(const StepView& step) override {
    last = std::abs(step.x[0] * step.x[0] + step.x[1] * step.x[1] - 1);
    largest = std::max(largest, last);
  }
};

TEST(IndexThree, OnlyThePositionLevelKeepsTheConstraint) {  // A31
  constexpr double tolerance = 1e-5;
  const auto drift = [&](const char* formulation, double t_end) {
    const auto instance = instance_named("pendulum", formulation, {{"t_end", t_end}});
    IntegrateOptions options;
    options.tolerances = {.rtol = tolerance, .atol = tolerance};
    Drift observer;
    Observer* observers[] = {&observer};
    const auto run = integrate(instance.problem, "radau5", options, {.observers = observers});
    EXPECT_TRUE(run.ok() && completed(run->status)) << formulation;
    return observer;
  };
  // Velocity level: the drift grows with time, four times as long, about four times as far.
  const double short_run = drift("index-2", 10).last, long_run = drift("index-2", 40).last;
  EXPECT_GT(long_run, 2.5 * short_run);
  EXPECT_LT(long_run, 6 * short_run);
  for (const char* formulation : {"ggl", "index-3"})
    EXPECT_LT(drift(formulation, 40).largest, tolerance) << formulation;
}

/// The end positions from the acceleration level.
const Vector& reference_positions(const char* name, const catalogue::Parameters& parameters) {
  static std::map<std::pair<std::string, catalogue::Parameters>, Vector> known;
  auto& q = known[{name, parameters}];
  if (q.size() == 0) {
    const auto instance = instance_named(name, "index-1", parameters);
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-12, .atol = 1e-12};
    options.step.initial_step = instance.suggested_initial_step;
    q = block_of(instance.problem, finished(instance.problem, "radau13", options).x, "q");
  }
  return q;
}

TEST(IndexThree, RunsWithoutReductionReachTheirTolerance) {
  struct Case {
    const char* name;
    catalogue::Parameters parameters;
    double factor;  ///< of the tolerance that the error of positions may reach
  };
  const Case cases[] = {{"pendulum", {}, 10},
                        {"slider-crank", {}, 10},
                        {"andrews", {}, 200},
                        {"chain", {{"links", 10}}, 10},
                        {"chain", {{"links", 40}}, 200}};
  for (const Case& c : cases)
    for (const char* method : {"radau5", "radau"})
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        const auto instance = instance_named(c.name, "index-3", c.parameters);
        IntegrateOptions options;
        options.tolerances = {.rtol = tolerance, .atol = tolerance};
        options.step.initial_step = instance.suggested_initial_step;
        const Vector q = block_of(instance.problem, finished(instance.problem, method, options).x, "q");
        const Vector& exact = reference_positions(c.name, c.parameters);
        const double error = ((q - exact).array() / (1 + exact.array().abs())).abs().maxCoeff();
        EXPECT_LE(error, c.factor * tolerance) << c.name << ' ' << method << ' ' << tolerance;
      }
}

}  // namespace
}  // namespace rubato
