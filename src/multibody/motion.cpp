#include "motion.hpp"

#include <cmath>

#include "rubato/base/function.hpp"

namespace rubato::multibody::detail {

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
