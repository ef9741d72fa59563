#include "motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/function.hpp"

namespace rubato::multibody::detail {

bool jumps(const Function& f, double t, int n) noexcept {
  const double beside = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300);
  const auto left = derivatives(f, t - beside), right = derivatives(f, t);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i)
    if (const double smooth = 4 * beside * (std::abs(left[i + 1]) + std::abs(right[i + 1]));
        std::abs(right[i] - left[i]) > 1e-9 * (std::abs(left[i]) + std::abs(right[i])) + smooth)
      return true;
  return false;
}

double integral(const Function& f, double x) noexcept {
  // Abscissae and weights of three points on [−1, 1].
  const double node = std::sqrt(0.6), outer = 5.0 / 9, middle = 8.0 / 9;
  constexpr int parts = 32;
  const double half = x / (2 * parts);
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    const double centre = (2 * i + 1) * half;
    sum += outer * (f(centre - node * half) + f(centre + node * half)) + middle * f(centre);
  }
  return sum * half;
}

}  // namespace rubato::multibody::detail
