// Rosenbrock methods in Krylov spaces: identities, dimensions that keep the order, the viscoelastic plate of Wensch (2005).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "catalogue/catalogue.hpp"
#include "experiments/krylov_row/first_stage.hpp"
#include "experiments/krylov_row/plate_run.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"
#include "rubato/linalg/krylov_matrix.hpp"

namespace rubato {
namespace {

Matrix random_matrix(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix a(n, n);
  for (auto& x : a.reshaped()) x = uniform(random);
  return a;
}

/// With w in span Q the Galerkin solution solves (I − hγ QQᵀJ) x = w exactly, whatever the dimension.
TEST(KrylovSpace, GalerkinsSolutionSolvesTheProjectedSystemExactly) {
  const int n = 30;
  const Matrix j = random_matrix(n, 1);
  const Vector w = random_matrix(n, 2).col(0);
  for (int dimension : {1, 3, 8, 20}) {
    KrylovSpace space(n, dimension);
    Vector x(n);
    const auto apply = [&](In v, Out y) noexcept { map(y) = map(v) - 0.1 * (j * map(v)); };
    const auto outcome = space.solve(view(w), view(x), 0, dimension, apply);
    ASSERT_EQ(space.dimension(), dimension);
    Matrix powers(n, dimension);  // an orthonormal basis of the same space, made otherwise
    Vector v = w;
    for (int k = 0; k < dimension; ++k) {
      for (int twice = 0; twice < 2; ++twice)
        for (int i = 0; i < k; ++i) v -= powers.col(i).dot(v) * powers.col(i);
      powers.col(k) = v.normalized();
      v = j * powers.col(k);
    }
    const Matrix projected = Matrix::Identity(n, n) - 0.1 * powers * powers.transpose() * j;
    EXPECT_LT((projected * x - w).norm(), 1e-12 * w.norm()) << dimension;
    EXPECT_NEAR(outcome.residual, (w - x + 0.1 * (j * x)).norm(), 1e-12 * w.norm());
  }
}

/// One step of size h in spaces that may grow by so many vectors per stage, the right-hand side included.
Vector step_in_spaces(const RosenbrockTable& table, const std::function<Vector(const Vector&)>& f, const Matrix& j,
                      const Vector& x0, double h, std::span<const int> growth, bool shared) {
  const auto n = static_cast<int>(x0.size());
  const double c = 1 / (h * table.diagonal);
  KrylovSpace space(n, n);
  Matrix u(n, table.s);
  std::vector<Vector> values;
  for (int i = 0; i < table.s; ++i) {
    Vector stage = x0, sum = Vector::Zero(n);
    for (int k = 0; k < i; ++k) {
      stage += table.u.a[i][k] * u.col(k);
      sum += table.u.c[i][k] / h * u.col(k);
    }
    const Vector right = f(stage) + sum;
    Vector solution(n);
    if (!shared) space.clear();
    const int allowed = growth[std::min(static_cast<std::size_t>(i), growth.size() - 1)];
    static_cast<void>(space.solve(view(right), view(solution), 0, allowed,
                                  [&](In v, Out y) noexcept { map(y) = c * map(v) - j * map(v); }));
    u.col(i) = solution;
  }
  Vector x1 = x0;
  for (int i = 0; i < table.s; ++i) x1 += table.u.m[i] * u.col(i);
  return x1;
}

double observed_order(std::string_view method, std::span<const int> growth, bool shared) {
  // y' = A₀ sin y + 0.3 A₁ y² − y
  const int n = 12;
  const Matrix a0 = random_matrix(n, 3), a1 = random_matrix(n, 4);
  const auto f = [&](const Vector& y) -> Vector {
    return a0 * y.array().sin().matrix() + 0.3 * a1 * y.array().square().matrix() - y;
  };
  const auto jacobian = [&](const Vector& y) -> Matrix {
    return a0 * y.array().cos().matrix().asDiagonal() + 0.6 * a1 * y.asDiagonal() - Matrix::Identity(n, n).eval();
  };
  const RosenbrockTable& table = **find_rosenbrock_table(method);
  const Vector start = 0.5 * random_matrix(n, 5).col(0);
  const auto end = [&](int steps, std::span<const int> dims, bool together) {
    Vector y = start;
    for (int i = 0; i < steps; ++i) y = step_in_spaces(table, f, jacobian(y), y, 0.5 / steps, dims, together);
    return y;
  };
  const int all[] = {n};
  const Vector reference = end(1024, all, false);
  return std::log2((end(32, growth, shared) - reference).norm() / (end(64, growth, shared) - reference).norm());
}

/// κ vectors per stage keep order min(κ, p).
TEST(KrylovRow, TheDimensionOfEveryStageLimitsTheOrder) {
  for (const int kappa : {1, 2, 3, 4}) {
    const int growth[] = {kappa};
    EXPECT_NEAR(observed_order("grk4t", growth, false), kappa, 0.35) << kappa;
    EXPECT_NEAR(observed_order("rodas4", growth, false), kappa, 0.35) << kappa;
  }
}

/// In one space for all stages 4, 3, 1, 1 vectors at most keep order 4 (GRK4T: 8 in all, two stages share f; RODAS 11), 2 per stage do not.
TEST(KrylovRow, OneSpaceForAllStagesKeepsTheOrderWithEightVectors) {
  const int enough[] = {4, 3, 1, 1, 1, 1}, too_few[] = {2, 2, 2, 2};
  EXPECT_NEAR(observed_order("grk4t", enough, true), 4, 0.3);
  EXPECT_NEAR(observed_order("rodas4", enough, true), 4, 0.3);
  EXPECT_LT(observed_order("grk4t", too_few, true), 3.5);
}

/// Products for the first stage of a plate until the residual is 1e-6; the answer is checked.
class Plate {
 public:
  Plate(int nx, int ny)
      : instance_(*catalogue::make_problem("viscoelastic-plate", {{"nx", double(nx)}, {"ny", double(ny)}})),
        stage_(instance_.problem) {}
  [[nodiscard]] int products(double h, const KrylovMatrixOptions& options) const {
    const auto outcome = stage_.solve(h, options, 1e-6);
    EXPECT_TRUE(outcome.iteration.converged);
    EXPECT_LT(outcome.residual, 2e-6);
    return outcome.iteration.products;
  }

