// Algebraic multigrid by smoothed aggregation: a preconditioner in the dress of a solver. A solve is one V-cycle.
//
// For matrices like those of elasticity and heat conduction: symmetric and positive definite but for signs of rows and rows of unknowns that
// are given. Time and memory grow with the number of unknowns, where an exact factor of a mesh in space takes n² operations and n^(4/3)
// numbers, and an incomplete one more and more iterations.
//
// What smoothing leaves over has to be found among the vectors of aggregation.hpp. Those of constant displacement in every direction are
// known; rotations would take the places of the nodes, which a matrix does not tell. So the cycle is tried on A x = 0: what it hardly
// reduces, as many vectors as there are rotations, joins them, and the levels are built anew (Brezina, Falgout, MacLachlan, Manteuffel, McCormick, Ruge, Adaptive smoothed
// aggregation, SIAM J. Sci. Comput. 25 (2004) 1896, doi:10.1137/S1064827502418598).
//
// Written here because the distribution's (GAMG of PETSc, ML and MueLu of Trilinos, hypre) bring MPI with them, whose symbols those of
// sequential MUMPS stand in for; one that is header only (AMGCL) is not packaged.
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "aggregation.hpp"
#include "back_ends.hpp"
#include "rubato/base/assert.hpp"
#include "scalar.hpp"

namespace rubato::detail {
namespace {

constexpr int few_unknowns = 400;  // a level that is factorised
constexpr int most_levels = 20;
constexpr double slowest_coarsening = 0.8;
constexpr double strong = 0.5;  // θ
constexpr int trial_cycles = 25;
constexpr double good_reduction = 0.25;  // of energy norms, per cycle: no more vectors are needed
constexpr double largest_growth = 10;    // of an error, in a cycle that may be called an inverse

/// i-th number of the j-th of some vectors that contain all frequencies.
double uneven(Eigen::Index i, Eigen::Index j) { return std::sin(static_cast<double>(i * i % 1009 + (3 + 2 * j) * i)); }

struct Level {
  RowMatrix a, prolongation;
  Vector inverse_diagonal;
  Vector x, b, r;
};

class MultigridSolver final : public LinearSolver<double> {
 public:
  explicit MultigridSolver(const SparsePattern& pattern) : by_rows_(transposed(pattern)) {}

  FactorStatus factor(std::span<const double> values) noexcept override {
    RUBATO_ASSERT(values.size() == by_rows_.source.size(), "values do not fit the pattern");
    ready_ = false;
    if (!all_finite(values)) return FactorStatus::not_finite;
    ++report_.full_factorisations;
    ++report_.library_allocations;
    try {
      const FactorStatus status = build(values);
      ready_ = status == FactorStatus::ok;
      return status;
    } catch (const std::bad_alloc&) {
      return FactorStatus::out_of_memory;
    }
  }

  void solve(std::span<double> x) noexcept override {
    const int n = by_rows_.pattern.rows();
    RUBATO_ASSERT(ready_ || n == 0, "solve without a factorisation");
    for (std::size_t first = 0; first < x.size(); first += static_cast<std::size_t>(n)) {
      Eigen::Map<Vector> part(x.data() + first, n);
      b_of(0) = part.cwiseProduct(signs_);
      cycle();
      part = x_of(0);
    }
  }
  void solve_transposed(std::span<double> /*x*/) noexcept override {
    RUBATO_ASSERT(false, "a cycle says nothing about the condition");
  }
  SolverReport report() const noexcept override {
    SolverReport r = report_;
    r.n = by_rows_.pattern.rows();
    return r;
  }

 private:
  Vector& b_of(std::size_t level) { return level < levels_.size() ? levels_[level].b : coarsest_; }
  Vector& x_of(std::size_t level) { return level < levels_.size() ? levels_[level].x : coarsest_; }

