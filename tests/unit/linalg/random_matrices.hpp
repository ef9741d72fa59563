#pragma once
/// Random matrices for the tests of linalg, and naive dense arithmetic to compare with.
#include <Eigen/LU>
#include <algorithm>
#include <complex>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "rubato/linalg/pattern.hpp"

namespace rubato::test {

using Complex = std::complex<double>;
template <class T>
using DenseMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using DenseVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

inline double uniform(std::mt19937& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }
template <class T>
T uniform_scalar(std::mt19937& random) {
  if constexpr (std::is_same_v<T, double>)
    return uniform(random);
  else
    return T(uniform(random), uniform(random));
}

/// About `per_column` entries in each column, and the diagonal if asked for.
inline SparsePattern random_pattern(std::mt19937& random, int rows, int cols, double per_column, bool diagonal) {
  std::vector<Entry> entries;
  std::bernoulli_distribution present(std::min(1.0, per_column / rows));
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      if (present(random) || (diagonal && i == j)) entries.push_back({i, j});
  return SparsePattern::from_entries(rows, cols, std::move(entries));
}

template <class T>
std::vector<T> random_values(std::mt19937& random, std::size_t n) {
  std::vector<T> values(n);
  for (T& v : values) v = uniform_scalar<T>(random);
  return values;
}

template <class T>
DenseMatrix<T> to_dense(const SparsePattern& pattern, std::span<const T> values) {
  DenseMatrix<T> a = DenseMatrix<T>::Zero(pattern.rows(), pattern.cols());
  for (int j = 0; j < pattern.cols(); ++j)
    for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
      a(pattern.row_indices()[p], j) = values[p];
  return a;
}

template <class T>
Eigen::Map<const DenseVector<T>> as_vector(const std::vector<T>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// ‖A x − b‖ / (‖A‖ ‖x‖ + ‖b‖): a backward stable solver keeps this at a few n·ε, whatever the condition.
template <class T>
double backward_error(const DenseMatrix<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  const auto r = a * as_vector(x) - as_vector(b);
  return r.norm() / (a.norm() * as_vector(x).norm() + as_vector(b).norm());
}

}  // namespace rubato::test
