#pragma once
/// Forward-mode automatic differentiation: a + ε b with ε² = 0, N directions at once.
///
/// `Dual<T, N>` nests: Dual<Dual<double, 8>, 1> gives the directional derivative of a gradient. Plain numbers take part
/// as they are: c·x costs one product per direction, x·y two.
#include <array>
#include <concepts>

#include "rubato/base/elementary.hpp"

namespace rubato {

template <class T, int N>
struct Dual {
  using Inner = T;
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
  constexpr Dual& operator+=(double c) {
    value += c;
    return *this;
  }
  constexpr Dual& operator-=(double c) {
    value -= c;
    return *this;
  }
  constexpr Dual& operator*=(double c) {
    value *= c;
    for (auto& x : d) x *= c;
    return *this;
  }
  constexpr Dual& operator/=(double c) { return *this *= 1.0 / c; }

  // Results are written place by place, never copied first and changed then: copies of 72 bytes go through memory in pieces of other
  // sizes than they are read again, which stalls.
  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    Dual r(a.value + b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
  }
  friend constexpr Dual operator+(const Dual& a, double c) {
    Dual r(a.value + c);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i];
    return r;
  }
  friend constexpr Dual operator+(double c, const Dual& a) { return a + c; }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    Dual r(a.value - b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
  }
  friend constexpr Dual operator-(const Dual& a, double c) { return a + -c; }
  friend constexpr Dual operator-(double c, const Dual& a) {
    Dual r(c - a.value);
    for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
    return r;
  }
  friend constexpr Dual operator-(const Dual& a) {
    Dual r(-a.value);
    for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
    return r;
  }
  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b.value + a.value * b.d[i];
    return r;
  }
  friend constexpr Dual operator*(const Dual& a, double c) {
    Dual r(a.value * c);
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * c;
    return r;
  }
  friend constexpr Dual operator*(double c, const Dual& a) { return a * c; }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = 1.0 / b.value;
    Dual r(a.value * inverse);
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.value * b.d[i]) * inverse;
    return r;
  }
  friend constexpr Dual operator/(const Dual& a, double c) { return a * (1.0 / c); }
  friend constexpr Dual operator/(double c, const Dual& b) {
    const T inverse = 1.0 / b.value, f = c * inverse;
    return chain(b, f, -f * inverse);
  }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  friend constexpr Dual chain(const Dual& x, const T& f, const T& fx) {
    Dual r(f);
    for (int i = 0; i < N; ++i) r.d[i] = fx * x.d[i];
    return r;
  }
  friend constexpr Dual chain(const Dual& x, const Dual& y, const T& f, const T& fx, const T& fy) {
    Dual r(f);
    for (int i = 0; i < N; ++i) r.d[i] = fx * x.d[i] + fy * y.d[i];
    return r;
  }
};

/// Eight directions: the lane width of coloured Jacobians.
using Dual8 = Dual<double, 8>;

}  // namespace rubato
