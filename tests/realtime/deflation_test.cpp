#include "rubato/realtime/deflation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <random>

#include "realtime/linear_problems.hpp"
#include "rubato/realtime/matching.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::realtime {
namespace {

using tests::random_problem;

std::vector<double> sorted_moduli(const Eigen::VectorXcd& lambda) {
  std::vector<double> moduli;
  for (const Complex& l : lambda) moduli.push_back(std::abs(l));
  std::sort(moduli.begin(), moduli.end());
  return moduli;
}

TEST(Deflation, LeavesTheOtherEigenvaluesToAPairOfTheDifferentialPart) {
  const auto p = random_problem(12, 5, 3);
  const StepPair pair = p.pencil().pair(p.values);
  const MassSplit split = p.split();
  const auto full = sorted_moduli((pair.b.inverse() * pair.a).eval().eigenvalues());
  const auto orthonormal = deflate_orthonormal(pair, split), complement = deflate_complement(pair, split),
             cover = deflate_cover(pair);
  ASSERT_TRUE(orthonormal && complement && cover);
  for (const auto* reduced : {&*orthonormal, &*complement, &*cover}) {
    ASSERT_EQ(reduced->a.rows(), 5);
    const auto few = sorted_moduli((reduced->b.inverse() * reduced->a).eval().eigenvalues());
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(few[i], full[7 + i], 1e-13);
    EXPECT_LT((reduced->left * pair.a * reduced->right - reduced->a).norm(), 1e-14);
    EXPECT_LT((reduced->b - reduced->a - reduced->difference).norm(), 1e-13);
  }
  // The blocks beside Ã and −τJ₂₂ vanish: of the two choices made for A = diag(L₁, 0).
  for (const auto* reduced : {&*orthonormal, &*complement}) {
    EXPECT_LT((pair.b(split.algebraic_rows, Eigen::all) * reduced->right).norm(), 1e-14);
    EXPECT_LT((reduced->left * pair.b(Eigen::all, split.algebraic_cols)).norm(), 1e-14);
  }
  EXPECT_LT((orthonormal->right.transpose() * orthonormal->right - Matrix::Identity(5, 5)).norm(), 1e-14);
  // The complement has B̃ = L₁ − τ (J₁₁ − J₁₂ J₂₂⁻¹ J₂₁).
  const Matrix df = -pair.difference / p.step;
  const Matrix inner = df.topLeftCorner(5, 5) -
                       df.topRightCorner(5, 7) * df.bottomRightCorner(7, 7).inverse() * df.bottomLeftCorner(7, 5);
  EXPECT_LT((complement->b - (p.pencil().mass().topLeftCorner(5, 5) - p.step * inner)).norm(), 1e-13);
}

TEST(Deflation, RefusesASingularAlgebraicPart) {
  auto p = random_problem(6, 3, 4);
  for (std::size_t j = 3; j < 6; ++j)
    for (std::size_t i = 3; i < 6; ++i) p.values[6 * j + i] = 1;  // rank one: index above 1
  const StepPair pair = p.pencil().pair(p.values);
  EXPECT_FALSE(deflate_complement(pair, p.split()));
}

TEST(StepSpectrum, OfALinearProblemIsThatOfItsStepMatrix) {
  // (L − τJ) x₁ = (L + τΔJ) x₀ with a fifth of the entries left out: λ of (L − τJ)⁻¹ (L + τΔJ).
  const auto p = random_problem(12, 5, 5);
  Keep keep = p.pencil().all();
  for (std::size_t at = 1; at < keep.size(); at += 5) keep[at] = 0;
  const StepPair pair = p.pencil().pair(p.values, keep);
  const auto spectrum = step_spectrum(pair);
  ASSERT_TRUE(spectrum);
  const auto ours = sorted_moduli(spectrum->lambda),
             theirs = sorted_moduli((pair.b.inverse() * pair.a).eval().eigenvalues());
  ASSERT_EQ(ours.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-12);
  EXPECT_NEAR(spectrum->radius(), theirs.back(), 1e-12);
}

TEST(StepSpectrum, OfAnExactJacobianIsTheMapOfThePencil) {
  // μ of x' = M x goes to 1/(1 − τμ), infinite eigenvalues (algebraic unknowns) to 0.
  const auto p = random_problem(9, 4, 6);
  const StepPair pair = p.pencil().pair(p.values);
  const auto spectrum = step_spectrum(pair);
  ASSERT_TRUE(spectrum);
  EXPECT_EQ(spectrum->zeros, 5);
  const Matrix df = -pair.difference / p.step;
  const Matrix inner = df.topLeftCorner(4, 4) -
                       df.topRightCorner(4, 5) * df.bottomRightCorner(5, 5).inverse() * df.bottomLeftCorner(5, 4);
  const Eigen::VectorXcd mu = (p.pencil().mass().topLeftCorner(4, 4).inverse() * inner).eval().eigenvalues();
  for (const Complex& m : mu) {
    const Complex expected = amplification(p.step * m);
    double nearest = 1;
    for (const Complex& l : spectrum->lambda) nearest = std::min(nearest, std::abs(l - expected));
    EXPECT_LT(nearest, 1e-12);
  }
}

TEST(StepSpectrum, DampsExactlyOutsideTheUnitDiscAroundOne) {
  for (const double angle : {0.1, 1.0, 2.0, 3.0, 4.5})
    for (const double radius : {0.2, 0.99, 1.01, 30.0}) {
      const Complex z = Complex(1) + std::polar(radius, angle);
      EXPECT_EQ(std::abs(amplification(z)) < 1, radius > 1);
    }
}

/// Two ways to one spectrum: dense factors of the whole pair, sparse ones of B with the rows and columns that cover A. Round-off of
/// eigenvalues of condition 1e3 and more: 1e-10.
TEST(StepSpectrum, IsTheSameFromSparseFactors) {
  std::mt19937 random(3);
  std::bernoulli_distribution kept(0.7);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto p = random_problem(12, 7, seed);
    const StepPencil pencil = p.pencil();
    Keep keep = pencil.all();
    for (std::size_t at = 0; at < keep.size(); ++at)
      keep[at] = kept(random) || pencil.places()[at].row == pencil.places()[at].col;
    const auto dense = step_spectrum(pencil.pair(p.values, keep)), sparse = step_spectrum(pencil, p.values, keep);
    ASSERT_TRUE(dense && sparse);
    EXPECT_EQ(dense->zeros, sparse->zeros);
    const auto numbers = [](const StepSpectrum& s) { return std::span<const Complex>(s.lambda.data(), 12); };
    const double size = 1 + dense->radius();
    EXPECT_LT(match_spectra(numbers(*dense), numbers(*sparse), std::vector<double>(12, size)).ratio, 1e-10) << seed;
  }
}

