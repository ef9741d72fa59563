// Multifrontal LDLᵀ or LU by MUMPS, for large matrices of finite elements.
// Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15, doi:10.1137/S0895479899358194.
//
// Symmetry is found, not declared: if A is symmetric up to signs of rows (signed_symmetry.hpp), the lower triangle is
// factorised, with pivots of one or two rows, so that a block of exact zeros on the diagonal needs nothing special; else
// A goes to the unsymmetric code. A positive diagonal raises the hope that A is positive definite: then pivots are not searched,
// which saves about a tenth; a negative pivot ends the hope for good. Analysed once for the pattern, again only where the kind changes.
// The order comes from METIS (nested_dissection.hpp), the scaling is ours (equilibration.hpp). Pivots are chosen afresh in
// every factorisation; it is the library that allocates then, and in every solve.
//
// A matrix that is symmetric up to more than rounding (differences of up to 10⁻¹⁰) is solved with its mean and corrected
// by one step of refinement with the matrix itself.
//
// Same input, same bytes: one thread, also in BLAS, and no ordering of MUMPS' own.
#include <dmumps_c.h>
#include <zmumps_c.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "back_ends.hpp"
#include "blas_turn.hpp"
#include "equilibration.hpp"
#include "nested_dissection.hpp"
#include "rubato/base/assert.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "scalar.hpp"
#include "signed_symmetry.hpp"

namespace rubato::detail {
namespace {

/// MUMPS' real and complex functions under one name.
template <class T>
struct Mumps;
template <>
struct Mumps<double> {
  using Instance = DMUMPS_STRUC_C;
  using Number = double;
  static constexpr auto call = dmumps_c;
};
template <>
struct Mumps<std::complex<double>> {
  using Instance = ZMUMPS_STRUC_C;
  using Number = mumps_double_complex;
  static constexpr auto call = zmumps_c;
};

enum Job { start = -1, end = -2, analyse = 1, factorise = 2, back_substitute = 3 };
enum class Shape : unsigned char { unknown, definite, symmetric, general };

constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();  // a defect of symmetry not worth refinement
// A pivot may be this much smaller than the largest entry beside it. MUMPS' own 0.01 lost up to two digits on random saddle
// points (backward errors of 70 ε), 0.1 takes no more time on those of finite elements.
constexpr double least_relative_pivot = 0.1;
constexpr int spare_percent = 30, most_spare_percent = 30'000;  // workspace beyond what the analysis predicts

constexpr int negative_pivots = 11;  // place in infog

template <class T>
class MumpsSolver final : public LinearSolver<T> {
 public:
  explicit MumpsSolver(const SparsePattern& pattern)
      : pattern_(pattern),
        n_(pattern.rows()),
        symmetry_(pattern),
        scaling_(n_),
        order_(nested_dissection(pattern)),
        values_(static_cast<std::size_t>(pattern.nnz())),
        entries_(values_.size()),
        rows_(values_.size()),
        cols_(values_.size()),
        left_(static_cast<std::size_t>(n_)),
        right_(left_.size()),
        given_(left_.size()),
        residual_(left_.size()),
        probe_(left_.size()) {
    for (int& place : order_) ++place;  // Fortran counts from one
  }
  ~MumpsSolver() override { close(); }
  MumpsSolver(const MumpsSolver&) = delete;
  MumpsSolver& operator=(const MumpsSolver&) = delete;

  FactorStatus factor(std::span<const T> values) noexcept override {
    RUBATO_ASSERT(values.size() == values_.size(), "values do not fit the pattern");
    factorised_ = false;
    growth_ = 0;
    if (n_ == 0) return FactorStatus::ok;
    if (!all_finite(values)) return FactorStatus::not_finite;
    if (values.empty()) return FactorStatus::singular;  // MUMPS wants an entry
    if (!BlasTurn::room() || std::exchange(short_of_memory_, false)) return FactorStatus::out_of_memory;
    ++report_.full_factorisations;
    ++report_.library_allocations;
    std::copy(values.begin(), values.end(), values_.begin());
    scaling_.compute(pattern_, values);
    const bool symmetric = symmetry_.holds(values, scaling_.row);
    symmetric ? load_triangle() : load_all();
    FactorStatus status = FactorStatus::singular;
    hope_definite_ = hope_definite_ && symmetric && positive_diagonal();
    if (hope_definite_) {
      status = factor_as(Shape::definite);
      hope_definite_ = status == FactorStatus::ok && instance_.infog[negative_pivots] == 0;
      if (!hope_definite_) status = FactorStatus::singular;
    }
    if (status != FactorStatus::ok) status = factor_as(symmetric ? Shape::symmetric : Shape::general);
    factorised_ = status == FactorStatus::ok;
    return status;
  }