  FactorStatus build(std::span<const double> values) {
    const int n = by_rows_.pattern.rows();
    RowMatrix a(n, n);
    a.reserve(by_rows_.pattern.nnz());
    signs_.setOnes(n);
    for (int i = 0; i < n; ++i) {
      const int p = by_rows_.pattern.index_of(i, i);
      const double own = p < 0 ? 0 : values[static_cast<std::size_t>(by_rows_.source[static_cast<std::size_t>(p)])];
      if (own == 0 && n > few_unknowns) return FactorStatus::singular;  // nothing smooths such a row
      signs_[i] = own >= 0 ? 1 : -1;
      a.startVec(i);
      for (int k = by_rows_.pattern.column_starts()[i]; k < by_rows_.pattern.column_starts()[i + 1]; ++k)
        a.insertBack(i, by_rows_.pattern.row_indices()[k]) = signs_[i] * values[by_rows_.source[k]];
    }
    a.finalize();
    const std::vector<int> nodes = nodes_of(a);
    Matrix vectors = directions(nodes);
    if (const FactorStatus status = build_levels(a, nodes, vectors); status != FactorStatus::ok) return status;
    const Matrix slow = hardly_reduced(vectors.cols() * (vectors.cols() - 1) / 2);
    if (slow.cols() > 0) {
      vectors.conservativeResize(Eigen::NoChange, vectors.cols() + slow.cols());
      vectors.rightCols(slow.cols()) = slow;
      if (const FactorStatus status = build_levels(a, nodes, vectors); status != FactorStatus::ok) return status;
    }
    report_.factor_nnz = coarsest_.size() * coarsest_.size();
    for (const Level& level : levels_) report_.factor_nnz += level.a.nonZeros() + level.prolongation.nonZeros();
    return explodes() ? FactorStatus::singular : FactorStatus::ok;
  }

  /// Far from symmetry a cycle enlarges errors: of A x, with x so uneven that every level sees it, it must return about x. Measured by
  /// Σ a_ii e_i², which rows and columns multiplied by the same numbers do not change.
  bool explodes() {
    if (levels_.empty()) return false;
    Level& finest = levels_.front();
    const Vector sizes = finest.inverse_diagonal.cwiseSqrt();
    Vector x(sizes.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = sizes[i] * uneven(i, 0);
    finest.b = finest.a * x;
    cycle();
    const double before = x.cwiseQuotient(sizes).norm(), after = (finest.x - x).cwiseQuotient(sizes).norm();
    return !(after < largest_growth * before);
  }

  /// A constant in each direction: the k-th unknown of every node.
  static Matrix directions(const std::vector<int>& nodes) {
    int most = 0;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) most = std::max(most, nodes[i + 1] - nodes[i]);
    Matrix vectors = Matrix::Zero(nodes.back(), most);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
      for (int row = nodes[i]; row < nodes[i + 1]; ++row) vectors(row, row - nodes[i]) = 1;
    return vectors;
  }

  FactorStatus build_levels(RowMatrix a, std::vector<int> nodes, Matrix vectors) {
    levels_.clear();
    levels_.reserve(most_levels);
    while (a.rows() > few_unknowns && static_cast<int>(levels_.size()) < most_levels) {
      const Aggregates aggregates = aggregates_of(a, nodes, strong);
      const Vector diagonal = a.diagonal();
      if (!(diagonal.minCoeff() > 0)) return FactorStatus::singular;
      const Vector inverse_diagonal = diagonal.cwiseInverse();
      Coarsening coarse = coarsened(a, inverse_diagonal, nodes, aggregates, vectors);
      const auto n = a.rows(), n_coarse = coarse.matrix.rows();
      if (n_coarse == 0 || static_cast<double>(n_coarse) > slowest_coarsening * static_cast<double>(n)) break;
      Level& level = levels_.emplace_back();
      level.inverse_diagonal = inverse_diagonal;
      level.a.swap(a);  // Eigen's sparse matrices copy where others move
      level.prolongation.swap(coarse.prolongation);
      for (Vector* v : {&level.x, &level.b, &level.r}) v->setZero(n);
      a.swap(coarse.matrix);
      nodes = std::move(coarse.nodes);
      vectors = std::move(coarse.vectors);
    }
    return factor_coarsest(a);
  }

