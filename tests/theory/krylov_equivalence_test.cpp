// What Krylov spaces, elimination of constraints and the ε-embedding have to do with each other: Wensch (2005), diagrams (9) and (10),
// theorem 4.1, and the statics and spectrum of his plate.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "catalogue/catalogue.hpp"
#include "experiments/krylov_row/first_stage.hpp"
#include "experiments/krylov_row/plate_run.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"
#include "rubato/linalg/krylov_matrix.hpp"
#include "rubato/problem/template_dae.hpp"

namespace rubato {
namespace {

Matrix random_block(int rows, int cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix a(rows, cols);
  for (auto& x : a.reshaped()) x = uniform(random);
  return a;
}

// ---------------------------------------------------------------- theorem 4.1, in two hundred digits

using Real200 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>, boost::multiprecision::et_off>;
using Real200Matrix = Eigen::Matrix<Real200, Eigen::Dynamic, Eigen::Dynamic>;
using Real200Vector = Eigen::Matrix<Real200, Eigen::Dynamic, 1>;

/// Of the columns, one after the other.
Real200Matrix orthonormal(Real200Matrix a) {
  for (Eigen::Index k = 0; k < a.cols(); ++k) {
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index i = 0; i < k; ++i) a.col(k) -= a.col(i) * a.col(i).dot(a.col(k));
    a.col(k) /= sqrt(a.col(k).dot(a.col(k)));
  }
  return a;
}

Real200Matrix krylov_basis(const Real200Matrix& a, const Real200Vector& b, int n) {
  Real200Matrix q(b.size(), n);
  Real200Vector v = b;
  for (int k = 0; k < n; ++k) {
    q.col(k) = v;
    q.leftCols(k + 1) = orthonormal(q.leftCols(k + 1));
    v = a * q.col(k);
  }
  return q;
}

/// Galerkin's solution in the Krylov space of dimension n.
Real200Vector galerkin(const Real200Matrix& a, const Real200Vector& b, int n) {
  const Real200Matrix q = krylov_basis(a, b, n);
  const Real200Matrix h = q.transpose() * a * q;
  const Real200Vector right = q.transpose() * b;
  return q * Real200Vector(h.partialPivLu().solve(right));
}

struct Blocks {
  int n_y = 7, n_z = 3;
  Real200Matrix f_y, f_z, g_y, g_z, s;
  Real200Vector f, g;
  Real200 hg = Real200(1) / 10;
  explicit Blocks(bool consistent)
      : f_y(random_block(n_y, n_y, 1).cast<Real200>()),
        f_z(random_block(n_y, n_z, 2).cast<Real200>()),
        g_y(random_block(n_z, n_y, 3).cast<Real200>()),
        g_z(random_block(n_z, n_z, 4).cast<Real200>()),
        f(random_block(n_y, 1, 5).cast<Real200>()),
        g(random_block(n_z, 1, 6).cast<Real200>()) {
    if (consistent) g.setZero();
    s = f_y - f_z * Real200Matrix(g_z.partialPivLu().solve(g_y));
  }
  /// I − hγ J of y' = f, z' = g/ε.
  [[nodiscard]] Real200Matrix embedded(const Real200& eps) const {
    Real200Matrix a = Real200Matrix::Identity(n_y + n_z, n_y + n_z);
    a.topLeftCorner(n_y, n_y) -= hg * f_y;
    a.topRightCorner(n_y, n_z) -= hg * f_z;
    a.bottomLeftCorner(n_z, n_y) -= hg / eps * g_y;
    a.bottomRightCorner(n_z, n_z) -= hg / eps * g_z;
    return a;
  }
  [[nodiscard]] Real200Vector right(const Real200& eps) const {
    Real200Vector b(n_y + n_z);
    b << f, g / eps;
    return b;
  }
  [[nodiscard]] Real200Matrix reduced() const { return Real200Matrix::Identity(n_y, n_y) - hg * s; }
  [[nodiscard]] Real200Vector reduced_right() const { return f - f_z * Real200Vector(g_z.partialPivLu().solve(g)); }
  /// The limits of the spaces for ε → 0: first all of z, then the space of the reduced system. At consistent points, g = 0, (f; 0) comes
  /// first and g_y f begins the space of z.
  [[nodiscard]] Real200Matrix limit() const {
    Real200Matrix u = Real200Matrix::Zero(n_y + n_z, n_y + n_z);
    const bool consistent = g.isZero(Real200(0));
    const int first = consistent ? 1 : 0;
    Real200Vector z = consistent ? Real200Vector(g_y * f) : g, y = reduced_right();
    if (consistent) {
      u.col(0).head(n_y) = y;
      y = s * y;
    }
    for (int k = 0; k < n_z; ++k, z = g_z * z) u.col(first + k).tail(n_z) = z;
    for (int k = first + n_z; k < n_y + n_z; ++k, y = reduced() * y) u.col(k).head(n_y) = y;
    return u;
  }
};

TEST(Theorem41, KrylovSpacesOfTheEmbeddingFillTheAlgebraicSpaceFirst) {
  for (const bool consistent : {false, true}) {
    const Blocks blocks(consistent);
    const Real200Matrix limit = blocks.limit();
    for (const double eps : {1e-6, 1e-10, 1e-20}) {
      const Real200Matrix q = krylov_basis(blocks.embedded(Real200(eps)), blocks.right(Real200(eps)), 9);
      double largest = 0;
      for (int n = 1; n <= 9; ++n) {
        const Real200Matrix u = orthonormal(limit.leftCols(n)), known = q.leftCols(n);
        const Real200Matrix rest = u - known * Real200Matrix(known.transpose() * u);
        largest = std::max(largest, static_cast<double>(Real200(sqrt(rest.squaredNorm()))));
      }
      EXPECT_LT(largest, 1e3 * eps) << consistent;  // proportional to ε …
      EXPECT_GT(largest, 0.1 * eps) << consistent;  // … and no less
    }
  }
}

/// n_z + κ vectors of the embedding do what κ vectors of the system with eliminated constraints do.
TEST(Theorem41, TheEmbeddingNeedsAllAlgebraicDirectionsMore) {
  const Blocks blocks(false);
  for (const double eps : {1e-10, 1e-20})
    for (int kappa = 1; kappa <= 7; ++kappa) {
      const Real200Vector whole_result =
          galerkin(blocks.embedded(Real200(eps)), blocks.right(Real200(eps)), blocks.n_z + kappa);
      const Real200Vector reduced = galerkin(blocks.reduced(), blocks.reduced_right(), kappa);
      const Real200Vector difference = whole_result.head(blocks.n_y) - reduced;
      EXPECT_LT(static_cast<double>(Real200(sqrt(difference.squaredNorm()))), 1e3 * eps) << kappa;
    }
}

// ---------------------------------------------------------------- a small nonlinear system of index 1

/// y' = A sin y + B (z + 0.3 z²), 0 = D z + 0.3 z³ − C cos y.
struct Small {
  static constexpr bool autonomous = true;
  static constexpr int n_y = 6, n_z = 3;
  Matrix a = random_block(n_y, n_y, 11), b = random_block(n_y, n_z, 12), c = random_block(n_z, n_y, 13),
         d = 2 * Matrix::Identity(n_z, n_z) + 0.2 * random_block(n_z, n_z, 14);

  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::cos, std::sin;
    const auto y = at.x.first(n_y), z = at.x.last(n_z);
    for (int i = 0; i < n_y; ++i) {
      S sum(0.0);
      for (std::size_t j = 0; j < n_y; ++j) sum += a(i, static_cast<int>(j)) * sin(y[j]);
      for (std::size_t j = 0; j < n_z; ++j) sum += b(i, static_cast<int>(j)) * (z[j] + 0.3 * z[j] * z[j]);
      out[static_cast<std::size_t>(i)] = sum;
    }
    for (int i = 0; i < n_z; ++i) {
      const S& z_i = z[static_cast<std::size_t>(i)];
      S sum = 0.3 * z_i * z_i * z_i;
      for (std::size_t j = 0; j < n_z; ++j) sum += d(i, static_cast<int>(j)) * z[j];
      for (std::size_t j = 0; j < n_y; ++j) sum -= c(i, static_cast<int>(j)) * cos(y[j]);
      out[static_cast<std::size_t>(n_y + i)] = sum;
    }
  }
  [[nodiscard]] Vector f(const Vector& x) const {
    Vector out(x.size());
    const At at{.t = 0, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = {}};
    f<double>(at, view(out));
    return out;
  }
  [[nodiscard]] Matrix jacobian(const Vector& x) const {
    const Vector y = x.head(n_y), z = x.tail(n_z);
    Matrix j(n_y + n_z, n_y + n_z);
    j << a * y.array().cos().matrix().asDiagonal(), b * (1 + 0.6 * z.array()).matrix().asDiagonal(),
        c * y.array().sin().matrix().asDiagonal(), d + Matrix((0.9 * z.array().square()).matrix().asDiagonal());
    return j;
  }
  /// z of 0 = g(y, z), by Newton's iteration.
  void solve(Vector& x) const {
    for (int k = 0; k < 30; ++k)
      x.tail(n_z) -= jacobian(x).bottomRightCorner(n_z, n_z).partialPivLu().solve(f(x).tail(n_z));
  }
  [[nodiscard]] Vector start() const {
    Vector x = Vector::Zero(n_y + n_z);
    x.head(n_y) = random_block(n_y, 1, 15);
    solve(x);
    return x;
  }
};

