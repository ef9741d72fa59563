// The inf-sup constant of each pair with pressures, β² the least eigenvalue of B A⁻¹ Bᵀ p = β² M p with A = 2∫ε:ε, all of the
// boundary held, constant pressures left out: bounded below for stable pairs as the mesh is refined, not so for quad4 and hex8 with one
// pressure per element, where a checkerboard costs nothing (Bathe, Finite Element Procedures (1996), section 4.5).
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "rubato/fem/mixed_pairs.hpp"
#include "rubato/problem/state_point.hpp"
#include "solid_support.hpp"

namespace rubato::fem {
namespace {

Matrix dense(const SparsePattern& pattern, const std::vector<double>& values) {
  Matrix m = Matrix::Zero(pattern.rows(), pattern.cols());
  for (int j = 0, p = 0; j < pattern.cols(); ++j)
    for (const int i : pattern.column(j)) m(i, j) = values[static_cast<std::size_t>(p++)];
  return m;
}

double inf_sup(Shape shape, PressureSpace pressure, int n) {
  const bool space = info(shape).dimension == 3;
  SolidModel model;
  model.mesh = *block({.shape = shape, .divisions = {n, n, n}});
  add_boundary(model.mesh, "boundary");
  model.analysis = space ? Analysis::space : Analysis::plane_strain;
  // μ = 1, Λ = 1: g_λ = −M.
  model.materials = {{.name = "m", .density = 1, .law = LinearElastic{.young = 2.5, .poisson = 0.25}}};
  model.regions = {{.group = "body", .material = "m", .pressure = pressure}};
  model.prescribed = {
      test::prescribed(model.mesh, "boundary", [](const Eigen::Vector3d&) { return Eigen::Vector3d(0, 0, 0); })};
  const auto system = build(std::move(model));
  EXPECT_TRUE(system.ok()) << system.error().message;
  const auto patterns = (*system)->tangent_patterns();
  std::vector<double> k(patterns.K.nnz()), d(patterns.D.nnz()), r(patterns.r_lambda.nnz()), g(patterns.g_q.nnz()),
      c(patterns.g_lambda.nnz());
  const MechanicalState rest = test::at_rest(**system);
  ScratchMemory memory((*system)->scratch_bytes());
  const MechanicalPoint<double> p = point_at(rest, memory.scratch());
  EXPECT_EQ((*system)->tangents(p, view(rest.a), {.K = k, .D = d, .r_lambda = r, .g_q = g, .g_lambda = c}),
            EvalStatus::ok);
  const Matrix a = dense(patterns.K, k), b = dense(patterns.g_q, g), m = -dense(patterns.g_lambda, c);
  const Matrix schur = b * a.llt().solve(b.transpose());
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(0.5 * (schur + schur.transpose()), m,
                                                               Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, eigen.eigenvalues()[1]));  // [0]: the constant
}

TEST(InfSup, IsBoundedBelowForStablePairsAndOnlyForThem) {
  for (const MixedPair& pair : mixed_pairs()) {
    const bool space = info(pair.shape).dimension == 3;
    const int n = space ? 2 : 4, finer = space ? (pair.inf_sup_stable ? 3 : 4) : 8;
    const double coarse = inf_sup(pair.shape, pair.pressure, n), fine = inf_sup(pair.shape, pair.pressure, finer);
    const std::string what = std::string(info(pair.shape).name) + "/" + pressure_name(pair);
    if (pair.inf_sup_stable) {
      EXPECT_GT(fine, 0.1) << what;
      EXPECT_GT(fine, 0.75 * coarse) << what;
    } else {
      EXPECT_LT(fine, 1e-6) << what;
    }
  }
}

}  // namespace
}  // namespace rubato::fem