  FactorStatus factor_coarsest(const RowMatrix& a) {
    const int n = static_cast<int>(a.rows());
    coarsest_.setZero(n);
    const Eigen::SparseMatrix<double> by_columns = a;
    const auto starts = std::span(by_columns.outerIndexPtr(), static_cast<std::size_t>(n) + 1);
    const auto rows = std::span(by_columns.innerIndexPtr(), static_cast<std::size_t>(by_columns.nonZeros()));
    const auto pattern = SparsePattern::from_columns(n, n, {starts.begin(), starts.end()}, {rows.begin(), rows.end()});
    direct_ = n <= 2 * few_unknowns ? make_dense_solver<double>(pattern) : make_klu_solver<double>(pattern);
    std::vector<double> values(rows.size());
    std::copy_n(by_columns.valuePtr(), values.size(), values.begin());
    if (direct_->factor(values) != FactorStatus::ok) return FactorStatus::singular;
    return FactorStatus::ok;
  }

  /// One V-cycle from b_of(0) to x_of(0): forward Gauss-Seidel going down, backward going up, so that the whole is symmetric where A is.
  void cycle() noexcept {
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      Level& level = levels_[k];
      level.x.setZero();
      sweep<true>(level);
      Vector& coarse = b_of(k + 1);
      coarse.setZero();
      for (int i = 0; i < level.a.rows(); ++i) {
        double rest = level.b[i];
        for (RowMatrix::InnerIterator entry(level.a, i); entry; ++entry) rest -= entry.value() * level.x[entry.col()];
        for (RowMatrix::InnerIterator entry(level.prolongation, i); entry; ++entry)
          coarse[entry.col()] += entry.value() * rest;
      }
    }
    direct_->solve(view(coarsest_));
    for (std::size_t k = levels_.size(); k-- > 0;) {
      Level& level = levels_[k];
      const Vector& coarse = x_of(k + 1);
      for (int i = 0; i < level.a.rows(); ++i)
        for (RowMatrix::InnerIterator entry(level.prolongation, i); entry; ++entry)
          level.x[i] += entry.value() * coarse[entry.col()];
      sweep<false>(level);
    }
  }

  template <bool forward>
  static void sweep(Level& level) noexcept {
    const int n = static_cast<int>(level.a.rows());
    for (int k = 0; k < n; ++k) {
      const int i = forward ? k : n - 1 - k;
      double rest = level.b[i];
      for (RowMatrix::InnerIterator entry(level.a, i); entry; ++entry) rest -= entry.value() * level.x[entry.col()];
      level.x[i] += rest * level.inverse_diagonal[i];
    }
  }

  /// So many vectors that cycles for A x = 0 leave over, or none where they leave little.
  Matrix hardly_reduced(Eigen::Index count) {
    if (levels_.empty() || count == 0) return {};
    Level& finest = levels_.front();
    Matrix vectors(finest.x.size(), count);
    for (Eigen::Index j = 0; j < count; ++j)
      for (Eigen::Index i = 0; i < vectors.rows(); ++i) vectors(i, j) = uneven(i, j);
    double energy = 0;
    for (int k = 0; k < trial_cycles; ++k)
      for (Eigen::Index j = 0; j < count; ++j) {
        auto x = vectors.col(j);
        for (Eigen::Index before = 0; before < j; ++before)
          x -= vectors.col(before).dot(x) / vectors.col(before).squaredNorm() * vectors.col(before);
        finest.b = finest.a * x;
        if (const double now = std::sqrt(std::abs(x.dot(finest.b))); j == 0) {
          if (k + 1 == trial_cycles && now < good_reduction * energy) return {};
          energy = now;
        }
        cycle();
        x -= finest.x;
      }
    for (Eigen::Index j = 0; j < count; ++j) vectors.col(j) /= vectors.col(j).cwiseAbs().maxCoeff();
    return vectors;
  }

  TransposedPattern by_rows_;
  Vector signs_;
  std::vector<Level> levels_;
  Vector coarsest_;
  std::unique_ptr<LinearSolver<double>> direct_;
  bool ready_ = false;
  SolverReport report_;
};

}  // namespace

std::unique_ptr<LinearSolver<double>> make_multigrid_solver(const SparsePattern& pattern) {
  return std::make_unique<MultigridSolver>(pattern);
}

}  // namespace rubato::detail