/// u of (B/(hγ) − J) u = r.
using LinearSystem = std::function<Vector(const Matrix& j, double c, const Vector& r)>;

/// Steps of size 1/n up to t = 1 by (1) of rosenbrock_stepper.hpp. Indirect: z of stages and results follow from g = 0.
Vector integrated(const Small& model, const RosenbrockTable& table, int n, bool indirect, const LinearSystem& solve) {
  Vector x = model.start();
  const double h = 1.0 / n;
  for (int step = 0; step < n; ++step) {
    const Matrix j = model.jacobian(x);
    Matrix u(x.size(), table.s);
    Vector next = x;
    for (int i = 0; i < table.s; ++i) {
      Vector stage = x, right = Vector::Zero(x.size());
      for (int k = 0; k < i; ++k) {
        stage += table.u.a[i][k] * u.col(k);
        right.head(Small::n_y) += table.u.c[i][k] / h * u.col(k).head(Small::n_y);
      }
      if (indirect) model.solve(stage);
      right += model.f(stage);
      if (indirect) right.tail(Small::n_z).setZero();
      u.col(i) = solve(j, 1 / (h * table.diagonal), right);
      next += table.u.m[i] * u.col(i);
    }
    x = next;
    if (indirect) model.solve(x);
  }
  return x;
}

