// Old factors as preconditioners, on mechanical systems as well, and the choice between factors and Krylov spaces: the path is decided by
// counts and rates, the motion is the same on every path.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

constexpr double rtol = 1e-4;

IntegrateOptions plain() {
  IntegrateOptions options;
  options.tolerances = {.rtol = rtol, .atol = 1e-2 * rtol};
  return options;
}

/// Factorisations that take so many seconds per operation.
IntegrateOptions with_old_factor(double flops_per_second) {
  IntegrateOptions options = plain();
  options.linear.krylov.use = true;
  options.linear.krylov.matrix.preconditioner = KrylovPreconditioner::factor;
  options.linear.krylov.coupling = KrylovCoupling::error;
  options.linear.krylov.rates.factor_flops = flops_per_second;
  return options;
}

RunSummary run_with_factor(const InitialValueProblem& problem, const IntegrateOptions& options, const char* method) {
  const auto end = integrate(problem, method, options);
  EXPECT_TRUE(end.ok()) << end.error().message;
  EXPECT_TRUE(completed(end->status)) << end->reason;
  return *end;
}

struct Task {
  const char *problem, *formulation, *method;
  catalogue::Parameters parameters = {};
  double t_end = 0;
};

/// Of mechanical systems and others, stiff and with constraints: a factor that costs nothing is renewed as soon as it is
/// noticed, one that costs much serves for many steps, at the price of more products. The solution
/// hardly notices: errors are those of the method.
TEST(OldFactors, ServeForManySteps) {
  for (const Task& task : {Task{"mass-spring-lattice", "eps-lambda", "rodas4p", {}, 0.5},
                           Task{"reaction-diffusion", "", "rodas4p", {{"n", 12}, {"t_end", 0.1}}, 0},
                           Task{"viscoelastic-plate", "", "rodas4p", {}, 0},
                           Task{"stiff-spring-pendulum", "", "ros3p", {{"eps", 1e-3}}, 1}}) {
    auto instance = catalogue::make_problem(task.problem, task.parameters, task.formulation);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    if (task.t_end > 0) instance->problem.t_end = task.t_end;
    const auto direct = run_with_factor(instance->problem, plain(), task.method);
    const auto free = run_with_factor(instance->problem, with_old_factor(1e30), task.method);
    const auto dear = run_with_factor(instance->problem, with_old_factor(1e2), task.method);
    EXPECT_LE(free.statistics.factorisations, direct.statistics.factorisations) << task.problem;
    EXPECT_LT(free.statistics.krylov_products, 3 * free.statistics.solves) << task.problem;
    EXPECT_LT(5 * dear.statistics.factorisations, 3 * direct.statistics.factorisations) << task.problem;
    EXPECT_GT(dear.statistics.krylov_products, dear.statistics.solves) << task.problem;
    EXPECT_LT(static_cast<double>(dear.statistics.steps), 5 + 1.2 * static_cast<double>(direct.statistics.steps))
        << task.problem;
    IntegrateOptions fine = plain();
    fine.tolerances = {.rtol = 1e-8, .atol = 1e-10};
    const Vector exact = run_with_factor(instance->problem, fine, task.method).x;
    const auto error = [&](const RunSummary& summary) { return (summary.x - exact).cwiseAbs().maxCoeff(); };
    const double allowed = 2 * error(direct) + rtol * exact.cwiseAbs().maxCoeff();
    EXPECT_LT(error(free), allowed) << task.problem;
    EXPECT_LT(error(dear), allowed) << task.problem;
  }
}

IntegrateOptions automatic(const SolverRates& rates) {
  IntegrateOptions options = plain();
  options.linear.krylov.use = options.linear.krylov.automatic = true;
  options.linear.krylov.rates = rates;
  return options;
}