  void solve(std::span<T> x) noexcept override { solve(x, false); }
  void solve_transposed(std::span<T> x) noexcept override { solve(x, true); }

  SolverReport report() const noexcept override {
    SolverReport r = report_;
    r.n = n_;
    if (!factorised_) return r;
    const int entries = instance_.infog[28];  // negative: millions
    r.factor_nnz = entries >= 0 ? entries : -1'000'000L * entries;
    if (growth_ == 0) growth_ = measured_growth();
    r.growth = growth_;
    return r;
  }

 private:
  [[nodiscard]] int info() const noexcept { return instance_.infog[0]; }
  static FactorStatus status_of(int info) noexcept {
    if (info >= 0) return FactorStatus::ok;
    return info == -6 || info == -10 ? FactorStatus::singular : FactorStatus::out_of_memory;
  }

  void run(Job job) const noexcept {
    const BlasTurn turn;
    instance_.job = job;
    Mumps<T>::call(&instance_);
  }

  void close() noexcept {
    if (shape_ != Shape::unknown) run(end);
    shape_ = Shape::unknown;
  }

  FactorStatus factor_as(Shape shape) noexcept {
    if (const FactorStatus status = take_shape(shape); status != FactorStatus::ok) return status;
    run(factorise);
    while ((info() == -8 || info() == -9) && instance_.icntl[13] < most_spare_percent) {  // more room for late pivots
      instance_.icntl[13] *= 2;
      run(factorise);
    }
    return status_of(info());
  }

  /// Of what load_triangle left. Complex matrices have no order.
  [[nodiscard]] bool positive_diagonal() const noexcept {
    if constexpr (std::is_same_v<T, double>) {
      std::size_t k = 0;
      int positive = 0;
      for (const auto& e : symmetry_.pairs())
        if (const double value = entries_[k++]; e.row == e.col && value > 0) ++positive;
      return positive == n_;
    }
    return false;
  }

  /// An analysed instance of MUMPS for this kind of matrix.
  FactorStatus take_shape(Shape shape) noexcept {
    if (shape_ == shape) return FactorStatus::ok;
    close();
    instance_ = {};
    instance_.par = 1;
    instance_.sym = shape == Shape::definite ? 1 : shape == Shape::symmetric ? 2 : 0;
    instance_.comm_fortran = -987654;  // MUMPS' word for all processes
    run(start);
    if (info() < 0) return status_of(info());
    shape_ = shape;
    const auto control = [&](int number, int value) { instance_.icntl[number - 1] = value; };
    for (const int stream : {1, 2, 3}) control(stream, -1);  // silent
    control(4, 0);                                           // as well
    control(6, 0);                                           // no permutation to a large diagonal
    control(7, order_.empty() ? 0 : 1);                      // the order given, or minimum degree
    control(8, 0);                                           // no scaling besides ours
    control(10, 0);                                          // no refinement
    control(12, 1);                                          // no order that pairs unknowns by their values
    control(13, 1);                                          // the last block is no different from the others
    control(14, spare_percent);
    control(16, 1);  // one thread
    control(24, 0);  // a zero pivot is a failure
    control(28, 1);  // sequential analysis
    instance_.cntl[0] = least_relative_pivot;
    int n_entries = 0;
    const auto add = [&](int row, int col) {
      rows_[n_entries] = row + 1;
      cols_[n_entries++] = col + 1;
    };
    if (shape != Shape::general) {
      for (const auto& e : symmetry_.pairs()) add(std::max(e.row, e.col), std::min(e.row, e.col));
    } else {
      for (int j = 0; j < n_; ++j)
        for (const int i : pattern_.column(j)) add(i, j);
    }
    instance_.n = n_;
    instance_.nnz = n_entries;
    instance_.irn = rows_.data();
    instance_.jcn = cols_.data();
    instance_.a = reinterpret_cast<typename Mumps<T>::Number*>(entries_.data());
    instance_.perm_in = order_.empty() ? nullptr : order_.data();
    run(analyse);
    const FactorStatus status = status_of(info());
    if (status != FactorStatus::ok) close();
    return status;
  }

  /// S D A D with signs S; the mean of the two triangles.
  void load_triangle() noexcept {
    const auto signs = symmetry_.signs();
    for (int i = 0; i < n_; ++i) {
      right_[i] = scaling_.row[i];
      left_[i] = signs[i] * right_[i];
    }
    std::size_t k = 0;
    for (const auto& e : symmetry_.pairs()) {
      const T here = left_[e.row] * values_[e.position] * right_[e.col];
      const T there = e.mirror < 0 ? T(0) : left_[e.col] * values_[e.mirror] * right_[e.row];
      entries_[k++] = 0.5 * (here + there);
    }
    refine_ = symmetry_.defect() > rounding;
  }

