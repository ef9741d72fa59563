// Newton's matrix of all stages: direct factor and products against a dense Kronecker construction.
#include "src/integrate/stage_operator.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "rubato/integrate/runge_kutta_embedded.hpp"
#include "rubato/linalg/gmres.hpp"
#include "src/integrate/mass_solver.hpp"
#include "src/integrate/stage_plan.hpp"
#include "unit/linalg/random_systems.hpp"

namespace rubato {
namespace {

using F = RungeKuttaFamily;

/// A random index-1-like system of eight unknowns, the last two algebraic, every row with a table of its own.
struct Case {
  explicit Case(int s) {
    std::mt19937 random(7);
    system = test::random_second_order(random, 3, 2, true);
    n = system.size();
    algebraic.assign(static_cast<std::size_t>(n), 0);
    algebraic[6] = algebraic[7] = 1;
    const std::pair<F, double> members[] = {{F::lobatto_iiic, 0},    {F::lobatto_iiia, 0}, {F::lobatto_iiid, 0},
                                            {F::lobatto_iiiac, 0.7}, {F::lobatto_iiib, 0}, {F::lobatto_iiidc, 0.3},
                                            {F::lobatto_iiic, 0},    {F::lobatto_iiid, 0}};
    for (int k = 0; k < n; ++k) {
      tables.push_back(runge_kutta_table(members[k].first, s, members[k].second));
      rules.rules.push_back(stage_rule(tables.back(), -1));
      rules.of.push_back(k);
    }
  }
  [[nodiscard]] Matrix kronecker(double h) const {
    const int s = tables.front().s;
    const Matrix B = test::to_dense<double>(system.B, system.B_values),
                 J = test::to_dense<double>(system.J, system.J_values);
    Matrix K = Matrix::Zero(s * n, s * n);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j)
        for (int k = 0; k < n; ++k) {
          const bool alg = algebraic[static_cast<std::size_t>(k)] != 0;
          const double a = alg ? (i == j ? 1 : 0) : tables[static_cast<std::size_t>(k)].A(i, j);
          K.block(i * n + k, j * n, 1, n) = (i == j ? 1 / h : 0) * B.row(k) - a * J.row(k);
        }
    return K;
  }
  StageOperator make(StageOperator::Solver solver, BackEnd back_end = BackEnd::automatic) const {
    const std::vector<SparsePattern> patterns = {system.J};
    StageOperator stages(tables.front(), algebraic, system.B, patterns, solver, back_end);
    const std::vector<In> values = {system.J_values};
    stages.linearise(system.B_values, values);
    return stages;
  }
  test::SecondOrderSystem system{};
  int n = 0;
  std::vector<char> algebraic;
  std::vector<RungeKuttaTable> tables;
  StageRules rules;
};

TEST(StageOperator, DirectSolvesTheKroneckerSystem) {
  for (const int s : {2, 3, 4})
    for (const BackEnd back_end : {BackEnd::dense, BackEnd::klu}) {
      const Case c(s);
      const double h = 0.05;
      auto stages = c.make(StageOperator::Solver::direct, back_end);
      Vector scale = Vector::LinSpaced(c.n, 0.1, 3);
      ASSERT_EQ(stages.factor(h, c.rules, view(std::as_const(scale)), view(std::as_const(scale))), FactorStatus::ok);
      const Matrix r = Matrix::Random(c.n, s);
      Matrix dz(c.n, s);
      stages.solve(r, dz);
      const Vector residual = c.kronecker(h) * dz.reshaped() - Vector(r.reshaped());
      EXPECT_LT(residual.norm(), 1e-11) << s;
    }
}

TEST(StageOperator, ProductsInWCoordinatesAreTheKroneckerProduct) {
  for (const int s : {2, 3, 4, 5}) {
    const Case c(s);
    const double h = 0.05;
    auto stages = c.make(StageOperator::Solver::products);
    const Matrix z = Matrix::Random(c.n, s);
    const Matrix v = z * c.tables.front().W_inverse.transpose();
    Matrix y(c.n, s);
    stages.multiply(h, c.rules, In(v.data(), static_cast<std::size_t>(v.size())),
                    Out(y.data(), static_cast<std::size_t>(y.size())));
    const Matrix back = y * c.tables.front().W.transpose();
    const Vector expected = c.kronecker(h) * z.reshaped();
    EXPECT_LT((Vector(back.reshaped()) - expected).norm(), 1e-11 * expected.norm()) << s;
  }
}

TEST(Gmres, SolvesAndStopsWhereAsked) {
  std::srand(3);
  const Matrix A = Matrix::Identity(40, 40) + 0.08 * Matrix::Random(40, 40);
  const Vector b = Vector::Random(40);
  for (const int restart : {7, 40}) {
    Gmres gmres(40, restart);
    for (const double tolerance : {1e-3, 1e-10}) {
      Vector x(40);
      const auto outcome =
          gmres.solve(view(b), view(x), tolerance, 400, [&](In v, Out w) noexcept { map(w) = A * map(v); });
      EXPECT_TRUE(outcome.converged);
      EXPECT_LE((b - A * x).norm(), 1.01 * tolerance);
      EXPECT_GT((b - A * x).norm(), 1e-6 * tolerance);  // no more than asked for
    }
    Vector x(40);
    EXPECT_FALSE(gmres.solve(view(b), view(x), 1e-10, 3, [&](In v, Out w) noexcept { map(w) = A * map(v); }).converged);
    const Vector zero = Vector::Zero(40);
    EXPECT_TRUE(
        gmres.solve(view(zero), view(x), 1e-10, 3, [&](In v, Out w) noexcept { map(w) = A * map(v); }).converged);
    EXPECT_EQ(x.norm(), 0);
  }
}

// x₁ and the extra stage as combinations of Z and K: must be h Σ b_j K_j and h Σ r_j K_j for any K, Z = h A K.
TEST(StageRule, CombinationsAreWhatTheyStandFor) {
  const std::pair<F, double> members[] = {
      {F::lobatto_iiia, 0},      {F::lobatto_iiib, 0},      {F::lobatto_iiic, 0},
      {F::lobatto_iiid, 0},      {F::lobatto_iiic_star, 0}, {F::lobatto_iiiab, 0.99},
      {F::lobatto_iiiac, 0.999}, {F::lobatto_iiidc, 0.4},   {F::lobatto_iiiab, 0.01}};
  for (const auto& [family, theta] : members)
    for (const int s : {2, 3, 4, 5}) {
      const auto table = runge_kutta_table(family, s, theta);
      const StageRule rule = stage_rule(table, 0.75);
      const double h = 0.3;
      const Vector K = Vector::Random(s), Z = h * table.A * K;
      const auto value = [&](const StageCombination& c) {
        double sum = 0, largest = 0;
        for (int j = 0; j < s; ++j) {
          sum += c.on_z[static_cast<std::size_t>(j)] * Z[j] + h * c.on_k[static_cast<std::size_t>(j)] * K[j];
          largest = std::max({largest, std::abs(c.on_z[static_cast<std::size_t>(j)])});
        }
        EXPECT_LT(largest, 200) << table.name();  // θ → 1 must not blow up
        return sum;
      };
      EXPECT_NEAR(value(rule.end), h * table.b.dot(K), 1e-12) << table.name();
      EXPECT_NEAR(value(rule.extra), h * embedded_lobatto(table, 0.75).row.dot(K), 1e-12) << table.name();
    }
}

TEST(StageRule, BlendOfTheEdgesIsTheBlendedTable) {
  for (const int s : {2, 3, 4, 5}) {
    const auto edge = [&](double theta) { return stage_rule(runge_kutta_table(F::lobatto_iiidc, s, theta), 0.8); };
    const StageRule direct = edge(0.37), blended = blended_dc(edge(0), edge(1), 0.37);
    for (std::size_t k = 0; k < direct.a.size(); ++k) EXPECT_NEAR(direct.a[k], blended.a[k], 1e-14);
    for (std::size_t j = 0; j < direct.end.on_z.size(); ++j) {
      EXPECT_NEAR(direct.end.on_z[j], blended.end.on_z[j], 1e-12) << s;
      EXPECT_NEAR(direct.extra.on_z[j], blended.extra.on_z[j], 1e-11) << s;
    }
    EXPECT_EQ(direct.corner.delta, blended.corner.delta);
  }
}

TEST(MassSolver, SlopesAndAlgebraicCorrections) {
  const Case c(3);
  const Matrix B = test::to_dense<double>(c.system.B, c.system.B_values),
               J = test::to_dense<double>(c.system.J, c.system.J_values);
  for (const bool index_1 : {true, false}) {
    MassSolver mass(c.system.B, c.system.J, c.algebraic, index_1, BackEnd::automatic);
    ASSERT_EQ(mass.factor(c.system.B_values, c.system.J_values), FactorStatus::ok);
    const Vector r = Vector::Random(c.n);
    Vector x = r;
    mass.solve(view(x));
    EXPECT_LT((B.topRows(6) * x - r.head(6)).norm(), 1e-12);
    if (index_1)
      EXPECT_LT((-J.bottomRows(2) * x - r.tail(2)).norm(), 1e-10);
    else
      EXPECT_LT((x.tail(2) - r.tail(2)).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace rubato
