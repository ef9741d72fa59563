#pragma once
/// Forward-mode automatic differentiation: a + ε b with ε² = 0, N directions at once.
///
/// `Dual<T, N>` nests: Dual<Dual<double, 8>, 1> gives the directional derivative of a gradient. A model written as a
/// template over its scalar calls `sin(x)` etc. unqualified after `using std::sin`.
#include <array>
#include <cmath>
#include <concepts>

namespace rubato {

template <class T, int N>
struct Dual {
  T value{};
  std::array<T, N> d{};

  constexpr Dual() = default;
  constexpr Dual(const T& v) : value(v) {}
  template <class A>
  requires(std::is_arithmetic_v<A> && !std::same_as<A, T>) constexpr Dual(A v) : value(static_cast<double>(v)) {}

  constexpr Dual& operator+=(const Dual& o) {
    value += o.value;
    for (int i = 0; i < N; ++i) d[i] += o.d[i];
    return *this;
  }
  constexpr Dual& operator-=(const Dual& o) {
    value -= o.value;
    for (int i = 0; i < N; ++i) d[i] -= o.d[i];
    return *this;
  }
  constexpr Dual& operator*=(const Dual& o) { return *this = *this * o; }
  constexpr Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend constexpr Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend constexpr Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend constexpr Dual operator-(Dual a) {
    a.value = -a.value;
    for (auto& x : a.d) x = -x;
    return a;
  }
  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b.value + a.value * b.d[i];
    return r;
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = T(1.0) / b.value;
    Dual r(a.value * inverse);
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.value * b.d[i]) * inverse;
    return r;
  }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }
};

/// Eight directions: the lane width of coloured Jacobians.
using Dual8 = Dual<double, 8>;

/// The plain number inside, however deep.
constexpr double value_of(double x) noexcept { return x; }
template <class T, int N>
constexpr double value_of(const Dual<T, N>& x) noexcept {
  return value_of(x.value);
}

namespace detail {
/// f(x) and f'(x) at x.value, by the chain rule.
template <class T, int N>
constexpr Dual<T, N> chain(const Dual<T, N>& x, const T& f, const T& df) {
  Dual<T, N> r(f);
  for (int i = 0; i < N; ++i) r.d[i] = df * x.d[i];
  return r;
}
}  // namespace detail

template <class T, int N>
Dual<T, N> sin(const Dual<T, N>& x) {
  using std::cos, std::sin;
  return detail::chain(x, T(sin(x.value)), T(cos(x.value)));
}
template <class T, int N>
Dual<T, N> cos(const Dual<T, N>& x) {
  using std::cos, std::sin;
  return detail::chain(x, T(cos(x.value)), T(-sin(x.value)));
}
template <class T, int N>
Dual<T, N> tan(const Dual<T, N>& x) {
  using std::tan;
  const T f = tan(x.value);
  return detail::chain(x, f, T(1.0 + f * f));
}
template <class T, int N>
Dual<T, N> asin(const Dual<T, N>& x) {
  using std::asin, std::sqrt;
  return detail::chain(x, T(asin(x.value)), T(1.0 / sqrt(1.0 - x.value * x.value)));
}
template <class T, int N>
Dual<T, N> acos(const Dual<T, N>& x) {
  using std::acos, std::sqrt;
  return detail::chain(x, T(acos(x.value)), T(-1.0 / sqrt(1.0 - x.value * x.value)));
}
template <class T, int N>
Dual<T, N> atan(const Dual<T, N>& x) {
  using std::atan;
  return detail::chain(x, T(atan(x.value)), T(1.0 / (1.0 + x.value * x.value)));
}
template <class T, int N>
Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  using std::atan2;
  const T r2 = x.value * x.value + y.value * y.value;
  Dual<T, N> r(T(atan2(y.value, x.value)));
  for (int i = 0; i < N; ++i) r.d[i] = (x.value * y.d[i] - y.value * x.d[i]) / r2;
  return r;
}
template <class T, int N>
Dual<T, N> exp(const Dual<T, N>& x) {
  using std::exp;
  const T f = exp(x.value);
  return detail::chain(x, f, f);
}
template <class T, int N>
Dual<T, N> log(const Dual<T, N>& x) {
  using std::log;
  return detail::chain(x, T(log(x.value)), T(1.0 / x.value));
}
template <class T, int N>
Dual<T, N> sqrt(const Dual<T, N>& x) {
  using std::sqrt;
  const T f = sqrt(x.value);
  return detail::chain(x, f, T(0.5 / f));
}
template <class T, int N>
Dual<T, N> sinh(const Dual<T, N>& x) {
  using std::cosh, std::sinh;
  return detail::chain(x, T(sinh(x.value)), T(cosh(x.value)));
}
template <class T, int N>
Dual<T, N> cosh(const Dual<T, N>& x) {
  using std::cosh, std::sinh;
  return detail::chain(x, T(cosh(x.value)), T(sinh(x.value)));
}
template <class T, int N>
Dual<T, N> tanh(const Dual<T, N>& x) {
  using std::tanh;
  const T f = tanh(x.value);
  return detail::chain(x, f, T(1.0 - f * f));
}
/// |x|; the derivative at 0 is taken as +1.
template <class T, int N>
Dual<T, N> abs(const Dual<T, N>& x) {
  return value_of(x) < 0 ? -x : x;
}
/// x to a constant power.
template <class T, int N>
Dual<T, N> pow(const Dual<T, N>& x, double p) {
  using std::pow;
  return detail::chain(x, T(pow(x.value, p)), T(p * pow(x.value, p - 1.0)));
}
template <class T, int N>
Dual<T, N> hypot(const Dual<T, N>& x, const Dual<T, N>& y) {
  return sqrt(x * x + y * y);
}
template <class T, int N>
bool isfinite(const Dual<T, N>& x) {
  return std::isfinite(value_of(x));
}

}  // namespace rubato
