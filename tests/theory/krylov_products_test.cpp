// Krylov spaces without a Jacobian, residuals measured by the error they cause, and what the shared space saves.
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/catalogue.hpp"
#include "experiments/krylov_row/parabolic_run.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/template_dae.hpp"
#include "support/allocation_counter.hpp"

namespace rubato {
namespace {

catalogue::Instance plane(double n, double t_end = 0.1) {
  return *catalogue::make_problem("reaction-diffusion", {{"n", n}, {"t_end", t_end}});
}

IntegrateOptions with_krylov(double rtol) {
  IntegrateOptions options;
  options.tolerances = {.rtol = rtol, .atol = rtol};
  options.linear.krylov.use = true;
  options.linear.krylov.matrix.max_dimension = 300;
  return options;
}

RunSummary run_products(const catalogue::Instance& instance, const IntegrateOptions& options,
                        const char* method = "rodas4p") {
  const auto end = integrate(instance.problem, method, options);
  EXPECT_TRUE(end.ok()) << end.error().message;
  EXPECT_TRUE(completed(end->status)) << end->reason;
  return *end;
}

/// Products by dual numbers are those of the matrix, those by differences agree to eight digits: the same steps, the same motion, and no
/// Jacobian. Rows of constraints are all that is formed, two evaluations (eight columns each) where there are walls.
TEST(KrylovProducts, NeedNoJacobian) {
  const auto instance = plane(10);
  for (const auto constraints : {KrylovConstraints::whole, KrylovConstraints::eliminated})
    for (const auto preconditioner : {KrylovPreconditioner::none, KrylovPreconditioner::constraint}) {
      IntegrateOptions options = with_krylov(1e-5);
      options.linear.krylov.matrix.constraints = constraints;
      options.linear.krylov.matrix.preconditioner = preconditioner;
      const auto formed = run_products(instance, options);
      EXPECT_EQ(formed.statistics.jacobians, formed.statistics.accepted);
      for (const auto products : {KrylovProducts::dual, KrylovProducts::differences}) {
        options.linear.krylov.products = products;
        const auto free = run_products(instance, options);
        EXPECT_EQ(free.statistics.jacobians, 0);
        EXPECT_EQ(free.statistics.accepted, formed.statistics.accepted);
        EXPECT_LT((free.x - formed.x).norm(), 1e-6 * formed.x.norm());
        if (products == KrylovProducts::differences) {
          EXPECT_GE(free.statistics.f_calls_jacobian, free.statistics.krylov_products);
        } else {
          EXPECT_EQ(free.statistics.f_calls_jacobian, 0);
        }
      }
    }
}

/// The plate knows its Jacobian but is no template: by differences its own is never asked for.
TEST(KrylovProducts, OfModelsThatAreNoTemplates) {
  const auto instance = *catalogue::make_problem("viscoelastic-plate", {{"t_end", 0.02}});
  IntegrateOptions options = with_krylov(1e-5);
  options.linear.krylov.matrix.constraints = KrylovConstraints::eliminated;  // the same iteration with and without J
  const auto formed = run_products(instance, options);
  options.linear.krylov.products = KrylovProducts::differences;
  const auto free = run_products(instance, options);
  EXPECT_EQ(free.statistics.jacobians, 0);
  EXPECT_LT((free.x - formed.x).norm(), 1e-5 * formed.x.norm());  // the tolerance; residuals are a tenth of it
  options.linear.krylov.products = KrylovProducts::dual;
  const auto refused = integrate(instance.problem, "rodas4p", options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("krylov.products"), std::string::npos) << refused.error().message;
}

TEST(KrylovProducts, WhatNeedsTheMatrixIsRefused) {
  IntegrateOptions options = with_krylov(1e-5);
  options.linear.krylov.products = KrylovProducts::differences;
  options.linear.krylov.matrix.preconditioner = KrylovPreconditioner::diagonal;
  const auto refused = integrate(plane(6).problem, "rodas4p", options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("krylov.preconditioner"), std::string::npos) << refused.error().message;
}

/// B has an entry where the layout says algebraic.
struct Contradiction {
  static constexpr bool autonomous = true, constant_mass = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -at.x[0];
    out[1] = at.x[0] - at.x[1];
  }
  template <class S>
  void mass_times(const Point<S>&, std::span<const S> w, std::span<S> out) const {
    out[0] = w[0];
    out[1] = 0.5 * w[1];
  }
};

TEST(KrylovProducts, AlgebraicUnknownsWithMassAreNamed) {
  InitialValueProblem problem;
  problem.dae =
      make_dae(Contradiction{}, {{.name = "y", .size = 1}, {.name = "z", .size = 1, .kind = Kind::algebraic}});
  problem.x = Vector{{1, 1}};
  const auto refused = integrate(problem, "rodas4p", with_krylov(1e-4));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("z is algebraic"), std::string::npos) << refused.error().message;
}