Vector direct(const Matrix& j, double c, const Vector& r) {
  Matrix a = -j;
  for (int i = 0; i < Small::n_y; ++i) a(i, i) += c;
  return a.partialPivLu().solve(r);
}

/// κ vectors, constraints eliminated in every product, by the library.
LinearSystem eliminated_result(int kappa) {
  return [kappa](const Matrix& j, double c, const Vector& r) {
    const int n = static_cast<int>(j.rows());
    std::vector<Entry> diagonal;
    std::vector<char> algebraic;
    for (int i = 0; i < n; ++i) {
      algebraic.push_back(i < Small::n_y ? 0 : 1);
      if (i < Small::n_y) diagonal.push_back({i, i});
    }
    KrylovMatrix matrix(SparsePattern::from_entries(n, n, diagonal), SparsePattern::dense(n, n), algebraic,
                        {.process = KrylovProcess::multiple_arnoldi,
                         .constraints = KrylovConstraints::eliminated,
                         .max_dimension = kappa});
    const std::vector<double> ones(static_cast<std::size_t>(Small::n_y), 1.0);
    matrix.linearise(ones, In(j.data(), static_cast<std::size_t>(j.size())));
    EXPECT_EQ(matrix.factor(c), FactorStatus::ok);
    Vector x(n);
    static_cast<void>(matrix.solve(view(r), view(x), 1e-15));
    return x;
  };
}

/// κ vectors of the whole system.
LinearSystem whole_result(int kappa) {
  return [kappa](const Matrix& j, double c, const Vector& r) {
    KrylovSpace space(static_cast<int>(j.rows()), kappa);
    Vector x(r.size());
    static_cast<void>(space.solve(view(r), view(x), 0, kappa, [&](In v, Out y) noexcept {
      map(y) = -(j * map(v));
      map(y).head(Small::n_y) += c * map(v).head(Small::n_y);
    }));
    return x;
  };
}

