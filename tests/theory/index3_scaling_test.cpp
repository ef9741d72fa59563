// The analysis of scalings at index 3: block inverses, orders, condition numbers, and what rounding leaves of Newton's
// corrections. Published: Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397; numbers of an independent program.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "experiments/index3_scaling/dense_analysis.hpp"
#include "experiments/index3_scaling/pendulum.hpp"
#include "experiments/index3_scaling/random_systems.hpp"

namespace rubato::experiments::scaling {
namespace {

const std::vector<double> steps = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
enum : std::size_t { none_3, left_3, lambda_3, full_3, none_2, left_2, full_2 };

// Singular values of a graded matrix: diag(1e20, 1, 1e-20) between two rotations and a well-conditioned factor.
TEST(DenseAnalysis, SmallSingularValuesAreFoundToAllDigits) {
  Matrix b(3, 3);
  b << 1, 0.3, -0.2, 0.1, 1, 0.4, -0.3, 0.2, 1;
  for (const double d : {1.0, 1e-8, 1e-16}) {
    const Matrix scale = Vector(Vector::Map(std::vector<double>{1 / d, 1, d}.data(), 3)).asDiagonal();
    const Matrix columns = b * scale, rows = scale * b;
    // The product of all is the determinant, of A and of Aᵀ.
    EXPECT_NEAR(singular_values(columns).prod(), std::abs(b.determinant()), 1e-13);
    EXPECT_NEAR(singular_values(rows).prod(), std::abs(b.determinant()), 1e-13);
    EXPECT_NEAR(condition_2(columns), condition_2(columns.transpose()), 1e-12 * condition_2(columns));
  }
  const double y[] = {3e-4, 3e-6, 3e-8}, x[] = {1e-2, 1e-3, 1e-4};
  EXPECT_NEAR(fit_power(x, y).exponent, 2, 1e-12);
  EXPECT_NEAR(fit_power(x, y).factor, 3, 1e-11);
}

// A1. (39), (45), (50) hold to rounding. The first columns of (9), (17), (25), (30) are leading terms: their error falls
// like h², and vanishes when I is replaced by R⁻¹(I + γY).
TEST(Index3Scaling, PrintedInversesAreInverses) {
  const Blocks blocks = random_blocks(4, 2, 3);
  const double a0 = bdf_coefficients(2)[0];
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name);
    std::vector<double> deviations;
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      EXPECT_LT(inverse_deviation(variant, blocks, a0, h, true), 1e-11 / h * 1e-2);  // I − P cancels h² in (2,1)
      deviations.push_back(inverse_deviation(variant, blocks, a0, h, false));
    }
    if (variant.form == Form::two_field) {
      EXPECT_LT(deviations[0], 1e-12);
      continue;
    }
    EXPECT_GT(deviations[0], 1e-6);
    EXPECT_NEAR(std::log10(deviations[0] / deviations[1]), 2, 0.1);
    EXPECT_NEAR(std::log10(deviations[1] / deviations[2]), 2, 0.1);
  }
}

// The published orders of the row sums, and the bound (6) for the seven variants.
TEST(Index3Scaling, RowSumsHaveThePublishedOrders) {
  const Blocks blocks = random_blocks(4, 2, 3);
  const double a0 = bdf_coefficients(2)[0];
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name);
    const bool three = variant.form == Form::three_field;
    std::vector<double> u, v, lambda, condition;
    for (const double h : steps) {
      const Matrix inverse = printed_inverse(variant, blocks, a0, h), a = newton_matrix(variant, blocks, a0, h);
      u.push_back(row_sum(inverse, 0, 4));
      v.push_back(row_sum(inverse, 4, three ? 4 : 2));
      lambda.push_back(row_sum(inverse, three ? 8 : 4, 2));
      condition.push_back(condition_2(a));
      EXPECT_NEAR(error_bounds(a, inverse, 1).maxCoeff(), 2.220446049250313e-16 * condition_inf(a, inverse),
                  1e-12 * condition_inf(a, inverse) * 2.2e-16);
    }
    EXPECT_NEAR(fit_power(steps, u).exponent, variant.u_power, 0.01);
    if (three) {
      EXPECT_NEAR(fit_power(steps, v).exponent, variant.v_power, 0.01);
    }
    EXPECT_NEAR(fit_power(steps, lambda).exponent, variant.lambda_power, 0.01);
    EXPECT_NEAR(fit_power(steps, condition).exponent, variant.condition_power, 0.01);
  }
}

