#pragma once
/// Rosenbrock methods as numbers. For M x' = F(t, x) with a possibly singular M, 𝒥 = F_x and F_t at (t₀, x₀):
///   M k_i = h F(t₀ + α_i h, x₀ + Σ_{j<i} α_ij k_j) + h 𝒥 Σ_{j≤i} γ_ij k_j + h² γ_i F_t,    x₁ = x₀ + Σ b_j k_j       (1)
///   α_i = Σ_j α_ij,   γ_i = Σ_{j≤i} γ_ij,   γ_ii = γ,   B = (β_ij) = (α_ij + γ_ij), diagonal γ included               (2)
/// Steppers use the form without products 𝒥k (Kaps, Poon, Bui, Computing 34 (1985) 17), u_i = Σ_{j≤i} γ_ij k_j:
///   (M/(hγ) − 𝒥) u_i = F(t₀ + α_i h, x₀ + Σ_{j<i} a_ij u_j) + (1/h) M Σ_{j<i} c_ij u_j + h γ_i F_t                     (3)
///   a = αΓ⁻¹,   c = diag(1/γ) − Γ⁻¹,   m = bᵀΓ⁻¹,   m̂ = b̂ᵀΓ⁻¹                                                       (4)
///   x₁ = x₀ + Σ m_j u_j,   error estimate Σ (m_j − m̂_j) u_j,   x(t₀ + θh) ≈ x₀ + Σ m_j(θ) u_j                          (5)
/// Everything here is a literal type: (2) and (4) are computed by the compiler from α, Γ, b, b̂.
#include <cstddef>
#include <span>
#include <string_view>

#include "rubato/base/assert.hpp"
#include "rubato/base/result.hpp"

namespace rubato {

inline constexpr int max_rosenbrock_stages = 8;
inline constexpr int max_dense_degree = 5;

/// What a paper prints. A template, so that the tests can repeat every check in fifty digits.
template <class T>
struct RosenbrockCoefficients {
  int s;                                                     ///< number of stages
  T alpha[max_rosenbrock_stages][max_rosenbrock_stages];     ///< strictly lower triangular
  T gamma[max_rosenbrock_stages][max_rosenbrock_stages];     ///< lower triangular, γ on the diagonal
  T b[max_rosenbrock_stages], b_hat[max_rosenbrock_stages];  ///< weights and embedded weights

  [[nodiscard]] constexpr T beta(int i, int j) const { return alpha[i][j] + gamma[i][j]; }
};

/// The same method in the form (3): what codes print.
template <class T>
struct RosenbrockUForm {
  T a[max_rosenbrock_stages][max_rosenbrock_stages];  ///< strictly lower triangular
  T c[max_rosenbrock_stages][max_rosenbrock_stages];  ///< strictly lower triangular
  T m[max_rosenbrock_stages], m_hat[max_rosenbrock_stages];
};

/// yᵀ = xᵀL⁻¹ for lower triangular L, from the last entry to the first. x and y may be the same array.
template <class T>
constexpr void solve_left(int s, const T (&lower)[max_rosenbrock_stages][max_rosenbrock_stages],
                          const T (&x)[max_rosenbrock_stages], T (&y)[max_rosenbrock_stages]) {
  for (int j = s - 1; j >= 0; --j) {
    T rest = x[j];
    for (int i = j + 1; i < s; ++i) rest -= y[i] * lower[i][j];
    y[j] = rest / lower[j][j];
  }
}

/// (4): from α, Γ, b, b̂ to a, c, m, m̂.
template <class T>
constexpr RosenbrockUForm<T> u_form(const RosenbrockCoefficients<T>& method) {
  RosenbrockUForm<T> u{};
  const int s = method.s;
  for (int i = 0; i < s; ++i) {
    solve_left(s, method.gamma, method.alpha[i], u.a[i]);
    T unit[max_rosenbrock_stages]{}, row[max_rosenbrock_stages]{};
    unit[i] = T(1);
    solve_left(s, method.gamma, unit, row);  // row i of Γ⁻¹
    for (int j = 0; j < i; ++j) u.c[i][j] = -row[j];
  }
  solve_left(s, method.gamma, method.b, u.m);
  solve_left(s, method.gamma, method.b_hat, u.m_hat);
  return u;
}

/// The inverse of (4): Γ = (I/γ − c)⁻¹, α = aΓ, b = mᵀΓ, b̂ = m̂ᵀΓ, for methods that are published in the form (3).
template <class T>
constexpr RosenbrockCoefficients<T> from_u_form(int s, T gamma, const RosenbrockUForm<T>& u) {
  T inverse[max_rosenbrock_stages][max_rosenbrock_stages]{};  // Γ⁻¹
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < i; ++j) inverse[i][j] = -u.c[i][j];
    inverse[i][i] = T(1) / gamma;
  }
  RosenbrockCoefficients<T> method{};
  method.s = s;
  for (int i = 0; i < s; ++i) {
    T unit[max_rosenbrock_stages]{};
    unit[i] = T(1);
    solve_left(s, inverse, unit, method.gamma[i]);
    method.gamma[i][i] = gamma;
    solve_left(s, inverse, u.a[i], method.alpha[i]);
  }
  solve_left(s, inverse, u.m, method.b);
  solve_left(s, inverse, u.m_hat, method.b_hat);
  return method;
}