/// Diagram (9): the Krylov method for the reduced ordinary equations is the method with constraints solved at the stages whose systems
/// are iterated with eliminated constraints, vector by vector.
TEST(KrylovRow, ReductionAndKrylovSpacesCommute) {
  const Small model;
  const RosenbrockTable& table = **find_rosenbrock_table("rodas4");
  for (const int kappa : {1, 2, 4}) {
    const LinearSystem of_reduced_equations = [kappa](const Matrix& j, double c, const Vector& r) {
      const int n_y = Small::n_y, n_z = Small::n_z;
      const Matrix to_z = -j.bottomRightCorner(n_z, n_z).partialPivLu().solve(j.bottomLeftCorner(n_z, n_y));
      const Matrix s = j.topLeftCorner(n_y, n_y) + j.topRightCorner(n_y, n_z) * to_z;
      KrylovSpace space(n_y, kappa);
      Vector y(n_y), right = r.head(n_y), x(n_y + n_z);
      static_cast<void>(space.solve(view(right), view(y), 0, kappa,
                                    [&](In v, Out out) noexcept { map(out) = c * map(v) - s * map(v); }));
      x << y, to_z * y;
      return x;
    };
    const Vector one = integrated(model, table, 10, true, of_reduced_equations),
                 other = integrated(model, table, 10, true, eliminated_result(kappa));
    EXPECT_LT((one - other).norm(), 1e-12 * one.norm()) << kappa;
  }
}

struct Orders {
  double y, z;
};
Orders orders(const char* method, bool indirect, const LinearSystem& solve) {
  const Small model;
  const RosenbrockTable& table = **find_rosenbrock_table(method);
  static const Vector reference = integrated(model, **find_rosenbrock_table("rodas5p"), 512, true, direct);
  const Vector coarse = integrated(model, table, 32, indirect, solve) - reference,
               fine = integrated(model, table, 64, indirect, solve) - reference;
  return {std::log2(coarse.head(Small::n_y).norm() / fine.head(Small::n_y).norm()),
          std::log2(coarse.tail(Small::n_z).norm() / fine.tail(Small::n_z).norm())};
}

TEST(KrylovRow, OrdersOfDirectAndIndirectMethodsAtIndexOne) {
  const Orders rodas = orders("rodas4", false, direct), rodas_indirect = orders("rodas4", true, direct);
  EXPECT_NEAR(rodas.y, 4, 0.35);
  EXPECT_GT(rodas.z, 3.65);
  EXPECT_NEAR(rodas_indirect.y, 4, 0.35);
  EXPECT_NEAR(rodas_indirect.z, 4, 0.35);
  EXPECT_NEAR(orders("grk4t", false, direct).z, 2, 0.3) << "no condition of index 1";
  const Orders grk4t = orders("grk4t", true, direct);
  EXPECT_NEAR(grk4t.y, 4, 0.35);
  EXPECT_NEAR(grk4t.z, 4, 0.35);
}

/// κ vectors are enough for order κ where constraints are eliminated; the whole system needs all nine.
TEST(KrylovRow, FewVectorsKeepTheOrderOnlyWithEliminatedConstraints) {
  for (const int kappa : {2, 3, 4})
    EXPECT_NEAR(orders("rodas4", false, eliminated_result(kappa)).y, kappa, 0.4) << kappa;
  for (const int kappa : {4, 6}) EXPECT_LT(orders("rodas4", false, whole_result(kappa)).y, 2.5) << kappa;
  EXPECT_NEAR(orders("rodas4", false, whole_result(9)).y, 4, 0.4);
}

// ---------------------------------------------------------------- creep, walls, the plate

/// Spring and Maxwell element in parallel under a constant stress: σ = E ε − E_M ε_D, η ε_D' = E_M (ε − ε_D).
struct KrylovCreep {
  static constexpr bool autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = 2.0 * (at.x[1] - at.x[0]);
    out[1] = 2.0 * at.x[1] - at.x[0] - 1.0;
  }
};

TEST(KrylovRow, CreepHasTheErrorsOfThePrototype) {
  InitialValueProblem problem;
  problem.dae =
      make_dae(KrylovCreep{}, {{.name = "inner", .size = 1}, {.name = "strain", .size = 1, .kind = Kind::algebraic}});
  problem.x = Vector{{0, 0.5}};
  problem.t_end = 1;  // one relaxation time
  const double inner = 1 - std::exp(-1.0), strain = (1 + inner) / 2;
  const double expected[] = {6.62e-8, 4.11e-9, 2.56e-10, 1.60e-11};
  for (int k = 0; k < 4; ++k) {
    IntegrateOptions options;
    options.step.fixed_step = 1.0 / (8 << k);
    const auto end = integrate(problem, "rodas4", options);
    ASSERT_TRUE(end.ok());
    EXPECT_NEAR(std::abs(end->x[0] - inner) / expected[k], 1, 0.02) << k;
    EXPECT_NEAR(std::abs(end->x[1] - strain) / expected[k], 0.5, 0.02) << k;
  }
}