// A2. Slopes and constants of the condition numbers of the pendulum; and the constants of all BDF formulas.
TEST(Index3Scaling, ConditionNumbersOfThePendulum) {
  const double factors[] = {3.375, 4.875, 3.25, 7.768, 5.0625, 5.0625, 6.918};
  for (std::size_t i = 0; i < variants().size(); ++i) {
    SCOPED_TRACE(variants()[i].name);
    std::vector<double> conditions;
    for (const double h : {1e-4, 1e-5, 1e-6})
      conditions.push_back(run_pendulum({.variant = variants()[i], .h = h}).condition);
    const double h[] = {1e-4, 1e-5, 1e-6};
    const PowerLaw law = fit_power(h, conditions);
    EXPECT_NEAR(law.exponent, variants()[i].condition_power, 0.01);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(
          conditions[static_cast<std::size_t>(k)] / (factors[i] * std::pow(h[k], variants()[i].condition_power)), 1,
          0.01);
  }
  const double three[] = {4.049, 7.768, 11.58, 15.30, 18.88, 22.32}, two[] = {2.618, 6.918, 13.22, 20.79, 29.15, 38.00};
  Blocks blocks{.X = Matrix::Zero(2, 2), .Y = Matrix::Zero(2, 2), .G = Matrix(2, 1), .M = {}};
  blocks.G << 1, 0;
  for (int k = 1; k <= 6; ++k) {
    const double a0 = bdf_coefficients(k)[0];
    double sum = 0;
    for (const double alpha : bdf_coefficients(k)) sum += alpha;
    EXPECT_NEAR(sum, 0, 1e-14) << "a constant has no derivative";
    EXPECT_NEAR(condition_2(newton_matrix(variants()[full_3], blocks, a0, 1e-6)), three[k - 1], 1e-3 * three[k - 1]);
    EXPECT_NEAR(condition_2(newton_matrix(variants()[full_2], blocks, a0, 1e-6)), two[k - 1], 1e-3 * two[k - 1]);
  }
}

// A3. Without scaling some steps never converge: corrections stay at 0.375·2⁻⁵³/h², one rounding error of u.
TEST(Index3Scaling, UnscaledCorrectionsSaturate) {
  long at_level = 0, silent = 0;
  PendulumRun run{.variant = variants()[none_3], .h = 1e-7, .forced_iterations = 10};
  run.step = [&](const PendulumState&, const std::vector<Correction>& corrections) {
    ++(std::abs(corrections.back().all / 4.163e-3 - 1) < 0.05 ? at_level : silent);
  };
  EXPECT_EQ(run_pendulum(run).steps, 10000);
  EXPECT_GT(at_level, 500);
  EXPECT_GT(silent, 5000);
}

// A4, A9. Scaled in full, every step can be iterated to rounding and satisfies its constraint; rows alone do not help, with
// velocities unscaled the corrections grow like 1/h.
TEST(Index3Scaling, WhatRoundingLeavesOfCorrections) {
  for (const double h : {1e-4, 1e-5, 1e-6, 1e-7})
    for (const std::size_t i : {full_3, full_2}) {
      const PendulumResult run = run_pendulum({.variant = variants()[i], .h = h});
      EXPECT_LE(run.largest.all, 1e-15) << variants()[i].name << " h = " << h;
      EXPECT_LE(run.constraint, 1e-15);
    }
  for (const std::size_t i : {none_3, left_3, none_2, left_2})
    EXPECT_GE(run_pendulum({.variant = variants()[i], .h = 1e-7}).largest.all, 1e-2);
  double before = 0;
  for (const double h : {1e-5, 1e-6, 1e-7}) {
    const PendulumResult run = run_pendulum({.variant = variants()[lambda_3], .h = h});
    if (before > 0) {
      EXPECT_GT(run.largest.all / before, 5);
      EXPECT_LT(run.largest.all / before, 25);
    }
    EXPECT_LE(run.largest.lambda, 1e-15);
    EXPECT_LE(run.largest.u, 1e-15);
    before = run.largest.all;
  }
}

