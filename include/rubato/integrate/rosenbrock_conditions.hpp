#pragma once
/// Order and stability conditions of Rosenbrock methods, written once: for the compiler (static_assert beside the numbers),
/// for rosenbrock_properties() and, with fifty digits, for the tests. Symbols as in rosenbrock_table.hpp; powers of
/// α = (α_1 … α_s) are componentwise, ω = B⁻¹, 𝟙 = (1 … 1).
#include "rubato/integrate/rosenbrock_table.hpp"

namespace rubato {

inline constexpr int max_tree_nodes = 5;

/// A rooted tree as the depths of its nodes in preorder: 0 1 1 is the root with two leaves.
struct RootedTree {
  int n;
  int depth[max_tree_nodes];

  /// The tall tree of n nodes, from which next() reaches every other one exactly once
  /// (Beyer, Hedetniemi, SIAM J. Comput. 9 (1980) 706, doi:10.1137/0209055).
  static constexpr RootedTree first(int n) {
    RootedTree tree{.n = n, .depth = {}};
    for (int i = 0; i < n; ++i) tree.depth[i] = i;
    return tree;
  }
  /// False after the bushy tree 0 1 1 … 1.
  constexpr bool next() {
    int p = n - 1;
    while (p > 0 && depth[p] <= 1) --p;
    if (p <= 0) return false;
    int q = p - 1;
    while (depth[q] != depth[p] - 1) --q;
    for (int i = p; i < n; ++i) depth[i] = depth[i - (p - q)];
    return true;
  }
  [[nodiscard]] constexpr int parent(int i) const {
    int j = i - 1;
    while (depth[j] != depth[i] - 1) --j;
    return j;
  }
  [[nodiscard]] constexpr int n_children(int i) const {
    int count = 0;
    for (int j = i + 1; j < n && depth[j] > depth[i]; ++j) count += depth[j] == depth[i] + 1 ? 1 : 0;
    return count;
  }
  /// γ(t): the product of the sizes of all subtrees; the exact solution has the weight 1/γ(t).
  [[nodiscard]] constexpr int density() const {
    int product = 1;
    for (int i = 0; i < n; ++i) {
      int size = 1;
      for (int j = i + 1; j < n && depth[j] > depth[i]; ++j) ++size;
      product *= size;
    }
    return product;
  }
};

template <class T>
struct StageVector {
  T v[max_rosenbrock_stages];
  constexpr T& operator[](int i) { return v[i]; }
  constexpr const T& operator[](int i) const { return v[i]; }
};

template <class T>
constexpr T magnitude(const T& x) {
  return x < T(0) ? T(-x) : x;
}

template <class T>
constexpr T dot(int s, const T (&b)[max_rosenbrock_stages], const StageVector<T>& x) {
  T sum(0);
  for (int i = 0; i < s; ++i) sum += b[i] * x[i];
  return sum;
}

/// Φ_i(t): a node with one child sums with β, a node with several children with α; then order p means
/// Σ b_i Φ_i(t) = 1/γ(t) for all trees of up to p nodes (Hairer, Wanner, Solving ODEs II, 2nd ed., theorem IV.7.4).
template <class T>
constexpr StageVector<T> stage_weights(const RosenbrockCoefficients<T>& method, const RootedTree& tree) {
  StageVector<T> phi[max_tree_nodes]{};
  for (int node = 0; node < tree.n; ++node)
    for (int i = 0; i < method.s; ++i) phi[node][i] = T(1);
  for (int node = tree.n - 1; node > 0; --node) {  // in preorder all children come after their parent
    const int up = tree.parent(node);
    const bool single = tree.n_children(up) == 1;
    for (int i = 0; i < method.s; ++i) {
      T sum(0);
      for (int j = 0; j <= i; ++j) sum += T(single ? method.beta(i, j) : method.alpha[i][j]) * phi[node][j];
      phi[up][i] *= sum;
    }
  }
  return phi[0];
}

/// The largest |Σ weights_i Φ_i(t) − 1/γ(t)| over all trees with exactly n nodes.
template <class T>
constexpr T order_defect(const RosenbrockCoefficients<T>& method, const T (&weights)[max_rosenbrock_stages], int n) {
  T worst(0);
  RootedTree tree = RootedTree::first(n);
  do {
    const T exact = T(1) / T(tree.density());
    const T defect = magnitude<T>(dot(method.s, weights, stage_weights(method, tree)) - exact);
    if (worst < defect) worst = defect;
  } while (tree.next());
  return worst;
}

/// Conditions count as fulfilled below this: coefficients of sixteen digits leave about 1e-13, and what is not meant to
/// hold fails by 1e-5 or more in every method we list.
inline constexpr double condition_tolerance = 1e-11;

/// The largest p ≤ 5 such that all conditions of order 1 … p hold.
template <class T>
constexpr int classical_order(const RosenbrockCoefficients<T>& method, const T (&weights)[max_rosenbrock_stages]) {
  int p = 0;
  while (p < max_tree_nodes && order_defect(method, weights, p + 1) < T(condition_tolerance)) ++p;
  return p;
}

// ---- vectors and triangular solves -----------------------------------------------------------------------------------

template <class T>
constexpr StageVector<T> ones(int s) {
  StageVector<T> x{};
  for (int i = 0; i < s; ++i) x[i] = T(1);
  return x;
}

/// α^k, componentwise.
template <class T>
constexpr StageVector<T> alpha_power(const RosenbrockCoefficients<T>& method, int k) {
  StageVector<T> x{};
  for (int i = 0; i < method.s; ++i) {
    T sum(0);
    for (int j = 0; j < i; ++j) sum += method.alpha[i][j];
    x[i] = T(1);
    for (int l = 0; l < k; ++l) x[i] *= sum;
  }
  return x;
}

/// B x
template <class T>
constexpr StageVector<T> times_beta(const RosenbrockCoefficients<T>& method, const StageVector<T>& x) {
  StageVector<T> y{};
  for (int i = 0; i < method.s; ++i)
    for (int j = 0; j <= i; ++j) y[i] += method.beta(i, j) * x[j];
  return y;
}

/// ω x = B⁻¹ x
template <class T>
constexpr StageVector<T> solve_beta(const RosenbrockCoefficients<T>& method, const StageVector<T>& x) {
  StageVector<T> y{};
  for (int i = 0; i < method.s; ++i) {
    T rest = x[i];
    for (int j = 0; j < i; ++j) rest -= method.beta(i, j) * y[j];
    y[i] = rest / method.beta(i, i);
  }
  return y;
}

/// α_i Σ_m α_im x_m
template <class T>
constexpr StageVector<T> alpha_times_alpha(const RosenbrockCoefficients<T>& method, const StageVector<T>& x) {
  const StageVector<T> alpha = alpha_power(method, 1);
  StageVector<T> y{};
  for (int i = 0; i < method.s; ++i)
    for (int j = 0; j < i; ++j) y[i] += alpha[i] * method.alpha[i][j] * x[j];
  return y;
}

// ---- index 1: M x' = f(x, z), 0 = g(x, z) (Hairer, Wanner, section VI.4) ---------------------------------------------

/// Defects of the conditions for the algebraic components z of order 2 and 3, and for x at order 4:
///   z2: bᵀωα² = 1,   z3a: bᵀωα³ = 1,   z3b: Σ (bᵀω)_k α_k α_km β_m = ½,   z3c: Σ (bᵀω)_k α_k α_km (ωα²)_m = 1,
///   x4: Σ b_j α_j α_jl (ωα²)_l = ¼
template <class T>
struct Index1Defects {
  T z2, z3a, z3b, z3c, x4;
};

template <class T>
constexpr Index1Defects<T> index1_defects(const RosenbrockCoefficients<T>& method,
                                          const T (&weights)[max_rosenbrock_stages]) {
  const int s = method.s;
  const auto omega_alpha2 = solve_beta(method, alpha_power(method, 2));
  const auto coupled = alpha_times_alpha(method, omega_alpha2);
  const auto with_beta = alpha_times_alpha(method, times_beta(method, ones<T>(s)));
  return {.z2 = dot(s, weights, omega_alpha2) - T(1),
          .z3a = dot(s, weights, solve_beta(method, alpha_power(method, 3))) - T(1),
          .z3b = dot(s, weights, solve_beta(method, with_beta)) - T(1) / T(2),
          .z3c = dot(s, weights, solve_beta(method, coupled)) - T(1),
          .x4 = dot(s, weights, coupled) - T(1) / T(4)};
}

// ---- stiff problems ---------------------------------------------------------------------------------------------------

/// R(∞) = 1 − bᵀB⁻¹𝟙
template <class T>
constexpr T stability_at_infinity(const RosenbrockCoefficients<T>& method, const T (&weights)[max_rosenbrock_stages]) {
  return T(1) - dot(method.s, weights, solve_beta(method, ones<T>(method.s)));
}

/// The largest |bᵀB^j w_i| over j = 0 … s−1, with w_2 = α² − 2B²𝟙, w_3 = α³ − 6B³𝟙, w_4 = α⁴ − 12B²α². If it is zero for
/// all i < k, the defects of q and v up to hᵏ vanish for every h and ε on the stiff oscillator q̇ = v,
/// v̇ = φ̈ − (q − φ)/ε²: no order reduction below k. S. Scholz, Computing 41 (1989) 219, did the
/// first-order problem of Prothero and Robinson.
template <class T>
constexpr T scholz_defect(const RosenbrockCoefficients<T>& method, const T (&weights)[max_rosenbrock_stages], int i) {
  const auto twice = [&](const StageVector<T>& x) { return times_beta(method, times_beta(method, x)); };
  const StageVector<T> power = alpha_power(method, i);
  const StageVector<T> other = i == 2   ? twice(ones<T>(method.s))
                               : i == 3 ? times_beta(method, twice(ones<T>(method.s)))
                                        : twice(alpha_power(method, i - 2));
  const T factor(i == 3 ? 6 : i * (i - 1));
  StageVector<T> w{};
  for (int k = 0; k < method.s; ++k) w[k] = power[k] - factor * other[k];
  T worst(0);
  for (int j = 0; j < method.s; ++j) {
    const T defect = magnitude<T>(dot(method.s, weights, w));
    if (worst < defect) worst = defect;
    w = times_beta(method, w);
  }
  return worst;
}

/// The limit ε → 0 of the velocity defect ζ_i, i = 2, 3, of the same oscillator: ζ_i(∞) = bᵀB⁻²α^i / i − 1.
template <class T>
constexpr T stiff_velocity_limit(const RosenbrockCoefficients<T>& method, const T (&weights)[max_rosenbrock_stages],
                                 int i) {
  return dot(method.s, weights, solve_beta(method, solve_beta(method, alpha_power(method, i)))) / T(i) - T(1);
}

}  // namespace rubato
