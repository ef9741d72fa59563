#include "rubato/realtime/schur.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>

#include "realtime/linear_problems.hpp"
#include "rubato/realtime/clusters.hpp"
#include "rubato/realtime/spectral_blocks.hpp"

extern "C" void ztgsen_(const int* ijob, const int* wantq, const int* wantz, const int* select, const int* n,
                        std::complex<double>* a, const int* lda, std::complex<double>* b, const int* ldb,
                        std::complex<double>* alpha, std::complex<double>* beta, std::complex<double>* q,
                        const int* ldq, std::complex<double>* z, const int* ldz, int* m, double* pl, double* pr,
                        double* dif, std::complex<double>* work, const int* lwork, int* iwork, const int* liwork,
                        int* info);

namespace rubato::realtime {
namespace {

constexpr int n = 14;
constexpr double close = 1e-13;  // of a norm: a hundred rotations of 2⁻⁵³ each

struct Example {
  ComplexMatrix a = tests::random_complex(n, 1), b = tests::random_complex(n, 2);
  SchurPair form = schur_form(a, b).value();
  double size = a.norm();

  [[nodiscard]] double residual(const SchurPair& f) const {
    return std::max((f.q * f.a * f.z.adjoint() - a).norm(), (f.q * f.b * f.z.adjoint() - b).norm());
  }
};

double below_diagonal(const ComplexMatrix& m) { return ComplexMatrix(m.triangularView<Eigen::StrictlyLower>()).norm(); }

Flags some() { return {0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}; }

TEST(SchurForm, IsUnitarilyEquivalentAndTriangular) {
  const Example e;
  EXPECT_LT(e.residual(e.form), close * e.size);
  EXPECT_EQ(below_diagonal(e.form.a), 0);
  EXPECT_EQ(below_diagonal(e.form.b), 0);
}

TEST(SchurForm, ExchangesNeighboursExactly) {
  const Example e;
  SchurPair f = e.form;
  ASSERT_TRUE(exchange(f, 5));
  EXPECT_LT(std::abs(f.eigenvalue(5) - e.form.eigenvalue(6)), close * std::abs(f.eigenvalue(5)));
  EXPECT_LT(std::abs(f.eigenvalue(6) - e.form.eigenvalue(5)), close * std::abs(f.eigenvalue(6)));
  EXPECT_LT(e.residual(f), close * e.size);
  EXPECT_LT((f.q.adjoint() * f.q - ComplexMatrix::Identity(n, n)).norm(), close);
  EXPECT_LT((f.z.adjoint() * f.z - ComplexMatrix::Identity(n, n)).norm(), close);
}

TEST(SchurForm, RefusesToExchangeEqualEigenvalues) {
  SchurPair f{ComplexMatrix::Identity(2, 2), ComplexMatrix::Identity(2, 2), ComplexMatrix::Identity(2, 2),
              ComplexMatrix::Identity(2, 2)};
  f.a(0, 1) = 1;  // a Jordan block
  EXPECT_FALSE(exchange(f, 0));
  EXPECT_EQ(f.a(0, 1), Complex(1));
}

TEST(SchurForm, MovesASetToTheTopAsTgsenDoes) {
  const Example e;
  SchurPair ours = e.form;
  Flags flags = some();
  ASSERT_TRUE(move_to_top(ours, flags));
  EXPECT_EQ(flags, (Flags{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_LT(e.residual(ours), close * e.size);

  SchurPair theirs = e.form;
  const int job = 0, yes = 1, lwork = 4 * n * n, liwork = 4 * n;
  std::vector<int> select, iwork(liwork);
  for (const auto flag : some()) select.push_back(flag);
  std::vector<Complex> alpha(n), beta(n), work(lwork);
  int m = 0, info = 0;
  double pl = 0, pr = 0, dif[2];
  ztgsen_(&job, &yes, &yes, select.data(), &n, theirs.a.data(), &n, theirs.b.data(), &n, alpha.data(), beta.data(),
          theirs.q.data(), &n, theirs.z.data(), &n, &m, &pl, &pr, dif, work.data(), &lwork, iwork.data(), &liwork,
          &info);
  ASSERT_EQ(info, 0);
  ASSERT_EQ(m, 5);
  for (int i = 0; i < n; ++i)
    EXPECT_LT(std::abs(ours.eigenvalue(i) - theirs.eigenvalue(i)), 1e-12 * std::abs(theirs.eigenvalue(i))) << i;
  // The same subspaces: projectors agree, bases need not.
  const auto projector = [](const ComplexMatrix& basis) { return ComplexMatrix(basis * basis.adjoint()); };
  EXPECT_LT((projector(ours.z.leftCols(m)) - projector(theirs.z.leftCols(m))).norm(), 1e-12);
  EXPECT_LT((projector(ours.q.rightCols(n - m)) - projector(theirs.q.rightCols(n - m))).norm(), 1e-12);
}

TEST(SpectralBlocks, TwoBlocksAreDecoupledAndTriangular) {
  const Example e;
  const auto two = two_blocks(e.form, some());
  ASSERT_TRUE(two);
  const SpectralBlock &first = two->first, &second = two->second;
  for (const ComplexMatrix* m : {&e.a, &e.b}) {
    EXPECT_LT((first.y.adjoint() * *m * second.x).norm(), close * e.size);
    EXPECT_LT((second.y.adjoint() * *m * first.x).norm(), close * e.size);
  }
  for (const SpectralBlock* block : {&first, &second}) {
    const auto k = static_cast<Eigen::Index>(block->members.size());
    EXPECT_LT((block->x.adjoint() * block->x - ComplexMatrix::Identity(k, k)).norm(), close);
    EXPECT_LT((block->y.adjoint() * block->y - ComplexMatrix::Identity(k, k)).norm(), close);
    const ComplexMatrix a = block->y.adjoint() * e.a * block->x, b = block->y.adjoint() * e.b * block->x;
    EXPECT_LT(below_diagonal(a), close * e.size);
    EXPECT_LT(below_diagonal(b), close * e.size);
    EXPECT_LT((a - block->a).norm(), close * e.size);
    EXPECT_LT((b - block->b).norm(), close * e.size);
    for (Eigen::Index i = 0; i < k; ++i)
      EXPECT_LT(
          std::abs(block->a(i, i) / block->b(i, i) - e.form.eigenvalue(block->members[static_cast<std::size_t>(i)])),
          1e-11);
  }
}

TEST(SpectralBlocks, ManyBlocksAreDecoupledFromEachOther) {
  const Example e;
  std::vector<std::vector<int>> sets = {{0, 3, 4}, {1}, {2, 13}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  const auto blocks = spectral_blocks(e.form, sets);
  ASSERT_TRUE(blocks);
  ASSERT_EQ(blocks->size(), sets.size());
  for (const auto& one : *blocks)
    for (const auto& other : *blocks) {
      if (&one == &other) continue;
      EXPECT_LT((one.y.adjoint() * e.a * other.x).norm(), close * e.size);
      EXPECT_LT((one.y.adjoint() * e.b * other.x).norm(), close * e.size);
    }
}

TEST(SpectralBlocks, GiveTheSpectralProjectors) {
  // X_k (I − B_k⁻¹A_k) B_k⁻¹ Y_kᴴ = P_k (I − B⁻¹A) B⁻¹ with the projector P_k onto the eigenvectors of block k, from V Π_k V⁻¹.
  const Example e;
  const std::vector<std::vector<int>> sets = {{0, 3, 4}, {1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13}};
  const auto blocks = spectral_blocks(e.form, sets);
  ASSERT_TRUE(blocks);
  const ComplexMatrix inverse = e.b.inverse(), unit = ComplexMatrix::Identity(n, n);
  ComplexMatrix sum = ComplexMatrix::Zero(n, n);
  for (const SpectralBlock& block : *blocks) {
    const auto k = static_cast<Eigen::Index>(block.members.size());
    const ComplexMatrix bk = block.b.inverse();
    const ComplexMatrix ours = block.x * (ComplexMatrix::Identity(k, k) - bk * block.a) * bk * block.y.adjoint();
    const ComplexMatrix projector = block.x * bk * block.y.adjoint() * e.b;
    EXPECT_LT((projector * projector - projector).norm(), 1e-11);
    EXPECT_LT((projector * inverse * e.a - inverse * e.a * projector).norm(), 1e-11);  // commutes with B⁻¹A
    EXPECT_LT((ours - projector * (unit - inverse * e.a) * inverse).norm(), 1e-11);
    sum += projector;
  }
  EXPECT_LT((sum - unit).norm(), 1e-11);
}

TEST(Clusters, LinkChainsAndPutSplitJordanBlocksTogether) {
  const std::vector<Complex> lambda = {{1, 1e-8}, {0.5, 0}, {1, -1e-8}, {0.5, 0.9e-4}, {0.5, 1.8e-4}, {0.2, 0}};
  const auto found = clusters(lambda, 1e-4);
  EXPECT_EQ(found, (std::vector<std::vector<int>>{{0, 2}, {1, 3, 4}, {5}}));
  EXPECT_EQ(clusters(lambda, 1e-9).size(), 6U);
}

}  // namespace
}  // namespace rubato::realtime