/// g_z is factorised once with every linearisation, and only where it is needed.
/// Walls that radiate change g_z: eliminated constraints need a factor of theirs in every step, a preconditioner lives with an older one. The
/// plate is linear: one factor serves for the whole run.
TEST(KrylovProducts, FactorsOfConstraintsAreKeptWhileTheyServe) {
  const auto instance = plane(8);
  IntegrateOptions options = with_krylov(1e-4);
  const auto preconditioned = run_products(instance, options);
  EXPECT_GT(preconditioned.statistics.factorisations, 1);
  EXPECT_LT(preconditioned.statistics.factorisations, preconditioned.statistics.jacobians);
  EXPECT_GT(preconditioned.statistics.full_factorisations, 0);
  const auto plate = *catalogue::make_problem("viscoelastic-plate", {});
  EXPECT_EQ(run_products(plate, options).statistics.factorisations, 1);
  options.linear.krylov.matrix.constraints = KrylovConstraints::eliminated;
  const auto eliminated = run_products(instance, options);
  EXPECT_EQ(eliminated.statistics.factorisations, eliminated.statistics.jacobians);
  EXPECT_EQ(run_products(plate, options).statistics.factorisations, 1);
  options.linear.krylov.matrix = {.max_dimension = 300};
  EXPECT_EQ(run_products(instance, options).statistics.factorisations, 0);
}

/// A space that holds what one stage needs, but not what all of them do, is emptied and filled again: no attempt fails.
TEST(KrylovProducts, AFullSpaceBeginsAnew) {
  const auto instance = plane(16);
  IntegrateOptions options = with_krylov(1e-5);
  const auto roomy = run_products(instance, options);
  options.linear.krylov.matrix.max_dimension = 60;
  const auto tight = run_products(instance, options);
  EXPECT_EQ(tight.statistics.failed, 0);
  EXPECT_EQ(tight.statistics.accepted, roomy.statistics.accepted);
  EXPECT_GT(tight.statistics.krylov_products, roomy.statistics.krylov_products) << "the test is one";
  EXPECT_LT((tight.x - roomy.x).norm(), 1e-5 * roomy.x.norm());
}

/// All stages of a step in one space, against GMRES for each stage, restarted or not, at equal accuracy.
TEST(KrylovProducts, TheSharedSpaceNeedsFewerProductsThanGmres) {
  using experiments::parabolic::Outcome;
  for (const char* method : {"rodas4p", "grk4t"}) {
    const auto count = [&](KrylovProcess process, int restart) {
      const Outcome outcome = experiments::parabolic::run(method, 20, process, restart, KrylovCoupling::error, {});
      EXPECT_EQ(outcome.trouble, "");
      return outcome;
    };
    const Outcome shared = count(KrylovProcess::multiple_arnoldi, 0), restarted = count(KrylovProcess::gmres, 20),
                  whole = count(KrylovProcess::gmres, 0);
    RecordProperty(std::string(method) + "_restarted", static_cast<int>(restarted.products));
    RecordProperty(std::string(method) + "_gmres", static_cast<int>(whole.products));
    RecordProperty(std::string(method) + "_shared", static_cast<int>(shared.products));
    EXPECT_GE(static_cast<double>(restarted.products) / static_cast<double>(shared.products), 1.5) << method;
    EXPECT_GE(static_cast<double>(whole.products) / static_cast<double>(shared.products), 1.2) << method;
    EXPECT_LT(shared.error, 1.5 * whole.error + 1e-6);
  }
}

