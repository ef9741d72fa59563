#include "rubato/base/function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/function_jumps.hpp"

namespace rubato {

Result<Function> function_of_time(std::string_view expression) {
  const std::string variable = "t";
  auto parsed = Expression::parse(expression, std::span(&variable, 1));
  if (!parsed) return parsed.error();
  return Function(*std::move(parsed));
}

std::array<double, 4> derivatives(const Function& f, double x) noexcept {
  using One = Dual<double, 1>;
  using Two = Dual<One, 1>;
  using Three = Dual<Two, 1>;
  Three at{Two{One{x}}};
  at.d[0] = Two{One{1.0}};
  at.value.d[0] = One{1.0};
  at.value.value.d[0] = 1.0;
  const Three y = f(at);
  return {y.value.value.value, y.value.value.d[0], y.value.d[0].d[0], y.d[0].d[0].d[0]};
}

bool jumps(const Function& f, double x, int n) noexcept {
  const double beside = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(x), 1e-300);
  const auto left = derivatives(f, x - beside), right = derivatives(f, x);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i)
    if (const double smooth = 4 * beside * (std::abs(left[i + 1]) + std::abs(right[i + 1]));
        std::abs(right[i] - left[i]) > 1e-9 * (std::abs(left[i]) + std::abs(right[i])) + smooth)
      return true;
  return false;
}

}  // namespace rubato
