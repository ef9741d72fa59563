// Multigrid and incomplete factors inside Krylov-ROW methods: iterations that hardly depend on the mesh, constraints eliminated by an
// iteration inside the iteration, motions those of the direct solver.
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/catalogue.hpp"
#include "experiments/krylov_row/first_stage.hpp"
#include "rubato/integrate/integrate.hpp"
#include "support/allocation_counter.hpp"

namespace rubato {
namespace {

catalogue::Instance plate(int scale) {
  return *catalogue::make_problem("viscoelastic-plate", {{"nx", 10.0 * scale}, {"ny", 4.0 * scale}});
}

constexpr double residual = 1e-6;

KrylovMatrix::Outcome first_stage(int scale, double h, const KrylovMatrixOptions& options) {
  const auto instance = plate(scale);
  const auto outcome = experiments::FirstStage(instance.problem).solve(h, options, residual);
  EXPECT_TRUE(outcome.iteration.converged) << scale << ' ' << h;
  EXPECT_LT(outcome.residual, 2 * residual) << scale << ' ' << h;  // the true one, not that of the recurrence
  return outcome.iteration;
}

/// A cycle instead of a factor of g_z: what it leaves of displacements is left to the outer space. More vectors than with a factor, and
/// hardly more on meshes of sixteen and of sixty-four times the elements.
TEST(KrylovMultigrid, TheConstraintPreconditionerNeedsFewVectorsOnEveryMesh) {
  KrylovMatrixOptions options{.preconditioner = KrylovPreconditioner::constraint, .max_dimension = 200};
  for (const double h : {1e-2, 0.1, 10.0}) {
    options.factors = KrylovFactors::exact;
    const int exact = first_stage(4, h, options).products;
    options.factors = KrylovFactors::multigrid;
    const int coarse = first_stage(4, h, options).products, fine = first_stage(16, h, options).products;
    RecordProperty("h" + std::to_string(h),
                   std::to_string(exact) + " " + std::to_string(coarse) + " " + std::to_string(fine));
    EXPECT_GT(coarse, exact) << h;
    EXPECT_LE(coarse, 30) << h;
    EXPECT_LE(fine, coarse + 10) << h;
  }
}

/// Eliminated by an inner iteration to a tenth of the outer tolerance: the outer space is that of exact elimination, to one vector.
TEST(KrylovMultigrid, AnInnerIterationEliminatesAsAFactorDoes) {
  KrylovMatrixOptions options{.constraints = KrylovConstraints::eliminated, .max_dimension = 100};
  for (const int scale : {1, 4, 8})
    for (const double h : {1e-3, 0.1, 10.0}) {
      options.factors = KrylovFactors::exact;
      const int exact = first_stage(scale, h, options).products;
      for (const auto factors : {KrylovFactors::incomplete, KrylovFactors::multigrid}) {
        options.factors = factors;
        EXPECT_NEAR(first_stage(scale, h, options).products, exact, 1) << scale << ' ' << h;
      }
    }
}

RunSummary run_multigrid(const InitialValueProblem& problem, const IntegrateOptions& options) {
  const auto end = integrate(problem, "rodas4p", options);
  EXPECT_TRUE(end.ok()) << end.error().message;
  EXPECT_TRUE(completed(end->status)) << end->reason;
  return *end;
}

IntegrateOptions options_of(const KrylovMatrixOptions& matrix, KrylovCoupling coupling) {
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-4, .atol = 1e-6};
  options.linear.krylov = {.use = true, .matrix = matrix, .coupling = coupling};
  return options;
}

/// Every way to g_z⁻¹ gives the motion of the direct solver, with every coupling, to some tolerances (residuals are a tenth of one in every
/// stage), and makes its approximate inverse once: the plate is linear.
TEST(LongKrylovMultigrid, MotionsAreThoseOfTheDirectSolver) {
  const auto instance = plate(4);
  IntegrateOptions direct = options_of({}, KrylovCoupling::tenth);
  direct.linear.krylov.use = false;
  const RunSummary expected = run_multigrid(instance.problem, direct);
  for (const auto coupling : {KrylovCoupling::tenth, KrylovCoupling::error})
    for (const auto process : {KrylovProcess::gmres, KrylovProcess::multiple_arnoldi})
      for (const auto factors : {KrylovFactors::incomplete, KrylovFactors::multigrid})
        for (const auto constraints : {KrylovConstraints::whole, KrylovConstraints::eliminated}) {
          const auto end =
              run_multigrid(instance.problem, options_of({.process = process,
                                                          .constraints = constraints,
                                                          .preconditioner = KrylovPreconditioner::constraint,
                                                          .max_dimension = 200,
                                                          .factors = factors},
                                                         coupling));
          EXPECT_LT((end.x - expected.x).cwiseAbs().maxCoeff(), 20e-4 * expected.x.cwiseAbs().maxCoeff());
          EXPECT_NEAR(static_cast<double>(end.statistics.steps), static_cast<double>(expected.statistics.steps), 2);
          EXPECT_EQ(end.statistics.factorisations, 1);
        }
}

TEST(KrylovMultigrid, TheSameRunGivesTheSameBits) {
  const auto instance = plate(4);
  const auto options = options_of({.process = KrylovProcess::multiple_arnoldi,
                                   .constraints = KrylovConstraints::eliminated,
                                   .factors = KrylovFactors::multigrid},
                                  KrylovCoupling::tenth);
  EXPECT_EQ(run_multigrid(instance.problem, options).x, run_multigrid(instance.problem, options).x);
}

/// Built once, a cycle and the iteration inside work in memory of their own.
TEST(KrylovMultigrid, NothingIsAllocatedInSteps) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  const auto instance = plate(4);
  for (const auto constraints : {KrylovConstraints::whole, KrylovConstraints::eliminated}) {
    const Method& method = **method_by_name("rodas4p");
    auto stepper = *method.make(method.info, instance.problem,
                                options_of({.constraints = constraints,
                                            .preconditioner = KrylovPreconditioner::constraint,
                                            .factors = KrylovFactors::multigrid},
                                           KrylovCoupling::error));
    ASSERT_EQ(stepper->attempt(0, 1e-3).status, StepStatus::ok);
    stepper->commit();
    const test::AllocationScope scope;
    ASSERT_EQ(stepper->attempt(1e-3, 1e-3).status, StepStatus::ok);
    stepper->commit();
    EXPECT_EQ(scope.count(), 0);
  }
}

