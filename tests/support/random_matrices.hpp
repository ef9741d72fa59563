#pragma once
/// Sparse square matrices of given density with a full diagonal somewhere: regular for almost all values. Seeded.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato::test {

inline std::vector<int> random_permutation(int n, std::mt19937& random) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// About `per_row` entries in each row beside a random transversal.
inline SparsePattern random_pattern(int n, double per_row, std::mt19937& random) {
  std::uniform_int_distribution<int> index(0, n - 1);
  const std::vector<int> transversal = random_permutation(n, random);
  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i) entries.push_back({i, transversal[i]});
  for (int k = 0; k < static_cast<int>(per_row * n); ++k) entries.push_back({index(random), index(random)});
  return SparsePattern::from_entries(n, n, std::move(entries));
}

inline std::vector<double> random_values(std::size_t n, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> values(n);
  for (double& x : values) x = value(random);
  return values;
}

inline Matrix dense(const SparsePattern& pattern, const std::vector<double>& values) {
  Matrix a = Matrix::Zero(pattern.rows(), pattern.cols());
  std::size_t place = 0;
  for (int j = 0; j < pattern.cols(); ++j)
    for (const int i : pattern.column(j)) a(i, j) = values[place++];
  return a;
}

}  // namespace rubato::test
