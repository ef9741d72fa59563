#pragma once
/// Functions of time as jets. The function itself is differentiated once, over plain numbers; other scalars follow by the
/// chain rule.
#include "jet.hpp"
#include "rubato/base/function_jumps.hpp"

namespace rubato::multibody::detail {

/// A function of x with this value and slope there.
inline double lifted(double /*x*/, double value, double /*slope*/) { return value; }
template <int n>
Dual<double, n> lifted(const Dual<double, n>& x, double value, double slope) {
  return chain(x, value, slope);
}
inline Tracer lifted(const Tracer& x, double value, double /*slope*/) { return {value, x.set}; }

template <int n, class S>
Jet<S, n> along_time(const Function& f, const S& t) {
  const auto d = derivatives(f, value_of(t));
  Jet<S, n> out;
  for (std::size_t i = 0; i <= n; ++i) out.c[i] = lifted(t, d[i], d[i + 1]);
  return out;
}
/// f(x) alone.
template <class S>
S value_at(const Function& f, const S& x) {
  const auto d = derivatives(f, value_of(x));
  return lifted(x, d[0], d[1]);
}

/// ∫₀ˣ f: by Gauss formulas on 32 parts, to about ten digits where f is smooth.
[[nodiscard]] double integral(const Function& f, double x) noexcept;
template <class S>
S work_of(const Function& f, const S& x) {
  return lifted(x, integral(f, value_of(x)), derivatives(f, value_of(x))[0]);
}

}  // namespace rubato::multibody::detail
