#pragma once
/// Loops over the components of short vectors, two at a time: a register of the least common processor.
///
/// A loop left to the compiler is prepared for many components (overlaps, alignment, unrolling); with two or three of them
/// the preparations cost more than the work.
#include <Eigen/Core>

namespace rubato::detail {

template <int width>
using Piece = Eigen::Array<double, width, 1>;

template <int width>
inline Piece<width> piece(const double* from) noexcept {
  return Eigen::Map<const Piece<width>>(from);
}
template <int width>
inline Eigen::Map<Piece<width>> piece(double* to) noexcept {
  return Eigen::Map<Piece<width>>(to);
}

/// A number that was written a moment ago together with no other: the compiler must not fetch its neighbour with it. A load of
/// two that were written one by one waits until both have reached the cache, ten cycles longer than one by one.
inline double alone(const double* from) noexcept {
  double value = *from;
#if defined(__GNUC__) && defined(__x86_64__)
  asm("" : "+x"(value));
#endif
  return value;
}

/// Calls `body.template operator()<width>(i)` for the components i … i + width − 1, until all n are done.
template <class F>
inline void in_pairs(std::ptrdiff_t n, F&& body) noexcept {
  std::ptrdiff_t i = 0;
  for (; i + 2 <= n; i += 2) body.template operator()<2>(i);
  if (i < n) body.template operator()<1>(i);
}

}  // namespace rubato::detail
