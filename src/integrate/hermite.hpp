#pragma once

namespace rubato {

/// The cubic through values and slopes at both ends of a step.
struct Hermite {
  double x0, x1, w0, w1, h;

  [[nodiscard]] double value(double theta) const noexcept {
    if (theta == 1) return x1;  // exactly
    const double s = theta, r = 1 - theta, rise = x1 - x0;
    return x0 + s * rise + s * r * (r * (h * w0 - rise) + s * (rise - h * w1));
  }
  [[nodiscard]] double slope(double theta) const noexcept {
    if (theta == 1) return w1;
    const double s = theta, r = 1 - theta, rise = x1 - x0, begin = h * w0 - rise, end = rise - h * w1;
    return (rise + (r - s) * (r * begin + s * end) + s * r * (end - begin)) / h;
  }
};

}  // namespace rubato