/// Options that would be accepted without effect are refused by name.
TEST(KrylovOptions, WithoutEffectAreRefused) {
  const auto instance = plate(1);
  const auto refusal = [&](auto&& change) {
    IntegrateOptions options = options_of({.process = KrylovProcess::multiple_arnoldi}, KrylovCoupling::tenth);
    change(options.linear.krylov);
    const auto end = integrate(instance.problem, "rodas4p", options);
    return end.ok() ? std::string("accepted") : end.error().message;
  };
  EXPECT_NE(refusal([](KrylovOptions& k) { k.matrix.restart = 20; }).find("krylov.restart = 20 has no effect"),
            std::string::npos);
  EXPECT_NE(refusal([](KrylovOptions& k) {
              k.automatic = true;
              k.matrix.preconditioner = KrylovPreconditioner::factor;
            }).find("krylov.automatic has no effect"),
            std::string::npos);
  EXPECT_NE(
      refusal([](KrylovOptions& k) { k.matrix.factors = KrylovFactors::multigrid; }).find("krylov.factors has no"),
      std::string::npos)
      << "no preconditioner, nothing eliminated";
  EXPECT_EQ(refusal([](KrylovOptions& k) { k.matrix.constraints = KrylovConstraints::eliminated; }), "accepted");
}

/// Multipliers have no diagonal, and incomplete factors do not exchange rows: what they make of residuals says nothing. A pendulum whose
/// iteration compared such residuals moved elsewhere without a word. It is refused, or swings as with the direct solver, or fails.
TEST(KrylovOptions, IncompleteFactorsOfSaddlePointsAreNotTrusted) {
  const auto instance = *catalogue::make_problem("pendulum", {}, "index-1");
  InitialValueProblem problem = instance.problem;
  problem.t_end = problem.t_start + 0.1;
  const auto end = [&](KrylovFactors factors, KrylovCoupling coupling) {
    return integrate(
        problem, "rodas4p",
        options_of(
            {.process = KrylovProcess::gmres, .preconditioner = KrylovPreconditioner::factor, .factors = factors},
            coupling));
  };
  const auto exact = end(KrylovFactors::exact, KrylovCoupling::tenth);
  ASSERT_TRUE(exact.ok() && completed(exact->status));
  for (const auto coupling : {KrylovCoupling::tenth, KrylovCoupling::step, KrylovCoupling::inverse}) {
    const auto refused = end(KrylovFactors::incomplete, coupling);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("set krylov.coupling = \"error\""), std::string::npos);
  }
  const auto weighed = end(KrylovFactors::incomplete, KrylovCoupling::error);
  ASSERT_TRUE(weighed.ok()) << weighed.error().message;
  if (completed(weighed->status)) {
    EXPECT_LT((weighed->x - exact->x).cwiseAbs().maxCoeff(), 20e-4 * exact->x.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace rubato