/// The last row is empty.
TEST(StepSpectrum, OfSparseFactorsSaysThatAMatrixIsSingular) {
  const auto p = random_problem(5, 3, 1);
  Keep keep = p.pencil().all();
  for (int j = 0; j < 5; ++j) keep[static_cast<std::size_t>(p.jacobian.index_of(4, j))] = 0;
  EXPECT_FALSE(step_spectrum(p.pencil(), p.values, keep));
  EXPECT_TRUE(step_spectrum(p.pencil(), p.values, p.pencil().all()));
}

TEST(StepSpectrum, SaysThatAMatrixIsSingular) {
  auto p = random_problem(4, 2, 7);
  Keep keep = p.pencil().all();
  for (const std::size_t row : {2, 3})
    for (std::size_t col = 2; col < 4; ++col) keep[4 * col + row] = 0;
  for (const std::size_t col : {0, 1}) keep[4 * col + 3] = 0;  // the last row is empty
  EXPECT_FALSE(step_spectrum(p.pencil().pair(p.values, keep)));
}

TEST(MassSplit, FindsAlgebraicRowsAndColumnsInAnyOrder) {
  const SparsePattern mass = SparsePattern::from_entries(3, 3, {{0, 2}, {2, 1}});
  const std::vector<double> values = {2, 3};
  const auto split = split_mass(mass, values);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->differential_rows, (std::vector<int>{0, 2}));
  EXPECT_EQ(split->algebraic_rows, (std::vector<int>{1}));
  EXPECT_EQ(split->algebraic_cols, (std::vector<int>{0}));
}

TEST(MassSplit, RefusesDependentDerivatives) {
  const std::vector<double> ones = {1, 1, 1, 1};
  const auto singular = split_mass(SparsePattern::dense(2, 2), ones);
  ASSERT_FALSE(singular);
  EXPECT_NE(singular.error().message.find("rank 1"), std::string::npos) << singular.error().message;
  const auto uneven = split_mass(SparsePattern::from_entries(2, 2, {{0, 0}, {0, 1}}), std::vector<double>{1, 1});
  ASSERT_FALSE(uneven);
  EXPECT_NE(uneven.error().message.find("1 equations"), std::string::npos) << uneven.error().message;
}

}  // namespace
}  // namespace rubato::realtime
