// One function for a Newton iteration of few unknowns: the same numbers as the passes it replaces, to the last bit.
#include "src/integrate/small_sweep.hpp"

#include <gtest/gtest.h>

#include <random>

#include "function_dae.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "src/integrate/decoupled_stages.hpp"

namespace rubato {
namespace {

Matrix random_matrix(std::mt19937& random, int rows, int cols) {
  std::normal_distribution<double> normal;
  Matrix m(rows, cols);
  for (double& x : m.reshaped()) x = normal(random);
  return m;
}

/// x' = M x, linearised.
struct Linear {
  Linear(int n, std::mt19937& random, const LinearOptions& linear = {}) {
    const Matrix m = random_matrix(random, n, n);
    problem.x = random_matrix(random, n, 1);
    problem.dae = std::make_shared<testing::FunctionDae>(Layout{{.name = "x", .size = n}},
                                                         testing::Functions{.f = [m](const At& at, Out out) {
                                                           map(out) = m * map(at.x);
                                                           return EvalStatus::ok;
                                                         }});
    IntegrateOptions options;
    options.linear = linear;
    system = std::move(*SteppedSystem::create(problem, options, {.real = 1, .complex = 3}));
    Vector f(n);
    EXPECT_EQ(system->f(0, view(problem.x), view(f)), EvalStatus::ok);
    EXPECT_EQ(system->linearise(0, view(problem.x), {}, view(std::as_const(f))), StepStatus::ok);
  }
  InitialValueProblem problem;
  std::unique_ptr<SteppedSystem> system;
};

TEST(SmallSweep, IsTheKernelsAndSolvesToTheLastBit) {
  std::mt19937 random(3);
  for (const int s : {2, 3, 5, 7})
    for (int n = 1; n <= 4; ++n)
      for (const double h : {1e-3, 0.3, 100.0}) {  // pivots on the diagonal and elsewhere
        SCOPED_TRACE(::testing::Message() << s << " stages, " << n << " unknowns, h = " << h);
        const StageScheme scheme = *StageScheme::create(runge_kutta_table(RungeKuttaFamily::radau_iia, s));
        Linear linear(n, random);
        const auto sweep = SmallSweep::create(scheme, n);
        ASSERT_NE(sweep, nullptr);
        ASSERT_TRUE(sweep->attach(*linear.system));
        ASSERT_EQ(DecoupledStages::factor(scheme, *linear.system, h), StepStatus::ok);
        const Matrix r = random_matrix(random, n, s), z0 = random_matrix(random, n, s);
        const Vector x = random_matrix(random, n, 1), weights = random_matrix(random, n, 1).cwiseAbs();

        Matrix k(n, s), stages(n, s), dz(n, s), z = z0;
        DecoupledStages decoupled(n, s);
        scheme.kernels.stages_and_slopes(scheme, n, x.data(), z.data(), stages.data(), k.data());
        Matrix own_stages(n, s), own_dz(n, s), own_z = z0;
        sweep->begin(x.data(), own_z.data(), own_stages.data());
        EXPECT_EQ(own_stages, stages);

        const double squares =
            decoupled.correct(scheme, *linear.system, r.data(), k.data(), 1 / h, view(weights), dz, z);
        scheme.kernels.stages_and_slopes(scheme, n, x.data(), z.data(), stages.data(), k.data());
        const double own =
            sweep->advance(1 / h, x.data(), r.data(), weights.data(), own_dz.data(), own_z.data(), own_stages.data());
        EXPECT_EQ(own, squares);
        EXPECT_EQ(own_dz, dz);
        EXPECT_EQ(own_z, z);
        EXPECT_EQ(own_stages, stages);
      }
}

TEST(SmallSweep, IsOfferedWhereItsFactorsAre) {
  std::mt19937 random(4);
  const StageScheme three = *StageScheme::create(runge_kutta_table(RungeKuttaFamily::radau_iia, 3)),
                    four = *StageScheme::create(runge_kutta_table(RungeKuttaFamily::radau_iia, 4));
  EXPECT_EQ(SmallSweep::create(four, 2), nullptr);
  EXPECT_EQ(SmallSweep::create(three, 5), nullptr);
  const auto sweep = SmallSweep::create(three, 2);
  EXPECT_FALSE(sweep->attach(*Linear(3, random).system));                              // of another size
  EXPECT_FALSE(sweep->attach(*Linear(2, random, {.back_end = BackEnd::klu}).system));  // no small dense factors
}

}  // namespace
}  // namespace rubato
