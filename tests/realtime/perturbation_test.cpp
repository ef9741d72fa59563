#include "rubato/realtime/perturbation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "realtime/linear_problems.hpp"

namespace rubato::realtime {
namespace {

constexpr int n_perturbed = 6;

struct PerturbationExample {
  ComplexMatrix a = tests::random_complex(n_perturbed, 31), b = tests::random_complex(n_perturbed, 32);
  ComplexMatrix e = tests::random_complex(n_perturbed, 33), f = tests::random_complex(n_perturbed, 34);
  TwoBlocks two = two_blocks(schur_form(a, b).value(), {1, 0, 0, 1, 0, 0}).value();
};

TEST(Perturbation, BoundHoldsAndBlocksHaveThePerturbedSpectrum) {
  PerturbationExample x;
  const double separate = separation(x.two);
  ASSERT_GT(separate, 0);
  for (const double size : {1e-2, 1e-4}) {
    const ComplexMatrix e = size * separate * x.e, f = size * separate * x.f;
    const PerturbationBound bound = perturbation_bound(x.two, e, f);
    if (size < 1e-3) {
      EXPECT_TRUE(bound.valid);
    }
    if (!bound.valid) continue;
    const auto d = decouple(x.two, e, f);
    ASSERT_TRUE(d);
    const double found = std::max(d->p.norm(), d->q.norm());
    EXPECT_LE(found, bound.bound);
    EXPECT_LT(bound.bound, 2 * bound.gamma / bound.delta);
    EXPECT_GT(found, 1e-3 * bound.bound);
    // Eigenvalues of the perturbed blocks are those of the perturbed pair.
    const auto part = [](const SpectralBlock& l, const ComplexMatrix& m, const SpectralBlock& r) {
      return ComplexMatrix(l.y.adjoint() * m * r.x);
    };
    const SpectralBlock &one = x.two.first, &two = x.two.second;
    const ComplexMatrix a1 = one.a + part(one, e, one) + part(one, e, two) * d->p,
                        b1 = one.b + part(one, f, one) + part(one, f, two) * d->p,
                        a2 = two.a + part(two, e, two) + d->q * part(one, e, two),
                        b2 = two.b + part(two, f, two) + d->q * part(one, f, two);
    const Eigen::VectorXcd all = ((x.b + f).inverse() * (x.a + e)).eval().eigenvalues();
    for (const Eigen::VectorXcd& few : {Eigen::VectorXcd((b1.inverse() * a1).eval().eigenvalues()),
                                        Eigen::VectorXcd((b2.inverse() * a2).eval().eigenvalues())})
      for (const Complex& l : few) EXPECT_LT((all.array() - l).abs().minCoeff(), 1e-10 * (1 + std::abs(l)));
  }
}

TEST(Perturbation, LargeOnesAreNotVouchedFor) {
  PerturbationExample x;
  EXPECT_FALSE(perturbation_bound(x.two, x.e, x.f).valid);
}

TEST(Perturbation, SeparationVanishesWithTheGapOfTheSpectra) {
  const auto gap = [](double g) {
    ComplexMatrix a = ComplexMatrix::Zero(2, 2);
    a(0, 0) = 1;
    a(1, 1) = 1 + g;
    return separation(two_blocks(schur_form(a, ComplexMatrix::Identity(2, 2)).value(), {1, 0}).value());
  };
  EXPECT_NEAR(gap(1e-3) / gap(1e-4), 10, 0.1);
  // For 1 × 1 blocks the map is [a₂ a₁; b₂ b₁]: determinant g, norm near 2.
  EXPECT_NEAR(gap(1e-4), 1e-4 / 2 / std::sqrt(2.0), 1e-7);
}

}  // namespace
}  // namespace rubato::realtime