  /// R A C
  void load_all() noexcept {
    left_ = scaling_.row;
    right_ = scaling_.col;
    for (int j = 0; j < n_; ++j)
      for (int p = pattern_.column_starts()[j]; p < pattern_.column_starts()[j + 1]; ++p)
        entries_[p] = left_[pattern_.row_indices()[p]] * values_[p] * right_[j];
    refine_ = false;
  }

  void solve(std::span<T> x, bool transposed) noexcept {
    if (n_ == 0 || x.empty()) return;
    RUBATO_ASSERT(factorised_, "solve without a factorisation");
    ++report_.library_allocations;
    if (!refine_) return solve_scaled(x, transposed);
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t first = 0; first < x.size(); first += n) solve_refined(x.subspan(first, n), transposed);
  }

  /// L A R y = L b, x = R y with the scalings L and R; transposed: R Aᵀ L y = R b, x = L y.
  void solve_scaled(std::span<T> x, bool transposed) const noexcept {
    const auto scale = [&](const std::vector<double>& factors) {
      for (std::size_t k = 0; k < x.size(); k += factors.size())
        for (std::size_t i = 0; i < factors.size(); ++i) x[k + i] *= factors[i];
    };
    scale(transposed ? right_ : left_);
    instance_.rhs = reinterpret_cast<typename Mumps<T>::Number*>(x.data());
    instance_.nrhs = static_cast<int>(x.size()) / n_;
    instance_.lrhs = n_;
    instance_.icntl[8] = transposed && shape_ == Shape::general ? 0 : 1;
    run(back_substitute);
    if (info() < 0) {
      std::fill(x.begin(), x.end(), T(std::numeric_limits<double>::quiet_NaN()));
      short_of_memory_ = true;
    }
    scale(transposed ? left_ : right_);
  }

  /// One right-hand side: x₁ = Ã⁻¹ b, x = x₁ + Ã⁻¹ (b − A x₁).
  void solve_refined(std::span<T> x, bool transposed) const noexcept {
    std::copy(x.begin(), x.end(), given_.begin());
    solve_scaled(x, transposed);
    compute_residual(x, transposed);
    solve_scaled(residual_, transposed);
    for (int i = 0; i < n_; ++i) x[i] += residual_[i];
  }

  /// residual = given − A x, or given − Aᵀ x.
  void compute_residual(std::span<const T> x, bool transposed) const noexcept {
    (transposed ? multiply_transposed<T, T> : multiply<T, T>)(pattern_, values_, x, residual_);
    for (int i = 0; i < n_; ++i) residual_[i] = given_[i] - residual_[i];
  }

  /// MUMPS does not show its factors: the backward error of one solution, A x = A (1, …, 1)ᵀ, in units of ε.
  double measured_growth() const noexcept {
    std::fill(residual_.begin(), residual_.end(), T(1));
    multiply<T, T>(pattern_, values_, residual_, probe_);
    std::copy(probe_.begin(), probe_.end(), given_.begin());
    refine_ ? solve_refined(probe_, false) : solve_scaled(probe_, false);
    compute_residual(probe_, false);
    const auto norm = [](const std::vector<T>& z) {
      double sum = 0;
      for (const T& v : z) sum += std::abs(v);
      return sum;
    };
    const double size = one_norm<T>(pattern_, values_) * norm(probe_) + norm(given_);
    const double growth = norm(residual_) / (std::numeric_limits<double>::epsilon() * size);
    return std::isfinite(growth) ? std::max(1.0, growth) : HUGE_VAL;
  }

  SparsePattern pattern_;
  int n_;
  bool hope_definite_ = true;  ///< no factorisation so far has met a negative pivot
  SignedSymmetry<T> symmetry_;
  Equilibration scaling_;
  std::vector<int> order_;
  std::vector<T> values_, entries_;  // as given; as MUMPS sees them
  std::vector<int> rows_, cols_;
  std::vector<double> left_, right_;
  mutable std::vector<T> given_, residual_, probe_;
  mutable typename Mumps<T>::Instance instance_{};
  Shape shape_ = Shape::unknown;  // of the instance
  bool factorised_ = false, refine_ = false;
  mutable bool short_of_memory_ = false;  // in a solution: the next factorisation says so
  mutable double growth_ = 0;             // of the last factorisation; 0: not measured yet
  SolverReport report_;
};

}  // namespace

template <class T>
std::unique_ptr<LinearSolver<T>> make_mumps_solver(const SparsePattern& pattern) {
  return std::make_unique<MumpsSolver<T>>(pattern);
}
template std::unique_ptr<LinearSolver<double>> make_mumps_solver(const SparsePattern&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_mumps_solver(const SparsePattern&);

}  // namespace rubato::detail
