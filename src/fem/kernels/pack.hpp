#pragma once
/// `lanes` doubles side by side. GCC's and Clang's vector types: arithmetic is that of the language, a machine without wide
/// registers takes it in parts.
///
/// Kernels are compiled once per instruction set. No inline function of theirs may meet its twin in the linker, so everything
/// lives in a namespace named after the instruction set and nothing of the standard library beyond C's mathematics is used.
#include <cmath>

#include "../element_kernel.hpp"

#ifndef RUBATO_KERNEL_SET
#define RUBATO_KERNEL_SET plain
#endif

namespace rubato::fem::detail::RUBATO_KERNEL_SET {

typedef double Pack __attribute__((vector_size(lanes * sizeof(double))));
typedef double LoosePack __attribute__((vector_size(lanes * sizeof(double)), aligned(8)));

inline Pack load(const double* from) { return *reinterpret_cast<const LoosePack*>(from); }
inline void store(double* to, Pack x) { *reinterpret_cast<LoosePack*>(to) = x; }
inline void add(double* to, Pack x) { store(to, load(to) + x); }

/// One scalar type for both: a double is a pack of one lane.
template <class S>
inline constexpr int width = sizeof(S) / sizeof(double);
inline double& lane(double& x, int) { return x; }
inline double lane(const double& x, int) { return x; }
inline double lane(const Pack& x, int i) { return x[i]; }
inline void set_lane(double& x, int, double value) { x = value; }
inline void set_lane(Pack& x, int i, double value) { x[i] = value; }

template <class S, class Function>
inline S each(const S& x, Function f) {
  S y = x;
  for (int i = 0; i < width<S>; ++i) set_lane(y, i, f(lane(x, i)));
  return y;
}
template <class S>
inline S cube_root(const S& x) {
  return each(x, [](double v) { return std::cbrt(v); });
}
template <class S>
inline S logarithm(const S& x) {
  return each(x, [](double v) { return std::log(v); });
}
template <class S>
inline S square_root(const S& x) {
  return each(x, [](double v) { return std::sqrt(v); });
}
template <class S>
inline S constant(double value) {
  S x{};
  return x + value;
}

}  // namespace rubato::fem::detail::RUBATO_KERNEL_SET
