#pragma once
/// Numbers in [0, 1) without a period, spread evenly: the fractional part of i times the golden ratio. For disturbances of all unknowns at once
/// whose parts must neither be alike nor cancel.
#include <cmath>

namespace rubato {

inline double aperiodic(long i) noexcept { return std::fmod(0.6180339887498949 * static_cast<double>(i), 1.0); }

}  // namespace rubato
