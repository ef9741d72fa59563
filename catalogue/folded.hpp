#pragma once
/// Zeros and ones that the compiler knows: x + Zero is x, Zero * x is Zero, One * x is x. Formulas over vectors whose components are of
/// such types cost only what is left of them, and patterns contain no entries that cancel or vanish for every state.
#include <type_traits>

namespace rubato::catalogue {

struct Zero {};
struct One {};

template <class T>
inline constexpr bool is_known = std::is_same_v<T, Zero> || std::is_same_v<T, One>;

constexpr Zero operator-(Zero) { return {}; }
constexpr Zero operator+(Zero, Zero) { return {}; }
constexpr Zero operator-(Zero, Zero) { return {}; }
constexpr Zero operator*(Zero, Zero) { return {}; }
constexpr Zero operator*(Zero, One) { return {}; }
constexpr Zero operator*(One, Zero) { return {}; }
constexpr One operator*(One, One) { return {}; }

template <class T>
requires(!is_known<T>) constexpr T operator+(Zero, const T& x) { return x; }
template <class T>
requires(!is_known<T>) constexpr T operator+(const T& x, Zero) { return x; }
template <class T>
requires(!is_known<T>) constexpr T operator-(Zero, const T& x) { return -x; }
template <class T>
requires(!is_known<T>) constexpr T operator-(const T& x, Zero) { return x; }
template <class T>
requires(!is_known<T>) constexpr Zero operator*(Zero, const T&) { return {}; }
template <class T>
requires(!is_known<T>) constexpr Zero operator*(const T&, Zero) { return {}; }
template <class T>
requires(!is_known<T>) constexpr T operator*(One, const T& x) { return x; }
template <class T>
requires(!is_known<T>) constexpr T operator*(const T& x, One) { return x; }

/// folded([] { return 0.5 * mass; }): the constant, or Zero where it is zero.
template <class Constant>
constexpr auto folded(Constant) {
  constexpr double value = Constant{}();
  if constexpr (value == 0)
    return Zero{};
  else
    return value;
}

/// As a number of type S.
template <class S, class T>
constexpr S number(const T& x) {
  if constexpr (std::is_same_v<T, Zero>)
    return S(0.0);
  else if constexpr (std::is_same_v<T, One>)
    return S(1.0);
  else
    return S(x);
}

/// A vector in space, component by component.
template <class X, class Y, class Z>
struct Vec {
  X x;
  Y y;
  Z z;
};
template <class X, class Y, class Z>
Vec(X, Y, Z) -> Vec<X, Y, Z>;

template <class X, class Y, class Z, class U, class V, class W>
constexpr auto operator+(const Vec<X, Y, Z>& a, const Vec<U, V, W>& b) {
  return Vec{a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class X, class Y, class Z, class U, class V, class W>
constexpr auto operator-(const Vec<X, Y, Z>& a, const Vec<U, V, W>& b) {
  return Vec{a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class F, class X, class Y, class Z>
constexpr auto scaled(const F& factor, const Vec<X, Y, Z>& a) {
  return Vec{factor * a.x, factor * a.y, factor * a.z};
}
template <class X, class Y, class Z, class U, class V, class W>
constexpr auto dot(const Vec<X, Y, Z>& a, const Vec<U, V, W>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class X, class Y, class Z, class U, class V, class W>
constexpr auto cross(const Vec<X, Y, Z>& a, const Vec<U, V, W>& b) {
  return Vec{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A symmetric tensor.
template <class XX, class YY, class ZZ, class XY, class XZ, class YZ>
struct Tensor {
  XX xx;
  YY yy;
  ZZ zz;
  XY xy;
  XZ xz;
  YZ yz;
};
template <class XX, class YY, class ZZ, class XY, class XZ, class YZ>
Tensor(XX, YY, ZZ, XY, XZ, YZ) -> Tensor<XX, YY, ZZ, XY, XZ, YZ>;

template <class XX, class YY, class ZZ, class XY, class XZ, class YZ, class U, class V, class W>
constexpr auto operator*(const Tensor<XX, YY, ZZ, XY, XZ, YZ>& t, const Vec<U, V, W>& v) {
  return Vec{t.xx * v.x + t.xy * v.y + t.xz * v.z, t.xy * v.x + t.yy * v.y + t.yz * v.z,
             t.xz * v.x + t.yz * v.y + t.zz * v.z};
}
template <class XX, class YY, class ZZ, class XY, class XZ, class YZ, class A, class B, class C, class D, class E,
          class F>
constexpr auto operator+(const Tensor<XX, YY, ZZ, XY, XZ, YZ>& a, const Tensor<A, B, C, D, E, F>& b) {
  return Tensor{a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// A rotation about x or y: R = Rot(n, q) takes components in the turned frame to those in the frame before.
enum class Axis : unsigned char { x, y };
template <Axis axis, class S, class C>
struct Turn {
  S sin;
  C cos;
};
/// R v.
template <Axis axis, class S, class C, class X, class Y, class Z>
constexpr auto turned(const Turn<axis, S, C>& r, const Vec<X, Y, Z>& v) {
  if constexpr (axis == Axis::x)
    return Vec{v.x, r.cos * v.y - r.sin * v.z, r.sin * v.y + r.cos * v.z};
  else
    return Vec{r.cos * v.x + r.sin * v.z, v.y, r.cos * v.z - r.sin * v.x};
}
/// Rᵀ v.
template <Axis axis, class S, class C, class X, class Y, class Z>
constexpr auto turned_back(const Turn<axis, S, C>& r, const Vec<X, Y, Z>& v) {
  return turned(Turn<axis, decltype(-r.sin), C>{-r.sin, r.cos}, v);
}
/// R T Rᵀ: (R T) by columns, then by the rows of R.
template <Axis axis, class S, class C, class XX, class YY, class ZZ, class XY, class XZ, class YZ>
constexpr auto turned(const Turn<axis, S, C>& r, const Tensor<XX, YY, ZZ, XY, XZ, YZ>& t) {
  const auto& s = r.sin;
  const auto& c = r.cos;
  if constexpr (axis == Axis::x) {
    const auto row = turned(r, Vec{Zero{}, t.xy, t.xz});
    const auto left = turned(r, Vec{Zero{}, t.yy, t.yz});
    const auto right = turned(r, Vec{Zero{}, t.yz, t.zz});
    return Tensor{t.xx, c * left.y - s * right.y, s * left.z + c * right.z, row.y, row.z, s * left.y + c * right.y};
  } else {
    const auto row = turned(r, Vec{t.xy, Zero{}, t.yz});
    const auto left = turned(r, Vec{t.xx, Zero{}, t.xz});
    const auto right = turned(r, Vec{t.xz, Zero{}, t.zz});
    return Tensor{c * left.x + s * right.x, t.yy, c * right.z - s * left.z, row.x, c * right.x - s * left.x, row.z};
  }
}

}  // namespace rubato::catalogue
