#pragma once
/// A quantity along the motion: its value and its first n time derivatives. Rows of constraints written once over jets yield
/// g, its rate and its acceleration from the velocities and accelerations of the bodies, without differentiating charts.
///   (x y)' = x' y + x y',   (x y)'' = x'' y + 2 x' y' + x y''                                                          (1)
#include <array>
#include <cmath>

#include "rubato/base/dual.hpp"
#include "rubato/base/tracer.hpp"

namespace rubato::multibody::detail {

template <class S, int n>
struct Jet {
  static_assert(n >= 0 && n <= 2);
  std::array<S, n + 1> c{};  ///< value, rate, acceleration

  Jet() = default;
  Jet(const S& x) { c[0] = x; }
  /// No deduction for constants: `1.0 - jet`.
  template <class A>
  requires(std::is_arithmetic_v<A> && !std::is_same_v<A, S>) Jet(A x) { c[0] = S(x); }

  Jet& operator+=(const Jet& o) {
    for (std::size_t i = 0; i <= n; ++i) c[i] += o.c[i];
    return *this;
  }
  Jet& operator-=(const Jet& o) {
    for (std::size_t i = 0; i <= n; ++i) c[i] -= o.c[i];
    return *this;
  }
  friend Jet operator+(Jet a, const Jet& b) { return a += b; }
  friend Jet operator-(Jet a, const Jet& b) { return a -= b; }
  friend Jet operator-(Jet a) {
    for (auto& x : a.c) x = -x;
    return a;
  }
  friend Jet operator*(const Jet& a, const Jet& b) {  // (1)
    Jet r;
    r.c[0] = a.c[0] * b.c[0];
    if constexpr (n >= 1) r.c[1] = a.c[1] * b.c[0] + a.c[0] * b.c[1];
    if constexpr (n >= 2) r.c[2] = a.c[2] * b.c[0] + 2.0 * (a.c[1] * b.c[1]) + a.c[0] * b.c[2];
    return r;
  }
  friend Jet operator*(double a, Jet b) {
    for (auto& x : b.c) x = a * x;
    return b;
  }
};

/// √x: y² = x, 2 y y' = x', 2 y y'' = x'' − 2 y'².
template <class S, int n>
Jet<S, n> sqrt(const Jet<S, n>& x) {
  using std::sqrt;
  Jet<S, n> y;
  y.c[0] = sqrt(x.c[0]);
  if constexpr (n >= 1) y.c[1] = 0.5 * x.c[1] / y.c[0];
  if constexpr (n >= 2) y.c[2] = (0.5 * x.c[2] - y.c[1] * y.c[1]) / y.c[0];
  return y;
}
/// 1/x: y x = 1, y' = −x' y², y'' = −x'' y² − 2 x' y y'.
template <class S, int n>
Jet<S, n> inverse(const Jet<S, n>& x) {
  Jet<S, n> y;
  y.c[0] = 1.0 / x.c[0];
  if constexpr (n >= 1) y.c[1] = -(x.c[1] * y.c[0] * y.c[0]);
  if constexpr (n >= 2) y.c[2] = -(x.c[2] * y.c[0] * y.c[0]) - 2.0 * x.c[1] * y.c[0] * y.c[1];
  return y;
}

/// cos x and sin x.
template <class S, int n>
std::array<Jet<S, n>, 2> turn_of(const Jet<S, n>& x) {
  using std::cos, std::sin;
  const S c = cos(x.c[0]), s = sin(x.c[0]);
  Jet<S, n> cosine(c), sine(s);
  if constexpr (n >= 1) {
    cosine.c[1] = -(s * x.c[1]);
    sine.c[1] = c * x.c[1];
  }
  if constexpr (n >= 2) {
    cosine.c[2] = -(c * x.c[1] * x.c[1]) - s * x.c[2];
    sine.c[2] = c * x.c[2] - s * x.c[1] * x.c[1];
  }
  return {cosine, sine};
}

/// x' with its derivatives.
template <class S, int n>
Jet<S, n - 1> rate_of(const Jet<S, n>& x) {
  Jet<S, n - 1> r;
  for (std::size_t i = 0; i < n; ++i) r.c[i] = x.c[i + 1];
  return r;
}
/// x without its highest derivative.
template <class S, int n>
Jet<S, n - 1> shortened(const Jet<S, n>& x) {
  Jet<S, n - 1> r;
  for (std::size_t i = 0; i < n; ++i) r.c[i] = x.c[i];
  return r;
}

}  // namespace rubato::multibody::detail
