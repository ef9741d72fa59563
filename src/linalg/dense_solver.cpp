// Dense LU with row pivoting, in place, without a single allocation after the constructor.
//
// Eigen's PartialPivLU takes heap memory for its packed panels as soon as they exceed 128 kB, so the outer loop is ours:
// panels of `width` columns, the trailing update in square tiles whose packed operands stay on the stack.
// Matrices of up to `largest_small` rows have loops whose lengths the compiler knows: small_lu.hpp.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <vector>

#include "back_ends.hpp"
#include "base/pairs.hpp"
#include "rubato/base/assert.hpp"
#include "scalar.hpp"
#include "small_lu.hpp"

namespace rubato::detail {
namespace {

constexpr int width = 32, tile = 128;  // 128 · 32 · sizeof(complex) = 64 kB on the stack per operand
constexpr int largest_small = 12;

template <class T>
using Column = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;
template <class T>
using Block = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;

/// Values by the order of the pattern → a full matrix by columns.
template <class T>
void scatter(const SparsePattern& pattern, std::span<const T> values, std::span<T> full) noexcept {
  if (values.size() == full.size()) {
    std::copy(values.begin(), values.end(), full.begin());
    return;
  }
  std::fill(full.begin(), full.end(), T(0));
  const auto starts = pattern.column_starts(), rows = pattern.row_indices();
  for (int j = 0; j < pattern.cols(); ++j)
    for (int p = starts[j]; p < starts[j + 1]; ++p) full[j * pattern.rows() + rows[p]] = values[p];
}

template <class T>
double largest_of(std::span<const T> values) noexcept {
  double largest = 0;
  for (const T& value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Growth and pivots of the n × n factors `lu`; matrix_column(j): the values of the matrix there.
template <class T, class MatrixColumn>
SolverReport report_of(int n, MatrixColumn&& matrix_column, std::span<const T> lu, long full_factorisations) noexcept {
  SolverReport r{.n = n, .factor_nnz = static_cast<long>(n) * n, .full_factorisations = full_factorisations};
  double smallest = 0, largest = 0;
  for (int j = 0; j < n; ++j) {
    const auto column = lu.subspan(static_cast<std::size_t>(j) * n, static_cast<std::size_t>(n));
    const double a = largest_of<T>(matrix_column(j)), u = largest_of<T>(column.first(static_cast<std::size_t>(j) + 1));
    if (a > 0) r.growth = std::max(r.growth, u / a);
    const double pivot = std::abs(column[j]);
    smallest = j == 0 ? pivot : std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  if (n > 0) r.pivot_ratio = largest > 0 ? smallest / largest : 0;
  return r;
}

/// N × N, by columns.
template <class T, int N>
class SmallDenseSolver final : public LinearSolver<T>, public KeepsSmallLu<T, N> {
 public:
  explicit SmallDenseSolver(const SparsePattern& pattern) {
    for (int j = 0; j < N; ++j)
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
        places_.push_back(j * N + pattern.row_indices()[p]);
  }

  FactorStatus factor(std::span<const T> values) noexcept override {
    RUBATO_ASSERT(values.size() == places_.size(), "values do not fit the pattern");
    const T* __restrict const given = values.data();
    ++full_;
    if (values.size() == matrix_.size()) {
      for (std::size_t p = 0; p < matrix_.size(); ++p) matrix_[p] = given[p];
      return this->lu.factor(given);
    }
    for (std::size_t p = 0; p < values.size(); ++p) matrix_[places_[p]] = given[p];
    return this->lu.factor(matrix_.data());
  }

  void solve(std::span<T> x) noexcept override {
    for (T* b = x.data(); b < x.data() + x.size(); b += N) this->lu.solve(b);
  }

  void solve_transposed(std::span<T> x) noexcept override {
    for (T* b = x.data(); b < x.data() + x.size(); b += N) this->lu.solve_transposed(b);
  }

  SolverReport report() const noexcept override {
    return report_of<T>(
        N, [&](int j) { return std::span<const T>(matrix_).subspan(static_cast<std::size_t>(j) * N, N); },
        this->lu.factors(), full_);
  }

 private:
  std::array<T, static_cast<std::size_t>(N) * N> matrix_{};
  std::vector<int> places_;  // of the values in the matrix
  long full_ = 0;
};

template <class T>
class DenseSolver final : public LinearSolver<T> {
 public:
  explicit DenseSolver(const SparsePattern& pattern)
      : pattern_(pattern),
        n_(pattern.rows()),
        values_(static_cast<std::size_t>(pattern.nnz())),
        lu_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_)),
        inverse_pivots_(static_cast<std::size_t>(n_)),
        swapped_with_(static_cast<std::size_t>(n_)) {}

  FactorStatus factor(std::span<const T> values) noexcept override {
    RUBATO_ASSERT(values.size() == values_.size(), "values do not fit the pattern");
    if (!all_finite(values)) return FactorStatus::not_finite;
    ++full_;
    std::copy(values.begin(), values.end(), values_.begin());
    scatter<T>(pattern_, values, lu_);
    for (int k = 0; k < n_; k += width) {
      const int end = std::min(k + width, n_);
      if (!factor_panel(k, end)) return FactorStatus::singular;
      swap_rows(k, end, 0, k);
      swap_rows(k, end, end, n_);
      solve_block_row(k, end);
      update_rest(k, end);
    }
    // Every entry of L and U divides or multiplies into a later pivot: finite pivots, finite factors, up to overflow.
    for (int k = 0; k < n_; ++k) {
      if (!is_finite(at(k, k))) return FactorStatus::not_finite;
      inverse_pivots_[k] = reciprocal(at(k, k));
      if (!is_finite(inverse_pivots_[k])) return FactorStatus::singular;
    }
    return FactorStatus::ok;
  }

  void solve(std::span<T> x) noexcept override {
    for (T* b = x.data(); b < x.data() + x.size(); b += n_) {
      for (int k = 0; k < n_; ++k) std::swap(b[k], b[swapped_with_[k]]);
      int k = 0;
      for (; k + 1 < n_; k += 2) {  // L y = P b
        b[k + 1] -= product(at(k + 1, k), b[k]);
        subtract(b + k + 2, b[k], column(k) + k + 2, b[k + 1], column(k + 1) + k + 2, n_ - k - 2);
      }
      for (k = n_ - 1; k > 0; k -= 2) {  // U x = y
        b[k] = product(b[k], inverse_pivots_[k]);
        b[k - 1] = product(b[k - 1] - product(at(k - 1, k), b[k]), inverse_pivots_[k - 1]);
        subtract(b, b[k], column(k), b[k - 1], column(k - 1), k - 1);
      }
      if (k == 0) b[0] = product(b[0], inverse_pivots_[0]);
    }
  }

  void solve_transposed(std::span<T> x) noexcept override {
    for (T* b = x.data(); b < x.data() + x.size(); b += n_) {
      for (int k = 0; k < n_; ++k) {  // Uᵀ y = b
        b[k] -= (head(column(k), k).array() * head(b, k).array()).sum();
        b[k] = product(b[k], inverse_pivots_[k]);
      }
      for (int k = n_ - 2; k >= 0; --k) b[k] -= (below(column(k), k).array() * below(b, k).array()).sum();  // Lᵀ z = y
      for (int k = n_ - 1; k >= 0; --k) std::swap(b[k], b[swapped_with_[k]]);  // x = Pᵀ z
    }
  }

  SolverReport report() const noexcept override {
    const auto column = [&](int j) {
      const auto start = static_cast<std::size_t>(pattern_.column_starts()[j]);
      return std::span<const T>(values_).subspan(start, pattern_.column_starts()[j + 1] - start);
    };
    return report_of<T>(n_, column, lu_, full_);
  }

 private:
  T* column(int j) noexcept { return lu_.data() + static_cast<std::ptrdiff_t>(j) * n_; }
  T& at(int i, int j) noexcept { return lu_[static_cast<std::size_t>(j) * n_ + i]; }
  Column<T> head(T* x, int k) const noexcept { return {x, k}; }
  Column<T> below(T* x, int k) const noexcept { return {x + k + 1, n_ - k - 1}; }
  Block<T> block(int i, int j, int rows, int cols) noexcept {
    return {&at(i, j), rows, cols, Eigen::OuterStride<>(n_)};
  }

  /// y −= factor · x: for the short columns of small matrices cheaper than an expression of Eigen's.
  static void subtract(T* __restrict y, T factor, const T* __restrict x, int n) noexcept {
    for (int i = 0; i < n; ++i) y[i] -= product(factor, x[i]);
  }

  /// y −= f x + g z: two columns per pass over y.
  static void subtract(T* __restrict y, T f, const T* __restrict x, T g, const T* __restrict z, int n) noexcept {
    if constexpr (std::is_same_v<T, double>)
      in_pairs(n, [&]<int width>(std::ptrdiff_t i) {
        piece<width>(y + i) = piece<width>(y + i) - f * piece<width>(x + i) - g * piece<width>(z + i);
      });
    else
      for (int i = 0; i < n; ++i) y[i] -= product(f, x[i]) + product(g, z[i]);
  }

  /// Columns k … end−1 of all rows from k on, one pivot after the other. False: a column of zeros.
  bool factor_panel(int k, int end) noexcept {
    for (int j = k; j < end; ++j) {
      T* const a = column(j);
      int pivot = j;
      double largest = magnitude(a[j]);
      for (int i = j + 1; i < n_; ++i)
        if (const double m = magnitude(a[i]); m > largest) largest = m, pivot = i;
      if (largest == 0) return false;
      swapped_with_[j] = pivot;
      if (pivot != j)
        for (int c = k; c < end; ++c) std::swap(at(j, c), at(pivot, c));
      const int rows = n_ - j - 1;
      if (rows == 0) break;
      const T inverse = reciprocal(a[j]);
      for (int i = j + 1; i < n_; ++i) a[i] = product(a[i], inverse);
      for (int c = j + 1; c < end; ++c)
        if (at(j, c) != T(0))
          subtract(column(c) + j + 1, at(j, c), a + j + 1, rows);  // matrices of mechanisms have many zeros
    }
    return true;
  }

  void swap_rows(int k, int end, int first, int last) noexcept {
    for (int c = first; c < last; ++c) {
      T* const a = column(c);
      for (int j = k; j < end; ++j) std::swap(a[j], a[swapped_with_[j]]);
    }
  }

  /// U₁₂ = L₁₁⁻¹ A₁₂
  void solve_block_row(int k, int end) noexcept {
    for (int c = end; c < n_; ++c) {
      T* const a = column(c);
      for (int j = k; j + 1 < end; ++j)
        Column<T>(a + j + 1, end - j - 1) -= a[j] * Column<T>(column(j) + j + 1, end - j - 1);
    }
  }

  /// A₂₂ ← A₂₂ − L₂₁ U₁₂
  void update_rest(int k, int end) noexcept {
    for (int j = end; j < n_; j += tile)
      for (int i = end; i < n_; i += tile) {
        const int rows = std::min(tile, n_ - i), cols = std::min(tile, n_ - j);
        block(i, j, rows, cols).noalias() -= block(i, k, rows, end - k) * block(k, j, end - k, cols);
      }
  }

  SparsePattern pattern_;
  int n_;
  std::vector<T> values_, lu_, inverse_pivots_;  // the matrix as given, for the growth; the factors by columns
  std::vector<int> swapped_with_;
  long full_ = 0;
};

/// N = n where that is small enough.
template <class T, int N = 1>
std::unique_ptr<LinearSolver<T>> make_small(const SparsePattern& pattern) {
  if (pattern.rows() == N) return std::make_unique<SmallDenseSolver<T, N>>(pattern);
  if constexpr (N < largest_small) return make_small<T, N + 1>(pattern);
  return nullptr;
}

}  // namespace

template <class T>
std::unique_ptr<LinearSolver<T>> make_dense_solver(const SparsePattern& pattern) {
  if (auto small = make_small<T>(pattern)) return small;
  return std::make_unique<DenseSolver<T>>(pattern);
}
template std::unique_ptr<LinearSolver<double>> make_dense_solver(const SparsePattern&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_dense_solver(const SparsePattern&);

}  // namespace rubato::detail
