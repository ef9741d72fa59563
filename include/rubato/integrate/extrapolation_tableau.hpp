#pragma once
/// The linearly implicit Euler method and its extrapolation, over any scalar.
///
/// For B x' = f(t, x) and a big step H, numbers n₁ < n₂ < …, τ_j = H/n_j, one and the same J for the whole tableau:
///   (B − τ_j J) Δ_i = τ_j f(x_i),   x_{i+1} = x_i + Δ_i,   i = 0 … n_j − 1,   X_{j1} = x_{n_j}                            (1)
///   X_{j,k+1} = X_{jk} + (X_{jk} − X_{j−1,k}) / (n_j/n_{j−k} − 1)                                                          (2)
/// Deuflhard, SIAM Rev. 27 (1985) 505, doi:10.1137/1027140; Hairer & Wanner, Solving ODEs II, IV.9 and VI.5,
/// doi:10.1007/978-3-642-05221-7.
///
/// Ordinary equations: X_{jk} has order k for any J, also J = 0. Differential-algebraic ones, x' = f(x, y), 0 = g(x, y), need J₂₂ = g_y: with
/// another J₂₂ all entries have order 1. Which orders are left where other blocks of J are inexact: docs/methods.md, in sixty digits in
/// tests/theory/extrapolation_orders_test.cpp.
#include <cstddef>
#include <span>

namespace rubato {

/// (1): n steps from x to X_{j1}. `increment(i, x, Δ)` solves for Δ_i at x = x_i, where it can: else it returns false, and so does this.
template <class S, class Increment>
[[nodiscard]] bool euler_steps(int n, std::span<S> x, std::span<S> delta,
                               Increment&& increment) noexcept(noexcept(increment(0, std::span<const S>(x), delta))) {
  for (int i = 0; i < n; ++i) {
    if (!increment(i, std::span<const S>(x), delta)) return false;
    for (std::size_t l = 0; l < x.size(); ++l) x[l] = x[l] + delta[l];
  }
  return true;
}

/// (2): the next row, in place. `columns`: j of them, one after the other; X_{j−1,1} … X_{j−1,j−1} and X_{j1} become X_{j1} … X_{jj}.
template <class S>
void extend_tableau(std::span<const int> numbers, std::size_t j, std::span<S> columns) noexcept {
  const std::size_t n = columns.size() / j;
  S* const next = columns.data() + (j - 1) * n;
  for (std::size_t k = 1; k < j; ++k) {
    S* const column = columns.data() + (k - 1) * n;
    const int before = numbers[j - k - 1];
    const S weight = S(before) / S(numbers[j - 1] - before);
    for (std::size_t i = 0; i < n; ++i) {
      const S above = column[i];
      column[i] = next[i];
      next[i] = next[i] + (next[i] - above) * weight;
    }
  }
}

}  // namespace rubato