/// Few constraints cost few vectors: two walls of a rod of 100 points, whole against eliminated.
TEST(KrylovRow, TwoConstraintsCostAboutTwoVectors) {
  const auto instance = *catalogue::make_problem(
      "reaction-diffusion", {{"n", 100.0}, {"dimension", 1.0}, {"reaction", 0.0}, {"radiation", 0.0}});
  const experiments::FirstStage stage(instance.problem);
  for (const double h : {1e-5, 1e-4, 1e-3, 1e-2}) {
    const auto products = [&](KrylovConstraints constraints) {
      const auto outcome = stage.solve(h, {.constraints = constraints, .max_dimension = 100}, 1e-4);
      EXPECT_TRUE(outcome.iteration.converged);
      return outcome.iteration.products;
    };
    const int more = products(KrylovConstraints::whole) - products(KrylovConstraints::eliminated);
    EXPECT_GE(more, 0) << h;
    EXPECT_LE(more, 3) << h;
  }
}

using experiments::plate::Exact;

TEST(Plate, HasTheStaticsAndTheCreepOfThePrototype) {
  const auto instance = *catalogue::make_problem("viscoelastic-plate");
  const Exact exact(instance.problem);
  const int tip = static_cast<int>(instance.problem.x.size()) - 1;
  for (const auto& [t, value] : {std::pair{0.0, 0.5109328774},
                                 {0.005, 0.6047017023},
                                 {0.01, 0.6538915818},
                                 {0.1, 0.7096395649},
                                 {100.0, 0.7096405532}})
    EXPECT_NEAR(exact.at(t)[tip], value, 1e-8 * value) << t;
  EXPECT_NEAR(exact.at(100).head(120).cwiseAbs().maxCoeff(), 6.304263e-2, 1e-8);
  EXPECT_GE(exact.rates().minCoeff(), -200 - 1e-6);
  EXPECT_LE(exact.rates().maxCoeff(), -100 + 1e-6);
}

/// Without clamped displacements the stiffness is symmetric; with them its free rows see no rigid motion.
TEST(Plate, StiffnessIsSymmetricAndBlindForRigidMotions) {
  const auto stiffness = [](double eliminate) {
    const auto instance = *catalogue::make_problem("viscoelastic-plate", {{"eliminate", eliminate}});
    const Dae& dae = *instance.problem.dae;
    ScratchMemory memory(dae.scratch_bytes());
    const At at{.t = 0, .x = view(instance.problem.x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()};
    const SparsePattern pattern = dae.jacobian_pattern();
    std::vector<double> values(static_cast<std::size_t>(pattern.nnz()));
    EXPECT_EQ(dae.jacobian(at, {}, values), EvalStatus::ok);
    const int n_q = dae.layout().find("q")->size, n_u = dae.size() - n_q;
    Matrix k = Matrix::Zero(n_u, n_u);
    for (int i = 0; i < n_u; ++i)
      for (int j = 0; j < n_u; ++j)
        if (const int p = pattern.index_of(n_q + i, n_q + j); p >= 0) k(i, j) = values[static_cast<std::size_t>(p)];
    return k;
  };
  const Matrix free = stiffness(1), all = stiffness(0);
  EXPECT_LT((free - free.transpose()).norm(), 1e-14 * free.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(free).eigenvalues().minCoeff(), 0);
  Matrix rigid(110, 3);  // u = (1, 0), (0, 1), (−y, x)
  for (int i = 0; i <= 10; ++i)
    for (int j = 0; j <= 4; ++j) {
      const double x = 0.1 * i, y = 0.025 * j;
      rigid.middleRows(2 * (5 * i + j), 2) << 1, 0, -y, 0, 1, x;
    }
  EXPECT_LT((all * rigid).bottomRows(100).norm(), 1e-13 * all.norm());
}

/// Linear constraints that hold at the start hold ever after, up to rounding.
TEST(Plate, ConstraintsAreKept) {
  const auto instance = *catalogue::make_problem("viscoelastic-plate", {{"t_end", 1.0}});
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-6, .atol = 1e-6};
  const auto end = integrate(instance.problem, "rodas4", options);
  ASSERT_TRUE(end.ok() && completed(end->status));
  Vector f(end->x.size());
  ScratchMemory memory(instance.problem.dae->scratch_bytes());
  const At at{.t = 1, .x = view(end->x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()};
  ASSERT_EQ(instance.problem.dae->f(at, view(f)), EvalStatus::ok);
  EXPECT_LT(f.tail(110).cwiseAbs().maxCoeff(), 1e-7);  // 25 is the largest force at a node, its parts are some 10⁶
}

}  // namespace
}  // namespace rubato
