#include "rubato/realtime/criterion.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <random>

#include "realtime/linear_problems.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::realtime {
namespace {

using tests::LinearProblem;
using tests::random_problem;

struct Analysis {
  ReducedPair reduced;
  SchurPair form;
  std::vector<SpectralBlock> blocks;
  ComplexMatrix changes;
};

/// Each eigenvalue a block of its own.
Analysis analyse(const LinearProblem& p) {
  Analysis made;
  made.reduced = deflate_complement(p.pencil().pair(p.values), p.split()).value();
  made.form = schur_form(made.reduced.a.cast<Complex>(), made.reduced.b.cast<Complex>()).value();
  std::vector<std::vector<int>> alone;
  for (int i = 0; i < made.form.size(); ++i) alone.push_back({i});
  made.blocks = spectral_blocks(made.form, alone).value();
  made.changes = block_changes(made.reduced, made.blocks, p.pencil(), p.values);
  return made;
}

/// The eigenvalue nearest to `wanted` after a part of an entry was left out.
Complex moved(const LinearProblem& p, int place, double part, Complex wanted) {
  StepPair pair = p.pencil().pair(p.values);
  const Entry at = p.pencil().places()[static_cast<std::size_t>(place)];
  const double e = part * p.step * p.values[static_cast<std::size_t>(place)];
  pair.a(at.row, at.col) += e;
  pair.b(at.row, at.col) += e;
  const Eigen::VectorXcd lambda = (pair.b.inverse() * pair.a).eval().eigenvalues();
  Complex best = lambda(0);
  for (const Complex& l : lambda)
    if (std::abs(l - wanted) < std::abs(best - wanted)) best = l;
  return best;
}

TEST(Criterion, IsTheDerivativeOfEachEigenvalueInAllFourPartsOfTheJacobian) {
  const auto p = random_problem(8, 5, 11);
  const Analysis made = analyse(p);
  const double part = 1e-6;
  // One entry in each of J₁₁, J₂₁, J₁₂, J₂₂: the pattern is dense, columns first.
  for (const int place : {8 * 2 + 1, 8 * 3 + 6, 8 * 6 + 2, 8 * 7 + 5})
    for (int k = 0; k < 5; ++k) {
      const Complex lambda = made.form.eigenvalue(k), estimate = made.changes(k, place);
      const Complex up = moved(p, place, part, lambda), down = moved(p, place, -part, lambda);
      EXPECT_LT(std::abs((up - down) / (2 * part) - estimate), 1e-8 + 1e-6 * std::abs(estimate)) << place << ' ' << k;
      EXPECT_GT(std::abs(estimate), 1e-8);
    }
}

TEST(Criterion, ErrorsAreOfSecondOrder) {
  const auto p = random_problem(8, 5, 12);
  const Analysis made = analyse(p);
  for (const int place : {8 * 2 + 1, 8 * 6 + 2})
    for (int k = 0; k < 5; ++k) {
      const Complex lambda = made.form.eigenvalue(k);
      const auto error = [&](double part) {
        return std::abs(moved(p, place, part, lambda) - lambda - part * made.changes(k, place));
      };
      EXPECT_NEAR(error(1e-3) / error(5e-4), 4, 0.1);
    }
}

TEST(Criterion, DoesNotDependOnTheDeflation) {
  const auto p = random_problem(8, 5, 13);
  const Analysis made = analyse(p);
  for (const auto& reduced : {deflate_orthonormal(p.pencil().pair(p.values), p.split()).value(),
                              deflate_cover(p.pencil().pair(p.values)).value()}) {
    const SchurPair form = schur_form(reduced.a.cast<Complex>(), reduced.b.cast<Complex>()).value();
    for (int k = 0; k < 5; ++k) {
      int same = 0;  // the same eigenvalue stands elsewhere in this form
      for (int i = 0; i < 5; ++i)
        if (std::abs(form.eigenvalue(i) - made.form.eigenvalue(k)) <
            std::abs(form.eigenvalue(same) - made.form.eigenvalue(k)))
          same = i;
      const auto block = spectral_blocks(form, {{same}}).value();
      const ComplexMatrix changes = block_changes(reduced, block, p.pencil(), p.values);
      EXPECT_LT((changes.row(0) - made.changes.row(k)).norm(), 1e-11 * made.changes.row(k).norm());
    }
  }
}

TEST(Criterion, IsInvariantUnderScalingOfEquationsAndUnknowns) {
  const auto p = random_problem(8, 5, 14);
  LinearProblem scaled = p;
  std::mt19937 random(15);
  std::uniform_real_distribution<double> exponent(-2, 2);
  Vector rows(8), cols(8);
  for (int i = 0; i < 8; ++i) {
    rows(i) = std::pow(10, exponent(random));
    cols(i) = std::pow(10, exponent(random));
  }
  for (std::size_t at = 0; at < p.values.size(); ++at) {
    const Entry place = p.pencil().places()[at];
    scaled.values[at] *= rows(place.row) * cols(place.col);
  }
  for (int i = 0; i < 5; ++i) scaled.mass_values[static_cast<std::size_t>(i)] *= rows(i) * cols(i);
  const Analysis before = analyse(p), after = analyse(scaled);
  for (int k = 0; k < 5; ++k) {
    int same = 0;
    for (int i = 0; i < 5; ++i)
      if (std::abs(after.form.eigenvalue(i) - before.form.eigenvalue(k)) <
          std::abs(after.form.eigenvalue(same) - before.form.eigenvalue(k)))
        same = i;
    for (int at = 0; at < 64; ++at)
      EXPECT_NEAR(std::abs(after.changes(same, at)), std::abs(before.changes(k, at)),
                  1e-10 * before.changes.row(k).norm());
  }
  const auto gains = relative_gains(p.split(), p.pencil(), p.values).value(),
             scaled_gains = relative_gains(scaled.split(), scaled.pencil(), scaled.values).value();
  for (std::size_t at = 0; at < gains.size(); ++at) EXPECT_NEAR(gains[at], scaled_gains[at], 1e-10);
}

TEST(Gains, SumToOneAndGiveTheEigenvalueThatMoves) {
  const auto p = random_problem(7, 3, 16);
  const auto gains = relative_gains(p.split(), p.pencil(), p.values).value();
  for (int i = 3; i < 7; ++i) {
    double row = 0, col = 0;
    for (int j = 3; j < 7; ++j) {
      row += gains[static_cast<std::size_t>(7 * j + i)];
      col += gains[static_cast<std::size_t>(7 * i + j)];
    }
    EXPECT_NEAR(row, 1, 1e-12);
    EXPECT_NEAR(col, 1, 1e-12);
  }
  EXPECT_EQ(gains[7 * 4 + 1], 0);  // J₁₂
  // The algebraic part alone: 0 = Df₂₂ y. Without one entry one eigenvalue is −g/(1 − g).
  LinearProblem algebraic;
  algebraic.n = 4;
  algebraic.jacobian = SparsePattern::dense(4, 4);
  algebraic.mass = SparsePattern::from_entries(4, 4, {});
  for (std::size_t j = 3; j < 7; ++j)
    for (std::size_t i = 3; i < 7; ++i) algebraic.values.push_back(p.values[7 * j + i]);
  const std::size_t place = 4 * 2 + 1, same = 7 * 5 + 4;
  Keep keep = algebraic.pencil().all();
  keep[place] = 0;
  const auto spectrum = step_spectrum(algebraic.pencil().pair(algebraic.values, keep));
  ASSERT_TRUE(spectrum);
  const double g = gains[same];
  EXPECT_NEAR(spectrum->lambda(0).real(), -g / (1 - g), 1e-12);
  EXPECT_EQ(spectrum->zeros, 3);
}

TEST(Gains, AreTheSumsOverSingularValues) {
  const auto p = random_problem(7, 3, 17);
  const auto gains = relative_gains(p.split(), p.pencil(), p.values).value();
  const Matrix changes = singular_value_changes(p.split(), p.pencil(), p.values);
  ASSERT_EQ(changes.rows(), 4);
  for (std::size_t at = 0; at < gains.size(); ++at)
    EXPECT_NEAR(changes.col(static_cast<Eigen::Index>(at)).sum(), gains[at], 1e-12);
}

TEST(Gains, OneFlagsAnEntryThatCannotBeMissed) {
  // Df₂₂ lower triangular: its diagonal has gain 1, the entry below it gain 0.
  LinearProblem p;
  p.n = 2;
  p.jacobian = SparsePattern::from_entries(2, 2, {{0, 0}, {1, 0}, {1, 1}});
  p.mass = SparsePattern::from_entries(2, 2, {});
  p.values = {3, 5, 7};
  const auto gains = relative_gains(p.split(), p.pencil(), p.values).value();
  EXPECT_NEAR(gains[0], 1, 1e-15);
  EXPECT_NEAR(gains[1], 0, 1e-15);
  EXPECT_NEAR(gains[2], 1, 1e-15);
  EXPECT_FALSE(step_spectrum(p.pencil().pair(p.values, {0, 1, 1})));
  const auto exact = exact_changes(p.pencil().pair(p.values), p.pencil(), p.values).value();
  EXPECT_NEAR(exact[0].denominator, 0, 1e-15);
  EXPECT_NEAR(exact[1].denominator, 1, 1e-15);
}

TEST(ExactChanges, AreTheSumOverAllEigenvaluesAlsoForLargeEntries) {
  const auto p = random_problem(8, 5, 18);
  Keep keep = p.pencil().all();
  keep[3] = keep[20] = 0;  // from a structure that lacks some already
  const StepPair pair = p.pencil().pair(p.values, keep);
  const auto exact = exact_changes(pair, p.pencil(), p.values).value();
  const Complex before = (pair.b.inverse() * pair.a).trace();
  for (const std::size_t place : {1U, 17U, 38U, 62U}) {
    Keep fewer = keep;
    fewer[place] = 0;
    const StepPair next = p.pencil().pair(p.values, fewer);
    EXPECT_NEAR(exact[place].sum, ((next.b.inverse() * next.a).trace() - before).real(), 1e-12);
    EXPECT_NEAR(exact[place].denominator, next.b.determinant() / pair.b.determinant(), 1e-12);
  }
}

/// Magnitude says nothing: α = −1, β = −2, γ = −1e4, ε = 1e-3 (Schiela, section 4.4).
TEST(Criterion, SeesTheTinyEntriesThatCarryAStiffMode) {
  const double alpha = -1, beta = -2, gamma = -1e4, eps = 1e-3;
  LinearProblem p;
  p.n = 3;
  p.step = 1e-3;
  p.jacobian = SparsePattern::from_entries(3, 3, {{0, 0}, {0, 2}, {1, 1}, {2, 0}, {2, 2}});
  p.mass = SparsePattern::from_entries(3, 3, {{0, 0}, {1, 1}});
  p.mass_values = {1, 1};
  p.values = {alpha, eps, beta, eps, eps * eps / (alpha - gamma)};  // columns: (0,0) (2,0) (1,1) (0,2) (2,2)
  const auto spectrum = [&](const Keep& keep) {
    std::vector<double> real;
    const auto found = step_spectrum(p.pencil().pair(p.values, keep));
    for (Eigen::Index i = 0; i < 3; ++i) real.push_back(found->lambda(i).real());
    std::sort(real.begin(), real.end());
    return real;
  };
  const auto full = spectrum({1, 1, 1, 1, 1});
  EXPECT_NEAR(full[1], 1 / (1 - p.step * gamma), 1e-12);  // 0.0909
  EXPECT_NEAR(full[1], 0.0909, 1e-4);
  EXPECT_NEAR(full[2], 1 / (1 - p.step * beta), 1e-12);
  EXPECT_NEAR(spectrum({1, 0, 1, 1, 1})[0], -8.99, 0.01);  // without the tiny (3, 1)
  EXPECT_NEAR(spectrum({1, 1, 1, 0, 1})[0], -8.99, 0.01);  // without the tiny (1, 3)
  const auto without = spectrum({0, 1, 1, 1, 1});          // without the large (1, 1)
  EXPECT_LT(std::abs(without[1] - full[1]), 1e-4);
  EXPECT_GT(std::abs(without[1] - full[1]), 5e-5);

  const Analysis made = analyse(p);
  const int stiff = std::abs(made.form.eigenvalue(0)) < 0.5 ? 0 : 1;
  EXPECT_LT(std::abs(made.changes(stiff, 0)), 1e-3);
  EXPECT_GT(std::abs(made.changes(stiff, 1)), 0.5);
  EXPECT_GT(std::abs(made.changes(stiff, 3)), 0.5);
}

}  // namespace
}  // namespace rubato::realtime
