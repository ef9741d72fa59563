#pragma once
/// A scalar that remembers which unknowns it depends on: running a model on it yields the sparsity pattern.
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

namespace rubato {

/// A number and a handle to a set of indices kept in the thread's tracing pool. Used at set-up only.
/// The arithmetic is that of double, so a model takes the branches of the traced point; operators unite the sets even
/// where a derivative happens to vanish there.
struct Tracer {
  double value = 0;
  int set = 0;  ///< 0: depends on nothing

  constexpr Tracer() = default;
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr Tracer(A v) : value(static_cast<double>(v)) {}
  constexpr Tracer(double v, int s) : value(v), set(s) {}

  Tracer& operator+=(const Tracer& o) { return *this = *this + o; }
  Tracer& operator-=(const Tracer& o) { return *this = *this - o; }
  Tracer& operator*=(const Tracer& o) { return *this = *this * o; }
  Tracer& operator/=(const Tracer& o) { return *this = *this / o; }

  /// The union of two sets of the pool.
  static int united(int a, int b);

  friend Tracer operator+(const Tracer& a, const Tracer& b) { return {a.value + b.value, united(a.set, b.set)}; }
  friend Tracer operator-(const Tracer& a, const Tracer& b) { return {a.value - b.value, united(a.set, b.set)}; }
  friend Tracer operator*(const Tracer& a, const Tracer& b) {
    // A constant zero removes a dependency; a variable that is zero at this point does not.
    if ((a.set == 0 && a.value == 0) || (b.set == 0 && b.value == 0)) return {};
    return {a.value * b.value, united(a.set, b.set)};
  }
  friend Tracer operator/(const Tracer& a, const Tracer& b) {
    if (a.set == 0 && a.value == 0) return {};
    return {a.value / b.value, united(a.set, b.set)};
  }
  friend Tracer operator-(const Tracer& a) { return {-a.value, a.set}; }
  friend Tracer operator+(const Tracer& a) { return a; }
  friend bool operator==(const Tracer& a, const Tracer& b) { return a.value == b.value; }
  friend auto operator<=>(const Tracer& a, const Tracer& b) { return a.value <=> b.value; }
};

inline double value_of(const Tracer& x) noexcept { return x.value; }

inline Tracer sin(const Tracer& x) { return {std::sin(x.value), x.set}; }
inline Tracer cos(const Tracer& x) { return {std::cos(x.value), x.set}; }
inline Tracer tan(const Tracer& x) { return {std::tan(x.value), x.set}; }
inline Tracer asin(const Tracer& x) { return {std::asin(x.value), x.set}; }
inline Tracer acos(const Tracer& x) { return {std::acos(x.value), x.set}; }
inline Tracer atan(const Tracer& x) { return {std::atan(x.value), x.set}; }
inline Tracer atan2(const Tracer& y, const Tracer& x) {
  return {std::atan2(y.value, x.value), Tracer::united(y.set, x.set)};
}
inline Tracer exp(const Tracer& x) { return {std::exp(x.value), x.set}; }
inline Tracer log(const Tracer& x) { return {std::log(x.value), x.set}; }
inline Tracer sqrt(const Tracer& x) { return {std::sqrt(x.value), x.set}; }
inline Tracer sinh(const Tracer& x) { return {std::sinh(x.value), x.set}; }
inline Tracer cosh(const Tracer& x) { return {std::cosh(x.value), x.set}; }
inline Tracer tanh(const Tracer& x) { return {std::tanh(x.value), x.set}; }
inline Tracer abs(const Tracer& x) { return {std::abs(x.value), x.set}; }
inline Tracer pow(const Tracer& x, double p) { return {std::pow(x.value, p), x.set}; }
inline Tracer hypot(const Tracer& x, const Tracer& y) {
  return {std::hypot(x.value, y.value), Tracer::united(x.set, y.set)};
}
inline bool isfinite(const Tracer& x) { return std::isfinite(x.value); }

/// Clears the thread's pool of sets at construction and destruction: one object spans one tracing.
class Tracing {
 public:
  Tracing();
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  /// The independent variable with number `index`.
  [[nodiscard]] Tracer variable(double value, int index) const;
  /// The sorted indices x depends on.
  [[nodiscard]] std::span<const int> dependencies(const Tracer& x) const;
};

}  // namespace rubato