/// What a paper says about its method; rosenbrock_properties() computes the same and the tests compare.
struct RosenbrockLabel {
  std::string_view name;       ///< on the command line: lower case
  std::string_view title;      ///< one line for lists
  std::string_view reference;  ///< with DOI where there is one
  int order;                   ///< classical order of b
  int embedded_order;          ///< classical order of b̂; 0: no embedded method (b̂ = 0, x̂₁ = x₀)
};

/// One method, ready for a stepper: everything is derived from the coefficients by make_rosenbrock_table().
struct RosenbrockTable : RosenbrockCoefficients<double> {
  RosenbrockLabel label;
  double diagonal;                          ///< γ
  double alpha_sum[max_rosenbrock_stages];  ///< α_i: stage i is evaluated at t₀ + α_i h
  double gamma_sum[max_rosenbrock_stages];  ///< γ_i: factor of h F_t
  RosenbrockUForm<double> u;                ///< a, c, m, m̂ of (3)
  double m_error[max_rosenbrock_stages];    ///< m − m̂
  bool stiffly_accurate;                    ///< β_si = b_i and α_s = 1
  int f_source[max_rosenbrock_stages];      ///< first stage with the same argument: its F can be used again
  int n_f_calls;                            ///< evaluations of F per step after such sharing

  int dense_order;   ///< classical order of x(θ), uniformly in θ ∈ [0, 1]; 0: not yet built
  int dense_degree;  ///< b_j(θ) = Σ_{k=1}^{degree} b_theta[j][k] θ^k, m_j(θ) likewise
  double b_theta[max_rosenbrock_stages][max_dense_degree + 1];
  double m_theta[max_rosenbrock_stages][max_dense_degree + 1];

  [[nodiscard]] constexpr std::string_view name() const noexcept { return label.name; }
  [[nodiscard]] constexpr int order() const noexcept { return label.order; }
  [[nodiscard]] constexpr int embedded_order() const noexcept { return label.embedded_order; }
  [[nodiscard]] constexpr bool has_embedded() const noexcept { return label.embedded_order > 0; }
  /// False: the argument of stage i is that of stage f_source[i] < i, whose F is used again.
  [[nodiscard]] constexpr bool evaluates_at_stage(int i) const noexcept { return f_source[i] == i; }

  /// m_j(θ) of (5), written to the first s entries of m.
  constexpr void dense_weights(double theta, std::span<double> m) const noexcept {
    RUBATO_ASSERT(dense_order > 0 && m.size() >= static_cast<std::size_t>(s), "dense output not built, or m too short");
    for (int j = 0; j < s; ++j) {
      double value = 0;
      for (int k = dense_degree; k >= 1; --k) value = (value + m_theta[j][k]) * theta;
      m[static_cast<std::size_t>(j)] = value;
    }
  }
  /// m_j'(θ), written to the first s entries.
  constexpr void dense_slopes(double theta, std::span<double> slopes) const noexcept {
    for (int j = 0; j < s; ++j) {
      double value = 0;
      for (int k = dense_degree; k >= 1; --k) value = value * theta + k * m_theta[j][k];
      slopes[static_cast<std::size_t>(j)] = value;
    }
  }
};

constexpr RosenbrockTable make_rosenbrock_table(const RosenbrockLabel& label,
                                                const RosenbrockCoefficients<double>& method) {
  constexpr auto vanishes = [](double x) { return x < 1e-13 && x > -1e-13; };
  RosenbrockTable table{};
  static_cast<RosenbrockCoefficients<double>&>(table) = method;
  const int s = method.s;
  table.label = label;
  table.diagonal = method.gamma[0][0];
  table.u = u_form(method);
  table.stiffly_accurate = true;
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j <= i; ++j) {
      table.alpha_sum[i] += method.alpha[i][j];
      table.gamma_sum[i] += method.gamma[i][j];
    }
    table.m_error[i] = table.u.m[i] - table.u.m_hat[i];
    table.stiffly_accurate = table.stiffly_accurate && vanishes(method.beta(s - 1, i) - method.b[i]);

    table.f_source[i] = i;
    for (int j = i - 1; j >= 0; --j) {
      bool same = true;
      for (int l = 0; l < i; ++l) same = same && method.alpha[i][l] == method.alpha[j][l];
      if (same) table.f_source[i] = j;
    }
    table.n_f_calls += table.f_source[i] == i ? 1 : 0;
  }
  table.stiffly_accurate = table.stiffly_accurate && vanishes(table.alpha_sum[s - 1] - 1);
  return table;
}

/// For a method published in the form (3): steppers see exactly the published numbers.
constexpr RosenbrockTable make_rosenbrock_table(const RosenbrockLabel& label, int s, double gamma,
                                                const RosenbrockUForm<double>& published) {
  RosenbrockTable table = make_rosenbrock_table(label, from_u_form(s, gamma, published));
  table.u = published;
  for (int i = 0; i < s; ++i) table.m_error[i] = published.m[i] - published.m_hat[i];
  return table;
}

/// Every Rosenbrock method of the library, with its dense output, in the order of `rubato list`.
[[nodiscard]] std::span<const RosenbrockTable> rosenbrock_tables();

/// One of them by name (or alias: `ro2` is `ro2a`); an unknown name is answered with the known ones.
[[nodiscard]] Result<const RosenbrockTable*> find_rosenbrock_table(std::string_view name);

}  // namespace rubato
