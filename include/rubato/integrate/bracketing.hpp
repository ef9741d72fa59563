#pragma once
/// Where a function changes its sign: the ITP method (interpolate, truncate, project).
///
/// Oliveira & Takahashi, ACM TOMS 47 (2021) 5, doi:10.1145/3423597: superlinear on smooth functions, and never more than
/// n₀ = 1 evaluations above bisection, whatever the function. The second matters here: a function may sit at exactly zero
/// beyond its root or jump there, which stalls secant-like methods. A function of our own because the caller wants both
/// ends of the final bracket (the last point before and the first after the change) and Boost is no dependency of the core.
///
/// With r the slack left to bisection's worst case, on [a, b]:
///   x_½ = (a+b)/2,   x_f = (g_b a − g_a b)/(g_b − g_a)                                     interpolate   (1)
///   x_t = x_f + σ δ,  δ = κ₁ (b−a)²,  κ₁ = 0.2/(b₀−a₀),  σ = sign(x_½ − x_f); x_½ if δ > |x_½ − x_f|   truncate   (2)
///   x = x_t if |x_t − x_½| ≤ r, else x_½ − σ r                                              project       (3)
#include <algorithm>
#include <cmath>

namespace rubato {

struct Bracket {
  double left = 0, right = 0;  ///< g has the sign it had at the left end, and has it no more (or is zero)
  double g_left = 0, g_right = 0;
};

/// Shrinks [left, right] to the given width (never below two neighbouring doubles). g_left ≠ 0; g_right = 0 or of the other
/// sign: an exact zero counts as changed, so the right end tends to the first of several zeros in a row.
/// `g(x)` that is NaN ends the search with NaN in g_right.
template <class Function>
[[nodiscard]] Bracket shrunk(Bracket bracket, double width, Function&& g) {
  auto& [a, b, g_a, g_b] = bracket;
  const bool positive = g_a > 0;
  const double kappa = 0.2 / (b - a);
  const double epsilon = width / 2;
  double budget = epsilon * std::exp2(std::max(0.0, std::ceil(std::log2((b - a) / width))) + 1);  // ε 2^(n_½ + n₀)
  while (b - a > width) {
    const double middle = a + (b - a) / 2;
    if (middle <= a || middle >= b) break;
    const double r = budget - (b - a) / 2;
    const double x_f = (g_b * a - g_a * b) / (g_b - g_a);  // (1)
    const double sigma = middle >= x_f ? 1 : -1;
    const double delta = kappa * (b - a) * (b - a);
    const double x_t = delta <= std::abs(middle - x_f) ? x_f + sigma * delta : middle;  // (2)
    double x = std::abs(x_t - middle) <= r ? x_t : middle - sigma * std::max(r, 0.0);   // (3)
    if (!(x > a && x < b)) x = middle;  // round-off, or an infinite value at an end
    const double value = g(x);
    if (std::isnan(value)) {
      g_b = value;
      break;
    }
    const bool changed = positive ? value <= 0 : value >= 0;
    (changed ? b : a) = x;
    (changed ? g_b : g_a) = value;
    budget /= 2;
  }
  return bracket;
}

}  // namespace rubato