/// Where products are dear all systems go to factors, where factors are dear none does; and a space that does not converge hands its
/// system over instead of failing the step.
TEST(AutomaticChoice, FollowsTheRates) {
  const auto instance = catalogue::make_problem("reaction-diffusion", {{"n", 12}, {"t_end", 0.1}});
  ASSERT_TRUE(instance.ok());
  const auto direct = run_with_factor(instance->problem, plain(), "rodas4p");
  const auto factors =
      run_with_factor(instance->problem, automatic({.factor_flops = 1e12, .product_entries = 1e3}), "rodas4p");
  EXPECT_EQ(factors.statistics.krylov_products, 0);
  EXPECT_EQ(factors.statistics.factorisations, direct.statistics.factorisations);
  EXPECT_EQ(factors.x, direct.x);
  const auto spaces = run_with_factor(instance->problem, automatic({.factor_flops = 1e2}), "rodas4p");
  EXPECT_GT(spaces.statistics.krylov_products, spaces.statistics.solves);
  EXPECT_NEAR(static_cast<double>(spaces.statistics.steps), static_cast<double>(direct.statistics.steps), 2);
  EXPECT_LT((spaces.x - direct.x).norm(), 10 * rtol * direct.x.norm());

  IntegrateOptions small = automatic({.factor_flops = 1e2});
  small.linear.krylov.matrix.max_dimension = 3;
  const auto rescued = run_with_factor(instance->problem, small, "rodas4p");
  EXPECT_EQ(rescued.statistics.failed, 0);
  EXPECT_LT((rescued.x - direct.x).norm(), 10 * rtol * direct.x.norm());
  small.linear.krylov.automatic = false;
  const auto lost = integrate(instance->problem, "rodas4p", small);
  ASSERT_TRUE(lost.ok());
  EXPECT_GT(lost->statistics.failed, 10) << "without the choice three vectors are too few";
}

/// Incomplete factors precondition less, and the solution does not notice: of g_z on the plate, of the whole matrix elsewhere.
TEST(IncompleteFactors, CostIterationsOnly) {
  const auto plate = catalogue::make_problem("viscoelastic-plate", {{"nx", 20}, {"ny", 8}});
  const auto net = catalogue::make_problem("mass-spring-lattice", {}, "penalty");
  ASSERT_TRUE(plate.ok() && net.ok());
  for (const bool whole : {false, true}) {
    const InitialValueProblem& problem = whole ? net->problem : plate->problem;
    IntegrateOptions options = with_old_factor(2e9);
    if (!whole) options.linear.krylov.matrix.preconditioner = KrylovPreconditioner::constraint;
    const auto direct = run_with_factor(problem, plain(), "rodas4p");
    const auto exact = run_with_factor(problem, options, "rodas4p");
    options.linear.krylov.matrix.factors = KrylovFactors::incomplete;
    const auto incomplete = run_with_factor(problem, options, "rodas4p");
    EXPECT_GE(incomplete.statistics.krylov_products, exact.statistics.krylov_products);
    RecordProperty(whole ? "net" : "plate",
                   fmt::format("{} {} {}", direct.statistics.solves, exact.statistics.krylov_products,
                               incomplete.statistics.krylov_products));
    EXPECT_LT(incomplete.statistics.krylov_products, 10 * exact.statistics.krylov_products);
    EXPECT_LT((incomplete.x - direct.x).cwiseAbs().maxCoeff(), 20 * rtol * direct.x.cwiseAbs().maxCoeff());
  }
  IntegrateOptions options = plain();
  options.linear.back_end = BackEnd::incomplete;
  EXPECT_FALSE(integrate(plate->problem, "rodas4p", options).ok()) << "it solves nothing by itself";
}

TEST(AutomaticChoice, SaysWhatItDoesNotGoWith) {
  const auto heat = catalogue::make_problem("reaction-diffusion", {{"n", 6}});
  IntegrateOptions options = automatic({});
  options.linear.krylov.products = KrylovProducts::differences;
  EXPECT_FALSE(integrate(heat->problem, "rodas4p", options).ok());
  options = automatic({.factor_flops = -1});
  EXPECT_FALSE(integrate(heat->problem, "rodas4p", options).ok());
  const auto beam = catalogue::make_problem("beam", {});
  const auto refused = integrate(beam->problem, "rodas4p", automatic({}));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("krylov.preconditioner = \"factor\""), std::string::npos);
}

}  // namespace
}  // namespace rubato