// A5, A6. Scaling and elimination of velocities change how equations are solved, not what they say: with the same unknowns
// the same motion to rounding, with eliminated velocities up to what 500 steps with v known to ε/h make of it.
TEST(Index3Scaling, AllVariantsGiveTheSameMotion) {
  const auto end_of = [](std::size_t variant) {
    return run_pendulum({.variant = variants()[variant],
                         .h = 1e-3,
                         .t_end = 0.5,
                         .angle = -0.7,
                         .rate = 0.5,
                         .forced_iterations = 6})  // the rule (33) may stop early where units are mixed
        .end;
  };
  const auto agree = [&](std::size_t a, std::size_t b, double tolerance) {
    const PendulumState one = end_of(a), other = end_of(b);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(one.u[i], other.u[i], tolerance) << variants()[a].name;
      EXPECT_NEAR(one.v[i], other.v[i], 1e-12) << variants()[a].name;  // 4ε/h
    }
    EXPECT_NEAR(one.lambda, other.lambda, 1e-9) << variants()[a].name;  // 4ε/h²
  };
  for (const std::size_t i : {none_3, left_3, lambda_3}) agree(i, full_3, 1e-14);
  for (const std::size_t i : {none_2, left_2}) agree(i, full_2, 1e-14);
  agree(full_3, full_2, 1e-12);
}

// A7. With stiffness and mass in s the condition is bounded over nine decades of h; with 1/h² alone it is not.
TEST(Index3Scaling, StiffnessAndMassInTheScale) {
  for (double h = 1e-8; h < 20; h *= 10) EXPECT_LT(stiff_conditions(h).both, 50) << h;
  EXPECT_GT(stiff_conditions(10).simple, 1e3 * stiff_conditions(10).none);
  EXPECT_GT(stiff_conditions(1e-8).none, 1e30);
  EXPECT_NEAR(stiff_conditions(1e-8).simple, stiff_conditions(1e-4).simple, 1e-2 * stiff_conditions(1e-4).simple);
}

// A8. Order 2 in u, v and λ from an exact second value; λ is seen after the steps that still use given velocities.
TEST(Index3Scaling, OrderTwoInAllUnknowns) {
  const auto errors = [](double h, bool exact) {
    const PendulumResult run = run_pendulum(
        {.variant = variants()[full_3], .h = h, .t_end = 1, .angle = -0.7, .rate = 0.5, .exact_start = exact});
    const auto motion = pendulum_motion(-0.7, 0.5, h, static_cast<int>(run.states.size()) - 1);
    std::array<double, 3> e{};
    for (std::size_t i = 1; i < motion.size(); ++i) {
      const PendulumState &a = run.states[i], &b = motion[i];
      e[0] = std::max(e[0], std::hypot(a.u[0] - b.u[0], a.u[1] - b.u[1]));
      e[1] = std::max(e[1], std::hypot(a.v[0] - b.v[0], a.v[1] - b.v[1]));
      if (i >= 6) e[2] = std::max(e[2], std::abs(a.lambda - b.lambda));
    }
    return e;
  };
  const auto coarse = errors(1e-2, true), fine = errors(1.25e-3, true);
  const double expected_coarse[] = {1.63e-5, 4.39e-5, 1.58e-4}, expected_fine[] = {2.65e-7, 7.01e-7, 2.47e-6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::log2(coarse[i] / fine[i]) / 3, 2, 0.05) << i;
    EXPECT_NEAR(coarse[i] / expected_coarse[i], 1, 0.05) << i;
    EXPECT_NEAR(fine[i] / expected_fine[i], 1, 0.05) << i;
  }
  // A first step of order 1 spoils the velocities, not the positions.
  EXPECT_NEAR(std::log2(errors(1e-2, false)[1] / errors(1.25e-3, false)[1]) / 3, 1, 0.1);
}

}  // namespace
}  // namespace rubato::experiments::scaling
