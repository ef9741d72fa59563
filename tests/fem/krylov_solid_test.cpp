// Solids whose linear systems are iterated: products without a Jacobian, unknowns of positions alone, preconditioners that are exact,
// incomplete or cycles of multigrid. The motion is that of the direct solver.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/formulation.hpp"
#include "solid_support.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::of_time;

/// A rubber bar, held on the left, that begins to fall under its own weight: bent by half its length.
InitialValueProblem bar(int scale, double t_end) {
  SolidModel model;
  model.mesh = *block({.shape = Shape::hex8, .divisions = {6 * scale, 2 * scale, 2 * scale}, .high = {0.3, 0.1, 0.1}});
  model.materials = {{.name = "rubber", .density = 1100, .law = mooney_rivlin(2e4, 5e3), .bulk = 1e6}};
  model.regions = {{.group = "body", .material = "rubber"}};
  Prescribed held{.group = "left"};
  for (auto& component : held.displacement) component.emplace(of_time("0"));
  model.prescribed = {held};
  model.gravity[1] = of_time("-9.81");
  const auto system = *build(std::move(model));
  const auto dae = *formulate(system, *formulation_by_name("eps-lambda"));
  const MechanicalState rest = at_rest(*system);
  InitialValueProblem problem{.dae = dae, .t_end = t_end};
  dae->pack(rest, problem.x, problem.w);
  problem.base = dae->base_of(rest);
  return problem;
}

constexpr double rtol = 1e-3;

RunSummary run(const InitialValueProblem& problem, const KrylovOptions& krylov) {
  IntegrateOptions options;
  options.tolerances = {.rtol = rtol, .atol = 1e-5};
  options.linear.krylov = krylov;
  const auto end = integrate(problem, "ros3p", options);
  EXPECT_TRUE(end.ok()) << end.error().message;
  EXPECT_TRUE(completed(end->status)) << end->reason;
  return *end;
}

KrylovOptions iterated(KrylovFactors factors, KrylovProducts products) {
  return {.use = true,
          .matrix = {.process = KrylovProcess::multiple_arnoldi,
                     .preconditioner = KrylovPreconditioner::factor,
                     .max_dimension = 200,
                     .factors = factors},
          .coupling = KrylovCoupling::error,
          .products = products,
          .rates = {.factor_flops = 1e6}};  // factors are dear: they are kept
}

/// With and without J, with every preconditioner. Where products come from differences J is formed with a preconditioner, and only then; an
/// evaluation of f takes its place in every product.
TEST(KrylovSolids, MoveAsWithTheDirectSolver) {
  const auto problem = bar(1, 0.15);
  const RunSummary direct = run(problem, {});
  EXPECT_GT(direct.x.cwiseAbs().maxCoeff(), 0.1) << "the test is one: it falls";
  for (const auto factors : {KrylovFactors::exact, KrylovFactors::incomplete, KrylovFactors::multigrid})
    for (const auto products : {KrylovProducts::matrix, KrylovProducts::differences}) {
      const RunSummary end = run(problem, iterated(factors, products));
      const Statistics& s = end.statistics;
      EXPECT_LT((end.x - direct.x).cwiseAbs().maxCoeff(), 10 * rtol * direct.x.cwiseAbs().maxCoeff());
      EXPECT_NEAR(static_cast<double>(s.steps), static_cast<double>(direct.statistics.steps),
                  2 + 0.1 * static_cast<double>(direct.statistics.steps));
      EXPECT_LT(2 * s.factorisations, direct.statistics.factorisations);
      if (products == KrylovProducts::differences) {
        EXPECT_EQ(s.jacobians, s.factorisations);
        EXPECT_GE(s.f_calls_jacobian, s.krylov_products);
      } else {
        EXPECT_GE(s.jacobians, s.accepted);
      }
    }
}

/// Of a mesh with eight times the elements: iterations per linear system grow little.
TEST(KrylovSolids, MultigridNeedsHardlyMoreIterationsOnFinerMeshes) {
  const auto per_system = [](int scale) {
    const auto end = run(bar(scale, 0.03), iterated(KrylovFactors::multigrid, KrylovProducts::differences));
    return static_cast<double>(end.statistics.krylov_products) / static_cast<double>(end.statistics.solves);
  };
  const double coarse = per_system(2), fine = per_system(4);
  RecordProperty("coarse", std::to_string(coarse));
  RecordProperty("fine", std::to_string(fine));
  EXPECT_GT(coarse, 2);
  EXPECT_LT(fine, 1.5 * coarse + 2);
}

}  // namespace
}  // namespace rubato::fem