 private:
  catalogue::Instance instance_;
  experiments::FirstStage stage_;
};

constexpr KrylovMatrixOptions whole{.max_dimension = 400},
    eliminated{.constraints = KrylovConstraints::eliminated, .max_dimension = 100},
    preconditioned{.preconditioner = KrylovPreconditioner::constraint, .max_dimension = 100};

/// Theorem 4.1: the space fills that of the free displacements before it touches the strains.
TEST(KrylovRow, TheWholeSystemNeedsAllFreeDisplacementsAndTheDimensionOfTheEliminatedOne) {
  for (const auto& [nx, ny] : {std::pair{10, 4}, {8, 4}, {10, 6}, {12, 3}}) {
    const Plate plate(nx, ny);
    for (const double h : {0.1, 10.0})
      EXPECT_NEAR(plate.products(h, whole) - plate.products(h, eliminated), 2 * nx * (ny + 1) + 1, 2)
          << nx << " x " << ny << ", h = " << h;
  }
}

TEST(KrylovRow, TheConstraintPreconditionerNeedsFewVectorsOnEveryMesh) {
  for (const auto& [nx, ny] : {std::pair{10, 4}, {40, 16}, {160, 64}}) {
    const Plate plate(nx, ny);
    for (const double h : {1e-3, 1e-2, 0.1, 10.0})
      EXPECT_LE(plate.products(h, preconditioned), 8) << nx << " x " << ny << ", h = " << h;
  }
}

using experiments::plate::run;
using experiments::plate::tolerances;

KrylovOptions iterated(KrylovPreconditioner preconditioner, KrylovCoupling coupling, int max_dimension = 230) {
  return {.use = true,
          .matrix = {.process = KrylovProcess::gmres, .preconditioner = preconditioner, .max_dimension = max_dimension},
          .coupling = coupling};
}

TEST(KrylovRow, RodasTakesTheSameStepsWithEveryLinearSolver) {
  for (const double rtol : {tolerances()[1], tolerances()[3]}) {
    const auto direct = run(rtol, {}, 1000, {});
    ASSERT_EQ(direct.trouble, "");
    for (const auto coupling : {KrylovCoupling::tenth, KrylovCoupling::step}) {
      const auto whole_system = run(rtol, iterated(KrylovPreconditioner::none, coupling), 1000, {});
      const auto better = run(rtol, iterated(KrylovPreconditioner::constraint, coupling), 1000, {});
      for (const auto& outcome : {whole_system, better}) {
        EXPECT_EQ(outcome.trouble, "");
        EXPECT_NEAR(static_cast<double>(outcome.accepted), static_cast<double>(direct.accepted), 1);
        EXPECT_NEAR(outcome.error / direct.error, 1, 0.02);
      }
      const auto mean = [](const auto& o) { return static_cast<double>(o.products) / static_cast<double>(o.solves); };
      EXPECT_NEAR(mean(whole_system), 106.5, 2.5);
      EXPECT_LE(mean(better), 10);
    }
  }
}

/// Thirty vectors are useless here, and that is said, not integrated.
TEST(KrylovRow, AnIterationThatDoesNotConvergeIsNoAnswer) {
  for (const int cap : {30, 100}) {
    const auto outcome =
        run(tolerances()[1], iterated(KrylovPreconditioner::none, KrylovCoupling::tenth, cap), 300, {});
    EXPECT_NE(outcome.trouble.find("Krylov"), std::string::npos) << outcome.trouble;
    EXPECT_LT(outcome.t, 1);
    EXPECT_EQ(outcome.accepted > 0, cap == 100);
    EXPECT_LT(outcome.error, 0.05) << "what was accepted is right";
  }
}

/// Every way to the linear systems gives the same motion, on linear and nonlinear problems, with and without algebraic unknowns. Residuals
/// are a tenth of rtol of right-hand sides, which are large where a problem is stiff: Van der Pol's differ by up to 184 tolerances.
TEST(KrylovRow, EveryChoiceGivesTheMotionOfTheDirectSolver) {
  for (const char* name : {"viscoelastic-plate", "van-der-pol", "robertson", "robertson-dae"}) {
    const auto instance = *catalogue::make_problem(name, std::string(name) == "viscoelastic-plate"
                                                             ? catalogue::Parameters{{"t_end", 0.02}}
                                                             : catalogue::Parameters{});
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-6, .atol = 1e-6 * instance.measure.atol_per_rtol};
    const auto direct = integrate(instance.problem, "rodas4p", options);
    ASSERT_TRUE(direct.ok() && completed(direct->status));
    options.linear.krylov.use = true;
    options.linear.krylov.matrix.max_dimension = 300;
    for (const auto process : {KrylovProcess::gmres, KrylovProcess::multiple_arnoldi})
      for (const auto constraints : {KrylovConstraints::whole, KrylovConstraints::eliminated})
        for (const auto preconditioner :
             {KrylovPreconditioner::none, KrylovPreconditioner::diagonal, KrylovPreconditioner::constraint}) {
          auto& matrix = options.linear.krylov.matrix;
          matrix.process = process;
          matrix.constraints = constraints;
          matrix.preconditioner = preconditioner;
          const auto end = integrate(instance.problem, "rodas4p", options);
          ASSERT_TRUE(end.ok()) << end.error().message;
          EXPECT_TRUE(completed(end->status)) << name << ": " << end->reason;
          for (Eigen::Index i = 0; i < direct->x.size(); ++i)
            EXPECT_NEAR(end->x[i], direct->x[i], 300 * (options.tolerances.atol + 1e-6 * std::abs(direct->x[i])))
                << name << ' ' << i << ' ' << static_cast<int>(process) << static_cast<int>(constraints)
                << static_cast<int>(preconditioner);
        }
  }
}

/// The hot spot solves the semi-discrete equations exactly, in every dimension: errors are those of the method, of order 5 also in the
/// algebraic unknowns.
TEST(ReactionDiffusion, TheManufacturedSolutionIsExact) {
  for (const int d : {1, 2, 3}) {
    const auto instance =
        *catalogue::make_problem("reaction-diffusion", {{"n", 8.0}, {"dimension", double(d)}, {"t_end", 0.3}});
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-9, .atol = 1e-9};
    const auto end = integrate(instance.problem, "rodas5p", options);
    ASSERT_TRUE(end.ok() && completed(end->status)) << d;
    EXPECT_GT(*catalogue::digits(instance, view(end->x)), 8.5) << d;
  }
}

/// A space without a Galerkin solution is not the end: A = [0 1; −1 0], w = e₁.
TEST(KrylovSpace, GrowsBeyondABreakdown) {
  KrylovSpace space(2, 2);
  const Vector w = Vector::Unit(2, 0);
  Vector x(2);
  const auto outcome = space.solve(view(w), view(x), 1e-12, 2, [](In v, Out y) noexcept {
    y[0] = v[1];
    y[1] = -v[0];
  });
  EXPECT_TRUE(outcome.converged);
  EXPECT_NEAR(x[1], 1, 1e-14);
}

TEST(KrylovRow, WhatItIsNotForIsRefused) {
  IntegrateOptions options;
  options.linear.krylov.use = true;
  for (const auto& [problem, method] :
       {std::pair{"viscoelastic-plate", "radau5"}, {"pendulum", "rodas4p"}, {"washing-machine", "rodas4p"}}) {
    const auto end = integrate(catalogue::make_problem(problem)->problem, method, options);
    ASSERT_FALSE(end.ok()) << problem;
    EXPECT_NE(end.error().message.find("krylov.use"), std::string::npos) << end.error().message;
  }
}

}  // namespace
}  // namespace rubato