/// Residuals that matter a tenth of what the method errs by: the error of the direct solver within a fifth. Relative residuals of a tenth of
/// rtol need as many products at loose tolerances and more at tight ones, for right-hand sides are of the size of 1, not of the error.
TEST(KrylovCoupling, ByTheErrorKeepsTheErrorAndSavesProducts) {
  const auto instance = plane(16, 0.1);
  for (const double rtol : {1e-3, 1e-5, 1e-7}) {
    IntegrateOptions options = with_krylov(rtol);
    options.linear.krylov.use = false;
    const auto direct = run_products(instance, options);
    options.linear.krylov.use = true;
    const auto tenth = run_products(instance, options);
    options.linear.krylov.coupling = KrylovCoupling::error;
    const auto adaptive = run_products(instance, options);
    const auto error = [&](const RunSummary& end) { return std::pow(10, -*catalogue::digits(instance, view(end.x))); };
    EXPECT_LT(error(adaptive), 1.2 * error(direct)) << rtol;
    EXPECT_NEAR(static_cast<double>(adaptive.statistics.accepted), static_cast<double>(direct.statistics.accepted),
                2 + 0.05 * static_cast<double>(direct.statistics.accepted))
        << rtol;
    EXPECT_LT(static_cast<double>(adaptive.statistics.krylov_products),
              (rtol > 1e-4 ? 1.2 : 1.0) * static_cast<double>(tenth.statistics.krylov_products))
        << rtol;
    RecordProperty("tenth_" + std::to_string(-std::lround(std::log10(rtol))),
                   static_cast<int>(tenth.statistics.krylov_products));
    RecordProperty("error_" + std::to_string(-std::lround(std::log10(rtol))),
                   static_cast<int>(adaptive.statistics.krylov_products));
  }
}

/// At rest right-hand sides are rounding errors, which relative residuals reduce with great effort.
TEST(KrylovCoupling, ByTheErrorDoesNothingAtRest) {
  const auto creeping = *catalogue::make_problem("viscoelastic-plate");
  IntegrateOptions options = with_krylov(1e-6);
  options.step.max_step = 1;  // a hundred steps, of which the last ninety-nine change nothing
  const auto relative = run_products(creeping, options);
  options.linear.krylov.coupling = KrylovCoupling::error;
  const auto adaptive = run_products(creeping, options);
  EXPECT_LT(3 * adaptive.statistics.krylov_products, relative.statistics.krylov_products);
  EXPECT_GT(*catalogue::digits(creeping, view(adaptive.x)), 5);
}

TEST(KrylovProducts, NothingIsAllocatedInSteps) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  const auto instance = plane(8);
  for (const auto products : {KrylovProducts::matrix, KrylovProducts::dual, KrylovProducts::differences})
    for (const auto process : {KrylovProcess::gmres, KrylovProcess::multiple_arnoldi}) {
      IntegrateOptions options = with_krylov(1e-4);
      options.linear.krylov.products = products;
      options.linear.krylov.matrix.process = process;
      options.linear.krylov.coupling = KrylovCoupling::error;
      const Method& method = **method_by_name("rodas4p");
      auto stepper = *method.make(method.info, instance.problem, options);
      ASSERT_EQ(stepper->attempt(0, 1e-3).status, StepStatus::ok);
      stepper->commit();
      const test::AllocationScope scope;
      ASSERT_EQ(stepper->attempt(1e-3, 1e-3).status, StepStatus::ok);
      stepper->commit();
      EXPECT_EQ(scope.count(), 0);
    }
}

}  // namespace
}  // namespace rubato
