#pragma once
/// The elementary functions of scalars that carry derivatives, each written once: f and f' at the value inside.
///
/// Such a scalar X (Dual, Taped) has a `value` of type X::Inner, and by the chain rule makes
///   chain(x, f, f')             of  f(x),
///   chain(x, y, f, f_x, f_y)    of  f(x, y).
/// A model calls `sin(x)` etc. unqualified after `using std::sin`, and `sin_cos(x)` where it needs both.
#include <cmath>

namespace rubato {

template <class X>
concept Differentiated = requires(const X& x) {
  typename X::Inner;
  x.value;
};

/// The plain number inside, however deep.
constexpr double value_of(double x) noexcept { return x; }
template <Differentiated X>
constexpr double value_of(const X& x) noexcept {
  return value_of(x.value);
}

template <class T>
struct SinCos {
  T sin, cos;
};
/// Sine and cosine for the price of one: of nested scalars only the innermost number is looked up.
template <class T>
SinCos<T> sin_cos(const T& x) {
  using std::cos, std::sin;
  return {sin(x), cos(x)};
}
template <Differentiated X>
SinCos<X> sin_cos(const X& x) {
  const auto [s, c] = sin_cos(x.value);
  return {chain(x, s, c), chain(x, c, -s)};
}

template <Differentiated X>
X sin(const X& x) {
  const auto [s, c] = sin_cos(x.value);
  return chain(x, s, c);
}
template <Differentiated X>
X cos(const X& x) {
  const auto [s, c] = sin_cos(x.value);
  return chain(x, c, -s);
}
template <Differentiated X>
X tan(const X& x) {
  using std::tan;
  const auto f = tan(x.value);
  return chain(x, f, 1.0 + f * f);
}
template <Differentiated X>
X asin(const X& x) {
  using std::asin, std::sqrt;
  return chain(x, asin(x.value), 1.0 / sqrt(1.0 - x.value * x.value));
}
template <Differentiated X>
X acos(const X& x) {
  using std::acos, std::sqrt;
  return chain(x, acos(x.value), -1.0 / sqrt(1.0 - x.value * x.value));
}
template <Differentiated X>
X atan(const X& x) {
  using std::atan;
  return chain(x, atan(x.value), 1.0 / (1.0 + x.value * x.value));
}
template <Differentiated X>
X atan2(const X& y, const X& x) {
  using std::atan2;
  const auto r2 = x.value * x.value + y.value * y.value;
  return chain(y, x, atan2(y.value, x.value), x.value / r2, -y.value / r2);
}
template <Differentiated X>
X exp(const X& x) {
  using std::exp;
  const auto f = exp(x.value);
  return chain(x, f, f);
}
template <Differentiated X>
X log(const X& x) {
  using std::log;
  return chain(x, log(x.value), 1.0 / x.value);
}
template <Differentiated X>
X sqrt(const X& x) {
  using std::sqrt;
  const auto f = sqrt(x.value);
  return chain(x, f, 0.5 / f);
}
template <Differentiated X>
X sinh(const X& x) {
  using std::cosh, std::sinh;
  return chain(x, sinh(x.value), cosh(x.value));
}
template <Differentiated X>
X cosh(const X& x) {
  using std::cosh, std::sinh;
  return chain(x, cosh(x.value), sinh(x.value));
}
template <Differentiated X>
X tanh(const X& x) {
  using std::tanh;
  const auto f = tanh(x.value);
  return chain(x, f, 1.0 - f * f);
}
/// |x|; the derivative at 0 is taken as +1.
template <Differentiated X>
X abs(const X& x) {
  return value_of(x) < 0 ? -x : x;
}
/// x to a constant power.
template <Differentiated X>
X pow(const X& x, double p) {
  using std::pow;
  return chain(x, pow(x.value, p), p * pow(x.value, p - 1.0));
}
template <Differentiated X>
X hypot(const X& x, const X& y) {
  return sqrt(x * x + y * y);
}
template <Differentiated X>
bool isfinite(const X& x) {
  return std::isfinite(value_of(x));
}

}  // namespace rubato
