#pragma once
/// Random mechanical systems in first-order form.
#include <random>
#include <utility>
#include <vector>

#include "rubato/linalg/condensation.hpp"
#include "unit/linalg/random_matrices.hpp"

namespace rubato::test {

/// q' = v, M v' = f(q, v, λ), 0 = g(q, v, λ) linearised: x = (q, v, λ). Random sparse blocks, M diagonally dominant,
/// f_λ = −Gᵀ, g_q = G, and g_v, g_λ if asked for.
struct SecondOrderSystem {
  int n_q, n_lambda;
  SparsePattern B, J;
  std::vector<double> B_values, J_values;
  std::vector<PivotPosition> local;  // q'_i = v_i determines v_i

  [[nodiscard]] int size() const { return 2 * n_q + n_lambda; }
  template <class T>
  [[nodiscard]] DenseMatrix<T> matrix(T c) const {
    const DenseMatrix<double> b = to_dense<double>(B, B_values), j = to_dense<double>(J, J_values);
    return c * b.cast<T>() - j.cast<T>();
  }
};

inline SecondOrderSystem random_second_order(std::mt19937& random, int n_q, int n_lambda, bool full_g) {
  SecondOrderSystem s{.n_q = n_q, .n_lambda = n_lambda, .B = {}, .J = {}, .B_values = {}, .J_values = {}, .local = {}};
  const int n = s.size();
  DenseMatrix<double> b = DenseMatrix<double>::Zero(n, n), j = b;
  std::bernoulli_distribution present(std::min(1.0, 5.0 / n_q)), often(0.5);
  for (int i = 0; i < n_q; ++i) {
    b(i, i) = 1;
    j(i, n_q + i) = 1;
    s.local.push_back({i, n_q + i});
    for (int k = 0; k < n_q; ++k) {
      if (present(random) || i == k) b(n_q + i, n_q + k) = (i == k ? 3.0 : 0.0) + 0.3 * uniform(random);  // M
      if (present(random) || i == k) j(n_q + i, k) = -uniform(random) * 10;                               // f_q
      if (present(random)) j(n_q + i, n_q + k) = uniform(random);                                         // f_v
    }
  }
  for (int l = 0; l < n_lambda; ++l)
    for (int i = 0; i < n_q; ++i) {
      if (!often(random)) continue;
      const double g = uniform(random);
      j(n_q + i, 2 * n_q + l) = -g;  // −Gᵀ
      j(2 * n_q + l, i) = g;         // G
      if (full_g) j(2 * n_q + l, n_q + i) = 0.1 * uniform(random);
    }
  if (full_g)
    for (int l = 0; l < n_lambda; ++l) j(2 * n_q + l, 2 * n_q + l) = -1e-3;
  const auto split = [n](const DenseMatrix<double>& a, SparsePattern& pattern, std::vector<double>& values) {
    std::vector<Entry> entries;
    for (int col = 0; col < n; ++col)
      for (int row = 0; row < n; ++row)
        if (a(row, col) != 0) entries.push_back({row, col}), values.push_back(a(row, col));
    pattern = SparsePattern::from_entries(n, n, std::move(entries));
  };
  split(b, s.B, s.B_values);
  split(j, s.J, s.J_values);
  return s;
}

}  // namespace rubato::test
